/* Many readers of one event stream, in one process.
 *
 *     subscribers PORT COUNT STREAM-REQUEST-FILE WRITE-REQUEST-FILE RECEIVE-BUFFER WRITE-PORT
 *
 * It opens COUNT streams, reads their heads, and prints "done SECONDS". After that it reads only during a command. Each
 * line of its input is a command. Between commands the streams have readers that have stopped reading.
 *
 *     toggle COUNT PAUSE-MS      sends the write COUNT times, each when the event of the one before has reached every
 *                                stream and the pause is over. Prints "FIRST LAST" for each: milliseconds from the
 *                                write's last byte to the first and to the last event read; then "done COMMENTS".
 *     until VERSION FOLDER       reads until each stream has had an event with that id, or nothing comes for 10 s.
 *                                Writes the bytes of stream N to FOLDER/N, without the chunks. Prints "done ARRIVED".
 *
 * The write goes to WRITE-PORT. RECEIVE-BUFFER is SO_RCVBUF in bytes, 0 for the kernel's own choice. An event is a
 * block with a data line. Comments are counted, and other lines (retry) are not. Everything unexpected is an error:
 * another status, a stream that ends, an event too many, or silence.
 */
#include "../client.h"
#include <sys/epoll.h>
#include <unistd.h>

enum { BUFFER = 1 << 16, LINE = 96, EVENTS = 256, JOINING = 256, PATIENCE_MS = 10000 };

enum part { IN_HEAD, IN_SIZE, IN_CHUNK };

/* The line that is being read: its beginning and its whole length. */
struct line {
    char text[LINE];
    size_t length;
};

struct stream {
    int fd;
    enum part part;
    size_t left;             /* bytes of this chunk that are still to come */
    struct line frame, text; /* of the head and between chunks, and of the events: one may go on in the next chunk */
    int has_data, has_id, is_there;
    long events;
    FILE *copy;
};

static struct stream *streams;
static long stream_count, joined, arrived, turn, comments, answers;
static const char *wanted_id = "";
static double first, last;
static char stream_request[BUFFER], write_request[BUFFER], answer[BUFFER], bytes[BUFFER];
static size_t stream_request_size, write_request_size, answer_have;
static int epoll, writer;

/* Counts a block with data that has ended. */
static void count_event(struct stream *stream)
{
    stream->events++;
    if (turn > 0 && stream->events > turn) fail("subscribers: more events than writes");
    if (turn > 0 ? stream->events < turn : !stream->has_id || stream->is_there) return;
    stream->is_there = 1;
    if (arrived++ == 0) first = now();
    if (arrived == stream_count) last = now();
}

static void end_line(struct stream *stream)
{
    const char *line = stream->text.text;
    if (stream->text.length == 0) {
        if (stream->has_data) count_event(stream);
        stream->has_data = stream->has_id = 0;
    }
    comments += line[0] == ':';
    if (strncmp(line, "data", 4) == 0) stream->has_data = 1;
    if (strncmp(line, "id:", 3) == 0) stream->has_id = strcmp(line + 3 + (line[3] == ' '), wanted_id) == 0;
}

/* Ends a line. Lines of the head and between chunks end with CR LF, and lines of events with LF. */
static void end_frame_line(struct stream *stream)
{
    const char *line = stream->frame.text;
    int is_empty = stream->frame.length == 1;
    if (stream->part == IN_SIZE && !is_empty) {
        stream->left = strtoul(line, NULL, 16);
        if (stream->left == 0) fail("subscribers: a stream has ended");
        stream->part = IN_CHUNK;
    } else if (stream->part == IN_HEAD && is_empty) {
        stream->part = IN_SIZE;
        joined++;
    } else if (strncmp(line, "HTTP/", 5) == 0 && strncmp(line, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "%s\n", line);
        fail("subscribers: another status than 200");
    }
}

static void keep(struct line *line, const char *next, size_t count)
{
    for (size_t index = 0; index < count && line->length + index < LINE - 1; index++)
        line->text[line->length + index] = next[index];
    line->length += count;
    line->text[line->length < LINE - 1 ? line->length : LINE - 1] = 0;
}

static void take(struct stream *stream, const char *next, size_t count)
{
    while (count > 0) {
        int is_chunk = stream->part == IN_CHUNK;
        size_t span = is_chunk && stream->left < count ? stream->left : count;
        const char *end = memchr(next, '\n', span);
        size_t text = end == NULL ? span : (size_t)(end - next), used = text + (end != NULL);
        struct line *line = is_chunk ? &stream->text : &stream->frame;
        keep(line, next, text);
        if (is_chunk && stream->copy != NULL) fwrite(next, 1, used, stream->copy);
        if (end != NULL) {
            is_chunk ? end_line(stream) : end_frame_line(stream);
            line->length = 0;
            line->text[0] = 0;
        }
        if (is_chunk && (stream->left -= used) == 0) stream->part = IN_SIZE;
        next += used;
        count -= used;
    }
}

