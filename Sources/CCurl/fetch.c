#include "curl_fetch.h"
#include "library.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct liststate_fetch {
    atomic_int is_stopped;
    unsigned char *buffer;
    size_t size;
    size_t count;
    int is_too_long;
    /* Of a request whose answer is handed over as it comes. */
    liststate_take *take;
    void *context;
    int is_ended;
    int is_silent;
    long silence_s;
    time_t last_news;
    int64_t sent;
    char error[ERROR_SIZE];
};

liststate_fetch *liststate_fetch_new(void) { return calloc(1, sizeof(liststate_fetch)); }
void liststate_fetch_free(liststate_fetch *fetch) { free(fetch); }
void liststate_fetch_stop(liststate_fetch *fetch) { atomic_store(&fetch->is_stopped, 1); }
const char *liststate_fetch_error(const liststate_fetch *fetch) { return fetch->error; }

static size_t keep(char *bytes, size_t size, size_t count, void *context)
{
    liststate_fetch *fetch = context;
    size_t length = size * count;
    if (length > fetch->size - fetch->count) {
        fetch->is_too_long = 1;
        return 0;
    }
    memcpy(fetch->buffer + fetch->count, bytes, length);
    fetch->count += length;
    return length;
}

static size_t hand_over(char *bytes, size_t size, size_t count, void *context)
{
    liststate_fetch *fetch = context;
    fetch->last_news = seconds();
    if (fetch->take(fetch->context, bytes, size * count))
        return size * count;
    fetch->is_ended = 1;
    return 0;
}

/* libcurl calls this about once a second, and ends the transfer if it does not return 0. */
static int is_stopped(void *context, int64_t download_size, int64_t downloaded, int64_t upload_size, int64_t uploaded)
{
    (void)download_size, (void)downloaded, (void)upload_size;
    liststate_fetch *fetch = context;
    if (uploaded != fetch->sent) {
        fetch->sent = uploaded;
        fetch->last_news = seconds();
    }
    fetch->is_silent = fetch->silence_s != 0 && seconds() - fetch->last_news > fetch->silence_s;
    return fetch->is_silent || atomic_load(&fetch->is_stopped);
}

/* Returns 0 if libcurl has taken all options. */
static int set(CURL *curl, liststate_fetch *fetch, const char *url)
{
    int code = 0;
    SET(OPTION_ERRORBUFFER, fetch->error)
    SET(OPTION_PROTOCOLS, (long)(PROTOCOL_HTTP | PROTOCOL_HTTPS))
    SET(OPTION_URL, url)
    SET(OPTION_FOLLOWLOCATION, 0L)
    SET(OPTION_SSL_VERIFYPEER, 1L)
    SET(OPTION_SSL_VERIFYHOST, 2L)
    SET(OPTION_NOSIGNAL, 1L)
    SET(OPTION_USERAGENT, "liststate")
    SET(OPTION_WRITEDATA, fetch)
    SET(OPTION_XFERINFOFUNCTION, is_stopped)
    SET(OPTION_XFERINFODATA, fetch)
    SET(OPTION_NOPROGRESS, 0L)
    return code;
}

/* The same for what a request has beside its URL. */
static int set_request(CURL *curl, const liststate_request *request, struct curl_slist *fields)
{
    int code = 0;
    SET(OPTION_CUSTOMREQUEST, request->method)
    if (fields != NULL)
        SET(OPTION_HTTPHEADER, fields)
    if (request->body != NULL) {
        SET(OPTION_POSTFIELDSIZE, (long)request->body_size)
        SET(OPTION_POSTFIELDS, request->body)
    }
    return code == 0 ? set_authorities(curl, request->authorities) : code;
}

/* Makes a list of the fields. Returns 0 if there is no memory, and then nothing of the list. */
static int list_fields(const liststate_request *request, struct curl_slist **fields)
{
    for (size_t index = 0; index < request->field_count; index++) {
        struct curl_slist *longer = web.curl_slist_append_(*fields, request->fields[index]);
        if (longer == NULL)
            return 0;
        *fields = longer;
    }
    return 1;
}

static int perform(CURL *curl, liststate_fetch *fetch, int code)
{
    fetch->error[0] = 0;
    return code == 0 ? web.curl_easy_perform_(curl) : code;
}

int liststate_fetch_send(liststate_fetch *fetch, const liststate_request *request, const char *url, long silence_s,
                         liststate_take *take, void *context)
{
    if (atomic_load(&fetch->is_stopped))
        return ERROR_ABORTED_BY_CALLBACK;
    fetch->take = take;
    fetch->context = context;
    fetch->is_ended = fetch->is_silent = 0;
    fetch->silence_s = silence_s;
    fetch->last_news = seconds();
    fetch->sent = 0;
    CURL *curl = web.curl_easy_init_();
    if (curl == NULL)
        return ERROR_FAILED_INIT;
    struct curl_slist *fields = NULL;
    int code = set(curl, fetch, url);
    SET(OPTION_CONNECTTIMEOUT_MS, silence_s * 1000)
    SET(OPTION_HEADER, 1L)
    SET(OPTION_SUPPRESS_CONNECT_HEADERS, 1L)
    SET(OPTION_WRITEFUNCTION, hand_over)
    if (code == 0)
        code = list_fields(request, &fields) ? set_request(curl, request, fields) : ERROR_FAILED_INIT;
    code = perform(curl, fetch, code);
    web.curl_easy_cleanup_(curl);
    web.curl_slist_free_all_(fields);
    if (code == ERROR_WRITE && fetch->is_ended)
        return 0;
    return code == ERROR_ABORTED_BY_CALLBACK && fetch->is_silent ? ERROR_OPERATION_TIMEDOUT : code;
}

int liststate_fetch_get(liststate_fetch *fetch, const char *url, long deadline_ms, void *buffer, size_t size,
                        size_t *count, long *status)
{
    fetch->buffer = buffer;
    fetch->size = size;
    fetch->count = 0;
    fetch->is_too_long = 0;
    fetch->silence_s = 0;
    if (atomic_load(&fetch->is_stopped))
        return ERROR_ABORTED_BY_CALLBACK;
    CURL *curl = web.curl_easy_init_();
    if (curl == NULL)
        return ERROR_FAILED_INIT;
    int code = set(curl, fetch, url);
    SET(OPTION_TIMEOUT_MS, deadline_ms)
    SET(OPTION_WRITEFUNCTION, keep)
    code = perform(curl, fetch, code);
    if (code == 0)
        code = web.curl_easy_getinfo_(curl, INFO_RESPONSE_CODE, status);
    web.curl_easy_cleanup_(curl);
    *count = fetch->count;
    return code == ERROR_WRITE && fetch->is_too_long ? -1 : code;
}
