#include "assets.h"

#ifndef LISTSTATE_COMMIT
#define LISTSTATE_COMMIT "unknown"
#endif

const char *liststate_commit(void)
{
    return LISTSTATE_COMMIT;
}
