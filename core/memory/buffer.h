/* Buffers.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_BUFFER_H
#define CORE_MEMORY_BUFFER_H

#include <stdbool.h>
#include <trireme/buffer.h>

#include "core/device/device.h"
#include "core/stream/stream.h"

struct core_block;
struct core_stream;

/* How a buffer ends that is freed in a stream's order. Two steps have to happen, in any order: retire(),
 * after which no call is inside the buffer, and trm_stream_free(), which may touch the stream. The second
 * one frees the memory. */
enum core_buffer_ending {
    CORE_ENDING_PLAIN = 0, /* by trm_buffer_destroy(): retire() frees the memory */
    CORE_ENDING_BOTH  = 1, /* both steps are still to come */
    CORE_ENDING_ONE   = 2, /* one step has happened */
};

/* In the count of users: an array, an image or a group that the buffer belongs to, which is no user of the
 * program. */
#define CORE_BUFFER_OWNER (UINT64_C(1) << 32)

struct core_buffer {
    struct core_object object;
    struct core_device *device;
    struct trm_backend_memory *memory; /* NULL when size is 0 */
    uint64_t base;                     /* the buffer begins here in memory */
    uint64_t size;
    unsigned char *host;      /* the first byte; NULL where the host cannot reach the memory */
    struct core_block *block; /* where the memory came from; NULL: imported, empty, or `is_ordered` */
    int32_t kind;
    bool is_ordered;         /* the memory comes from the backend's own pool */
    _Atomic uint64_t users;  /* of the program; and CORE_BUFFER_OWNER for each owner; 0: being destroyed */
    _Atomic uint32_t mapped; /* enum core_map_state; map.c */
    void *staging;           /* while mapped, where the host cannot reach the memory */
    uint32_t map_flags;      /* while mapped */
    _Atomic uint32_t ending; /* enum core_buffer_ending */
    /* of the first byte, for kernels; 0: the program has not asked for it (address.c) */
    _Atomic uint64_t address;
    struct core_in_flight in_flight;
    struct core_deferred deferred;
};

static inline struct core_buffer *core_buffer_find(struct trm_buffer *handle)
{
    return core_object_find(handle, CORE_BUFFER);
}

/* What trm_buffer_create_from() does, for a description whose size has been checked. The caller publishes the
 * buffer. */
int32_t core_buffer_create_checked(struct core_device *device, const struct trm_buffer_desc *desc,
                                   struct core_buffer **buffer);

/* Creates a buffer whose description has been checked. The caller publishes it. With a stream, the buffer may
 * get memory that was freed in the stream's order; `in_flight` then has that work. */
int32_t core_buffer_create(struct core_device *device, const struct trm_buffer_desc *desc,
                           struct core_stream *stream, struct core_buffer **buffer);

/* The address at which the host reaches the memory. The backend has host_pointer(). */
int32_t core_memory_host_pointer(const struct core_backend *backend, struct trm_backend_memory *memory,
                                 void **host);

/* Creates a buffer of memory that `find` gets from the backend outside of all pools. The caller publishes
 * the buffer. `find` explains its errors. */
int32_t core_buffer_create_shared(struct core_device *device, uint64_t size,
                                  int32_t (*find)(void *user, struct trm_backend_memory **memory), void *user,
                                  struct core_buffer **buffer);

/* Kills the handle; the memory is freed when no work uses it. */
void core_buffer_end(struct core_buffer *buffer);

/* Adds a user of the program. Errors: INVALID_HANDLE, OUT_OF_RANGE. */
int32_t core_buffer_add_user(struct core_buffer *buffer);

/* Removes one of the program's users; ends the buffer if it was the last one. Errors: INVALID_HANDLE;
 * INVALID_ARGUMENT where only owners are left. */
int32_t core_buffer_release_user(struct core_buffer *buffer);

/* Adds an array, an image or a group that the buffer belongs to. Errors: INVALID_HANDLE. */
int32_t core_buffer_add_owner(struct core_buffer *buffer);

/* Removes one; ends the buffer if it was the last one and the program has not retained the buffer. */
void core_buffer_release_owner(struct core_buffer *buffer);

/* Removes the last user, without ending the buffer. Errors: BUSY where there are others; INVALID_HANDLE;
 * INVALID_ARGUMENT where only owners are left. */
int32_t core_buffer_take_last_user(struct core_buffer *buffer);

/* Frees the memory; all work that used it has finished. */
void core_buffer_free_memory(struct core_buffer *buffer);
/* Frees the memory when the work that uses it has finished. */
void core_buffer_free_memory_when_done(struct core_buffer *buffer);

/* ---- checks (span.c) ------------------------------------------------------------------------------- */

/* Sets the last error to which part of a span is out of range. */
void core_span_fail(const struct trm_span *span, const struct core_buffer *buffer) __attribute__((cold));

/* Checks a span against its buffer, and resolves TRM_WHOLE to a length. Both outputs hold after TRM_OK only.
 * Errors: INVALID_HANDLE, FORKED, OUT_OF_RANGE; returned by name, so that compilers see that they are not
 * TRM_OK. */
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

/* Errors: INVALID_ARGUMENT for NULL; OUT_OF_RANGE when the memory would wrap around the end of the address
 * space. */
int32_t core_host_check(const void *memory, uint64_t size);

/* True if two ranges of host memory share a byte. Either may be NULL, which shares none. */
bool core_host_overlap(const void *a, uint64_t a_size, const void *b, uint64_t b_size);

/* ---- blocking copies (blocking_copy.c) ------------------------------------------------------------- */

/* Write and read a part of a buffer that no work uses, and wait until that is done. The range has been
 * checked. `data` NULL writes zeros. */
int32_t core_buffer_write(struct core_buffer *buffer, uint64_t offset, const void *data, uint64_t size);
int32_t core_buffer_read(struct core_buffer *buffer, uint64_t offset, void *data, uint64_t size);

/* ---- addresses (address.c) ------------------------------------------------------------------------- */

/* Gets the address of the buffer's first byte. Errors: UNSUPPORTED where kernels reach no memory through
 * addresses; INVALID_ARGUMENT for a buffer of 0 bytes; the backend's. */
int32_t core_buffer_find_address(struct core_buffer *buffer, uint64_t *address);

/* Tells the backend that the buffer's address, if the program knows it, is no longer valid. No work uses the
 * buffer. */
void core_buffer_forget_address(struct core_buffer *buffer);

/* ---- mapping (map.c) ------------------------------------------------------------------------------- */

enum core_map_state {
    CORE_MAP_NONE     = 0,
    CORE_MAP_CHANGING = 1, /* a thread is mapping or unmapping */
    CORE_MAP_ON       = 2,
};

/* Frees the mapping of a buffer that is destroyed. */
void core_buffer_map_fini(struct core_buffer *buffer);

#endif
