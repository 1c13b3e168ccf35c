#include "curl_network.h"
#include "library.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEAD_BYTES_MAX = 256 * 1024 };

struct liststate_exchange {
    /* Of the maker and of the network. */
    atomic_int references;
    atomic_int is_cancelled;
    liststate_exchange *next;
    CURL *curl;
    struct curl_slist *fields;
    liststate_listener listener;
    void *context;
    long silence_s;
    time_t last_news;
    size_t head_size;
    int64_t sent;
    char error[ERROR_SIZE];
};

struct liststate_network {
    CURLM *multi;
    pthread_mutex_t lock;
    /* Under the lock: what was begun and is not under way yet, the last one first. */
    liststate_exchange *begun;
    int is_over;
    /* Of the thread. */
    liststate_exchange *active;
};

/* MARK: A request */

static size_t take_field(char *bytes, size_t size, size_t count, void *context)
{
    liststate_exchange *exchange = context;
    exchange->last_news = seconds();
    exchange->head_size += size * count;
    if (exchange->head_size > HEAD_BYTES_MAX)
        return 0;
    exchange->listener.field(exchange->context, bytes, size * count);
    return size * count;
}

static size_t take_content(char *bytes, size_t size, size_t count, void *context)
{
    liststate_exchange *exchange = context;
    exchange->last_news = seconds();
    exchange->listener.content(exchange->context, bytes, size * count);
    return size * count;
}

/* Bytes that could be sent are news, too. */
static int note_sent(void *context, int64_t download_size, int64_t downloaded, int64_t upload_size, int64_t uploaded)
{
    (void)download_size, (void)downloaded, (void)upload_size;
    liststate_exchange *exchange = context;
    if (uploaded != exchange->sent) {
        exchange->sent = uploaded;
        exchange->last_news = seconds();
    }
    return 0;
}

/* Returns 0 if libcurl has taken all options. */
static int set(liststate_exchange *exchange, const liststate_request *request, const char *url)
{
    CURL *curl = exchange->curl;
    int code = 0;
    SET(OPTION_ERRORBUFFER, exchange->error)
    SET(OPTION_PROTOCOLS, (long)(PROTOCOL_HTTP | PROTOCOL_HTTPS))
    SET(OPTION_URL, url)
    SET(OPTION_HTTP_VERSION, (long)HTTP_1_1)
    SET(OPTION_FOLLOWLOCATION, 0L)
    SET(OPTION_SSL_VERIFYPEER, 1L)
    SET(OPTION_SSL_VERIFYHOST, 2L)
    SET(OPTION_NOSIGNAL, 1L)
    SET(OPTION_CONNECTTIMEOUT_MS, exchange->silence_s * 1000)
    SET(OPTION_USERAGENT, "liststate")
    /* All that the library can decode. */
    SET(OPTION_ACCEPT_ENCODING, "")
    SET(OPTION_SUPPRESS_CONNECT_HEADERS, 1L)
    SET(OPTION_HEADERFUNCTION, take_field)
    SET(OPTION_HEADERDATA, exchange)
    SET(OPTION_WRITEFUNCTION, take_content)
    SET(OPTION_WRITEDATA, exchange)
    SET(OPTION_XFERINFOFUNCTION, note_sent)
    SET(OPTION_XFERINFODATA, exchange)
    SET(OPTION_NOPROGRESS, 0L)
    SET(OPTION_HTTPHEADER, exchange->fields)
    if (request->body != NULL) {
        SET(OPTION_POSTFIELDSIZE, (long)request->body_size)
        SET(OPTION_COPYPOSTFIELDS, request->body)
    }
    if (strcmp(request->method, "HEAD") == 0)
        SET(OPTION_NOBODY, 1L)
    SET(OPTION_CUSTOMREQUEST, request->method)
    /* Nobody waits for a name that is being looked up in vain. Versions before 7.87 do not know the option. */
    (void)web.curl_easy_setopt_(curl, OPTION_QUICK_EXIT, 1L);
    return code == 0 ? set_authorities(curl, request->authorities) : code;
}

/* Returns 0 if there is no memory. */
static int add_field(liststate_exchange *exchange, const char *line)
{
    struct curl_slist *longer = web.curl_slist_append_(exchange->fields, line);
    if (longer != NULL)
        exchange->fields = longer;
    return longer != NULL;
}

liststate_exchange *liststate_exchange_new(const liststate_request *request, const char *url, long silence_s,
                                           const liststate_listener *listener, void *context)
{
    liststate_exchange *exchange = calloc(1, sizeof(liststate_exchange));
    if (exchange == NULL)
        return NULL;
    atomic_init(&exchange->references, 1);
    exchange->listener = *listener;
    exchange->context = context;
    exchange->silence_s = silence_s;
    exchange->curl = web.curl_easy_init_();
    /* Long bodies are sent without the question whether they are wanted, which costs a delay. */
    int is_made = exchange->curl != NULL && add_field(exchange, "Expect:");
    for (size_t index = 0; is_made && index < request->field_count; index++)
        is_made = add_field(exchange, request->fields[index]);
    if (is_made && set(exchange, request, url) == 0)
        return exchange;
    liststate_exchange_release(exchange);
    return NULL;
}

