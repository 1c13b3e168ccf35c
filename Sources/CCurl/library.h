/*
 * The part of curl/curl.h that is needed here, so that a build needs no header of libcurl. Version 4 of its binary
 * interface keeps what it has. The calls of the first list are in all versions since 2013, those of the second one since
 * 7.68 (2020).
 */
#pragma once
#include <stddef.h>
#include <time.h>

typedef void CURL;
typedef void CURLM;
struct curl_slist;
/* The end of one transfer. */
typedef struct {
    int message;
    CURL *curl;
    union {
        void *other;
        int code;
    } data;
} curl_message;

int curl_global_init(long flags);
CURL *curl_easy_init(void);
int curl_easy_setopt(CURL *curl, int option, ...);
int curl_easy_perform(CURL *curl);
int curl_easy_getinfo(CURL *curl, int info, ...);
void curl_easy_cleanup(CURL *curl);
struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text);
void curl_slist_free_all(struct curl_slist *list);

CURLM *curl_multi_init(void);
int curl_multi_add_handle(CURLM *multi, CURL *curl);
int curl_multi_remove_handle(CURLM *multi, CURL *curl);
int curl_multi_perform(CURLM *multi, int *running);
curl_message *curl_multi_info_read(CURLM *multi, int *left);
int curl_multi_poll(CURLM *multi, void *others, unsigned int other_count, int timeout_ms, int *ready);
int curl_multi_wakeup(CURLM *multi);
int curl_multi_cleanup(CURLM *multi);

enum { GLOBAL_ALL = 3 };
enum { PROTOCOL_HTTP = 1, PROTOCOL_HTTPS = 2 };
enum { INFO_RESPONSE_CODE = 0x200000 + 2 };
enum { MESSAGE_DONE = 1 };
enum { HTTP_1_1 = 2 };
enum {
    ERROR_FAILED_INIT = 2, ERROR_WRITE = 23, ERROR_OPERATION_TIMEDOUT = 28, ERROR_ABORTED_BY_CALLBACK = 42,
    ERROR_SIZE = 256
};
enum {
    OPTION_HEADER = 42, OPTION_NOPROGRESS = 43, OPTION_NOBODY = 44, OPTION_FOLLOWLOCATION = 52,
    OPTION_POSTFIELDSIZE = 60, OPTION_SSL_VERIFYPEER = 64, OPTION_SSL_VERIFYHOST = 81, OPTION_HTTP_VERSION = 84,
    OPTION_NOSIGNAL = 99, OPTION_TIMEOUT_MS = 155, OPTION_CONNECTTIMEOUT_MS = 156, OPTION_PROTOCOLS = 181,
    OPTION_SUPPRESS_CONNECT_HEADERS = 265, OPTION_QUICK_EXIT = 322,
    OPTION_WRITEDATA = 10001, OPTION_URL = 10002, OPTION_ERRORBUFFER = 10010, OPTION_POSTFIELDS = 10015,
    OPTION_USERAGENT = 10018, OPTION_HTTPHEADER = 10023, OPTION_HEADERDATA = 10029, OPTION_CUSTOMREQUEST = 10036,
    OPTION_XFERINFODATA = 10057, OPTION_CAINFO = 10065, OPTION_CAPATH = 10097, OPTION_ACCEPT_ENCODING = 10102,
    OPTION_COPYPOSTFIELDS = 10165,
    OPTION_WRITEFUNCTION = 20011, OPTION_HEADERFUNCTION = 20079, OPTION_XFERINFOFUNCTION = 20219
};

#define CALLS(CALL) \
    CALL(curl_global_init) CALL(curl_easy_init) CALL(curl_easy_setopt) CALL(curl_easy_perform) \
    CALL(curl_easy_getinfo) CALL(curl_easy_cleanup) CALL(curl_slist_append) CALL(curl_slist_free_all)
#define MULTI_CALLS(CALL) \
    CALL(curl_multi_init) CALL(curl_multi_add_handle) CALL(curl_multi_remove_handle) CALL(curl_multi_perform) \
    CALL(curl_multi_info_read) CALL(curl_multi_poll) CALL(curl_multi_wakeup) CALL(curl_multi_cleanup)

#define DECLARE(name) __typeof__(name) *name##_;
typedef struct { CALLS(DECLARE) MULTI_CALLS(DECLARE) } curl_calls;

/* The calls of the library, once `liststate_curl_load` has found them. */
extern curl_calls liststate_curl;
#define web liststate_curl

/* Sets an option unless one before was refused. */
#define SET(option, value) if (code == 0) code = web.curl_easy_setopt_(curl, option, value);

/* Trusts the authorities of a file, and no others; null for those of the system. */
static inline int set_authorities(CURL *curl, const char *file)
{
    int code = 0;
    if (file != NULL) {
        SET(OPTION_CAINFO, file)
        SET(OPTION_CAPATH, (const char *)NULL)
    }
    return code;
}

/* The seconds of a clock that nobody sets. */
static inline time_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}
