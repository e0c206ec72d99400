/* Inside the pool: slabs, blocks and size classes. For the pool's own files and core/memory/buffer.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_BLOCK_H
#define CORE_MEMORY_BLOCK_H

#include "base/base.h"
#include "core/memory/pool.h"
#include "core/memory/size_class.h"

#define CORE_POOL_KINDS 3 /* DEVICE, PINNED, UNIFIED; imported memory is not pooled */

/* A piece of memory as a buffer gets it. Lists are guarded by the pool's lock. */
struct core_block {
    struct core_slab *slab;
    uint64_t offset; /* in the slab's memory */
    /* free: the slab's next free block; parked: the one that was parked before it, in its bin */
    struct core_block *next;
    struct core_block *previous;      /* parked: the one that was parked after it, in its bin */
    struct core_block *older, *newer; /* parked: in its class, over all streams */
    struct core_stream *stream;       /* parked: where; else NULL */
    /* parked, and when it has just been taken from there: the operation up to which work uses it;
     * 0: none does */
    uint64_t value;
};

/* One allocation of the backend. */
struct core_slab {
    struct core_pool *pool;
    struct trm_backend_memory *memory;
    unsigned char *host; /* the first byte, where the host can reach it */
    int32_t kind;
    uint32_t class_index; /* CORE_CLASS_NONE: it goes as soon as it is idle */
    uint64_t size;
    uint64_t block_size;
    uint64_t capacity; /* blocks */
    uint64_t carved;   /* blocks that were made; the memory behind the others was never touched */
    uint64_t used;     /* blocks that are used or parked */
    struct core_block *free;
    struct core_slab *next, *previous; /* in the class's `partial`, while `free` is not NULL */
    struct core_slab *next_fresh;      /* in the class's `fresh`, while carved < capacity */
    struct core_slab *older, *newer;   /* in the pool's idle list, while used is 0 */
};

struct core_class {
    struct core_slab *partial;          /* slabs with free blocks, the warmest first */
    struct core_slab *fresh;            /* slabs of which blocks can still be carved */
    struct core_block *oldest, *newest; /* parked */
    uint64_t reserved;                  /* bytes of its slabs */
};

struct core_class_table {
    struct core_class classes[CORE_CLASS_COUNT];
};

struct core_pool {
    struct core_device *device;
    struct base_lock lock;                             /* guards what follows */
    struct core_class_table *shelves[CORE_POOL_KINDS]; /* made at first use, never moved */
    struct core_slab *idle_oldest, *idle_newest;
    uint64_t threshold;  /* bytes that may stay cached */
    uint64_t slab_limit; /* bytes that a slab of small blocks has at most */
    struct trm_pool_stats stats;
};

static inline void *core_block_host(const struct core_block *block)
{
    return block->slab->host == NULL ? NULL : block->slab->host + block->offset;
}

static inline struct core_class *core_slab_class(const struct core_slab *slab)
{
    return &slab->pool->shelves[slab->kind]->classes[slab->class_index];
}

/* ---- slab.c; those that end in _locked are called with the pool's lock held ----------------- */

/* Ask the backend. The slab belongs to nobody yet. Errors: the backend's, explained. */
int32_t core_slab_create(struct core_pool *pool, int32_t kind, uint32_t class_index, uint64_t block_size,
                         uint64_t size, struct core_slab **slab);
void core_slab_destroy(struct core_slab *slab);

/* Make it part of the pool, and take it out (idle ones only). */
void core_slab_add_locked(struct core_slab *slab);
void core_slab_remove_locked(struct core_slab *slab);

/* The free block of a class that was used last; NULL when there is none. */
struct core_block *core_slab_reuse_locked(struct core_class *class);
/* The next block that was never used of a slab that has one. NULL: no host memory. */
struct core_block *core_slab_carve_locked(struct core_slab *slab);
/* The block becomes free. 1: it was the last one of a slab that must go now (unlinked; the caller
 * destroys it without the lock). */
bool core_slab_give_locked(struct core_block *block);

/* ---- pool_stream.c ------------------------------------------------------------------------- */

/* What was parked last on a stream in a class, or NULL. */
struct core_block *core_parked_take_locked(struct core_stream *stream, int32_t kind, uint32_t class_index);
/* One of the class's oldest parked blocks whose work has finished, or NULL. */
struct core_block *core_parked_finished_locked(struct core_class *class);
/* Make blocks free whose work has finished. */
void core_parked_collect_locked(struct core_pool *pool);

/* ---- pool_trim.c --------------------------------------------------------------------------- */

/* Unlink idle slabs, the oldest first, until at most `keep` bytes stay cached. The list goes to
 * core_slab_destroy_list() without the lock. */
struct core_slab *core_pool_trim_locked(struct core_pool *pool, uint64_t keep);
void core_slab_destroy_list(struct core_slab *list);

#endif