/* Reads once from each stream that is ready; false if nothing came in time. */
static int pump(int timeout)
{
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(epoll, events, EVENTS, timeout);
    for (int index = 0; index < ready; index++) {
        struct stream *stream = events[index].data.ptr;
        ssize_t count = recv(stream != NULL ? stream->fd : writer, bytes, sizeof bytes, 0);
        if (count <= 0) fail("subscribers: closed");
        if (stream != NULL) {
            take(stream, bytes, (size_t)count);
            continue;
        }
        if (answer_have + (size_t)count >= BUFFER) fail("subscribers: a long answer");
        memcpy(answer + answer_have, bytes, (size_t)count);
        answer_have += (size_t)count;
        size_t size = answer_size(answer, answer_have, 200);
        answers += size > 0 && answer_have >= size;
    }
    return ready > 0;
}

static void watch(int fd, struct stream *stream)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = stream};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) fail("subscribers: epoll_ctl");
}

static void send_whole(int fd, const char *request, size_t size)
{
    if (send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size) fail("subscribers: send");
}

static void begin(long new_turn)
{
    arrived = 0;
    turn = new_turn;
    for (long index = 0; index < stream_count; index++) streams[index].is_there = 0;
}

static void toggle(int port, long count, long pause)
{
    while (pump(0)) {}
    comments = 0;
    for (long index = 0; index < stream_count; index++) streams[index].events = 0;
    watch(writer = connect_to(port, 0), NULL);
    for (long index = 1; index <= count; index++) {
        begin(index);
        answers = 0;
        answer_have = 0;
        send_whole(writer, write_request, write_request_size);
        double start = now();
        while (arrived < stream_count || answers == 0)
            if (!pump(PATIENCE_MS)) fail("subscribers: an event is missing");
        printf("%.3f %.3f\n", (first - start) * 1e3, (last - start) * 1e3);
        while (now() < start + (double)pause / 1e3) pump((int)((start - now()) * 1e3 + (double)pause) + 1);
    }
    close(writer);
    printf("done %ld\n", comments);
}

static void read_on(const char *version, const char *folder)
{
    wanted_id = version;
    begin(0);
    for (long index = 0; index < stream_count; index++) {
        char path[4200];
        snprintf(path, sizeof path, "%.4100s/%ld", folder, index);
        if ((streams[index].copy = fopen(path, "wb")) == NULL) fail("subscribers: the folder is missing");
    }
    while (arrived < stream_count && pump(PATIENCE_MS)) {}
    for (long index = 0; index < stream_count; index++) {
        fclose(streams[index].copy);
        streams[index].copy = NULL;
    }
    printf("done %ld\n", arrived);
}

int main(int argc, char **argv)
{
    if (argc != 7)
        fail("usage: subscribers PORT COUNT STREAM-REQUEST-FILE WRITE-REQUEST-FILE RECEIVE-BUFFER WRITE-PORT");
    int port = atoi(argv[1]), write_port = atoi(argv[6]);
    stream_count = atol(argv[2]);
    stream_request_size = read_file(argv[3], stream_request, sizeof stream_request);
    write_request_size = read_file(argv[4], write_request, sizeof write_request);
    raise_descriptors();
    setvbuf(stdout, NULL, _IOLBF, 0);

    epoll = epoll_create1(0);
    streams = calloc((size_t)stream_count, sizeof *streams);
    double start = now();
    for (long index = 0; index < stream_count; index++) {
        streams[index].fd = connect_to(port, atoi(argv[5]));
        watch(streams[index].fd, &streams[index]);
        send_whole(streams[index].fd, stream_request, stream_request_size);
        /* No more at once than a listening socket's queue takes. Otherwise the kernel makes some wait a second. */
        while (index + 1 - joined > (index + 1 < stream_count ? JOINING : 0))
            if (!pump(PATIENCE_MS)) fail("subscribers: a stream does not open");
    }
    printf("done %.3f\n", now() - start);
    char command[4096], word[4096];
    static char version[LINE];
    long count, pause;
    while (fgets(command, sizeof command, stdin) != NULL) {
        if (sscanf(command, "toggle %ld %ld", &count, &pause) == 2) toggle(write_port, count, pause);
        else if (sscanf(command, "until %90s %4000s", version, word) == 2) read_on(version, word);
        else fail("subscribers: an unknown command");
    }
    return 0;
}
