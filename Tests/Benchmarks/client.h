/* Code of all load generators: a clock, an exit with an error, a connection, and the size of an answer. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static inline void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static inline size_t read_file(const char *path, char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail("a file is missing");
    size_t count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

/* A connection to loopback without delays (TCP_NODELAY), from an address of loopback. Each address has as many
 * connections to a port as there are ephemeral ports. A receive buffer of 0 is the kernel's own choice. */
static inline int connect_from(const char *source, int port, int receive_buffer)
{
    struct sockaddr_in address = {.sin_family = AF_INET}, own = {.sin_family = AF_INET};
    address.sin_port = htons((unsigned short)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (fd < 0) fail("socket: too few descriptors");
    if (receive_buffer > 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    /* The port is chosen by connect, so it is one that is free for this target. */
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (inet_pton(AF_INET, source, &own.sin_addr) != 1) fail("no address");
    if (bind(fd, (struct sockaddr *)&own, sizeof own) != 0) fail("bind");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static inline int connect_to(int port, int receive_buffer)
{
    return connect_from("127.0.0.1", port, receive_buffer);
}

/* Lets the process have as many descriptors as it may. */
static inline void raise_descriptors(void)
{
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

/* The size of an answer, or 0 if its head is not complete. `bytes` must have room for one more byte. */
static inline size_t answer_size(char *bytes, size_t have, int status)
{
    bytes[have] = 0;
    char *end = strstr(bytes, "\r\n\r\n");
    if (end == NULL) return 0;
    int got = atoi(bytes + 9);
    if (got != status) {
        fprintf(stderr, "%.300s\n", bytes);
        fail("another status than was wanted");
    }
    size_t head = (size_t)(end - bytes) + 4;
    if (got == 304 || got == 204) return head;
    char *length = strcasestr(bytes, "\r\ncontent-length:");
    if (length == NULL) fail("no Content-Length");
    return head + (size_t)atol(length + 17);
}
