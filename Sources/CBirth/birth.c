#define _GNU_SOURCE
#include "birth.h"

#include <fcntl.h>
#include <sys/stat.h>

int64_t liststate_birth(int descriptor)
{
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0 || !(status.stx_mask & STATX_BTIME))
        return 0;
    return (int64_t)(((uint64_t)status.stx_btime.tv_sec * 1000000000u + status.stx_btime.tv_nsec) & INT64_MAX);
}
