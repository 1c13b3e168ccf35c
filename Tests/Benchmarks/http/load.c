/* Keep-alive load on loopback: one request in flight on each connection.
 *
 *     load PORT CONNECTIONS SECONDS REQUEST-FILE STATUS
 *
 * Sends the bytes of the file again and again and reads each answer whole; prints how many answers came. Any other
 * status than the wanted one, or a closed connection, ends it with an error. Not wrk, because its parser waits for
 * the body that a 304 with a Content-Length does not have.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, EVENTS = 256 };

struct connection {
    int fd;
    size_t have; /* bytes of the answer so far */
    char bytes[BUFFER];
};

static char request[BUFFER];
static size_t request_size;
static long answers;
static int status;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    fprintf(stderr, "load: %s\n", what);
    exit(1);
}

static void ask(struct connection *connection)
{
    connection->have = 0;
    if (send(connection->fd, request, request_size, MSG_NOSIGNAL) != (ssize_t)request_size) fail("send");
}

/* The size of the answer, or 0 if its head is not whole yet. */
static size_t answer_size(struct connection *connection)
{
    connection->bytes[connection->have] = 0;
    char *end = strstr(connection->bytes, "\r\n\r\n");
    if (end == NULL) return 0;
    int got = atoi(connection->bytes + 9);
    if (got != status) {
        fprintf(stderr, "%.300s\n", connection->bytes);
        fail("another status than was wanted");
    }
    size_t head = (size_t)(end - connection->bytes) + 4;
    if (got == 304 || got == 204) return head;
    char *length = strcasestr(connection->bytes, "\r\ncontent-length:");
    if (length == NULL) fail("no Content-Length");
    return head + (size_t)atol(length + 17);
}

static void receive(struct connection *connection)
{
    ssize_t count = recv(connection->fd, connection->bytes + connection->have, BUFFER - 1 - connection->have, 0);
    if (count <= 0) fail("closed");
    connection->have += (size_t)count;
    size_t size = answer_size(connection);
    if (size == 0 || connection->have < size) return;
    if (connection->have > size) fail("more than one answer");
    answers++;
    ask(connection);
}

int main(int argc, char **argv)
{
    if (argc != 6) fail("usage: load PORT CONNECTIONS SECONDS REQUEST-FILE STATUS");
    int count = atoi(argv[2]);
    FILE *file = fopen(argv[4], "rb");
    if (file == NULL) fail("no request file");
    request_size = fread(request, 1, sizeof request, file);
    status = atoi(argv[5]);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int epoll = epoll_create1(0);
    struct connection *connections = calloc((size_t)count, sizeof *connections);
    for (int index = 0; index < count; index++) {
        struct connection *connection = &connections[index];
        connection->fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(connection->fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
        int on = 1;
        setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event);
    }
    double end = now() + atof(argv[3]);
    for (int index = 0; index < count; index++) ask(&connections[index]);
    while (now() < end) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(epoll, events, EVENTS, 1000);
        if (ready == 0) fail("stalled");
        for (int index = 0; index < ready; index++) receive(events[index].data.ptr);
    }
    printf("%ld\n", answers);
    return 0;
}
