/* The time at which a file was made, which `stat` does not say: statx(2) does. */
#pragma once
#include <stdint.h>

/* Nanoseconds since 1970; 0 where the system or the file system does not say it. */
int64_t liststate_birth(int descriptor);
