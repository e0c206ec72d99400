/* vulkan backend: the words of SPIR-V, which are valid and in this machine's order: the core has read them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_WORDS_H
#define BACKENDS_VULKAN_SPIRV_WORDS_H

#include <spirv/unified1/spirv.h>
#include <stdint.h>
#include <string.h>

#define VULKAN_HEADER_WORDS 5u
#define VULKAN_HEADER_BOUND 3u /* which of them is the bound of the ids */

/* Of the instruction that begins at a word: */

static inline uint32_t vulkan_opcode(const uint32_t *word)
{
    return word[0] & SpvOpCodeMask;
}

static inline uint32_t vulkan_length(const uint32_t *word)
{
    return word[0] >> SpvWordCountShift;
}

/* The text that begins at a word; on machines whose low bytes come first it lies there as C has it. */
static inline const char *vulkan_text_at(const uint32_t *word)
{
    return (const char *)word;
}

/* How many words that takes, with the zero at its end. */
static inline uint32_t vulkan_text_words(const uint32_t *word)
{
    return (uint32_t)strlen(vulkan_text_at(word)) / 4 + 1;
}

#endif
