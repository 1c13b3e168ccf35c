/* The neighbours of a heavy client: readers, a starrer, a health check and a reader of a stream, in one thread.
 *
 *     neighbours PORT GET-FILE STAR-FILE HEALTH-FILE STREAM-FILE INTERVAL-MICROSECONDS SILENCE-MILLISECONDS
 *
 * Three connections send the first request and one sends the second one, each once in an interval. Another connection
 * sends the third request ten times a second, and the last one reads the stream. When each has had an answer, and the
 * stream has been silent for SILENCE-MILLISECONDS, "ready" is printed and the measurement begins. So the next heartbeat
 * is due soon. The measurement ends with the next line of the input. Then the requests that are due are sent and
 * answered, the stream is read until something comes, and this line is printed:
 *
 *     COUNT P50 P99 SLOWEST SLOWEST-GET SLOWEST-STAR SLOWEST-HEALTH LONGEST-SILENCE
 *
 * All but the count is in milliseconds. The first four figures are about all GETs and stars. The time of an answer
 * begins when its request was due. A connection has one request in flight, so a server that stands still delays the
 * requests behind that one, and their delay counts. Everything unexpected is an error: another status, a connection
 * that closes, or silence.
 */
#include "../client.h"
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { READERS = 3, STAR = READERS, HEALTH, PACED, STREAM = PACED, INPUT, SOURCES };
enum { BUFFER = 1 << 16, REQUEST = 4096, PATIENCE_SECONDS = 300 };

static const double health_interval = 0.1;

struct connection {
    char request[REQUEST];
    size_t request_size;
    double interval, due, slowest;
    int is_waiting;
    size_t have; /* bytes of the answer so far */
    char bytes[BUFFER];
};

static struct connection connections[PACED];
static struct pollfd sources[SOURCES];
static double *waits;
static size_t wait_count, wait_room;
static double heard, silence; /* when the stream last sent something, and the longest time without that */
static double end;            /* 0 until the line of the input has come */

static void keep(double wait)
{
    if (wait_count == wait_room) {
        wait_room = wait_room * 2 + 4096;
        waits = realloc(waits, wait_room * sizeof *waits);
        if (waits == NULL) fail("neighbours: no memory");
    }
    waits[wait_count++] = wait;
}

static void ask(int index)
{
    struct connection *connection = &connections[index];
    ssize_t sent = send(sources[index].fd, connection->request, connection->request_size, MSG_NOSIGNAL);
    if (sent != (ssize_t)connection->request_size) fail("neighbours: send");
    connection->is_waiting = 1;
    connection->have = 0;
}

static void receive(int index)
{
    struct connection *connection = &connections[index];
    ssize_t count = recv(sources[index].fd, connection->bytes + connection->have, BUFFER - 1 - connection->have, 0);
    if (count <= 0) fail("neighbours: closed");
    connection->have += (size_t)count;
    size_t size = answer_size(connection->bytes, connection->have, 200);
    if (size == 0 || connection->have < size) return;
    if (!connection->is_waiting || connection->have > size) fail("neighbours: more than one answer");
    connection->is_waiting = 0;
    double wait = now() - connection->due;
    if (wait > connection->slowest) connection->slowest = wait;
    if (index != HEALTH) keep(wait);
    connection->due += connection->interval;
}

static void hear(void)
{
    static char bytes[BUFFER];
    if (recv(sources[STREAM].fd, bytes, sizeof bytes, 0) <= 0) fail("neighbours: the stream has ended");
    if (heard == 0 && strncmp(bytes, "HTTP/1.1 200", 12) != 0) fail("neighbours: no stream");
    double time = now();
    if (heard > 0 && time - heard > silence) silence = time - heard;
    heard = time;
}

/* Waits until something can be read or `until` has come, and reads it. */
static void turn(double until)
{
    double left = until - now();
    if (left < 0) left = 0;
    struct timespec timeout = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
    if (ppoll(sources, SOURCES, &timeout, NULL) <= 0) return;
    for (int index = 0; index < PACED; index++)
        if (sources[index].revents != 0) receive(index);
    if (sources[STREAM].revents != 0) hear();
    if (sources[INPUT].revents != 0) {
        end = now();
        sources[INPUT].fd = -1;
    }
}

