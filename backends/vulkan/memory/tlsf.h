/* vulkan backend: an allocator for ranges of bytes, which never touches the ranges themselves.
 *
 * Two-level segregated fit: free pieces are in lists by size, 16 lists for each power of two, and bit maps
 * show which lists are not empty. So allocating takes constant time, and so does freeing, which merges a
 * piece with its free neighbours. All ranges share the lists, so their number does not matter. Source: M.
 * Masmano, I. Ripoll, A. Crespo, J. Real, "TLSF: a new dynamic memory allocator for real-time systems", 2004.
 *
 * One thread at a time.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_TLSF_H
#define BACKENDS_VULKAN_MEMORY_TLSF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VULKAN_TLSF_GRAIN UINT64_C(256) /* bytes; all sizes are multiples of it */
#define VULKAN_TLSF_COLUMNS 16u
#define VULKAN_TLSF_ROWS 53u

/* A used or free part of a range. Its neighbours belong to the same range. */
struct vulkan_tlsf_piece {
    struct vulkan_tlsf_piece *before, *after;  /* by offset; NULL at the ends of the range */
    struct vulkan_tlsf_piece *next, *previous; /* the list it is in, while it is free */
    uint64_t offset, size;                     /* bytes */
    void *owner;                               /* the range's */
    bool free;
};

struct vulkan_tlsf {
    /* Allocates records, in host memory. */
    void *(*allocate)(void *context, uint64_t size);
    void (*release)(void *context, void *memory, uint64_t size);
    void *context;
    uint64_t rows;                      /* bit r: a list of row r is not empty */
    uint32_t columns[VULKAN_TLSF_ROWS]; /* bit c: list c of the row is not empty */
    struct vulkan_tlsf_piece *lists[VULKAN_TLSF_ROWS][VULKAN_TLSF_COLUMNS];
    struct vulkan_tlsf_piece *spare; /* unused records, by `next` */
    uint32_t spare_count;
};

void vulkan_tlsf_init(struct vulkan_tlsf *tlsf, void *(*allocate)(void *context, uint64_t size),
                      void (*release)(void *context, void *memory, uint64_t size), void *context);
/* Free the records. The caller has removed all ranges. */
void vulkan_tlsf_fini(struct vulkan_tlsf *tlsf);

/* Add the range [offset, offset + size), both multiples of the grain, as one free piece. NULL: no host
 * memory. */
struct vulkan_tlsf_piece *vulkan_tlsf_add(struct vulkan_tlsf *tlsf, uint64_t offset, uint64_t size,
                                          void *owner);
/* Remove a range; `piece` is free and covers it. */
void vulkan_tlsf_remove(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece);

/* Allocate at least `size` bytes (not 0) at an offset that is a multiple of `alignment`, a power of two.
 * Errors: OUT_OF_DEVICE_MEMORY (no free piece is certain to fit), OUT_OF_HOST_MEMORY; not explained. */
int32_t vulkan_tlsf_allocate(struct vulkan_tlsf *tlsf, uint64_t size, uint64_t alignment,
                             struct vulkan_tlsf_piece **piece);

/* Allocate from this free piece; OUT_OF_DEVICE_MEMORY if it is too small. */
int32_t vulkan_tlsf_allocate_from(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *from, uint64_t size,
                                  uint64_t alignment, struct vulkan_tlsf_piece **piece);

/* Free a piece. Returns the free piece that it has become part of. */
struct vulkan_tlsf_piece *vulkan_tlsf_free(struct vulkan_tlsf *tlsf, struct vulkan_tlsf_piece *piece);

/* Whether the free piece covers its range. */
static inline bool vulkan_tlsf_is_whole(const struct vulkan_tlsf_piece *piece)
{
    return piece->before == NULL && piece->after == NULL;
}

#endif
