/* Trireme: sharing with programs that use a driver's own API: native handles out, an application's device in, memory and
 * semaphores that others have too.
 *
 * What is handed out belongs to the library: it lives as long as the object that it was asked of, and whoever enqueues
 * work with it by himself also waits for it by himself. All functions answer UNSUPPORTED where the backend has no such thing.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_INTEROP_H
#define TRIREME_INTEROP_H

#include <trireme/api.h>
#include <trireme/buffer.h>

TRM_API_BEGIN

/* ---- native handles ---------------------------------------------------------------------------- */

/* What can be asked for; the value is the handle (a pointer or a number) in 64 bits. */
enum trm_native_type {
    /* of a device */
    TRM_NATIVE_VULKAN_INSTANCE        = 1,  /* VkInstance */
    TRM_NATIVE_VULKAN_PHYSICAL_DEVICE = 2,  /* VkPhysicalDevice */
    TRM_NATIVE_VULKAN_DEVICE          = 3,  /* VkDevice */
    TRM_NATIVE_VULKAN_GET_PROC        = 4,  /* PFN_vkGetInstanceProcAddr of the loader in use */
    TRM_NATIVE_CUDA_CONTEXT           = 32, /* CUcontext */
    TRM_NATIVE_CUDA_DEVICE            = 33, /* CUdevice */
    /* of a stream */
    TRM_NATIVE_VULKAN_QUEUE        = 64, /* VkQueue; see trm_stream_native() */
    TRM_NATIVE_VULKAN_QUEUE_FAMILY = 65, /* its index */
    TRM_NATIVE_VULKAN_SEMAPHORE =
        66,                      /* VkSemaphore: a timeline that shows the values of the stream's points */
    TRM_NATIVE_CUDA_STREAM = 96, /* CUstream */
    /* of a buffer */
    TRM_NATIVE_VULKAN_BUFFER = 128, /* VkBuffer; the buffer begins at `offset` in it */
    TRM_NATIVE_CUDA_POINTER  = 160, /* CUdeviceptr; offset is 0 */
};

/* A handle of what is behind an object; type is one of its kind in enum trm_native_type.
 *
 * A stream's queue may be shared with other streams of the library, and Vulkan allows one thread at a time to use it: the program
 * sees to it that nobody enqueues on the device meanwhile. A point {stream, value} is reached when the stream's semaphore
 * shows the value; it has to be flushed (trm_stream_flush()) for that.
 *
 * Threads     any
 * Errors      UNSUPPORTED for another backend's type; INVALID_ARGUMENT for one of another object
 */
TRM_API int32_t trm_device_native(struct trm_device *device, int32_t type, uint64_t *native);
TRM_API int32_t trm_stream_native(struct trm_stream *stream, int32_t type, uint64_t *native);
TRM_API int32_t trm_buffer_native(struct trm_buffer *buffer, int32_t type, uint64_t *native,
                                  uint64_t *offset);

/* ---- an application's own device ---------------------------------------------------------------- */

/* Queues of one family that the library may use. */
struct trm_vulkan_queues {
    uint32_t family;
    uint32_t first; /* index of the first in the family */
    uint32_t count;
    uint32_t reserved;
};

/* A VkDevice that the program has made. It was made with timeline semaphores enabled; what else was enabled the library only
 * knows by what it is told here. */
struct trm_vulkan_device {
    uint32_t struct_size;
    uint32_t queue_count;
    void *get_instance_proc_addr; /* PFN_vkGetInstanceProcAddr */
    void *instance;               /* VkInstance */
    void *physical_device;        /* VkPhysicalDevice */
    void *device;                 /* VkDevice */
    const struct trm_vulkan_queues *queues;
    const char *const *extensions; /* enabled ones of the device */
    uint32_t extension_count;
    uint32_t reserved;
    const void
        *features; /* VkPhysicalDeviceFeatures2 with its chain, as the device was made with; NULL: none */
    /* Called around each use of a queue by the library, from any thread; NULL: the program keeps away from these queues. */
    void (*lock_queue)(void *user, uint32_t family, uint32_t index);
    void (*unlock_queue)(void *user, uint32_t family, uint32_t index);
    void *user;
};

enum trm_native_device_type {
    TRM_NATIVE_DEVICE_VULKAN = 1, /* struct trm_vulkan_device */
};

/* A device that works on an application's own native device instead of one that it opens itself.
 *
 * backend     "vulkan"
 * type        enum trm_native_device_type; `native` points to its struct, which is needed during the call only
 * Ownership   the native device stays the program's, and lives until the library's has been destroyed with all of its children
 * Errors      NOT_FOUND for a backend that is not there; INVALID_ARGUMENT for a description that cannot be right
 */
TRM_API int32_t trm_device_adopt(struct trm_context *context, const char *backend, int32_t type,
                                 const void *native, struct trm_device **device);

/* ---- memory that others have too ---------------------------------------------------------------- */

enum trm_handle_type {
    TRM_HANDLE_OPAQUE_FD =
        1, /* a file descriptor of the driver's, as VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD and
                                 CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD have it */
};

/* Device memory that can be exported. It does not come from a pool. size in bytes, not 0. */
TRM_API int32_t trm_buffer_create_exportable(struct trm_device *device, uint64_t size,
                                             struct trm_buffer **buffer);

/* A file descriptor for the buffer's memory, which the caller closes or gives away; `size` is that of the whole allocation, which
 * those who import it must state. Errors: UNSUPPORTED for a buffer that was not made exportable. */
TRM_API int32_t trm_buffer_export(struct trm_buffer *buffer, int32_t type, int32_t *fd, uint64_t *size);

/* Device memory that another API, process or device of the same driver has exported. On success the descriptor belongs to the
 * driver; else it stays the caller's. Bytes are the same for both sides; who writes when is theirs to agree on. */
TRM_API int32_t trm_buffer_import(struct trm_device *device, int32_t type, int32_t fd, uint64_t size,
                                  struct trm_buffer **buffer);

/* ---- semaphores that others have too ------------------------------------------------------------ */

struct trm_semaphore;

/* A timeline semaphore: a number that only grows, beginning at 0, which streams of the library and others wait for and raise.
 * Reference-counted by its uses: it may be destroyed while enqueued work still needs it. */
TRM_API int32_t trm_semaphore_create(struct trm_device *device, struct trm_semaphore **semaphore);
TRM_API int32_t trm_semaphore_import(struct trm_device *device, int32_t type, int32_t fd,
                                     struct trm_semaphore **semaphore);
TRM_API int32_t trm_semaphore_export(struct trm_semaphore *semaphore, int32_t type, int32_t *fd);
TRM_API void trm_semaphore_destroy(struct trm_semaphore *semaphore);

/* The stream goes on when the semaphore is at least `value`, which others bring about. */
TRM_API int32_t trm_stream_wait_semaphore(struct trm_stream *stream, struct trm_semaphore *semaphore,
                                          uint64_t value);

/* Raise the semaphore to `value`, which is higher than all before, when the stream gets there. */
TRM_API int32_t trm_stream_signal_semaphore(struct trm_stream *stream, struct trm_semaphore *semaphore,
                                            uint64_t value);

/* What it shows now. */
TRM_API int32_t trm_semaphore_value(struct trm_semaphore *semaphore, uint64_t *value);

TRM_API_END

#endif
