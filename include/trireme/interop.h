/* Trireme: sharing with programs that use a driver's own API: the native handles of Trireme's objects;
 * Trireme's objects on an application's own devices, streams, memory and events; memory and semaphores that
 * are shared with other APIs and processes.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * device, stream, buffer, semaphore  the object, or for a function that creates one receives it
 * Blocks      no
 * Threads     any
 * Ownership   a native handle that a function returns belongs to the library and lives as long as the object;
 *             a program that enqueues work with it also waits for that work. A native object that a function
 *             takes belongs to the program: it outlives the object that was made of it, which leaves it
 *             unchanged
 * Errors      those of every function (<trireme/api.h>); UNSUPPORTED where the backend cannot do it
 */
#ifndef TRIREME_INTEROP_H
#define TRIREME_INTEROP_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/image.h>

TRM_API_BEGIN

/* ---- native handles ---------------------------------------------------------------------------- */

/* The type of a native handle. The handle itself is a pointer or a number in 64 bits. */
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
    TRM_NATIVE_VULKAN_QUEUE_FAMILY = 65, /* the index of the queue's family */
    TRM_NATIVE_VULKAN_SEMAPHORE    = 66, /* VkSemaphore: a timeline with the values of points */
    TRM_NATIVE_CUDA_STREAM         = 96, /* CUstream */
    /* of a buffer */
    TRM_NATIVE_VULKAN_BUFFER = 128, /* VkBuffer; the buffer begins `offset` bytes into it */
    TRM_NATIVE_CUDA_POINTER  = 160, /* CUdeviceptr; the buffer begins `offset` bytes after it */
    /* of an event; for trm_stream_wait_native() and trm_stream_record_native() */
    TRM_NATIVE_CUDA_EVENT = 224, /* CUevent */
    /* of an image */
    TRM_NATIVE_VULKAN_IMAGE = 256, /* VkImage */
};

/* Get the native handle of an object.
 *
 * A Vulkan queue may be shared with other streams of the library, and Vulkan allows one thread at a time to
 * use it: the program makes sure that no thread enqueues on the device meanwhile. A point {stream, value} is
 * reached when the stream's semaphore has that value; the stream must be flushed for that
 * (trm_stream_flush()).
 *
 * A CUstream belongs to one stream. What the program enqueues on it runs after what the library has given to
 * the driver: see trm_stream_hand_over(). To let native work wait for a place in a stream, record an event of
 * the program's there (trm_stream_record_native()).
 *
 * type        enum trm_native_type, of this kind of object
 * native      receives the handle
 * offset      receives the bytes from the beginning of the native object to the buffer
 * Errors      INVALID_ARGUMENT for a type of another kind of object; UNSUPPORTED for a type of another
 *             backend, a buffer of 0 bytes, or a stream that records into a graph
 */
TRM_API int32_t trm_device_native(struct trm_device *device, int32_t type, uint64_t *native);
TRM_API int32_t trm_stream_native(struct trm_stream *stream, int32_t type, uint64_t *native);
TRM_API int32_t trm_buffer_native(struct trm_buffer *buffer, int32_t type, uint64_t *native,
                                  uint64_t *offset);

/* Give everything that is enqueued on a stream to the driver, so that what the program then enqueues with the
 * native handle runs after it. Otherwise it may run before: while a stream waits for the host (a callback has
 * not returned, a stream of another backend has not reached a point), the library defers later operations. It
 * also defers a copy that would block the calling thread, until a thread waits for it.
 *
 * Blocks      as long as the stream waits for the host; not for the work itself
 * Threads     one at a time for each stream, as for enqueueing
 * Errors      DEADLOCK inside the callback that the stream waits for; the stream's first failure; UNSUPPORTED
 *             on a stream that records into a graph
 */
TRM_API int32_t trm_stream_hand_over(struct trm_stream *stream);

/* ---- an application's own device ---------------------------------------------------------------- */

/* Queues of one family that the library may use. */
struct trm_vulkan_queues {
    uint32_t family;
    uint32_t first; /* index of the first in the family */
    uint32_t count;
    uint32_t reserved;
};

/* A VkDevice of the program. Timeline semaphores must be enabled. The library uses only other extensions and
 * features that are listed here. */
