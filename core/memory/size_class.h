/* Size classes of the pool: the sizes that blocks are rounded up to.
 *
 * Up to 1 KiB there is a class every 256 bytes, then four for each power of two up to 1 MiB, then eight.
 * Every class is a multiple of 256 bytes, and every power of two from 256 on is a class.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_SIZE_CLASS_H
#define CORE_MEMORY_SIZE_CLASS_H

#include <stdint.h>

#define CORE_CLASS_COUNT 204
#define CORE_CLASS_NONE CORE_CLASS_COUNT
#define CORE_CLASS_GRAIN 256u                      /* bytes; the least alignment of a block */
#define CORE_CLASS_SMALL (UINT64_C(1) << 20)       /* bytes; blocks up to this size share slabs */
#define CORE_CLASS_LARGEST (UINT64_C(1) << 40)     /* bytes; larger sizes are not rounded */
#define CORE_ALIGNMENT_LARGEST (UINT64_C(2) << 20) /* bytes */

/* The smallest class that holds `size` bytes (not 0) and is a multiple of `alignment` (a power of
 * two up to CORE_ALIGNMENT_LARGEST). CORE_CLASS_NONE when there is none. */
uint32_t core_class_of(uint64_t size, uint64_t alignment);

/* Bytes of a block of the class. */
uint64_t core_class_size(uint32_t index);

#endif
