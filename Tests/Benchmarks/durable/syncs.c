/* Prints the number of appends per second of 200 bytes, each with its own sync.
 *
 *     syncs FILE SECONDS
 */
#include "../client.h"
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 3) fail("usage: syncs FILE SECONDS");
    char bytes[200];
    memset(bytes, 7, sizeof bytes);
    int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) fail("open");
    double start = now(), end = start + atof(argv[2]);
    long count = 0;
    while (now() < end) {
        if (pwrite(fd, bytes, sizeof bytes, count * (off_t)sizeof bytes) != sizeof bytes) fail("pwrite");
        if (fdatasync(fd) != 0) fail("fdatasync");
        count++;
    }
    printf("%.1f\n", (double)count / (now() - start));
    return 0;
}