struct trm_vulkan_device {
    uint32_t struct_size;
    uint32_t queue_count;
    void *get_instance_proc_addr; /* PFN_vkGetInstanceProcAddr */
    void *instance;               /* VkInstance */
    void *physical_device;        /* VkPhysicalDevice */
    void *device;                 /* VkDevice */
    const struct trm_vulkan_queues *queues;
    const char *const *extensions; /* those that are enabled on the device */
    uint32_t extension_count;
    uint32_t reserved;
    /* VkPhysicalDeviceFeatures2 with its chain, as the device was created with it; NULL: none */
    const void *features;
    /* The library calls them, on any thread, around each use of a queue. NULL: the program itself does not
     * use these queues. */
    void (*lock_queue)(void *user, uint32_t family, uint32_t index);
    void (*unlock_queue)(void *user, uint32_t family, uint32_t index);
    void *user;
};

/* A CUcontext of the program, also that of a green context. A program that uses the CUDA runtime does not
 * need it: the library's devices work in the same context, the primary one. */
struct trm_cuda_device {
    uint32_t struct_size;
    uint32_t reserved;
    void *context; /* CUcontext */
};

enum trm_native_device_type {
    TRM_NATIVE_DEVICE_VULKAN = 1, /* struct trm_vulkan_device */
    TRM_NATIVE_DEVICE_CUDA   = 2, /* struct trm_cuda_device */
};

/* Make a device on top of an application's native device.
 *
 * context     the context
 * backend     "vulkan" or "cuda"
 * type        enum trm_native_device_type
 * native      the struct that `type` names; needed during the call only
 * Blocks      the first call that needs a device opens plugins and probes drivers; meanwhile other threads
 *             wait for it
 * Ownership   the caller destroys the device with trm_device_destroy(). The native device outlives it and all
 *             objects on it
 * Errors      NOT_FOUND for a backend that is not available; INVALID_ARGUMENT for an unknown type, or a
 *             description that is not valid
 */
TRM_API int32_t trm_device_adopt(struct trm_context *context, const char *backend, int32_t type,
                                 const void *native, struct trm_device **device);

/* ---- an application's own streams, memory and events --------------------------------------------- */

/* Make a stream on top of an application's native stream. Work that the program enqueues on the native stream
 * and work that it enqueues through the library run in the order in which the driver gets them (see
 * trm_stream_hand_over()). Destroying the stream waits for the work that was enqueued through the library.
 *
 * type        TRM_NATIVE_CUDA_STREAM: a CUstream of the device's context. 0 is the legacy stream
 *             (cudaStreamLegacy), which waits for the context's other blocking streams. cudaStreamPerThread
 *             is a different stream in every thread, and refused
 * native      the handle
 * Ownership   the caller destroys the stream with trm_stream_destroy(). The native stream outlives it
 * Errors      INVALID_ARGUMENT for an unknown type, or a handle of another device or context
 */
TRM_API int32_t trm_stream_adopt(struct trm_device *device, int32_t type, uint64_t native,
                                 struct trm_stream **stream);

/* Make a buffer (TRM_MEMORY_DEVICE) on top of an application's memory. Destroying the buffer does not wait;
 * the program frees the memory when the work that uses it is done (trm_buffer_wait()).
 *
 * type        TRM_NATIVE_CUDA_POINTER: a CUdeviceptr of the device, from cuMemAlloc(), cudaMalloc(), a pool
 *             or cuMemMap(), or of managed memory
 * native      the handle
 * offset      bytes from the address to the buffer
 * size        bytes, not 0
 * Ownership   the caller destroys the buffer with trm_buffer_destroy(). The memory outlives it and all work
 *             on it
 * Errors      INVALID_ARGUMENT for an unknown type, a size of 0, or an address of no such memory;
 *             OUT_OF_RANGE when the memory is smaller than offset + size, or size exceeds
 *             TRM_DEVICE_MAX_BUFFER_BYTES
 */
TRM_API int32_t trm_buffer_adopt(struct trm_device *device, int32_t type, uint64_t native, uint64_t offset,
                                 uint64_t size, struct trm_buffer **buffer);

