/* A plain loop that writes to many sockets, with which `make bench-live` compares.
 *
 *     streams PORT HEAD-FILE EVENT-FILE
 *
 * It has one thread on epoll. A GET is answered with the bytes of the first file, and its connection is a stream from
 * then on. For a POST the bytes of the second file, which include the chunk framing, are written to every stream, and
 * the POST is then answered. Both files have bytes that the measured server has sent, so the bytes on the wire are the
 * same. Everything that only a server needs is left out: views, heartbeats and slow readers (one is an error).
 */
#include "../client.h"
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, EVENTS = 256, DESCRIPTORS = 1 << 16 };

static char head[BUFFER], event[BUFFER];
static size_t head_size, event_size;
static int streams[DESCRIPTORS], place_of[DESCRIPTORS]; /* a place is one more than an index, 0 is none */
static int stream_count;

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n"
                             "{\"changed\":true}";

static void send_all(int fd, const char *bytes, size_t count)
{
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    /* A client may have closed just now. That is no error; epoll reports it later. */
    if (sent >= 0 && (size_t)sent < count) fail("streams: a reader is slow");
}

static void leave(int fd)
{
    int place = place_of[fd];
    if (place > 0) {
        int last = streams[--stream_count];
        streams[place - 1] = last;
        place_of[last] = place;
        place_of[fd] = 0;
    }
    close(fd);
}

static void serve(int fd)
{
    char request[BUFFER];
    ssize_t count = recv(fd, request, sizeof request, 0);
    if (count <= 0) {
        leave(fd);
    } else if (request[0] == 'G') {
        send_all(fd, head, head_size);
        streams[stream_count++] = fd;
        place_of[fd] = stream_count;
    } else {
        for (int index = 0; index < stream_count; index++) send_all(streams[index], event, event_size);
        send_all(fd, answer, sizeof answer - 1);
    }
}

static void watch(int epoll, int fd)
{
    struct epoll_event ready = {.events = EPOLLIN, .data.fd = fd};
    if (fd < 0 || fd >= DESCRIPTORS || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ready) != 0) fail("streams: watch");
}

int main(int argc, char **argv)
{
    if (argc != 4) fail("usage: streams PORT HEAD-FILE EVENT-FILE");
    head_size = read_file(argv[2], head, sizeof head);
    event_size = read_file(argv[3], event, sizeof event);
    raise_descriptors();

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) != 0 || listen(listening, 1024) != 0)
        fail("streams: listen");
    int epoll = epoll_create1(0);
    watch(epoll, listening);
    puts("ready");
    fflush(stdout);
    for (;;) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(epoll, events, EVENTS, -1);
        for (int index = 0; index < ready; index++) {
            if (events[index].data.fd != listening) {
                serve(events[index].data.fd);
                continue;
            }
            int fd = accept(listening, NULL, NULL);
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            watch(epoll, fd);
        }
    }
}
