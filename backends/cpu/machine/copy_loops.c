/* cpu backend: the inner loops of copies and fills.
 *
 * The non-temporal loops store whole cache lines, which spares reading them first; the bytes before the
 * first line boundary and after the last are stored normally. The processor's instructions are looked up at
 * run time, so that one build serves all processors.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/machine/copy_loops.h"

#include <string.h>

#define LINE 64u

/* ---- fills on any processor */

/* The word with which a fill continues after `bytes` bytes. */
static uint64_t rotate_word(uint64_t word, uint64_t bytes)
{
    uint8_t twice[16];
    memcpy(twice, &word, 8);
    memcpy(twice + 8, &word, 8);
    memcpy(&word, twice + bytes % 8, 8);
    return word;
}

static bool is_one_byte(uint64_t word)
{
    return rotate_word(word, 1) == word;
}

static void fill_plain(uint8_t *destination, uint64_t word, uint64_t size)
{
    uint64_t i = 0;
    if (is_one_byte(word)) {
        memset(destination, (int)(word & 0xff), size);
        return;
    }
    for (; i + 8 <= size; i += 8)
        memcpy(destination + i, &word, 8);
    memcpy(destination + i, &word, size - i);
}

#if defined(__x86_64__)

#include <immintrin.h>

#define PREFETCH_AHEAD 1024u /* bytes; the hardware prefetcher stops at every 4 KiB */

static uint64_t bytes_to_line(const uint8_t *destination, uint64_t size)
{
    uint64_t bytes = -(uintptr_t)destination & (LINE - 1);
    return bytes < size ? bytes : size;
}

/* ---- copies of `lines` whole lines to an aligned destination */

static void stream_lines_sse2(uint8_t *destination, const uint8_t *source, uint64_t lines)
{
    for (; lines != 0; lines--, destination += LINE, source += LINE) {
        _mm_prefetch((const char *)source + PREFETCH_AHEAD, _MM_HINT_NTA);
        __m128i a = _mm_loadu_si128((const __m128i *)source);
        __m128i b = _mm_loadu_si128((const __m128i *)source + 1);
        __m128i c = _mm_loadu_si128((const __m128i *)source + 2);
        __m128i d = _mm_loadu_si128((const __m128i *)source + 3);
        _mm_stream_si128((__m128i *)destination, a);
        _mm_stream_si128((__m128i *)destination + 1, b);
        _mm_stream_si128((__m128i *)destination + 2, c);
        _mm_stream_si128((__m128i *)destination + 3, d);
    }
}

__attribute__((target("avx"))) static void stream_lines_avx(uint8_t *destination, const uint8_t *source,
                                                            uint64_t lines)
{
    for (; lines != 0; lines--, destination += LINE, source += LINE) {
        _mm_prefetch((const char *)source + PREFETCH_AHEAD, _MM_HINT_NTA);
        __m256i a = _mm256_loadu_si256((const __m256i *)source);
        __m256i b = _mm256_loadu_si256((const __m256i *)source + 1);
        _mm256_stream_si256((__m256i *)destination, a);
        _mm256_stream_si256((__m256i *)destination + 1, b);
    }
}

__attribute__((target("avx"))) static void store_lines_avx(uint8_t *destination, const uint8_t *source,
                                                           uint64_t lines)
{
    for (; lines != 0; lines--, destination += LINE, source += LINE) {
        _mm_prefetch((const char *)source + PREFETCH_AHEAD, _MM_HINT_T0);
        _mm_prefetch((const char *)destination + PREFETCH_AHEAD, _MM_HINT_T0);
        __m256i a = _mm256_loadu_si256((const __m256i *)source);
        __m256i b = _mm256_loadu_si256((const __m256i *)source + 1);
        _mm256_store_si256((__m256i *)destination, a);
        _mm256_store_si256((__m256i *)destination + 1, b);
    }
}

__attribute__((target("avx512f"))) static void store_lines_avx512(uint8_t *destination, const uint8_t *source,
                                                                  uint64_t lines)
{
    for (; lines != 0; lines--, destination += LINE, source += LINE) {
        _mm_prefetch((const char *)source + PREFETCH_AHEAD, _MM_HINT_T0);
        _mm512_store_si512(destination, _mm512_loadu_si512(source));
    }
}

