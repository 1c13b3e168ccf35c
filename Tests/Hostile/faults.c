/* A library that a server loads first. Once the file that FAULT names is there, syncs of its files fail. SHIFT is added
 * to the time of day, in seconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int fails(void)
{
    const char *file = getenv("FAULT");
    if (file == NULL || access(file, F_OK) != 0) return 0;
    errno = EIO;
    return 1;
}

int fsync(int descriptor)
{
    if (fails()) return -1;
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(descriptor);
}

int fdatasync(int descriptor)
{
    if (fails()) return -1;
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(descriptor);
}

static time_t shift(void)
{
    const char *seconds = getenv("SHIFT");
    return seconds == NULL ? 0 : atoll(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = ((int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime"))(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += shift();
    return result;
}

time_t time(time_t *now)
{
    struct timespec value;
    clock_gettime(CLOCK_REALTIME, &value);
    if (now != NULL) *now = value.tv_sec;
    return value.tv_sec;
}
