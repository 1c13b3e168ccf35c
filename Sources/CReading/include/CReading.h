/* The one door between the engine and its sockets: `recv`, which the engine calls, is a function of this program. And
 * what is done with every byte that comes in there. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads as recv(2) does: returns a count of bytes, 0 at the end, or -1 with `errno`. */
typedef ssize_t (*reading_function)(void *context, int descriptor, void *buffer, size_t size);

/* From now on this thread's calls of `recv` without flags go to `read`; with a null `read`, to the system again. */
void reading_begin(reading_function read, void *context);

/* Reads from the system, whatever `reading_begin` has said. */
ssize_t reading_system(int descriptor, void *buffer, size_t size);

/* As a system call that fails with this error. */
ssize_t reading_fail(int error);

/* The number of the fields of a head, and the offsets of its credentials in bytes from its start. */
struct reading_head {
    size_t fields;
    /* The line of the first Authorization, the value behind its colon, and the next line; all 0 if there is none. */
    size_t credentials_line, credentials_value, credentials_end;
};

/* The length of the head that `bytes` begin with, if it is whole and such that it need not be read byte by byte; else 0,
 * which says nothing against it. Looks at nothing behind it.
 *
 * Such a head has a request line; each of its lines ends in CR LF; it holds no NUL; no field begins with a space, a tab or
 * a colon; none is a Cookie, and a Content-Length is one of at most 18 digits. */
size_t reading_plain_head(const uint8_t *bytes, size_t count, struct reading_head *head);

/* Whether two secrets of the same length are the same. It takes as long if they are not. */
bool reading_same_secret(const uint8_t *one, const uint8_t *other, size_t count);

/* How many bytes the client of a connection has acknowledged since it began, and how many wait in the system until it
 * does. False if the system does not say (before Linux 4.1). */
bool reading_progress(int descriptor, uint64_t *acknowledged, int *queued);
