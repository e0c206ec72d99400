/* cuda backend: reads the trailer of code that was made from a shader.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "module.h"
#include "trailer.h"

#define BEGIN "// trireme "
#define BY_HAND "by-hand"
#define MAX_LINE_BYTES 65536u
#define DIGEST_LETTERS 64u
#define MAX_COARSENING 1024u
#define MAX_THREADS 1024u
#define MAX_SHARED_BYTES (1u << 20)

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static bool read_digest(const char *text, uint64_t length, uint8_t digest[32])
{
    if (length < DIGEST_LETTERS)
        return false;
    for (uint32_t i = 0; i < 32; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        digest[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

/* Finds the last line; a zero may follow it. */
void cuda_trailer_read(const void *bytes, uint64_t size, struct cuda_trailer *trailer)
{
    const char *text = bytes;
    *trailer         = (struct cuda_trailer){.is_present = false};
    if (size != 0 && text[size - 1] == '\0')
        size--;
    if (size == 0 || text[size - 1] != '\n')
        return;
    uint64_t end = size - 1, begin = end;
    while (begin != 0 && end - begin < MAX_LINE_BYTES && text[begin - 1] != '\n')
        begin--;
    if (end - begin < strlen(BEGIN) || memcmp(text + begin, BEGIN, strlen(BEGIN)) != 0)
        return;
    begin += strlen(BEGIN);
    trailer->is_by_hand =
        end - begin >= strlen(BY_HAND) && memcmp(text + begin, BY_HAND, strlen(BY_HAND)) == 0;
    if (!trailer->is_by_hand && !read_digest(text + begin, end - begin, trailer->digest))
        return;
    begin += trailer->is_by_hand ? strlen(BY_HAND) : DIGEST_LETTERS;
    trailer->is_present = true;
    trailer->symbols    = text + begin;
    trailer->length     = end - begin;
}

/* Read "MARK NUMBER" without the blank, if the mark is there; the number is from 1 to `most`. */
static bool read_number(const char **at, const char *end, char mark, uint32_t most, uint32_t *number)
{
    *number = 0;
    if (*at == end || **at != mark)
        return true;
    for ((*at)++; *at < end && **at >= '0' && **at <= '9' && *number <= most; (*at)++)
        *number = *number * 10 + (uint32_t)(**at - '0');
    return *number != 0 && *number <= most;
}

/* SYMBOL, *COUNT or /COUNT, :THREADS and +BYTES; the numbers may be missing. */
static bool read_word(const char *begin, const char *end, char symbol[CUDA_TRAILER_SYMBOL_BYTES],
                      struct cuda_launch_shape *shape)
{
    const char *at = begin;
    while (at < end && *at != '*' && *at != '/' && *at != ':' && *at != '+')
        at++;
    size_t length    = (size_t)(at - begin);
    shape->is_choice = at < end && *at == '/';
    if (length == 0 || length >= CUDA_TRAILER_SYMBOL_BYTES ||
        !read_number(&at, end, shape->is_choice ? '/' : '*', MAX_COARSENING, &shape->coarsening) ||
        !read_number(&at, end, ':', MAX_THREADS, &shape->threads) ||
        !read_number(&at, end, '+', MAX_SHARED_BYTES, &shape->shared_bytes) || at != end)
        return false;
    memcpy(symbol, begin, length);
    symbol[length] = '\0';
    return true;
}

bool cuda_trailer_symbol(const struct cuda_trailer *trailer, uint32_t index,
                         char symbol[CUDA_TRAILER_SYMBOL_BYTES], struct cuda_launch_shape *shape)
{
    const char *at = trailer->symbols, *end = at + trailer->length;
    for (uint32_t i = 0; at < end; i++) {
        const char *begin = at + 1; /* behind the blank */
        for (at = begin; at < end && *at != ' ';)
            at++;
        if (i == index)
            return begin < at && read_word(begin, at, symbol, shape);
    }
    return false;
}