/* Make an image of one of the application's, without a copy. Where images are plain memory (the cpu, CUDA)
 * this is UNSUPPORTED: adopt the memory with trm_buffer_adopt(), and see trm_image_create_over().
 *
 * desc        describes it as the program created it; the usage is not 0. Needed during the call only
 * type        TRM_NATIVE_VULKAN_IMAGE: a VkImage of the device's VkDevice, of one sample, with memory and
 *             with VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_USAGE_TRANSFER_DST_BIT and those of `desc`;
 *             shared by the families of the device's queues (VK_SHARING_MODE_CONCURRENT) where there are
 *             several
 * native      the handle
 * layout      VkImageLayout in which the image is, idle, with all its levels. It is moved to
 *             VK_IMAGE_LAYOUT_GENERAL, in which the program may use it as well, ordered by semaphores. In
 *             VK_IMAGE_LAYOUT_UNDEFINED its texels are lost
 * image       receives the image
 * Blocks      until the layout is changed
 * Ownership   the caller ends the image with trm_image_hand_back(), or with trm_image_destroy(), which leaves
 *             it in VK_IMAGE_LAYOUT_GENERAL. The VkImage outlives all work on it
 * Errors      INVALID_ARGUMENT for an unknown type or layout, no handle, or a description that cannot be;
 *             OUT_OF_RANGE; UNSUPPORTED
 */
TRM_API int32_t trm_image_adopt(struct trm_device *device, const struct trm_image_desc *desc, int32_t type,
                                uint64_t native, int32_t layout, struct trm_image **image);

/* Give an adopted image back to the program, and destroy the library's. Graphs and pipelines that use it are
 * not used any more.
 *
 * image       from trm_image_adopt()
 * layout      VkImageLayout in which the program wants it, not VK_IMAGE_LAYOUT_UNDEFINED
 * Blocks      until the work that uses the image has ended and the layout is changed
 * Errors      INVALID_ARGUMENT for another image or an unknown layout; the first failure of a stream that
 *             used it. The image is then still the library's
 */
TRM_API int32_t trm_image_hand_back(struct trm_image *image, int32_t layout);

/* Get the native handle of an image. A VkImage is in VK_IMAGE_LAYOUT_GENERAL, and stays there.
 *
 * image       the image
 * type        TRM_NATIVE_VULKAN_IMAGE
 * native      receives the handle
 * Errors      INVALID_ARGUMENT for an unknown type; UNSUPPORTED where images are plain memory
 */
TRM_API int32_t trm_image_native(struct trm_image *image, int32_t type, uint64_t *native);

/* Let later operations of a stream wait for an application's event, as it is recorded now. As with
 * cuStreamWaitEvent(), recording the event again or destroying it afterwards changes nothing.
 *
 * type        TRM_NATIVE_CUDA_EVENT: a CUevent of any context of the process
 * native      the handle
 * Blocks      as trm_stream_hand_over(), which it does first
 * Threads     one at a time for each stream, as for enqueueing
 * Errors      INVALID_ARGUMENT for an unknown type or a handle that is not valid; else as of
 *             trm_stream_hand_over()
 */
TRM_API int32_t trm_stream_wait_native(struct trm_stream *stream, int32_t type, uint64_t native);

/* Record an application's event after everything that is enqueued on a stream. The event is recorded when the
 * call returns: the program can wait for it on streams of its own, or on the host.
 *
 * type        TRM_NATIVE_CUDA_EVENT: a CUevent of the device's context
 * native      the handle
 * Blocks      as trm_stream_hand_over(), which it does first
 * Threads     one at a time for each stream, as for enqueueing
 * Errors      INVALID_ARGUMENT for an unknown type or a handle that is not valid; else as of
 *             trm_stream_hand_over()
 */
TRM_API int32_t trm_stream_record_native(struct trm_stream *stream, int32_t type, uint64_t native);

/* ---- memory that is shared with other APIs and processes ---------------------------------------- */

enum trm_handle_type {
    /* A file descriptor of the driver: VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
     * CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD or CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR. A socket passes
     * it to another process (SCM_RIGHTS). */
    TRM_HANDLE_OPAQUE_FD = 1,
};

