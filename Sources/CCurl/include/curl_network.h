/*
 * Many requests at a time by libcurl, on one thread that sleeps while there is nothing to do. Connections are used
 * again.
 */
#pragma once
#include <stddef.h>
#include "curl_fetch.h"

/* The thread with its connections. */
typedef struct liststate_network liststate_network;

/* One request. Whoever has made it releases it; the network keeps it for as long as it is under way. */
typedef struct liststate_exchange liststate_exchange;

/* The calls that tell of a request, always on the thread of the network. */
typedef struct {
    /*
     * A line of the head of an answer, with its end; the empty line last. Heads of 1xx come before the real one. All
     * lines together have at most 256 KiB.
     */
    void (*field)(void *context, const char *bytes, size_t count);
    /* A piece of the content, without transfer and content codings. */
    void (*content)(void *context, const void *bytes, size_t count);
    /*
     * Nothing more is told: the last call for a request, and made once for each that was begun. The code is 0 if the
     * answer has come to its end, 42 if the request was cancelled, 28 if nothing has come for too long, and otherwise
     * that of libcurl (23 for a head that is too long). The text may be empty, and ends with the call.
     */
    void (*end)(void *context, int code, const char *text);
} liststate_listener;

/* Loads libcurl. Returns 0 if it is not there, or is older than 7.68. May be called on any thread, and again. */
int liststate_network_load(void);

/* Null if there is no memory or no thread. The library must be loaded. */
liststate_network *liststate_network_new(void);

/* Cancels all requests, and ends the thread soon. May be called on any thread, once; the network is gone then. */
void liststate_network_end(liststate_network *network);

/*
 * A request to an http or https URL; null if there is no memory or libcurl takes no such request. Everything is copied
 * but the context. It is sent as HTTP/1.1: a connection of HTTP/2 that is dead would be used again for all requests.
 * Redirects are not followed, and certificates are checked. It ends when nothing has come and nothing could be sent for
 * `silence_s` seconds, 1 to 86,400.
 */
liststate_exchange *liststate_exchange_new(const liststate_request *request, const char *url, long silence_s,
                                           const liststate_listener *listener, void *context);

/* Begins a request, once. May be called on any thread. */
void liststate_network_begin(liststate_network *network, liststate_exchange *exchange);

/* Ends a request, also one that is not begun yet, or that has ended. May be called on any thread. */
void liststate_network_cancel(liststate_network *network, liststate_exchange *exchange);

/* The maker uses the request no more. May be called on any thread, once. */
void liststate_exchange_release(liststate_exchange *exchange);