static bool copy_lines(uint32_t method, uint8_t *destination, const uint8_t *source, uint64_t lines)
{
    if (method == CPU_COPY_STREAMED) {
        if (__builtin_cpu_supports("avx"))
            stream_lines_avx(destination, source, lines);
        else
            stream_lines_sse2(destination, source, lines);
        _mm_sfence();
        return true;
    }
    if (__builtin_cpu_supports("avx512f"))
        store_lines_avx512(destination, source, lines);
    else if (__builtin_cpu_supports("avx"))
        store_lines_avx(destination, source, lines);
    else
        return false;
    return true;
}

static bool copy_string(uint8_t *destination, const uint8_t *source, uint64_t size)
{
    __asm__ volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(size) : : "memory");
    return true;
}

bool cpu_copy_with(uint32_t method, uint8_t *destination, const uint8_t *source, uint64_t size)
{
    if (method == CPU_COPY_STRING)
        return copy_string(destination, source, size);
    if (method == CPU_COPY_STREAMED || method == CPU_COPY_PREFETCH) {
        uint64_t head = bytes_to_line(destination, size), lines = (size - head) / LINE,
                 end = head + lines * LINE;
        if (!copy_lines(method, destination + head, source + head, lines))
            return false;
        memcpy(destination, source, head);
        memcpy(destination + end, source + end, size - end);
        return true;
    }
    memcpy(destination, source, size);
    return method == CPU_COPY_PLAIN;
}

/* ---- fills */

static void stream_word_sse2(uint8_t *destination, uint64_t word, uint64_t lines)
{
    __m128i value = _mm_set1_epi64x((long long)word);
    for (; lines != 0; lines--, destination += LINE)
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)destination + i, value);
}

__attribute__((target("avx"))) static void stream_word_avx(uint8_t *destination, uint64_t word,
                                                           uint64_t lines)
{
    __m256i value = _mm256_set1_epi64x((long long)word);
    for (; lines != 0; lines--, destination += LINE) {
        _mm256_stream_si256((__m256i *)destination, value);
        _mm256_stream_si256((__m256i *)destination + 1, value);
    }
}

static bool fill_streamed(uint8_t *destination, uint64_t word, uint64_t size)
{
    uint64_t head = bytes_to_line(destination, size), lines = (size - head) / LINE, end = head + lines * LINE;
    fill_plain(destination, word, head);
    if (__builtin_cpu_supports("avx"))
        stream_word_avx(destination + head, rotate_word(word, head), lines);
    else
        stream_word_sse2(destination + head, rotate_word(word, head), lines);
    fill_plain(destination + end, rotate_word(word, end), size - end);
    _mm_sfence();
    return true;
}

static bool fill_string(uint8_t *destination, uint64_t word, uint64_t size)
{
    uint64_t words = size / 8, rest = size % 8;
    __asm__ volatile("rep stosq" : "+D"(destination), "+c"(words) : "a"(word) : "memory");
    memcpy(destination, &word, rest);
    return true;
}

bool cpu_fill_with(uint32_t method, uint8_t *destination, uint64_t word, uint64_t size)
{
    if (method == CPU_FILL_STREAMED)
        return fill_streamed(destination, word, size);
    if (method == CPU_FILL_STRING)
        return fill_string(destination, word, size);
    if (method != CPU_FILL_PLAIN)
        return false;
    fill_plain(destination, word, size);
    return true;
}

#else

bool cpu_copy_with(uint32_t method, uint8_t *destination, const uint8_t *source, uint64_t size)
{
    if (method != CPU_COPY_PLAIN)
        return false;
    memcpy(destination, source, size);
    return true;
}

bool cpu_fill_with(uint32_t method, uint8_t *destination, uint64_t word, uint64_t size)
{
    if (method != CPU_FILL_PLAIN)
        return false;
    fill_plain(destination, word, size);
    return true;
}

#endif
