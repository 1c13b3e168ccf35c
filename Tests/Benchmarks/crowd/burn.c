/* Threads that compute and do nothing else, until the input ends. `make bench-crowd` compares heavy requests with them.
 *
 *     burn THREADS
 */
#include "../client.h"
#include <pthread.h>

static volatile unsigned long sink;

static void *burn(void *nothing)
{
    for (unsigned long count = 0;; count++) sink = count;
    return nothing;
}

int main(int argc, char **argv)
{
    if (argc != 2) fail("usage: burn THREADS");
    for (int index = 0; index < atoi(argv[1]); index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, burn, NULL) != 0) fail("burn: no thread");
    }
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF) {}
    return 0;
}
