/* Keep-alive load on loopback: one request in flight on each connection.
 *
 *     load PORT CONNECTIONS SECONDS REQUEST-FILE STATUS
 *
 * It sends the bytes of the file repeatedly, reads each answer to its end, and prints the number of answers. Another
 * status than the wanted one, or a closed connection, is an error. wrk cannot be used, because its parser waits for
 * the body that a 304 with a Content-Length does not have.
 */
#include "../client.h"
#include <sys/epoll.h>

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

static void ask(struct connection *connection)
{
    connection->have = 0;
    if (send(connection->fd, request, request_size, MSG_NOSIGNAL) != (ssize_t)request_size) fail("send");
}

static void receive(struct connection *connection)
{
    ssize_t count = recv(connection->fd, connection->bytes + connection->have, BUFFER - 1 - connection->have, 0);
    if (count <= 0) fail("closed");
    connection->have += (size_t)count;
    size_t size = answer_size(connection->bytes, connection->have, status);
    if (size == 0 || connection->have < size) return;
    if (connection->have > size) fail("more than one answer");
    answers++;
    ask(connection);
}

int main(int argc, char **argv)
{
    if (argc != 6) fail("usage: load PORT CONNECTIONS SECONDS REQUEST-FILE STATUS");
    int count = atoi(argv[2]);
    request_size = read_file(argv[4], request, sizeof request);
    status = atoi(argv[5]);
    int epoll = epoll_create1(0);
    struct connection *connections = calloc((size_t)count, sizeof *connections);
    for (int index = 0; index < count; index++) {
        struct connection *connection = &connections[index];
        connection->fd = connect_to(atoi(argv[1]), 0);
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
