/* Buffers.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_BUFFER_H
#define CORE_MEMORY_BUFFER_H

#include <trireme/buffer.h>

#include "core/device/device.h"
#include "core/stream/stream.h"

struct core_block;
struct core_stream;

/* How a buffer ends that is freed in a stream's order. Two must come by: retire(), which says that
 * no call is inside any more, and trm_stream_free(), which may touch the stream. The second gives
 * the memory back. */
enum core_buffer_ending {
    CORE_ENDING_PLAIN = 0, /* by trm_buffer_destroy(): retire() does it alone */
    CORE_ENDING_BOTH  = 1, /* both are still to come */
    CORE_ENDING_ONE   = 2, /* one has come by */
};

struct core_buffer {
    struct core_object object;
    struct core_device *device;
    struct trm_backend_memory *memory; /* NULL when size is 0 */
    uint64_t base;                     /* the buffer begins here in memory */
    uint64_t size;
    /* the first byte's host address; NULL where the host cannot reach it */
    unsigned char *host;
    struct core_block *block; /* where the memory came from; NULL: imported, empty, or `ordered` */
    int32_t kind;
    int32_t ordered;         /* 1: memory is of the backend's own pool table */
    _Atomic uint32_t users;  /* trm_buffer_retain()s + 1; 0: being destroyed */
    _Atomic uint32_t mapped; /* enum core_map_state; core/memory/map.c */
    void *staging;           /* while mapped, where the host cannot reach the memory */
    uint32_t map_flags;      /* while mapped */
    _Atomic uint32_t ending; /* enum core_buffer_ending */
    struct core_in_flight in_flight;
    struct core_deferred deferred;
};

static inline struct core_buffer *core_buffer_find(struct trm_buffer *handle)
{
    return core_object_find(handle, CORE_BUFFER);
}

/* What trm_buffer_create_from() does, for a description that has been checked for its size. With
 * a stream the memory may be what was freed in its order; `uses` then knows. */
int32_t core_buffer_create(struct core_device *device, const struct trm_buffer_desc *desc,
                           struct core_stream *stream, struct core_buffer **buffer);

/* A buffer of memory that `find` gets from the backend outside of all pools, explaining where it cannot. */
int32_t core_buffer_create_shared(struct core_device *device, uint64_t size,
                                  int32_t (*find)(void *user, struct trm_backend_memory **memory), void *user,
                                  struct core_buffer **buffer);

/* Kill the handle; the memory goes back when no work uses it. */
void core_buffer_end(struct core_buffer *buffer);

/* Drop one of the users. 1: it was the last, and the caller now ends the buffer; 0: others are
 * left; else INVALID_HANDLE. With `alone`, BUSY where others are left. */
int32_t core_buffer_release_user(struct core_buffer *buffer, int32_t alone);

/* Give the memory back, of which only finished work has made use. */
void core_buffer_free_memory(struct core_buffer *buffer);
/* The same when the work that uses it has finished. */
void core_buffer_free_memory_when_done(struct core_buffer *buffer);

/* Says which part of a span is out of range. */
void core_span_fail(const struct trm_span *span, const struct core_buffer *buffer) __attribute__((cold));

/* Checks a span against its buffer and resolves TRM_WHOLE: the length comes out. Both are of use after TRM_OK only.
 * Errors: INVALID_HANDLE, FORKED, OUT_OF_RANGE, by their names so that compilers see that they are none of them TRM_OK. */
static inline int32_t core_span_resolve(struct trm_span span, struct core_buffer **buffer, uint64_t *length)
{
    struct core_buffer *found = core_buffer_find(span.buffer);
    if (UNLIKELY(found == NULL))
        return base_last_status() == TRM_ERROR_FORKED ? TRM_ERROR_FORKED : TRM_ERROR_INVALID_HANDLE;
    *buffer       = found;
    uint64_t rest = found->size - span.offset; /* of an offset in range */
    *length       = span.length == TRM_WHOLE ? rest : span.length;
    if (LIKELY(span.offset <= found->size && *length <= rest))
        return TRM_OK;
    core_span_fail(&span, found);
    return TRM_ERROR_OUT_OF_RANGE;
}

/* Errors: WRONG_DEVICE when the buffer is not of this device. */
int32_t core_buffer_check_device(const struct core_buffer *buffer, const struct core_device *device);

/* Errors: OUT_OF_RANGE when the memory would go round the end of the address space,
 * INVALID_ARGUMENT for NULL. */
int32_t core_host_check(const void *memory, uint64_t size);

/* Do two ranges of host memory share a byte? Either may be NULL: no. */
bool core_host_overlap(const void *a, uint64_t a_size, const void *b, uint64_t b_size);

/* Set the contents of a part of a buffer that no work uses, and wait until they are there. data
 * NULL: zeros. The range has been checked. */
int32_t core_buffer_write(struct core_buffer *buffer, uint64_t offset, const void *data, uint64_t size);
int32_t core_buffer_read(struct core_buffer *buffer, uint64_t offset, void *data, uint64_t size);

/* core/memory/map.c: what a destroyed buffer's mapping leaves behind. */
enum core_map_state {
    CORE_MAP_NONE     = 0,
    CORE_MAP_CHANGING = 1, /* a thread maps or unmaps just now */
    CORE_MAP_ON       = 2,
};
void core_buffer_map_fini(struct core_buffer *buffer);

#endif
