#include "allocator.h"

/*
 * A thread of jemalloc gives free memory back to the system after half a second. By itself jemalloc keeps it for ten
 * seconds, and gives it back only while somebody allocates. Its addresses go back, too: they would pile up until a
 * limit of them (`ulimit -v`) is reached. Blocks of a MiB and more go back at once: a long body would take more than
 * four times its bytes at its peak.
 *
 * Memory that is free in one arena is no room for another. With three arenas for two processors, instead of four for
 * each, lists of 1,000 items that come and go under a bound of 64 MiB take 96 MiB of memory instead of 105.
 */
const char *malloc_conf =
    "narenas_ratio:1.5,background_thread:true,dirty_decay_ms:500,muzzy_decay_ms:0,"
    "retain:false,oversize_threshold:1048576";
