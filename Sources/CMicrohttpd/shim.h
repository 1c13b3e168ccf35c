/* The doors that Swift cannot open by itself: variadic functions, unions and eventfd. No logic lives here. */
#pragma once
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static inline struct MHD_Daemon *
mhd_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *context, struct MHD_OptionItem *options)
{
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline int
mhd_epoll_descriptor(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

static inline int
mhd_descriptor(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/* Null if it is not known; valid until the notification of the connection's end returns. */
static inline const struct sockaddr *
mhd_client_address(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

/* What the notification of a new connection stored for it. */
static inline void *
mhd_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/* Bytes of the head, from its request line to its empty line; 0 before it is whole. */
static inline size_t
mhd_head_bytes(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/* As if the client had asked for it: the engine then answers with "Connection: close" and closes. */
static inline enum MHD_Result
mhd_close_after_answer(struct MHD_Connection *connection)
{
    return MHD_set_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONNECTION, "close");
}

static inline int
wake_descriptor(void)
{
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

/* A set of connections of which only their end is of interest. */
static inline int
watch_open(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

static inline void
watch_add(int watch, int descriptor, void *about)
{
    struct epoll_event event = {.events = EPOLLRDHUP, .data.ptr = about};
    epoll_ctl(watch, EPOLL_CTL_ADD, descriptor, &event);
}

static inline void
watch_remove(int watch, int descriptor)
{
    struct epoll_event event = {0};
    epoll_ctl(watch, EPOLL_CTL_DEL, descriptor, &event);
}

/* What was said about those that have ended since; returns how many, or -1. */
static inline int
watch_next(int watch, void **about, int most)
{
    struct epoll_event events[64];
    int count = epoll_wait(watch, events, most < 64 ? most : 64, 0);
    for (int index = 0; index < count; index++) about[index] = events[index].data.ptr;
    return count;
}

/* Packets that the peer has not acknowledged, and for how long it has acknowledged nothing, in milliseconds; 0 if that is
 * not known. */
static inline void
tcp_silence(int descriptor, unsigned *packets, unsigned *milliseconds)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size);
    *packets = info.tcpi_unacked;
    *milliseconds = info.tcpi_last_ack_recv;
}
