/* Trireme: buffers, spans and mapping.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_BUFFER_H
#define TRIREME_BUFFER_H

#include <trireme/api.h>

TRM_API_BEGIN

enum trm_memory_kind {
    TRM_MEMORY_DEVICE   = 0, /* the device's own: fastest for kernels */
    TRM_MEMORY_PINNED   = 1, /* the host's, reachable by the device's copy engines: fastest to copy */
    TRM_MEMORY_UNIFIED  = 2, /* one address for both sides, moved by the driver */
    TRM_MEMORY_IMPORTED = 3, /* the program's own host memory, made reachable; never copied, never freed */
};

enum trm_buffer_flags {
    TRM_BUFFER_ZEROED = 1u << 0, /* all zero when creation returns */
};

struct trm_buffer_desc {
    uint32_t struct_size;
    uint32_t flags; /* enum trm_buffer_flags */
    int32_t kind;   /* enum trm_memory_kind */
    uint32_t reserved;
    /* bytes; 0 is legal: such a buffer holds nothing and copies of nothing work on it */
    uint64_t size;
    uint64_t alignment; /* of the device address, a power of two up to 2 MiB; 0: 256 */
    const void *data;   /* size bytes that are in the buffer when creation returns; NULL: none */
    /* IMPORTED only: the memory; it must outlive the buffer and all work on it */
    void *host_pointer;
};

/* Make a buffer.
 *
 * size        bytes
 * Blocks      with ZEROED or data: until the contents are there; else as long as the driver takes
 *             to find memory. Memory of freed buffers is reused when the work on it is done
 * Ownership   reference-counted: starts at one, retain adds, destroy takes away
 * Errors      OUT_OF_DEVICE_MEMORY (after the pools were trimmed and it was tried again),
 *             OUT_OF_RANGE beyond TRM_DEVICE_MAX_BUFFER_BYTES, UNSUPPORTED kind
 */
TRM_API int32_t trm_buffer_create(struct trm_device *device, int32_t kind, uint64_t size,
                                  struct trm_buffer **buffer);
TRM_API int32_t trm_buffer_create_from(struct trm_device *device, const struct trm_buffer_desc *desc,
                                       struct trm_buffer **buffer);

TRM_API int32_t trm_buffer_retain(struct trm_buffer *buffer);

/* Let go of a reference. Legal while work still uses the buffer: the memory goes back when that
 * work is done. NULL is fine. A buffer that is mapped is unmapped; what was written to a copy of it
 * is dropped. */
TRM_API void trm_buffer_destroy(struct trm_buffer *buffer);

TRM_API int32_t trm_buffer_size(struct trm_buffer *buffer, uint64_t *size);
TRM_API int32_t trm_buffer_kind(struct trm_buffer *buffer, int32_t *kind);

/* A part of a buffer. length may be TRM_WHOLE: to the end. */
struct trm_span {
    struct trm_buffer *buffer;
    uint64_t offset; /* bytes */
    uint64_t length; /* bytes */
};

/* All of a buffer. Cannot fail: a wrong handle is refused where the span is used. */
static inline struct trm_span trm_span_whole(struct trm_buffer *buffer)
{
    struct trm_span span = {buffer, 0, TRM_WHOLE};
    return span;
}

static inline struct trm_span trm_span_of(struct trm_buffer *buffer, uint64_t offset, uint64_t length)
{
    struct trm_span span = {buffer, offset, length};
    return span;
}

enum trm_map_flags {
    TRM_MAP_READ   = 1u << 0,
    TRM_MAP_WRITE  = 1u << 1,
    TRM_MAP_NOSYNC = 1u << 2, /* do not wait for work that uses the buffer */
};

/* Reach the buffer's memory from the host. Where the host can address it this costs nothing;
 * elsewhere the core copies it down (READ) and, at unmap, all of it up (WRITE). Mapped for WRITE
 * without READ, the contents are undefined until they are written.
 *
 * flags       READ, WRITE or both, and NOSYNC
 * Blocks      until work that was enqueued on the buffer is done, unless NOSYNC
 * Errors      BUSY when mapped already (by any thread); the first failure of a stream that used it
 */
TRM_API int32_t trm_buffer_map(struct trm_buffer *buffer, uint32_t flags, void **pointer);
TRM_API int32_t trm_buffer_unmap(struct trm_buffer *buffer);

/* The memory's host address without mapping, for buffers whose memory the host shares (pinned,
 * unified, imported, any on a unified device); UNSUPPORTED elsewhere. Synchronising is the
 * caller's. */
TRM_API int32_t trm_buffer_host_pointer(struct trm_buffer *buffer, void **pointer);

/* Wait until no enqueued work uses the buffer any more. Blocks. timeout_ns as in
 * trm_point_wait(). */
TRM_API int32_t trm_buffer_wait(struct trm_buffer *buffer, uint64_t timeout_ns);

TRM_API_END

#endif
