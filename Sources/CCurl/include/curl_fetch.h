/*
 * One request at a time by libcurl. The library is loaded when it is needed.
 */
#pragma once
#include <stddef.h>

/* A handle for fetches. One thread at a time uses it; other threads may stop it. */
typedef struct liststate_fetch liststate_fetch;

/* Loads libcurl. Returns 0 if it is not there, or lacks a call. May be called on any thread, and again. */
int liststate_curl_load(void);

/* Null if there is no memory. */
liststate_fetch *liststate_fetch_new(void);
void liststate_fetch_free(liststate_fetch *fetch);

/* Ends the fetch that is under way within a second, and refuses all later ones. May be called on any thread. */
void liststate_fetch_stop(liststate_fetch *fetch);

/*
 * Gets the document at an http or https URL. Redirects are not followed, and certificates are checked. The library must
 * be loaded.
 *
 * Returns 0 if there was an answer. `*status` is then its status, and the first `*count` bytes of `buffer` are its
 * content. Otherwise returns the code of libcurl, or -1 if the content has more than `size` bytes.
 */
int liststate_fetch_get(liststate_fetch *fetch, const char *url, long deadline_ms, void *buffer, size_t size,
                        size_t *count, long *status);

/* The method, the fields and the body of a request. */
typedef struct {
    const char *method;
    /* Lines such as `Accept: application/json`. */
    const char *const *fields;
    size_t field_count;
    /* Null for a request without a body. */
    const void *body;
    size_t body_size;
    /* The file with the certificates of the authorities that are trusted; null for those of the system. */
    const char *authorities;
} liststate_request;

/* Takes a piece of an answer. Returns 0 to end the request, anything else to go on. */
typedef int liststate_take(void *context, const void *bytes, size_t count);

/*
 * Sends a request of any kind to an http or https URL, and hands the answer to `take` as it comes: the head of each
 * answer as HTTP/1.1 writes it, then the content without any transfer coding. Redirects are not followed, and
 * certificates are checked. The library must be loaded.
 *
 * Returns 0 if the answer has come to its end, or `take` has ended the request. Otherwise returns the code of libcurl.
 * A request ends with the code 28 when nothing has come and nothing could be sent for `silence_s` seconds.
 */
int liststate_fetch_send(liststate_fetch *fetch, const liststate_request *request, const char *url, long silence_s,
                         liststate_take *take, void *context);

/* The words of libcurl about the last failure, in English; may be empty. */
const char *liststate_fetch_error(const liststate_fetch *fetch);
