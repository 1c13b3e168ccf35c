#include "CReading.h"
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

bool reading_progress(int descriptor, uint64_t *acknowledged, int *queued)
{
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
    if (size < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked) return false;
    if (ioctl(descriptor, SIOCOUTQ, queued) != 0) return false;
    *acknowledged = info.tcpi_bytes_acked;
    return true;
}
