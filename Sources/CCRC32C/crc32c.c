#include "crc32c.h"

#include <pthread.h>
#include <string.h>

static uint64_t word(const unsigned char *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Table k advances a byte over k more zero bytes. */
static uint32_t tables[8][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
        tables[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int byte = 0; byte < 256; byte++)
            tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xFF];
}

uint32_t liststate_crc32c_portable(uint32_t state, const void *start, size_t count)
{
    const unsigned char *bytes = start;
    pthread_once(&made, make_tables);
    for (; count >= 8; bytes += 8, count -= 8) {
        uint32_t next = 0;
        for (int k = 0; k < 8; k++)
            next ^= tables[7 - k][(bytes[k] ^ (k < 4 ? state >> 8 * k : 0)) & 0xFF];
        state = next;
    }
    for (; count > 0; bytes++, count--)
        state = state >> 8 ^ tables[0][(state ^ *bytes) & 0xFF];
    return state;
}

#if defined(__x86_64__)
#include <cpuid.h>

static int has_instruction(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}

#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define STEP_WORD(state, value) ((uint32_t)__builtin_ia32_crc32di(state, value))
#define STEP_BYTE(state, value) __builtin_ia32_crc32qi(state, value)

#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

static int has_instruction(void)
{
    return (getauxval(AT_HWCAP) & 1 << 7 /* HWCAP_CRC32 */) != 0;
}

#define WITH_INSTRUCTION __attribute__((target("crc")))
#define STEP_WORD(state, value) __builtin_arm_crc32cd(state, value)
#define STEP_BYTE(state, value) __builtin_arm_crc32cb(state, value)
#endif

#ifdef STEP_WORD
/* The instruction takes three cycles but one can begin in each, so three lanes of a block are read at once. */
#define LANE 672

/* What bytes of a state become over one more lane of zero bytes, and over two. */
static uint32_t over_lane[4][256], over_lanes[4][256];
static int is_fast;
static pthread_once_t looked = PTHREAD_ONCE_INIT;

static uint32_t moved(uint32_t over[4][256], uint32_t state)
{
    return over[0][state & 0xFF] ^ over[1][state >> 8 & 0xFF] ^ over[2][state >> 16 & 0xFF] ^ over[3][state >> 24];
}

WITH_INSTRUCTION static uint32_t by_instruction(uint32_t state, const unsigned char *bytes, size_t count)
{
    for (; count >= 3 * LANE; bytes += 3 * LANE, count -= 3 * LANE) {
        uint32_t second = 0, third = 0;
        for (int k = 0; k < LANE; k += 8) {
            state = STEP_WORD(state, word(bytes + k));
            second = STEP_WORD(second, word(bytes + LANE + k));
            third = STEP_WORD(third, word(bytes + 2 * LANE + k));
        }
        state = moved(over_lanes, state) ^ moved(over_lane, second) ^ third;
    }
    for (; count >= 8; bytes += 8, count -= 8)
        state = STEP_WORD(state, word(bytes));
    for (; count > 0; bytes++, count--)
        state = STEP_BYTE(state, *bytes);
    return state;
}

static void look(void)
{
    static const unsigned char zeros[LANE];
    is_fast = has_instruction();
    if (!is_fast)
        return;
    for (int place = 0; place < 4; place++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t once = by_instruction(byte << 8 * place, zeros, LANE);
            over_lane[place][byte] = once;
            over_lanes[place][byte] = by_instruction(once, zeros, LANE);
        }
}

uint32_t liststate_crc32c(uint32_t state, const void *bytes, size_t count)
{
    pthread_once(&looked, look);
    return is_fast ? by_instruction(state, bytes, count) : liststate_crc32c_portable(state, bytes, count);
}
#else
uint32_t liststate_crc32c(uint32_t state, const void *bytes, size_t count)
{
    return liststate_crc32c_portable(state, bytes, count);
}
#endif
