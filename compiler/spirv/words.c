/* Words of a module: byte order, and the strings in them.
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
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "this is no SPIR-V: %llu bytes are no header",
                         (unsigned long long)size);
    if (size % sizeof(uint32_t) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "this is no SPIR-V: it has %llu bytes, which is no number of whole words",
                         (unsigned long long)size);
    if (size / sizeof(uint32_t) > WORDS_MOST)
        return base_fail(TRM_ERROR_UNSUPPORTED, "a SPIR-V module of %llu bytes is too large",
                         (unsigned long long)size);
    memcpy(&magic, bytes, sizeof(magic));
    bool is_swapped = magic == __builtin_bswap32(SpvMagicNumber);
    if (magic != SpvMagicNumber && !is_swapped)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "this is no SPIR-V: it begins with 0x%08x and not with 0x%08x", magic,
                         SpvMagicNumber);
    uint32_t number = (uint32_t)(size / sizeof(uint32_t));
    uint32_t *list  = base_arena_allocate(arena, number, sizeof(*list));
    if (list == NULL)
        return base_fail_memory("reading SPIR-V");
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
