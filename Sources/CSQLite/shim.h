/* shim.h: one non-variadic door for each variadic function; no other logic lives here. */
#pragma once
#include <sqlite3.h>

static inline int
liststate_sqlite3_set_option(sqlite3 *database, int option, int value)
{
    return sqlite3_db_config(database, option, value, (int *)0);
}