void liststate_exchange_release(liststate_exchange *exchange)
{
    if (atomic_fetch_sub(&exchange->references, 1) != 1)
        return;
    if (exchange->curl != NULL)
        web.curl_easy_cleanup_(exchange->curl);
    web.curl_slist_free_all_(exchange->fields);
    free(exchange);
}

/* MARK: The thread */

static void end(liststate_exchange *exchange, int code)
{
    exchange->listener.end(exchange->context, code, exchange->error);
    liststate_exchange_release(exchange);
}

static void start(liststate_network *network, liststate_exchange *exchange)
{
    exchange->last_news = seconds();
    if (atomic_load(&exchange->is_cancelled))
        return end(exchange, ERROR_ABORTED_BY_CALLBACK);
    if (web.curl_multi_add_handle_(network->multi, exchange->curl) != 0)
        return end(exchange, ERROR_FAILED_INIT);
    exchange->next = network->active;
    network->active = exchange;
}

/* Ends an active request whose link is given. */
static void stop(liststate_network *network, liststate_exchange **link, int code)
{
    liststate_exchange *exchange = *link;
    *link = exchange->next;
    web.curl_multi_remove_handle_(network->multi, exchange->curl);
    end(exchange, code);
}

/* Starts what was begun, the first one first. Returns 0 if the network is over. */
static int start_begun(liststate_network *network)
{
    pthread_mutex_lock(&network->lock);
    liststate_exchange *last = network->begun, *first = NULL;
    network->begun = NULL;
    int is_over = network->is_over;
    pthread_mutex_unlock(&network->lock);
    while (last != NULL) {
        liststate_exchange *next = last->next;
        last->next = first;
        first = last;
        last = next;
    }
    while (first != NULL) {
        liststate_exchange *next = first->next;
        start(network, first);
        first = next;
    }
    return !is_over;
}

static void stop_done(liststate_network *network)
{
    curl_message *message;
    int left;
    while ((message = web.curl_multi_info_read_(network->multi, &left)) != NULL) {
        if (message->message != MESSAGE_DONE)
            continue;
        /* The message ends with the handle. */
        CURL *curl = message->curl;
        int code = message->data.code;
        liststate_exchange **link = &network->active;
        while (*link != NULL && (*link)->curl != curl)
            link = &(*link)->next;
        if (*link != NULL)
            stop(network, link, code);
    }
}

/* Stops what is cancelled, and what has been silent for too long. Returns the milliseconds until it is time again. */
static int stop_others(liststate_network *network)
{
    time_t now = seconds();
    long pause_s = 3600;
    for (liststate_exchange **link = &network->active; *link != NULL;) {
        liststate_exchange *exchange = *link;
        long left_s = exchange->silence_s - (long)(now - exchange->last_news);
        if (atomic_load(&exchange->is_cancelled))
            stop(network, link, ERROR_ABORTED_BY_CALLBACK);
        else if (left_s < 0)
            stop(network, link, ERROR_OPERATION_TIMEDOUT);
        else {
            pause_s = left_s + 1 < pause_s ? left_s + 1 : pause_s;
            link = &exchange->next;
        }
    }
    return (int)(pause_s * 1000);
}

static void *run(void *context)
{
    liststate_network *network = context;
    while (start_begun(network)) {
        int running;
        web.curl_multi_perform_(network->multi, &running);
        stop_done(network);
        if (web.curl_multi_poll_(network->multi, NULL, 0, stop_others(network), NULL) != 0)
            nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    }
    while (network->active != NULL)
        stop(network, &network->active, ERROR_ABORTED_BY_CALLBACK);
    web.curl_multi_cleanup_(network->multi);
    pthread_mutex_destroy(&network->lock);
    free(network);
    return NULL;
}

/* Signals are for the application's threads, and a connection that is closed is none. Returns 0 if there is no thread. */
static int start_thread(liststate_network *network)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int is_started = pthread_create(&thread, NULL, run, network) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started)
        pthread_detach(thread);
    return is_started;
}

liststate_network *liststate_network_new(void)
{
    liststate_network *network = calloc(1, sizeof(liststate_network));
    if (network == NULL)
        return NULL;
    pthread_mutex_init(&network->lock, NULL);
    network->multi = web.curl_multi_init_();
    /* Without descriptors for it the thread could not be woken. */
    if (network->multi != NULL && web.curl_multi_wakeup_(network->multi) == 0 && start_thread(network))
        return network;
    if (network->multi != NULL)
        web.curl_multi_cleanup_(network->multi);
    pthread_mutex_destroy(&network->lock);
    free(network);
    return NULL;
}

void liststate_network_begin(liststate_network *network, liststate_exchange *exchange)
{
    atomic_fetch_add(&exchange->references, 1);
    pthread_mutex_lock(&network->lock);
    exchange->next = network->begun;
    network->begun = exchange;
    /* Within the lock: once the thread has seen the request, the network may end. */
    web.curl_multi_wakeup_(network->multi);
    pthread_mutex_unlock(&network->lock);
}

void liststate_network_cancel(liststate_network *network, liststate_exchange *exchange)
{
    atomic_store(&exchange->is_cancelled, 1);
    web.curl_multi_wakeup_(network->multi);
}

void liststate_network_end(liststate_network *network)
{
    pthread_mutex_lock(&network->lock);
    network->is_over = 1;
    web.curl_multi_wakeup_(network->multi);
    pthread_mutex_unlock(&network->lock);
}
