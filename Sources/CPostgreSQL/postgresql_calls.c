#include "postgresql_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* The calls, by the names that libpq gives them. */
#define CALLS(CALL) \
    CALL(PQconninfoParse) CALL(PQconninfoFree) CALL(PQconnectdbParams) CALL(PQfinish) CALL(PQstatus) \
    CALL(PQerrorMessage) CALL(PQsocket) CALL(PQsetnonblocking) CALL(PQflush) CALL(PQconsumeInput) CALL(PQisBusy) \
    CALL(PQsetSingleRowMode) CALL(PQsendQuery) CALL(PQsendPrepare) CALL(PQsendQueryPrepared) CALL(PQgetResult) \
    CALL(PQresultStatus) CALL(PQresultErrorField) CALL(PQntuples) CALL(PQnfields) CALL(PQgetisnull) \
    CALL(PQgetlength) CALL(PQgetvalue) CALL(PQclear) CALL(PQnotifies) CALL(PQfreemem) CALL(PQsetNoticeReceiver) \
    CALL(PQftype) CALL(PQenterPipelineMode) CALL(PQpipelineSync) CALL(PQexitPipelineMode)

#define DECLARE(name) __typeof__(name) *name##_;
static struct { CALLS(DECLARE) } pq;
static int is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    /* The name that is installed without libpq-dev. It stays loaded for as long as the process. */
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    is_loaded = 1;
#define FIND(name) if ((*(void **)&pq.name##_ = dlsym(library, #name)) == NULL) is_loaded = 0;
    CALLS(FIND)
}

int liststate_pq_load(void)
{
    pthread_once(&once, load);
    return is_loaded;
}

PQconninfoOption *liststate_pq_conninfo_parse(const char *text, char **error) { return pq.PQconninfoParse_(text, error); }
void liststate_pq_conninfo_free(PQconninfoOption *options) { pq.PQconninfoFree_(options); }

PGconn *liststate_pq_connect(const char *const *keywords, const char *const *values)
{
    PGconn *connection = pq.PQconnectdbParams_(keywords, values, 0);
    if (connection != NULL && pq.PQstatus_(connection) == CONNECTION_OK)
        pq.PQsetnonblocking_(connection, 1);
    return connection;
}

void liststate_pq_finish(PGconn *connection) { pq.PQfinish_(connection); }
ConnStatusType liststate_pq_status(const PGconn *connection) { return pq.PQstatus_(connection); }
const char *liststate_pq_error(const PGconn *connection) { return pq.PQerrorMessage_(connection); }
int liststate_pq_socket(const PGconn *connection) { return pq.PQsocket_(connection); }
int liststate_pq_flush(PGconn *connection) { return pq.PQflush_(connection); }
int liststate_pq_consume_input(PGconn *connection) { return pq.PQconsumeInput_(connection); }
int liststate_pq_is_busy(PGconn *connection) { return pq.PQisBusy_(connection); }
int liststate_pq_set_single_row_mode(PGconn *connection) { return pq.PQsetSingleRowMode_(connection); }
int liststate_pq_send_query(PGconn *connection, const char *text) { return pq.PQsendQuery_(connection, text); }

int liststate_pq_send_prepare(PGconn *connection, const char *name, const char *text, int count, const Oid *types)
{
    return pq.PQsendPrepare_(connection, name, text, count, types);
}

int liststate_pq_send_prepared(PGconn *connection, const char *name, int count, const char *const *values,
                               const int *lengths)
{
    /* All parameters and all columns are binary. The protocol takes far fewer than 65,536 parameters. */
    int formats[32];
    if (count > 32)
        return 0;
    for (int index = 0; index < count; index++)
        formats[index] = 1;
    return pq.PQsendQueryPrepared_(connection, name, count, values, lengths, formats, 1);
}

int liststate_pq_enter_pipeline(PGconn *connection) { return pq.PQenterPipelineMode_(connection); }
int liststate_pq_sync_pipeline(PGconn *connection) { return pq.PQpipelineSync_(connection); }
int liststate_pq_exit_pipeline(PGconn *connection) { return pq.PQexitPipelineMode_(connection); }
PGresult *liststate_pq_get_result(PGconn *connection) { return pq.PQgetResult_(connection); }
ExecStatusType liststate_pq_result_status(const PGresult *result) { return pq.PQresultStatus_(result); }
const char *liststate_pq_error_field(const PGresult *result, int field) { return pq.PQresultErrorField_(result, field); }
int liststate_pq_rows(const PGresult *result) { return pq.PQntuples_(result); }
int liststate_pq_columns(const PGresult *result) { return pq.PQnfields_(result); }
Oid liststate_pq_type(const PGresult *result, int column) { return pq.PQftype_(result, column); }
int liststate_pq_is_null(const PGresult *result, int row, int column) { return pq.PQgetisnull_(result, row, column); }
int liststate_pq_length(const PGresult *result, int row, int column) { return pq.PQgetlength_(result, row, column); }
const char *liststate_pq_value(const PGresult *result, int row, int column) { return pq.PQgetvalue_(result, row, column); }
void liststate_pq_clear(PGresult *result) { pq.PQclear_(result); }
PGnotify *liststate_pq_notifies(PGconn *connection) { return pq.PQnotifies_(connection); }
void liststate_pq_free(void *memory) { pq.PQfreemem_(memory); }

static void note(void *count, const PGresult *notice)
{
    const char *severity = pq.PQresultErrorField_(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity != NULL && strcmp(severity, "WARNING") == 0)
        ++*(int *)count;
}

void liststate_pq_count_warnings(PGconn *connection, int *count) { pq.PQsetNoticeReceiver_(connection, note, count); }
