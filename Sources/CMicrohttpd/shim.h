/* The doors that Swift cannot open by itself: variadic functions, unions and eventfd. No logic lives here. */
#pragma once
#include <errno.h>
#include <microhttpd.h>
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

/* What the notification of a new connection stored for it. */
static inline void *
mhd_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
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