/* Make a buffer of device memory that can be exported. The memory does not come from the pool.
 *
 * size        bytes, not 0
 * Ownership   the caller destroys the buffer with trm_buffer_destroy()
 * Errors      INVALID_ARGUMENT for a size of 0; OUT_OF_RANGE beyond TRM_DEVICE_MAX_BUFFER_BYTES;
 *             OUT_OF_DEVICE_MEMORY; UNSUPPORTED where the backend cannot do it
 */
TRM_API int32_t trm_buffer_create_exportable(struct trm_device *device, uint64_t size,
                                             struct trm_buffer **buffer);

/* Get a file descriptor of a buffer's memory.
 *
 * type        enum trm_handle_type
 * fd          receives the descriptor
 * size        receives the bytes of the whole allocation, which an import must state
 * Ownership   the caller closes the descriptor or passes it on
 * Errors      INVALID_ARGUMENT for an unknown type; UNSUPPORTED for a buffer that was not made exportable, or
 *             where the backend cannot do it
 */
TRM_API int32_t trm_buffer_export(struct trm_buffer *buffer, int32_t type, int32_t *fd, uint64_t *size);

/* Make a buffer of device memory that another API, process or device of the same driver has exported. Both
 * sides see the same bytes; the program synchronizes their accesses.
 *
 * type        enum trm_handle_type
 * fd          the descriptor
 * size        bytes of the whole allocation, as the export stated them
 * Ownership   the caller destroys the buffer with trm_buffer_destroy(). On success the descriptor belongs to
 *             the driver; else the caller keeps it
 * Errors      INVALID_ARGUMENT for an unknown type, no descriptor, or a size of 0; OUT_OF_RANGE beyond
 *             TRM_DEVICE_MAX_BUFFER_BYTES; UNSUPPORTED; the driver's errors
 */
TRM_API int32_t trm_buffer_import(struct trm_device *device, int32_t type, int32_t fd, uint64_t size,
                                  struct trm_buffer **buffer);

/* ---- memory that is shared with other processes by handles that are plain data -------------------- */

#define TRM_IPC_HANDLE_BYTES 64u

/* Names a buffer's memory to other processes of the same computer. It is plain data: the program can send it
 * in any way (a pipe, shared memory, a message), and every process that has it can open it. Unlike a file
 * descriptor, it does not keep the memory alive. */
struct trm_ipc_handle {
    uint8_t bytes[TRM_IPC_HANDLE_BYTES]; /* a CUipcMemHandle (cudaIpcMemHandle_t) */
    uint64_t offset;                     /* bytes from the beginning of that memory to the buffer */
    uint64_t size;                       /* bytes of the buffer */
};

/* Make a buffer of device memory that such handles can name. The memory does not come from the pool, and
 * shares no allocation of the driver with memory of other kinds, because a process that opens a handle can
 * reach the whole allocation.
 *
 * size        bytes, not 0
 * Ownership   the caller destroys the buffer with trm_buffer_destroy()
 * Errors      INVALID_ARGUMENT for a size of 0; OUT_OF_RANGE beyond TRM_DEVICE_MAX_BUFFER_BYTES;
 *             OUT_OF_DEVICE_MEMORY; UNSUPPORTED where the backend cannot do it
 */
TRM_API int32_t trm_buffer_create_ipc(struct trm_device *device, uint64_t size, struct trm_buffer **buffer);

/* Get the handle of a buffer that was made by trm_buffer_create_ipc(), or by trm_buffer_adopt() from
 * cuMemAlloc() or cudaMalloc(): then it names the whole allocation, which begins `offset` bytes before the
 * buffer. Another process sees what was written when the work that wrote it is done (trm_stream_sync(), or an
 * event of both processes).
 *
 * ipc         receives the handle
 * Ownership   the memory belongs to this process, which keeps it until all others have closed it. With CUDA,
 *             freeing it before (trm_buffer_destroy()) is undefined
 * Errors      UNSUPPORTED for other memory (of pools, exportable, imported, opened by a handle, managed), or
 *             where the backend cannot do it
 */
TRM_API int32_t trm_buffer_get_ipc_handle(struct trm_buffer *buffer, struct trm_ipc_handle *ipc);

