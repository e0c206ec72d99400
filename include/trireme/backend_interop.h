/* The table of interop of a backend (optional): what <trireme/interop.h> offers. <trireme/backend.h> includes
 * it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_BACKEND_INTEROP_H
#define TRIREME_BACKEND_INTEROP_H

#include <trireme/backend.h>

TRM_API_BEGIN

struct trm_ipc_handle;

/* Each slot may be NULL: UNSUPPORTED. `type` is enum trm_native_type or enum trm_handle_type; the core does
 * not check it. */
struct trm_interop_ops {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*device_handle)(struct trm_backend_device *device, int32_t type, uint64_t *handle);
    int32_t (*stream_handle)(struct trm_backend_stream *stream, int32_t type, uint64_t *handle);
    /* offset: where the memory begins in the object of the handle. */
    int32_t (*memory_handle)(struct trm_backend_memory *memory, int32_t type, uint64_t *handle,
                             uint64_t *offset);

    /* Make a device on top of an application's own. `index` is its number in the instance, for get_info(). */
    int32_t (*adopt)(struct trm_backend_instance *instance, int32_t type, const void *native, uint32_t *index,
                     struct trm_backend_device **device);

    /* Memory outside of all pools; memory->free() frees it. The receiver owns a file descriptor: the caller
     * that of memory_export(), the backend that of a memory_import() that succeeds. */
    int32_t (*memory_create)(struct trm_backend_device *device, uint64_t size,
                             struct trm_backend_memory **memory);
    int32_t (*memory_export)(struct trm_backend_memory *memory, int32_t type, int32_t *fd, uint64_t *size);
    int32_t (*memory_import)(struct trm_backend_device *device, int32_t type, int32_t fd, uint64_t size,
                             struct trm_backend_memory **memory);

    /* Timeline semaphores. destroy (required with create or import): no enqueued operation needs it any more.
     * Waits and signals are operations of the stream. */
    int32_t (*semaphore_create)(struct trm_backend_device *device, struct trm_backend_semaphore **semaphore);
    int32_t (*semaphore_import)(struct trm_backend_device *device, int32_t type, int32_t fd,
                                struct trm_backend_semaphore **semaphore);
    int32_t (*semaphore_export)(struct trm_backend_semaphore *semaphore, int32_t type, int32_t *fd);
    void (*semaphore_destroy)(struct trm_backend_semaphore *semaphore);
    int32_t (*semaphore_value)(struct trm_backend_semaphore *semaphore, uint64_t *current);
    int32_t (*semaphore_wait)(struct trm_backend_stream *stream, uint64_t value,
                              struct trm_backend_semaphore *semaphore, uint64_t semaphore_value);
    int32_t (*semaphore_signal)(struct trm_backend_stream *stream, uint64_t value,
                                struct trm_backend_semaphore *semaphore, uint64_t semaphore_value);

    /* Make a stream on top of an application's own, which destroy() leaves alone. native: a handle of
     * `type`. */
    int32_t (*stream_adopt)(struct trm_backend_device *device, int32_t type, uint64_t native,
                            const struct trm_stream_desc *desc, struct trm_backend_stream **stream);
    /* Make memory of an application's own, which free() leaves alone. size is not 0, and offset + size does
     * not overflow. */
    int32_t (*memory_adopt)(struct trm_backend_device *device, int32_t type, uint64_t native, uint64_t offset,
                            uint64_t size, struct trm_backend_memory **memory);
    /* Block until everything up to `value` is in the native stream, however long the host takes to open the
     * gates in its way. Called by the thread that enqueues. Errors: the stream's failure. */
    int32_t (*hand_over)(struct trm_backend_stream *stream, uint64_t value);
    /* Operations of a stream that was handed over: wait for the present state of an application's event, and
     * record it. */
    int32_t (*event_wait)(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native);
    int32_t (*event_record)(struct trm_backend_stream *stream, uint64_t value, int32_t type, uint64_t native);

    /* Since minor 1. Memory outside of all pools, which other processes open by a handle that is plain data.
     * size is not 0. memory->free() frees it. */
    int32_t (*ipc_create)(struct trm_backend_device *device, uint64_t size,
                          struct trm_backend_memory **memory);
    /* Write the bytes and the offset of the handle; the core writes the size. The core also asks this of
     * memory that was adopted, imported or opened. */
    int32_t (*ipc_export)(struct trm_backend_memory *memory, struct trm_ipc_handle *handle);
    /* Open the memory of a handle. offset + size does not overflow; the backend checks that the memory is
     * large enough. memory->free() closes it. */
    int32_t (*ipc_open)(struct trm_backend_device *device, const struct trm_ipc_handle *handle,
                        struct trm_backend_memory **memory);

    /* Since minor 2, for backends with an image table. Make an image of an application's own, which destroy()
     * leaves alone; `desc` is complete, `layout` is the driver's number of the state that it is in. */
    int32_t (*image_adopt)(struct trm_backend_device *device, const struct trm_image_desc *desc, int32_t type,
                           uint64_t native, int32_t layout, struct trm_backend_image **image);
    /* Change an adopted image, which is idle, to that state. It is used no more. */
    int32_t (*image_hand_back)(struct trm_backend_image *image, int32_t layout);
    int32_t (*image_handle)(struct trm_backend_image *image, int32_t type, uint64_t *handle);
};

TRM_API_END

#endif
