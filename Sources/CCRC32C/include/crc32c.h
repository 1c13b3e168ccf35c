/* The checksum of RFC 3720 (Castagnoli polynomial), by the processor's own instruction where it has one. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* The state after `count` more bytes; it starts as all ones, and the checksum is its complement. */
uint32_t liststate_crc32c(uint32_t state, const void *bytes, size_t count);

/* As above, without the processor's instruction. */
uint32_t liststate_crc32c_portable(uint32_t state, const void *bytes, size_t count);
