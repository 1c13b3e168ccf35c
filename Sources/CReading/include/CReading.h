/* The one door between the engine and its sockets: `recv`, which the engine calls, is a function of this program. */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/* Reads as recv(2) does: returns a count of bytes, 0 at the end, or -1 with `errno`. */
typedef ssize_t (*reading_function)(void *context, int descriptor, void *buffer, size_t size);

/* From now on this thread's calls of `recv` without flags go to `read`; with a null `read`, to the system again. */
void reading_begin(reading_function read, void *context);

/* Reads from the system, whatever `reading_begin` has said. */
ssize_t reading_system(int descriptor, void *buffer, size_t size);

/* As a system call that fails with this error. */
ssize_t reading_fail(int error);
