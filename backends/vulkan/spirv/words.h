/* vulkan backend: reads SPIR-V words, which are valid and in host byte order: the core has checked them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_WORDS_H
#define BACKENDS_VULKAN_SPIRV_WORDS_H

#include <spirv/unified1/spirv.h>
#include <stdint.h>
#include <string.h>

#define VULKAN_HEADER_WORDS 5u
#define VULKAN_HEADER_BOUND 3u /* index of the id bound */

/* Of the instruction that begins at `word`. */

static inline uint32_t vulkan_opcode(const uint32_t *word)
{
    return word[0] & SpvOpCodeMask;
}

static inline uint32_t vulkan_length(const uint32_t *word)
{
    return word[0] >> SpvWordCountShift;
}

/* The string that begins at `word`; on little-endian hosts it is a C string. */
static inline const char *vulkan_text_at(const uint32_t *word)
{
    return (const char *)word;
}

/* Number of words that the string takes, with its zero.
 * */
static inline uint32_t vulkan_text_words(const uint32_t *word)
{
    return (uint32_t)strlen(vulkan_text_at(word)) / 4 + 1;
}

#endif
