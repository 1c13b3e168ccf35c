/*
 * jemalloc, which takes the place of malloc and free in every program that depends on this target. Only benchmarks call
 * it by name: it is enough that a program is linked with it.
 *
 * The C library's allocator was made for programs whose threads free their own memory. Here a thread that answers makes
 * an entry, and the thread that commits frees it.
 */
#pragma once
#include <jemalloc/jemalloc.h>
