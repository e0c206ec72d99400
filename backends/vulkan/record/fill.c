/* vulkan backend: records fills.
 *
 * vkCmdFillBuffer repeats four bytes between addresses that are multiples of four. Up to three bytes at
 * either end are copied from scratch memory that holds the pattern. Patterns of eight bytes are copied from
 * scratch memory to the beginning, and from there on in doubling steps up to COPIED_ON bytes, then all at
 * once.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/record/record_internal.h"

#define SCRATCH_BYTES 4096u
#define COPIED_ON (UINT64_C(4) << 20)
#define REGIONS_AT_ONCE 64u

static int32_t need_scratch(struct vulkan_recorder *recorder)
{
    if (recorder->scratch != NULL)
        return TRM_OK;
    return vulkan_heap_allocate(recorder->device->heap, TRM_MEMORY_DEVICE, SCRATCH_BYTES, 256,
                                &recorder->scratch);
}

/* Byte `index` of memory that begins with the pattern. */
static uint8_t pattern_byte(const struct trm_fill_desc *desc, uint64_t index)
{
    return (uint8_t)(desc->pattern >> (8 * (index % desc->pattern_size)));
}

/* ---- four-byte patterns ---------------------------------------------------------------------------- */

/* The byte at `address` is byte address % 4 of the word. */
static uint32_t word_at(const struct trm_fill_desc *desc, uint64_t begin)
{
    uint8_t bytes[4];
    uint32_t word;
    uint64_t aligned = (begin + 3) & ~UINT64_C(3);
    for (uint32_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = pattern_byte(desc, aligned - begin + i);
    memcpy(&word, bytes, sizeof(word));
    return word;
}

static void fill_words(struct vulkan_recorder *recorder, const struct trm_backend_memory *memory,
                       uint64_t offset, uint64_t size, uint32_t word)
{
    struct vulkan_access access =
        vulkan_record_access(recorder, memory, offset, size, VULKAN_WRITE | VULKAN_TRANSFER);
    vulkan_record_accesses(recorder, &access, 1);
    recorder->device->vk.vkCmdFillBuffer(recorder->command, memory->buffer, memory->base + offset, size,
                                         word);
}

/* Copies from the scratch memory, which is filled with the word. */
static int32_t copy_end(struct vulkan_recorder *recorder, struct trm_backend_memory *memory, uint64_t offset,
                        uint64_t size)
{
    if (size == 0)
        return TRM_OK;
    return vulkan_record_copy(recorder, memory, offset, recorder->scratch, (memory->base + offset) % 4, size);
}

static int32_t fill_by_words(struct vulkan_recorder *recorder, const struct trm_fill_desc *desc)
{
    struct trm_backend_memory *memory = desc->memory;
    uint64_t begin                    = memory->base + desc->offset;
    uint64_t head                     = (4 - begin % 4) % 4;
    if (head > desc->size)
        head = desc->size;
    uint64_t middle = (desc->size - head) & ~UINT64_C(3);
    uint64_t tail   = desc->size - head - middle;
    uint32_t word   = word_at(desc, begin);
    if (head + tail != 0) {
        int32_t status = need_scratch(recorder);
        if (status != TRM_OK)
            return status;
        fill_words(recorder, recorder->scratch, 0, 8, word);
    }
    if (middle != 0)
        fill_words(recorder, memory, desc->offset + head, middle, word);
    int32_t status = copy_end(recorder, memory, desc->offset, head);
    return status != TRM_OK ? status : copy_end(recorder, memory, desc->offset + head + middle, tail);
}

/* ---- eight-byte patterns --------------------------------------------------------------------------- */

static void write_scratch(struct vulkan_recorder *recorder, const struct trm_fill_desc *desc, uint64_t size)
{
    uint64_t words[SCRATCH_BYTES / sizeof(uint64_t)];
    for (uint64_t i = 0; i < size / sizeof(uint64_t); i++)
        words[i] = desc->pattern;
    const struct vulkan_access access =
        vulkan_record_access(recorder, recorder->scratch, 0, size, VULKAN_WRITE | VULKAN_TRANSFER);
    vulkan_record_accesses(recorder, &access, 1);
    recorder->device->vk.vkCmdUpdateBuffer(recorder->command, recorder->scratch->buffer,
                                           recorder->scratch->base, size, words);
}

/* Copies the first `done` bytes over the rest. */
static void copy_on(struct vulkan_recorder *recorder, const struct trm_fill_desc *desc, uint64_t done)
{
    const struct trm_backend_memory *memory = desc->memory;
    uint64_t begin                          = memory->base + desc->offset;
    VkBufferCopy regions[REGIONS_AT_ONCE];
    const struct vulkan_access accesses[2] = {
        vulkan_record_access(recorder, memory, desc->offset, done, VULKAN_READ | VULKAN_TRANSFER),
        vulkan_record_access(recorder, memory, desc->offset + done, desc->size - done,
                             VULKAN_WRITE | VULKAN_TRANSFER),
    };
    vulkan_record_accesses(recorder, accesses, 2);
    for (uint64_t at = done; at < desc->size;) {
        uint32_t count = 0;
        for (; count < REGIONS_AT_ONCE && at < desc->size; count++) {
            regions[count].srcOffset = begin;
            regions[count].dstOffset = begin + at;
            regions[count].size      = desc->size - at < done ? desc->size - at : done;
            at += regions[count].size;
        }
        recorder->device->vk.vkCmdCopyBuffer(recorder->command, memory->buffer, memory->buffer, count,
                                             regions);
    }
}

static int32_t fill_by_copies(struct vulkan_recorder *recorder, const struct trm_fill_desc *desc)
{
    struct trm_backend_memory *memory = desc->memory;
    uint64_t done                     = desc->size < SCRATCH_BYTES ? desc->size : SCRATCH_BYTES;
    int32_t status                    = need_scratch(recorder);
    if (status != TRM_OK)
        return status;
    write_scratch(recorder, desc, done);
    status = vulkan_record_copy(recorder, memory, desc->offset, recorder->scratch, 0, done);
    for (; status == TRM_OK && done < COPIED_ON && 2 * done <= desc->size; done *= 2)
        status = vulkan_record_copy(recorder, memory, desc->offset + done, memory, desc->offset, done);
    if (status == TRM_OK && done < desc->size)
        copy_on(recorder, desc, done);
    return status;
}

int32_t vulkan_record_fill(struct vulkan_recorder *recorder, const struct trm_fill_desc *desc)
{
    uint64_t high = desc->pattern >> 32, low = desc->pattern & UINT32_MAX;
    if (desc->pattern_size == 8 && high != low)
        return fill_by_copies(recorder, desc);
    return fill_by_words(recorder, desc);
}
