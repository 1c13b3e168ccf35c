/* A bare chain of three sessions of PostgreSQL, with which `make bench-nodes` compares the way of a write to a stream of
 * another server.
 *
 *     chain CONNECTION-STRING COUNT PAUSE-MS
 *
 * The first session updates a row of the table `items`, and waits for the commit. The second one then sends a
 * notification, in a transaction that waits for no disk. The third one listens, and selects the row when it hears of
 * it. The milliseconds from the beginning of the update to the selected row are printed, a line for each of COUNT
 * updates. A new update begins when the row of the one before is there and the pause is over.
 */
#include "../client.h"
#include <libpq-fe.h>
#include <poll.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000 };

static PGconn *connected(const char *string, const char *first)
{
    PGconn *session = PQconnectdb(string);
    if (PQstatus(session) != CONNECTION_OK) fail(PQerrorMessage(session));
    PQclear(PQexec(session, first));
    return session;
}

static PGconn *prepared(const char *string, const char *first, const char *statement)
{
    PGconn *session = connected(string, first);
    PGresult *result = PQprepare(session, "one", statement, 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(PQerrorMessage(session));
    PQclear(result);
    return session;
}

static PGresult *run(PGconn *session, ExecStatusType status)
{
    PGresult *result = PQexecPrepared(session, "one", 0, NULL, NULL, NULL, 0);
    if (PQresultStatus(result) != status) fail(PQerrorMessage(session));
    return result;
}

static void hear(PGconn *session)
{
    PGnotify *notification;
    while ((notification = PQnotifies(session)) == NULL) {
        struct pollfd ready = {.fd = PQsocket(session), .events = POLLIN};
        if (poll(&ready, 1, PATIENCE_MS) != 1) fail("chain: a notification is missing");
        if (PQconsumeInput(session) == 0) fail(PQerrorMessage(session));
    }
    PQfreemem(notification);
}

int main(int argc, char **argv)
{
    if (argc != 4) fail("usage: chain CONNECTION-STRING COUNT PAUSE-MS");
    PGconn *writer = prepared(argv[1], "SELECT 1", "UPDATE items SET starred = NOT starred WHERE id = 1");
    PGconn *teller = prepared(argv[1], "SET synchronous_commit = off", "SELECT pg_notify('chain', '1')");
    PGconn *hearer = prepared(argv[1], "LISTEN chain", "SELECT starred FROM items WHERE id = 1");
    char before = 0;
    for (long count = atol(argv[2]); count > 0; count--) {
        double start = now();
        PQclear(run(writer, PGRES_COMMAND_OK));
        if (PQsendQueryPrepared(teller, "one", 0, NULL, NULL, NULL, 0) == 0) fail(PQerrorMessage(teller));
        hear(hearer);
        PGresult *row = run(hearer, PGRES_TUPLES_OK);
        printf("%.3f\n", (now() - start) * 1e3);
        if (PQntuples(row) != 1 || *PQgetvalue(row, 0, 0) == before) fail("chain: not the row that was written");
        before = *PQgetvalue(row, 0, 0);
        PQclear(row);
        for (PGresult *told; (told = PQgetResult(teller)) != NULL;) PQclear(told);
        double rest = start + atof(argv[3]) / 1e3 - now();
        if (rest > 0) usleep((useconds_t)(rest * 1e6));
    }
    return 0;
}
