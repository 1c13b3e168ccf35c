/* A library that is preloaded into a process. It counts the calls by which the process changes files under some
 * folders. One chosen call fails, ends the process, or waits. Or all calls from that one on are slow, or
 * all syncs are.
 *
 * FILECALLS_UNDER  folders, with ':' between them
 * FILECALLS_BOARD  a file as long as `struct board`, which is shared with the test
 *
 * A call is counted before it is made, and a call that fails is not made at all.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum fault { NOTHING, FAILS, FAILS_FROM_THERE_ON, IS_KILLED, WAITS, WAITS_AND_FAILS, HOLDS_SYNCS, IS_SLOW, SLOW_SYNCS };
enum call { OTHER, TAKES_ROOM, SYNCHRONIZES };

enum { PLACES_MAX = 4096 };

struct board {
    _Atomic long count;     /* calls so far */
    _Atomic long fault_at;  /* the call that the fault is for, from 1 */
    _Atomic long fault;     /* enum fault */
    _Atomic long number;    /* the errno of a failure, or the microseconds that a slow call takes longer */
    _Atomic long struck;    /* how often it has struck */
    _Atomic long gate;      /* calls that wait go on once this is not 0 */
    _Atomic long only_room; /* whether only calls that take room fail */
    _Atomic long locks;     /* tries to take a lock */
    _Atomic long syncs;     /* fsync and fdatasync */
    _Atomic long places[PLACES_MAX]; /* which function each of the first calls was of, on a file of which name */
};

static struct board nobody, *board = &nobody;
static const char *under;
/* The name of each open file as a number; 0 for a file that is not watched. */
static _Atomic unsigned watched[1 << 16];

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FILECALLS_BOARD");
    under = getenv("FILECALLS_UNDER");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
    if (file < 0) return;
    void *shared = mmap(0, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (shared != MAP_FAILED) board = shared;
}

static int is_watched(const char *path)
{
    if (!under || !path) return 0;
    for (const char *at = under; *at;) {
        size_t length = strcspn(at, ":");
        if (length && strncmp(path, at, length) == 0) return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

static unsigned name_of_file(int file) { return file >= 0 && file < 1 << 16 ? watched[file] : 0; }

/* FNV-1a */
static unsigned hash(unsigned start, const char *text)
{
    for (; *text; text++) start = (start ^ (unsigned char)*text) * 16777619u;
    return start;
}

/* The last part of a path as a number; 0 if the path is not watched. */
static unsigned name_of(const char *path)
{
    if (!is_watched(path)) return 0;
    const char *slash = strrchr(path, '/');
    return hash(2166136261u, slash ? slash + 1 : path) | 1;
}

/* Counts a call on a watched file. Returns whether the call must fail; errno is then set. */
static int strikes(unsigned name, const char *function, enum call call)
{
    if (!name) return 0;
    if (call == SYNCHRONIZES) atomic_fetch_add(&board->syncs, 1);
    /* A failing sync is worse than a full disk, so this fault passes over other calls than those that take room. */
    if (call != TAKES_ROOM && atomic_load(&board->fault) == WAITS_AND_FAILS) return 0;
    long number = atomic_fetch_add(&board->count, 1) + 1;
    if (number <= PLACES_MAX) board->places[number - 1] = hash(name, function);
    long at = atomic_load(&board->fault_at);
    enum fault fault = atomic_load(&board->fault);
    int goes_on = fault == FAILS_FROM_THERE_ON || fault >= HOLDS_SYNCS;
    if (fault == NOTHING || number < at || (number > at && !goes_on)) return 0;
    if (fault <= FAILS_FROM_THERE_ON && board->only_room && call != TAKES_ROOM) return 0;
    if ((fault == HOLDS_SYNCS || fault == SLOW_SYNCS) && call != SYNCHRONIZES) return 0;
    atomic_fetch_add(&board->struck, 1);
    switch (fault) {
    case IS_KILLED:
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    case WAITS:
    case WAITS_AND_FAILS:
    case HOLDS_SYNCS:
        while (!atomic_load(&board->gate)) usleep(1000);
        if (fault != WAITS_AND_FAILS) return 0;
        break;
    case IS_SLOW:
    case SLOW_SYNCS:
        usleep((useconds_t)atomic_load(&board->number));
        return 0;
    default:
        break;
    }
    errno = (int)board->number;
    return 1;
}

#define TRUE_ONE(type, name, ...)                                                   \
    static type (*true_one)(__VA_ARGS__);                                           \
    if (!true_one) true_one = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int opened(int file, const char *path)
{
    if (file >= 0 && file < 1 << 16) watched[file] = name_of(path);
    return file;
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    /* Opening a folder, or opening a file for reading, changes nothing. */
    if (flags & O_CREAT && strikes(name_of(path), "open", TAKES_ROOM)) return -1;
    return opened((int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode), path);
}

#define MODE(flags, last)                                                           \
    mode_t mode = 0;                                                                \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                        \
        va_list rest;                                                               \
        va_start(rest, last);                                                       \
        mode = va_arg(rest, mode_t);                                                \
        va_end(rest);                                                               \
    }

int open(const char *path, int flags, ...) { MODE(flags, flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, flags) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags, flags) return open_at(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags, flags) return open_at(folder, path, flags, mode); }
int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }

