/* shim.h: one function for each macro that Swift cannot call; no other logic lives here. */
#pragma once
#include <zlib.h>

/* 15 bits of window, and 16 for a gzip wrapper instead of that of zlib. */
static inline int
liststate_gzip_start(z_stream *stream, int level)
{
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int
liststate_gunzip_start(z_stream *stream)
{
    return inflateInit2(stream, 15 + 16);
}
