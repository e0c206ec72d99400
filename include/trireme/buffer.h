/* Trireme: buffers, spans and mapping.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * device      where the memory is
 * buffer      the buffer, or for a function that creates one receives it
 * Blocks      no
 * Threads     any
 * Ownership   a buffer keeps its device alive. It counts references: it has one when it is created,
 *             trm_buffer_retain() adds one, trm_buffer_destroy() releases one, and the last one ends the
 *             handle. Work, graphs, pipelines and arrays keep the memory without such a reference
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_BUFFER_H
#define TRIREME_BUFFER_H

#include <trireme/api.h>

TRM_API_BEGIN

enum trm_memory_kind {
    TRM_MEMORY_DEVICE  = 0, /* the device's own memory, the fastest for kernels */
    TRM_MEMORY_PINNED  = 1, /* host memory that the device's copy engines reach, the fastest to copy */
    TRM_MEMORY_UNIFIED = 2, /* memory with one address for host and device, which the driver moves */
    /* the program's own host memory, made reachable for the device; never copied, never freed */
    TRM_MEMORY_IMPORTED = 3,
};

enum trm_buffer_flags {
    TRM_BUFFER_ZEROED = 1u << 0, /* all bytes are 0 when the creating call returns */
};

struct trm_buffer_desc {
    uint32_t struct_size;
    uint32_t flags; /* enum trm_buffer_flags */
    int32_t kind;   /* enum trm_memory_kind */
    uint32_t reserved;
    /* bytes; 0 is legal: such a buffer holds nothing, and copies of 0 bytes work on it */
    uint64_t size;
    /* of the device address, a power of two up to 2 MiB; 0: 256, or for imported memory any */
    uint64_t alignment;
    const void *data; /* size bytes that the buffer has when the creating call returns; NULL: undefined */
    /* IMPORTED only: the memory; it must outlive the buffer and all work on it */
    void *host_pointer;
};

/* Make a buffer. The memory comes from the device's pool (<trireme/pool.h>), unless it is imported. Imported
 * memory needs trm_buffer_create_from().
 *
 * kind        enum trm_memory_kind
 * size        bytes
 * desc        kind and size, and what else is wanted; needed during the call only
 * Blocks      with TRM_BUFFER_ZEROED or data: until the buffer has its contents; else no
 * Ownership   the caller destroys the buffer with trm_buffer_destroy()
 * Errors      INVALID_ARGUMENT for an unknown kind or flag, an alignment that is not a power of two up to
 *             2 MiB, a host_pointer that is NULL, not aligned, or given for another kind; OUT_OF_RANGE beyond
 *             TRM_DEVICE_MAX_BUFFER_BYTES; OUT_OF_DEVICE_MEMORY when the driver has no memory even after
 *             cached memory was given back; UNSUPPORTED for a kind that the device does not have
 */
TRM_API int32_t trm_buffer_create(struct trm_device *device, int32_t kind, uint64_t size,
                                  struct trm_buffer **buffer);
TRM_API int32_t trm_buffer_create_from(struct trm_device *device, const struct trm_buffer_desc *desc,
                                       struct trm_buffer **buffer);

/* Add a reference. Each one needs a trm_buffer_destroy() of its own.
 *
 * Errors      OUT_OF_RANGE for more than 2^32 - 1 references
 */
TRM_API int32_t trm_buffer_retain(struct trm_buffer *buffer);

/* Release a reference. The last one ends the handle. Enqueued work may still use the buffer: the memory is
 * freed when that work is done. A buffer that is mapped is unmapped; where the mapping was a copy, what was
 * written to it is discarded. */
TRM_API void trm_buffer_destroy(struct trm_buffer *buffer);

/* Get the `size` in bytes, or the `kind` (enum trm_memory_kind). */
TRM_API int32_t trm_buffer_size(struct trm_buffer *buffer, uint64_t *size);
TRM_API int32_t trm_buffer_kind(struct trm_buffer *buffer, int32_t *kind);

/* A part of a buffer. */
struct trm_span {
    struct trm_buffer *buffer;
    uint64_t offset; /* bytes */
    uint64_t length; /* bytes; TRM_WHOLE: to the end of the buffer */
};

/* A whole buffer. Cannot fail: the function that takes the span checks the handle. */
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
    TRM_MAP_NOSYNC = 1u << 2, /* do not wait for enqueued work that uses the buffer */
};

/* Make the buffer's memory accessible to the host. Where the host can address the memory this costs nothing.
 * Elsewhere the mapping is a copy of the whole buffer: READ downloads it here, and WRITE uploads it in
 * trm_buffer_unmap(). With WRITE and without READ, the contents are undefined until they are written.
 *
 * flags       TRM_MAP_READ, TRM_MAP_WRITE or both, and TRM_MAP_NOSYNC
 * pointer     receives the host address
 * Blocks      until work that was enqueued on the buffer is done, unless NOSYNC; and until a copy is done
 * Ownership   the address is valid until the buffer is unmapped or destroyed
 * Errors      INVALID_ARGUMENT for unknown flags, or neither READ nor WRITE; BUSY when the buffer is mapped
 *             already; the first failure of a stream that used it, as of trm_buffer_wait(); DEADLOCK inside a
 *             host callback that this work waits for; OUT_OF_HOST_MEMORY for the copy
 */
TRM_API int32_t trm_buffer_map(struct trm_buffer *buffer, uint32_t flags, void **pointer);

/* End a mapping.
 *
 * Blocks      until a copy that was mapped for WRITE is uploaded; else no
 * Errors      INVALID_ARGUMENT when the buffer is not mapped; a failure of the upload, after which the buffer
 *             is unmapped all the same
 */
TRM_API int32_t trm_buffer_unmap(struct trm_buffer *buffer);

/* Get the host address of a buffer without mapping it, where host and device share the memory: pinned,
 * unified and imported memory, and any memory of a unified device. The caller synchronizes access with
 * enqueued work.
 *
 * pointer     receives the address
 * Ownership   the address is valid until the buffer is destroyed
 * Errors      UNSUPPORTED for other memory
 */
TRM_API int32_t trm_buffer_host_pointer(struct trm_buffer *buffer, void **pointer);

/* Get the address at which kernels of the buffer's device reach its first byte: for a buffer reference of
 * GLSL (GL_EXT_buffer_reference), a physical pointer of SPIR-V, or a pointer of CUDA C. Programs pass it as a
 * 64-bit scalar, or store it in buffers. A kernel may reach all bytes of the buffer from it, and no others.
 *
 * address     receives the address, never 0, the same in every call
 * Ownership   the address is valid on this device until the buffer is destroyed. A launch does not know which
 *             buffers it reaches through addresses: name them with trm_arg_reached() (<trireme/kernel.h>), or
 *             destroy them only when the work is done
 * Errors      INVALID_ARGUMENT for a buffer of 0 bytes; UNSUPPORTED where TRM_DEVICE_ADDRESSES is 0
 */
TRM_API int32_t trm_buffer_address(struct trm_buffer *buffer, uint64_t *address);

/* Wait until no enqueued work uses the buffer.
 *
 * timeout_ns  nanoseconds; 0 polls, TRM_FOREVER waits without a limit
 * Blocks      yes
 * Errors      TIMEOUT; the first failure of a stream that used the buffer, which only the first wait or
 *             mapping after it returns; DEADLOCK inside a host callback that this work waits for
 */
TRM_API int32_t trm_buffer_wait(struct trm_buffer *buffer, uint64_t timeout_ns);

TRM_API_END

#endif