int close(int file)
{
    TRUE_ONE(int, "close", int);
    unsigned name = name_of_file(file);
    if (name) watched[file] = 0;
    /* The descriptor is closed in any case. */
    if (strikes(name, "close", OTHER)) {
        int number = errno;
        true_one(file);
        errno = number;
        return -1;
    }
    return true_one(file);
}

ssize_t write(int file, const void *bytes, size_t count)
{
    TRUE_ONE(ssize_t, "write", int, const void *, size_t);
    return strikes(name_of_file(file), "write", TAKES_ROOM) ? -1 : true_one(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    TRUE_ONE(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return strikes(name_of_file(file), "pwrite", TAKES_ROOM) ? -1 : true_one(file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at)
{
    TRUE_ONE(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return strikes(name_of_file(file), "pwrite", TAKES_ROOM) ? -1 : true_one(file, bytes, count, at);
}

int ftruncate(int file, off_t size)
{
    TRUE_ONE(int, "ftruncate", int, off_t);
    return strikes(name_of_file(file), "ftruncate", OTHER) ? -1 : true_one(file, size);
}

int ftruncate64(int file, off64_t size)
{
    TRUE_ONE(int, "ftruncate64", int, off64_t);
    return strikes(name_of_file(file), "ftruncate", OTHER) ? -1 : true_one(file, size);
}

int fsync(int file)
{
    TRUE_ONE(int, "fsync", int);
    return strikes(name_of_file(file), "fsync", SYNCHRONIZES) ? -1 : true_one(file);
}

int fdatasync(int file)
{
    TRUE_ONE(int, "fdatasync", int);
    return strikes(name_of_file(file), "fdatasync", SYNCHRONIZES) ? -1 : true_one(file);
}

int rename(const char *path, const char *target)
{
    TRUE_ONE(int, "rename", const char *, const char *);
    return strikes(name_of(target), "rename", TAKES_ROOM) ? -1 : true_one(path, target);
}

int renameat2(int from, const char *path, int to, const char *target, unsigned flags)
{
    TRUE_ONE(int, "renameat2", int, const char *, int, const char *, unsigned);
    return strikes(name_of(target), "rename", TAKES_ROOM) ? -1 : true_one(from, path, to, target, flags);
}

int link(const char *path, const char *name)
{
    TRUE_ONE(int, "link", const char *, const char *);
    return strikes(name_of(name), "link", TAKES_ROOM) ? -1 : true_one(path, name);
}

int unlink(const char *path)
{
    TRUE_ONE(int, "unlink", const char *);
    return strikes(name_of(path), "unlink", OTHER) ? -1 : true_one(path);
}

int mkdir(const char *path, mode_t mode)
{
    TRUE_ONE(int, "mkdir", const char *, mode_t);
    return strikes(name_of(path), "mkdir", TAKES_ROOM) ? -1 : true_one(path, mode);
}

int flock(int file, int operation)
{
    TRUE_ONE(int, "flock", int, int);
    if (name_of_file(file) && operation & LOCK_EX) atomic_fetch_add(&board->locks, 1);
    return true_one(file, operation);
}
