/* Inside the pool: slabs, blocks and size classes. For the pool's own files, buffer.c and staging.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_BLOCK_H
#define CORE_MEMORY_BLOCK_H

#include "base/base.h"
#include "core/memory/pool.h"
#include "core/memory/size_class.h"

#define CORE_POOL_KINDS 3 /* DEVICE, PINNED, UNIFIED; imported memory is not pooled */

/* The memory of one buffer. The pool's lock guards the lists. */
struct core_block {
    struct core_slab *slab;
    uint64_t offset; /* in the slab's memory */
    /* free: the slab's next free block; parked: the block that was parked before it in its bin */
    struct core_block *next;
    struct core_block *previous;      /* parked: the block that was parked after it in its bin */
    struct core_block *older, *newer; /* parked: in its class, over all streams */
    struct core_stream *stream;       /* parked: on which stream; else NULL */
    /* The operation up to which work uses it, while parked and when just allocated from there; 0: none
     * does */
    uint64_t value;
};

/* One allocation of the backend. */
struct core_slab {
    struct core_pool *pool;
    struct trm_backend_memory *memory;
    unsigned char *host; /* the first byte, where the host can reach it */
    int32_t kind;
    uint32_t class_index; /* CORE_CLASS_NONE: destroyed as soon as it is idle */
    uint64_t size;
    uint64_t block_size;
    uint64_t capacity; /* blocks */
    uint64_t carved;   /* blocks that exist; memory of the others was never touched */
    uint64_t used;     /* blocks that are used or parked */
    struct core_block *free;
    struct core_slab *next, *previous; /* in the class's `partial`, while `free` is not NULL */
    struct core_slab *next_fresh;      /* in the class's `fresh`, while carved < capacity */
    struct core_slab *older, *newer;   /* in the pool's idle list, while used is 0 */
};

struct core_class {
    struct core_slab *partial;          /* slabs with free blocks, the last used first */
    struct core_slab *fresh;            /* slabs from which blocks can still be carved */
    struct core_block *oldest, *newest; /* parked */
    uint64_t reserved;                  /* bytes of its slabs */
};

/* The size classes of one kind of memory. */
struct core_class_table {
    struct core_class classes[CORE_CLASS_COUNT];
};

struct core_pool {
    struct core_device *device;
    struct base_lock lock;                                  /* guards what follows */
    struct core_class_table *class_tables[CORE_POOL_KINDS]; /* allocated at first use, never moved */
    struct core_slab *idle_oldest, *idle_newest;
    uint64_t threshold;  /* bytes that may stay cached */
    uint64_t slab_limit; /* bytes of a slab of small blocks at most */
    struct trm_pool_stats stats;
};

static inline void *core_block_host(const struct core_block *block)
{
    return block->slab->host == NULL ? NULL : block->slab->host + block->offset;
}

static inline struct core_class *core_slab_class(const struct core_slab *slab)
{
    return &slab->pool->class_tables[slab->kind]->classes[slab->class_index];
}

/* ---- slab.c; the caller of functions that end in _locked holds the pool's lock --------------- */

/* Allocates from the backend. The slab is not part of the pool yet. Errors: the backend's, explained. */
int32_t core_slab_create(struct core_pool *pool, int32_t kind, uint32_t class_index, uint64_t block_size,
                         uint64_t size, struct core_slab **slab);
void core_slab_destroy(struct core_slab *slab);
void core_slab_destroy_list(struct core_slab *list); /* linked by `next`; without the lock */

/* Adds it to the pool, and removes it (idle ones only). */
void core_slab_add_locked(struct core_slab *slab);
void core_slab_remove_locked(struct core_slab *slab);

/* Takes the free block of a class that was used last; NULL when there is none. */
struct core_block *core_slab_reuse_locked(struct core_class *class);
/* Takes the next block that was never used, of a slab that has one; NULL without host memory. */
struct core_block *core_slab_carve_locked(struct core_slab *slab);
/* Frees the block. True: it was the last one of a slab that must go now; the slab is unlinked, and the caller
 * destroys it without the lock. */
bool core_slab_free_locked(struct core_block *block);

/* ---- pool_stream.c ------------------------------------------------------------------------- */

/* Takes the block that was parked last on a stream in a class; may be NULL. */
struct core_block *core_parked_reuse_locked(struct core_stream *stream, int32_t kind, uint32_t class_index);
/* Takes one of the class's oldest parked blocks whose work has finished; may be NULL. */
struct core_block *core_parked_reuse_finished_locked(struct core_class *class);
/* Frees the parked blocks whose work has finished. */
void core_parked_collect_locked(struct core_pool *pool);

/* ---- pool_trim.c --------------------------------------------------------------------------- */

/* Unlinks idle slabs, the oldest first, until at most `keep` bytes stay cached; returns them for
 * core_slab_destroy_list(). */
struct core_slab *core_pool_trim_locked(struct core_pool *pool, uint64_t keep);

#endif
