/*
 * The calls of libpq, which is loaded when the first store in PostgreSQL is opened. A server without one runs without
 * the library.
 */
#pragma once
/* Debian has the header in a folder of its own. */
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

/* Loads libpq. Returns 0 if it is not there, or lacks a call. May be called on any thread, and again. */
int liststate_pq_load(void);

/* Each is the call of libpq with the same name, and must not be called before the library is loaded. */
PQconninfoOption *liststate_pq_conninfo_parse(const char *text, char **error);
void liststate_pq_conninfo_free(PQconninfoOption *options);
PGconn *liststate_pq_connect(const char *const *keywords, const char *const *values);
void liststate_pq_finish(PGconn *connection);
ConnStatusType liststate_pq_status(const PGconn *connection);
const char *liststate_pq_error(const PGconn *connection);
int liststate_pq_socket(const PGconn *connection);
int liststate_pq_flush(PGconn *connection);
int liststate_pq_consume_input(PGconn *connection);
int liststate_pq_is_busy(PGconn *connection);
int liststate_pq_set_single_row_mode(PGconn *connection);
int liststate_pq_send_query(PGconn *connection, const char *text);
int liststate_pq_send_prepare(PGconn *connection, const char *name, const char *text, int count, const Oid *types);
int liststate_pq_send_prepared(PGconn *connection, const char *name, int count, const char *const *values,
                               const int *lengths);
/* These are in libpq since version 14. */
int liststate_pq_enter_pipeline(PGconn *connection);
int liststate_pq_sync_pipeline(PGconn *connection);
int liststate_pq_exit_pipeline(PGconn *connection);
PGresult *liststate_pq_get_result(PGconn *connection);
ExecStatusType liststate_pq_result_status(const PGresult *result);
const char *liststate_pq_error_field(const PGresult *result, int field);
int liststate_pq_rows(const PGresult *result);
int liststate_pq_columns(const PGresult *result);
Oid liststate_pq_type(const PGresult *result, int column);
int liststate_pq_is_null(const PGresult *result, int row, int column);
int liststate_pq_length(const PGresult *result, int row, int column);
const char *liststate_pq_value(const PGresult *result, int row, int column);
void liststate_pq_clear(PGresult *result);
PGnotify *liststate_pq_notifies(PGconn *connection);
void liststate_pq_free(void *memory);

/* Counts the warnings of a connection in `*count`, and keeps its notices from the standard error. */
void liststate_pq_count_warnings(PGconn *connection, int *count);
