/* Converts the bytes of a module to words, and reads strings.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "compiler/spirv/reader.h"

#define HEADER_WORDS 5u
#define WORDS_MOST ((uint64_t)64 << 20) /* 256 MiB */

int32_t spirv_words(struct base_arena *arena, const void *bytes, uint64_t size, uint32_t **words,
                    uint32_t *count)
{
    uint32_t magic;

    if (bytes == NULL || size < HEADER_WORDS * sizeof(uint32_t))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "not SPIR-V: %llu bytes are too short for a header",
                         (unsigned long long)size);
    if (size % sizeof(uint32_t) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "not SPIR-V: the size of %llu bytes is not a multiple of 4",
                         (unsigned long long)size);
    if (size / sizeof(uint32_t) > WORDS_MOST)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "a SPIR-V module of %llu bytes is too large; at most 256 MiB are supported",
                         (unsigned long long)size);
    memcpy(&magic, bytes, sizeof(magic));
    bool is_swapped = magic == __builtin_bswap32(SpvMagicNumber);
    if (magic != SpvMagicNumber && !is_swapped)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "not SPIR-V: the first word is 0x%08x instead of 0x%08x",
                         magic, SpvMagicNumber);
    uint32_t number = (uint32_t)(size / sizeof(uint32_t));
    uint32_t *list  = base_arena_allocate(arena, number, sizeof(*list));
    if (list == NULL)
        return base_arena_fail(arena, "reading SPIR-V");
    memcpy(list, bytes, size);
    if (is_swapped)
        for (uint32_t i = 0; i < number; i++)
            list[i] = __builtin_bswap32(list[i]);
    *words = list;
    *count = number;
    return TRM_OK;
}

const char *spirv_text(struct spirv_reader *reader, struct spirv_words words, uint32_t index, uint32_t *used)
{
    uint32_t length = 0;

    for (uint32_t i = index; i < words.length; i++)
        for (uint32_t shift = 0; shift < 32; shift += 8, length++)
            if ((words.word[i] >> shift & 0xff) == 0)
                goto ends;
    return NULL;

ends:;
    char *text = base_arena_allocate(reader->arena, (size_t)length + 1, 1);
    if (text == NULL)
        return NULL;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t byte = words.word[index + i / 4] >> i % 4 * 8 & 0xff;
        text[i]       = (char)(byte < 0x20 || byte == 0x7f ? '?' : byte);
    }
    *used = length / 4 + 1;
    return text;
}
