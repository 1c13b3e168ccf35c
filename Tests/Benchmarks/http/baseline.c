/* A server of libmicrohttpd alone, with which `make bench` compares.
 *
 *     baseline PORT BODY-FILE ETAG
 *
 * It has one thread and one daemon in external epoll mode, which it polls as the server does. A GET is answered with
 * the bytes of the file, from one shared response with the headers that the server sends. A GET with a matching
 * If-None-Match is answered 304. Any other method may have any body, and is answered with a small fixed JSON body.
 */
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

static struct MHD_Response *snapshot, *small;
static const char *etag;
static int marker;

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **slot)
{
    (void)cls; (void)url; (void)version; (void)data;
    if (*slot == NULL) {
        *slot = &marker;
        return MHD_YES;
    }
    if (*size > 0) {
        *size = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") != 0)
        return MHD_queue_response(connection, 200, small);
    const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
    int is_known = known != NULL && strcmp(known, etag) == 0;
    return MHD_queue_response(connection, is_known ? 304 : 200, snapshot);
}

static void add_headers(struct MHD_Response *response, int is_reading)
{
    MHD_add_response_header(response, "Content-Type", "application/json");
    MHD_add_response_header(response, "ETag", etag);
    MHD_add_response_header(response, "List-Version", etag);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, is_reading ? "Cache-Control" : "X-Request-Id", "no-cache");
    if (is_reading) MHD_add_response_header(response, "Vary", "Accept, Accept-Encoding, Prefer");
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    signal(SIGPIPE, SIG_IGN);
    etag = argv[3];
    FILE *file = fopen(argv[2], "rb");
    if (file == NULL) return 2;
    static char body[1 << 20];
    size_t count = fread(body, 1, sizeof body, file);
    snapshot = MHD_create_response_from_buffer(count, body, MHD_RESPMEM_PERSISTENT);
    add_headers(snapshot, 1);
    /* The answer to a star has this size. */
    static char result[480];
    memset(result, ' ', sizeof result);
    memcpy(result, "{\"changed\":true}", 16);
    small = MHD_create_response_from_buffer(sizeof result, result, MHD_RESPMEM_PERSISTENT);
    add_headers(small, 0);

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, 4096u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)8192, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_END);
    if (daemon == NULL) return 1;
    int epoll = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    puts("ready");
    fflush(stdout);
    for (;;) {
        MHD_UNSIGNED_LONG_LONG timeout;
        struct pollfd ready = {.fd = epoll, .events = POLLIN};
        int wait = MHD_get_timeout(daemon, &timeout) == MHD_YES ? (timeout > 1000 ? 1000 : (int)timeout) : 1000;
        poll(&ready, 1, wait);
        MHD_run(daemon);
    }
}
