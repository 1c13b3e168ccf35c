/* Many readers of one list behind a cache, in one process.
 *
 *     readers SOURCE PORT LIST-PATH COUNT CONNECTIONS INTERVAL-SECONDS WAIT-SECONDS
 *
 * Each reader gets the list once. If WAIT-SECONDS is not 0, it then asks by long polls of that length for the changes
 * since the version that it has, and goes on from the version of each answer. Otherwise it asks each INTERVAL-SECONDS
 * for the version of the head; if that is a later one, it asks for the changes from its own version to that one.
 *
 * Readers take the keep-alive connections in turns; with as many connections as readers, each reader may wait on one.
 * SOURCE is the address of loopback from which they connect.
 *
 * Prints "ready" when each reader has the list. The line "end REVISION" on the input names the head. When all readers
 * have reached it, or no answer comes for a minute, one line of counts is printed:
 *
 *     requests, steps to a later version, answers that tell of nothing new, heads that are older than what the reader
 *     has, empty answers before a long poll was over, answers that led back, answers from another version than the
 *     reader has or to another one than it has asked for, contents that do not fit the version, resets, new connections
 *     in place of closed ones, readers that are not at the head
 *
 * In each version N of the list, an item must have the member "revision" with the value N. Another status than 200 is
 * an error.
 */
#include "../Benchmarks/client.h"
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { ROOM = 4096, EVENTS = 256, JOINING = 256, PATIENCE_SECONDS = 60 };

struct reader {
    long revision; /* 0 before the first answer */
    long until;    /* the revision of the head that it was told, for a request of the changes up to that one; else 0 */
    double due;
};

struct connection {
    int fd; /* -1 before the first request */
    long reader; /* -1 while nobody waits for an answer */
    double asked;
    size_t have; /* bytes of the answer so far */
    char bytes[ROOM];
};

static struct reader *readers;
static long reader_count, *queue, queue_first, queue_count; /* readers that will ask, in the order of their times */
static struct connection **idle;
static long idle_count;
static const char *source, *path;
static int port, epoll;
static double interval, wait_seconds;
static char epoch[64];
static long joining, joined, head; /* the head is 0 until it is named */
static long requests, steps, empty, old, early, back, broken, wrong, resets, reconnects;

/* Whether a reader asks for the version of the head, and not for a body. */
static int is_asking_for_head(const struct reader *reader)
{
    return reader->revision > 0 && reader->until == 0 && wait_seconds == 0;
}