/* Make a buffer (TRM_MEMORY_DEVICE) of another process's memory by its handle. The handle may also come from
 * a program that uses CUDA itself and states offset (a multiple of 16) and size. With CUDA, the memory is on
 * the device's own GPU, or on one that it has peer access to; several buffers of one handle have the same
 * address, and the last one to go closes it; and devices of this process that open memory of one other
 * process do so in one CUcontext only.
 *
 * ipc         the handle
 * Ownership   the caller destroys the buffer with trm_buffer_destroy(): the handle is closed when the work
 *             that uses it is done, and the memory stays as it is
 * Errors      INVALID_ARGUMENT for a handle that is not valid, names freed memory, or names memory of this
 *             process where CUDA does not open that, and for an offset that is not a multiple of 16;
 *             OUT_OF_RANGE when the memory has fewer than offset + size bytes, or size exceeds
 *             TRM_DEVICE_MAX_BUFFER_BYTES; OUT_OF_DEVICE_MEMORY; UNSUPPORTED. After an error nothing is open
 */
TRM_API int32_t trm_buffer_open_ipc_handle(struct trm_device *device, const struct trm_ipc_handle *ipc,
                                           struct trm_buffer **buffer);

/* ---- semaphores that are shared with other APIs and processes ----------------------------------- */

struct trm_semaphore;

/* Make a timeline semaphore: a number that starts at 0 and only grows. Streams of the library and other users
 * of the driver wait for it and raise it.
 *
 * CUDA has no such semaphore and cannot read its value: create, export and value are UNSUPPORTED there. It
 * imports those of Vulkan. Its streams wait for them on the device; a wait for the whole device then includes
 * that wait.
 *
 * Ownership   the caller destroys the semaphore with trm_semaphore_destroy(); it keeps its device alive
 */
TRM_API int32_t trm_semaphore_create(struct trm_device *device, struct trm_semaphore **semaphore);

/* Make a semaphore of one that another API or process has exported.
 *
 * type        enum trm_handle_type
 * fd          the descriptor
 * Ownership   the caller destroys the semaphore with trm_semaphore_destroy(). On success the descriptor
 *             belongs to the driver; else the caller keeps it
 * Errors      INVALID_ARGUMENT for an unknown type or no descriptor; UNSUPPORTED; the driver's errors
 */
TRM_API int32_t trm_semaphore_import(struct trm_device *device, int32_t type, int32_t fd,
                                     struct trm_semaphore **semaphore);

/* Get a file descriptor of a semaphore.
 *
 * type        enum trm_handle_type
 * fd          receives the descriptor
 * Ownership   the caller closes the descriptor or passes it on
 * Errors      INVALID_ARGUMENT for an unknown type; UNSUPPORTED
 */
TRM_API int32_t trm_semaphore_export(struct trm_semaphore *semaphore, int32_t type, int32_t *fd);

/* Destroy a semaphore. Enqueued work that waits for it or raises it keeps it until that work is done. */
TRM_API void trm_semaphore_destroy(struct trm_semaphore *semaphore);

/* Let later operations of a stream wait until a semaphore has at least `value`.
 *
 * Threads     one at a time for each stream, as for enqueueing
 * Errors      WRONG_DEVICE for a semaphore of another device; UNSUPPORTED, also on a stream that records into
 *             a graph; the stream's first failure
 */
TRM_API int32_t trm_stream_wait_semaphore(struct trm_stream *stream, struct trm_semaphore *semaphore,
                                          uint64_t value);

/* Raise a semaphore to `value`, which is higher than all before, when the stream reaches this operation.
 *
 * Threads     one at a time for each stream, as for enqueueing
 * Errors      INVALID_ARGUMENT for a value that is not higher than those before; else as of
 *             trm_stream_wait_semaphore()
 */
TRM_API int32_t trm_stream_signal_semaphore(struct trm_stream *stream, struct trm_semaphore *semaphore,
                                            uint64_t value);

/* Get the `value` that a semaphore has now. */
TRM_API int32_t trm_semaphore_value(struct trm_semaphore *semaphore, uint64_t *value);

TRM_API_END

#endif
