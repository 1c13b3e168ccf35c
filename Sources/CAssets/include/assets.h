/* The files that the server sends as they are, put into the binary by the compiler. No logic lives here. */
#ifndef LISTSTATE_ASSETS_H
#define LISTSTATE_ASSETS_H

#include <stddef.h>

/* One file: its name and its contents. Both live as long as the process. */
struct liststate_asset {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

/* All of them; `count` gets their number. */
const struct liststate_asset *liststate_assets(size_t *count);

/* The commit that the program was built from, or "unknown". */
const char *liststate_commit(void);

#endif