/* One turn of the measurement. Returns whether it goes on. */
static int step(void)
{
    static double active;
    double time = now(), next = time + PATIENCE_SECONDS;
    if (active == 0) active = time;
    int is_busy = end == 0 || heard <= end;
    for (int index = 0; index < PACED; index++) {
        struct connection *connection = &connections[index];
        int is_due = end == 0 || connection->due <= end;
        if (!connection->is_waiting && is_due && connection->due <= time) {
            ask(index);
            active = time;
        }
        if (!connection->is_waiting && is_due && connection->due < next) next = connection->due;
        is_busy |= is_due;
    }
    if (time > active + PATIENCE_SECONDS) fail("neighbours: stalled");
    if (is_busy) turn(next);
    return is_busy;
}

static int compare(const void *left, const void *right)
{
    double first = *(const double *)left, second = *(const double *)right;
    return (first > second) - (first < second);
}

static double part(double share)
{
    size_t place = (size_t)((double)wait_count * share);
    return waits[place < wait_count ? place : wait_count - 1] * 1e3;
}

static double slowest(int first, int last)
{
    double slowest = 0;
    for (int index = first; index <= last; index++)
        if (connections[index].slowest > slowest) slowest = connections[index].slowest;
    return slowest * 1e3;
}

static void open_all(int port, char **files, double interval)
{
    for (int index = 0; index < PACED; index++) {
        struct connection *connection = &connections[index];
        const char *file = files[index < READERS ? 0 : index - READERS + 1];
        connection->request_size = read_file(file, connection->request, REQUEST);
        connection->interval = index == HEALTH ? health_interval : interval;
        sources[index] = (struct pollfd){.fd = connect_to(port, 0), .events = POLLIN};
        ask(index);
    }
    char request[REQUEST];
    size_t size = read_file(files[3], request, sizeof request);
    sources[STREAM] = (struct pollfd){.fd = connect_to(port, 0), .events = POLLIN};
    if (send(sources[STREAM].fd, request, size, MSG_NOSIGNAL) != (ssize_t)size) fail("neighbours: send");
    sources[INPUT] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
}

/* Waits for the first answers and for the silence, and spreads what is due over the interval. */
static void begin(double interval, double silent)
{
    double patience = now() + PATIENCE_SECONDS;
    for (int index = 0; index < PACED; index++)
        while (connections[index].is_waiting || heard == 0) {
            if (now() > patience) fail("neighbours: no answer");
            turn(patience);
        }
    while (now() < heard + silent) turn(heard + silent);
    wait_count = 0;
    silence = 0;
    double start = now();
    for (int index = 0; index < PACED; index++) {
        connections[index].due = start + interval * index / PACED;
        connections[index].slowest = 0;
    }
}

int main(int argc, char **argv)
{
    if (argc != 8)
        fail("usage: neighbours PORT GET-FILE STAR-FILE HEALTH-FILE STREAM-FILE INTERVAL-MICROSECONDS "
             "SILENCE-MILLISECONDS");
    double interval = atof(argv[6]) / 1e6;
    prctl(PR_SET_TIMERSLACK, 1);
    open_all(atoi(argv[1]), argv + 2, interval);
    begin(interval, atof(argv[7]) / 1e3);
    puts("ready");
    fflush(stdout);
    while (step()) {}
    if (wait_count == 0) fail("neighbours: no time to ask anything");
    qsort(waits, wait_count, sizeof *waits, compare);
    printf("%zu %.3f %.3f %.3f %.3f %.3f %.3f %.3f\n", wait_count, part(0.5), part(0.99), slowest(0, STAR),
           slowest(0, READERS - 1), slowest(STAR, STAR), slowest(HEALTH, HEALTH), silence * 1e3);
    return 0;
}
