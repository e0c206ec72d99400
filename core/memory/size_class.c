/* Size classes of the pool.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/size_class.h"

/* Where each of the three ranges of sizes begins: its first class, and log2 of the size of the class
 * before. */
#define MIDDLE_FIRST 4u
#define MIDDLE_LOG2 10u
#define MIDDLE_STEPS_LOG2 2u
#define LARGE_FIRST 44u
#define LARGE_LOG2 20u
#define LARGE_STEPS_LOG2 3u

/* Number of the step that `size` lies in, when every power of two from 2^log2 on is cut into
 * 2^steps_log2 steps. */
static uint32_t step_of(uint64_t size, uint32_t log2, uint32_t steps_log2)
{
    uint64_t last     = size - 1;
    uint32_t exponent = 63u - (uint32_t)__builtin_clzll(last);
    uint32_t step     = (uint32_t)(last >> (exponent - steps_log2)) & ((1u << steps_log2) - 1);
    return ((exponent - log2) << steps_log2) + step;
}

static uint64_t step_size(uint32_t step, uint32_t log2, uint32_t steps_log2)
{
    uint32_t exponent = log2 + (step >> steps_log2);
    uint64_t within   = (step & ((1u << steps_log2) - 1)) + 1;
    return (UINT64_C(1) << exponent) + (within << (exponent - steps_log2));
}

static uint32_t class_of_size(uint64_t size)
{
    if (size <= UINT64_C(1) << MIDDLE_LOG2)
        return (uint32_t)((size - 1) / CORE_CLASS_GRAIN);
    if (size <= CORE_CLASS_SMALL)
        return MIDDLE_FIRST + step_of(size, MIDDLE_LOG2, MIDDLE_STEPS_LOG2);
    if (size <= CORE_CLASS_LARGEST)
        return LARGE_FIRST + step_of(size, LARGE_LOG2, LARGE_STEPS_LOG2);
    return CORE_CLASS_NONE;
}

uint64_t core_class_size(uint32_t index)
{
    if (index < MIDDLE_FIRST)
        return (index + UINT64_C(1)) * CORE_CLASS_GRAIN;
    if (index < LARGE_FIRST)
        return step_size(index - MIDDLE_FIRST, MIDDLE_LOG2, MIDDLE_STEPS_LOG2);
    return step_size(index - LARGE_FIRST, LARGE_LOG2, LARGE_STEPS_LOG2);
}

uint32_t core_class_of(uint64_t size, uint64_t alignment)
{
    uint32_t index = class_of_size(size < alignment ? alignment : size);

    if (alignment <= CORE_CLASS_GRAIN)
        return index;
    /* Every power of two is a class, so this ends after a few steps. */
    while (index < CORE_CLASS_COUNT && core_class_size(index) % alignment != 0)
        index++;
    return index;
}
