#include "CReading.h"
#include <stdbool.h>
#include <string.h>

/* The compiler makes of these whatever the processor has for many bytes at once. */
typedef uint8_t block __attribute__((vector_size(32), aligned(1)));
typedef bool marks __attribute__((ext_vector_type(32)));

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a block is the lowest bit of its marks");

/* A bit for each byte that is LF or NUL. */
static uint32_t ends(const uint8_t *bytes)
{
    block all;
    memcpy(&all, bytes, sizeof all);
    marks found = __builtin_convertvector((block)((all == '\n') | (all == 0)), marks);
    uint32_t bits;
    memcpy(&bits, &found, sizeof bits);
    return bits;
}

/* Whether a line begins with `name`, which is in small letters, or with what differs from it in the bit of the case. */
static bool begins(const uint8_t *line, const uint8_t *end, const char *name, size_t count)
{
    if ((size_t)(end - line) < count) return false;
    for (size_t index = 0; index < count; index++) {
        if ((line[index] | 0x20) != name[index]) return false;
    }
    return true;
}

static bool is_short_number(const uint8_t *text, const uint8_t *end)
{
    while (text < end && (*text == ' ' || *text == '\t')) text++;
    if (end - text < 1 || end - text > 18) return false;
    for (; text < end; text++) {
        if (*text < '0' || *text > '9') return false;
    }
    return true;
}

static uint64_t word(const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static const char credentials[] = "authorization:";
enum { credentials_count = sizeof credentials - 1 };

static bool is_credentials(const uint8_t *line, const uint8_t *end)
{
    const uint64_t small = 0x2020202020202020;
    return end - line >= credentials_count && line[credentials_count - 1] == ':'
        && (word(line) | small) == word(credentials)
        && (word(line + credentials_count - 8) | small) == word(credentials + credentials_count - 8);
}

static bool is_plain_field(const uint8_t *line, const uint8_t *end)
{
    if (*line == ' ' || *line == '\t' || *line == ':') return false;
    if ((*line | 0x20) != 'c') return true;
    static const char length[] = "content-length:", cookie[] = "cookie:";
    if (begins(line, end, cookie, sizeof cookie - 1)) return false;
    if (!begins(line, end, length, sizeof length - 1)) return true;
    return is_short_number(line + sizeof length - 1, end);
}

size_t reading_plain_head(const uint8_t *bytes, size_t count, struct reading_head *head)
{
    head->credentials_line = head->credentials_value = head->credentials_end = 0;
    if (count < sizeof(block)) return 0;
    const uint8_t *line = bytes;
    size_t lines = 0;
    for (size_t start = 0; start < count; start += sizeof(block)) {
        /* The last block begins earlier, so that it does not end behind the bytes. */
        size_t late = start + sizeof(block) > count ? start + sizeof(block) - count : 0;
        uint32_t bits = ends(bytes + start - late) >> late;
        for (; bits != 0; bits &= bits - 1) {
            const uint8_t *end = bytes + start + __builtin_ctz(bits);
            if (*end == 0 || end == line || end[-1] != '\r') return 0;
            if (end - line == 1) {
                head->fields = lines - 1;
                return lines == 0 ? 0 : (size_t)(end + 1 - bytes);
            }
            if (lines > 0 && !is_plain_field(line, end - 1)) return 0;
            if (lines > 0 && head->credentials_end == 0 && is_credentials(line, end - 1)) {
                head->credentials_line = (size_t)(line - bytes);
                head->credentials_value = head->credentials_line + credentials_count;
                head->credentials_end = (size_t)(end + 1 - bytes);
            }
            lines++;
            line = end + 1;
        }
    }
    return 0;
}

bool reading_same_secret(const uint8_t *one, const uint8_t *other, size_t count)
{
    if (count < sizeof(block)) {
        uint8_t differences = 0;
        for (size_t index = 0; index < count; index++) differences |= one[index] ^ other[index];
        return differences == 0;
    }
    block differences = {0};
    for (size_t start = 0; start < count; start += sizeof(block)) {
        /* The last block begins earlier, so that it does not end behind the bytes. */
        size_t place = start + sizeof(block) > count ? count - sizeof(block) : start;
        block left, right;
        memcpy(&left, one + place, sizeof left);
        memcpy(&right, other + place, sizeof right);
        differences |= left ^ right;
    }
    uint64_t words[sizeof(block) / sizeof(uint64_t)];
    memcpy(words, &differences, sizeof words);
    return (words[0] | words[1] | words[2] | words[3]) == 0;
}
