/* vulkan backend: ranges of bytes, divided and put together again. It never touches what it divides.
 *
 * Two-level segregated fit: free pieces lie in lists by their size, 16 lists for each power of two, and bit maps tell which
 * lists are not empty; so a piece that is large enough is found in constant time, and a freed one grows together with its
 * free neighbours in constant time. Several ranges share the lists, so that their number does not matter either.
 * Source: M. Masmano, I. Ripoll, A. Crespo, J. Real, "TLSF: a new dynamic memory allocator for real-time systems", 2004.
 *
 * One thread at a time.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_TLSF_H
#define BACKENDS_VULKAN_MEMORY_TLSF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VULKAN_TLSF_GRAIN UINT64_C(256) /* bytes: sizes are multiples of it */
#define VULKAN_TLSF_COLUMNS 16u
#define VULKAN_TLSF_ROWS 53u

/* A stretch of a range, used or free. Neighbours are those of the same range. */
struct vulkan_tlsf_piece {
    struct vulkan_tlsf_piece *before, *after;  /* by offset; NULL at the range's ends */
    struct vulkan_tlsf_piece *next, *previous; /* free: in its list */
    uint64_t offset, size;                     /* bytes */
    void *owner;                               /* of the range */
    bool free;
};

struct vulkan_tlsf {
    /* Where records come from: the host's memory, not the ranges. */
    void *(*allocate)(void *context, uint64_t size);
    void (*release)(void *context, void *memory, uint64_t size);
    void *context;
    uint64_t rows;                      /* bit r: a list of row r is not empty */
    uint32_t columns[VULKAN_TLSF_ROWS]; /* bit c: list c of the row is not empty */
    struct vulkan_tlsf_piece *lists[VULKAN_TLSF_ROWS][VULKAN_TLSF_COLUMNS];
    struct vulkan_tlsf_piece *spare; /* records, by `next` */
    uint32_t spare_count;
};

void vulkan_tlsf_init(struct vulkan_tlsf *tlsf, void *(*allocate)(void *context, uint64_t size),
                      void (*release)(void *context, void *memory, uint64_t size), void *context);
/* Its ranges have been removed. */
void vulkan_tlsf_fini(struct vulkan_tlsf *tlsf);

/* A further range [offset, offset + size), both multiples of the grain; one free piece now. NULL: no host memory. */
struct vulkan_tlsf_piece *vulkan_tlsf_add(struct vulkan_tlsf *tlsf, uint64_t offset, uint64_t size,
                                          void *owner);
/* The range goes; `piece` is free and all of it. */
void vulkan_tlsf_remove(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece);

/* A piece of at least `size` bytes (not 0) whose offset is a multiple of `alignment`, a power of two.
 * Errors: OUT_OF_DEVICE_MEMORY (no free piece is sure to do), OUT_OF_HOST_MEMORY; not explained. */
int32_t vulkan_tlsf_allocate(struct vulkan_tlsf *tlsf, uint64_t size, uint64_t alignment,
                             struct vulkan_tlsf_piece **piece);

/* The same, out of a free piece that the caller knows; OUT_OF_DEVICE_MEMORY where it is too small. */
int32_t vulkan_tlsf_allocate_from(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *from, uint64_t size,
                                  uint64_t alignment, struct vulkan_tlsf_piece **piece);

/* Returns the free piece that it has become part of. */
struct vulkan_tlsf_piece *vulkan_tlsf_free(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece);

/* Is the free piece all of its range? */
static inline bool vulkan_tlsf_is_whole(const struct vulkan_tlsf_piece *piece)
{
    return piece->before == NULL && piece->after == NULL;
}

#endif