static void send_request(struct connection *connection)
{
    char request[512], query[256] = "";
    const struct reader *reader = &readers[connection->reader];
    int is_head = is_asking_for_head(reader);
    if (is_head)
        strcpy(query, "?limit=1");
    else if (reader->until > 0)
        snprintf(query, sizeof query, "/changes?since=%s-%ld&until=%s-%ld", epoch, reader->revision, epoch,
                 reader->until);
    else if (reader->revision > 0)
        snprintf(query, sizeof query, "/changes?since=%s-%ld&wait=%.0f", epoch, reader->revision, wait_seconds);
    int size = snprintf(request, sizeof request, "%s %s%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        is_head ? "HEAD" : "GET", path, query);
    connection->have = 0;
    if (connection->fd < 0) {
        connection->fd = connect_from(source, port, 0);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event) != 0) fail("readers: epoll_ctl");
    }
    /* If the cache has closed the connection meanwhile, receiving finds it closed. */
    if (send(connection->fd, request, (size_t)size, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
        fail("readers: send");
}

static void enqueue(long reader, double due)
{
    readers[reader].due = due;
    queue[(queue_first + queue_count++) % reader_count] = reader;
}

/* Lets those ask whose time has come, as far as there are connections. Returns the milliseconds until the next. */
static int ask(double time)
{
    while (queue_count > 0 && idle_count > 0) {
        struct reader *reader = &readers[queue[queue_first]];
        double rest = reader->due - time;
        if (rest > 0) return rest < 0.1 ? (int)(rest * 1e3) + 1 : 100;
        if (reader->revision == 0 && joining >= JOINING) break;
        if (head == 0 || reader->revision < head) {
            struct connection *connection = idle[--idle_count];
            connection->reader = queue[queue_first];
            connection->asked = time;
            joining += reader->revision == 0;
            requests++;
            send_request(connection);
        }
        queue_first = (queue_first + 1) % reader_count;
        queue_count--;
    }
    return 100;
}

/* The revision of the version that comes behind a text; -1 if there is none. All versions have one epoch. */
static long revision_behind(const char *answer, const char *text)
{
    char found[64];
    long revision;
    const char *start = strcasestr(answer, text);
    if (start == NULL || sscanf(start + strlen(text), "%63[a-z0-9]-%ld", found, &revision) != 2) return -1;
    if (epoch[0] == 0) strcpy(epoch, found);
    if (strcmp(epoch, found) != 0) fail("readers: another epoch");
    return revision;
}

static void take(struct reader *reader, const char *body, double waited)
{
    int is_first = reader->revision == 0, is_reset = strstr(body, "\"reset\":true") != NULL;
    long to = revision_behind(body, is_first ? "\"version\":\"" : "\"to\":\"");
    if (to < 0) fail("readers: an answer without a version");
    if (is_first) {
        joining--;
        joined++;
    } else if (!is_reset && revision_behind(body, "\"from\":\"") != reader->revision) {
        broken++;
    }
    broken += reader->until > 0 && to != reader->until;
    reader->until = 0;
    resets += is_reset;
    if (to <= reader->revision) {
        back += to < reader->revision;
        empty += to == reader->revision;
        early += to == reader->revision && waited < wait_seconds - 1;
        return;
    }
    char content[64];
    snprintf(content, sizeof content, "\"revision\":%ld}", to);
    wrong += strstr(body, content) == NULL;
    steps += !is_first;
    reader->revision = to;
}

/* Returns whether there are changes to ask for. An older head is one that a cache still has. */
static int take_head(struct reader *reader, const char *answer)
{
    long revision = revision_behind(answer, "\r\nlist-version: ");
    if (revision < 0) fail("readers: a head without a version");
    old += revision < reader->revision;
    empty += revision == reader->revision;
    reader->until = revision > reader->revision ? revision : 0;
    return reader->until > 0;
}

static const char *body_of(const struct connection *connection)
{
    return strstr(connection->bytes, "\r\n\r\n") + 4;
}

static void receive(struct connection *connection, double time)
{
    ssize_t count = recv(connection->fd, connection->bytes + connection->have, ROOM - 1 - connection->have, 0);
    if (count <= 0) {
        /* A cache closes a keep-alive connection at any time, but never within an answer. */
        if (connection->have > 0) fail("readers: closed within an answer");
        close(connection->fd);
        connection->fd = -1;
        if (connection->reader < 0) return;
        reconnects++;
        send_request(connection);
        return;
    }
    connection->have += (size_t)count;
    struct reader *reader = &readers[connection->reader];
    size_t size = answer_size(connection->bytes, connection->have, 200);
    if (size > 0 && is_asking_for_head(reader)) size = (size_t)(body_of(connection) - connection->bytes);
    if (size == 0 && connection->have == ROOM - 1) fail("readers: a long head");
    if (size >= ROOM) fail("readers: a long answer");
    if (size == 0 || connection->have < size) return;
    if (!is_asking_for_head(reader)) {
        take(reader, body_of(connection), time - connection->asked);
    } else if (take_head(reader, connection->bytes)) {
        requests++;
        send_request(connection);
        return;
    }
    enqueue(connection->reader, time + interval);
    connection->reader = -1;
    connection->have = 0;
    idle[idle_count++] = connection;
}

static void obey(void)
{
    char line[64];
    if (fgets(line, sizeof line, stdin) == NULL || sscanf(line, "end %ld", &head) != 1)
        fail("readers: an unknown command");
    epoll_ctl(epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
}

static long behind(void)
{
    long count = 0;
    for (long index = 0; index < reader_count; index++) count += readers[index].revision < head;
    return count;
}

static void run(void)
{
    double last = now();
    int was_ready = 0;
    while (head == 0 || (behind() > 0 && now() < last + PATIENCE_SECONDS)) {
        double time = now();
        int rest = ask(time);
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(epoll, events, EVENTS, rest);
        time = now();
        for (int index = 0; index < ready; index++) {
            if (events[index].data.ptr == NULL) {
                obey();
                continue;
            }
            receive(events[index].data.ptr, time);
            last = time;
        }
        if (joined == reader_count && !was_ready) {
            puts("ready");
            was_ready = 1;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 8)
        fail("usage: readers SOURCE PORT LIST-PATH COUNT CONNECTIONS INTERVAL-SECONDS WAIT-SECONDS");
    source = argv[1];
    port = atoi(argv[2]);
    path = argv[3];
    reader_count = atol(argv[4]);
    long connection_count = atol(argv[5]);
    interval = atof(argv[6]);
    wait_seconds = atof(argv[7]);
    raise_descriptors();
    setvbuf(stdout, NULL, _IOLBF, 0);
    setvbuf(stdin, NULL, _IONBF, 0);
    epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event);

    readers = calloc((size_t)reader_count, sizeof *readers);
    queue = calloc((size_t)reader_count, sizeof *queue);
    idle = calloc((size_t)connection_count, sizeof *idle);
    struct connection *connections = calloc((size_t)connection_count, sizeof *connections);
    double start = now();
    for (long index = 0; index < reader_count; index++)
        enqueue(index, start + interval * (double)index / (double)reader_count);
    for (long index = 0; index < connection_count; index++) {
        connections[index].fd = -1;
        idle[idle_count++] = &connections[index];
    }
    run();
    printf("%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n", requests, steps, empty, old, early, back, broken, wrong,
           resets, reconnects, behind());
    return 0;
}
