/* Trireme: sharing with programs that use a driver's own API: native handles out, an application's devices, streams, memory and
 * events in, memory and semaphores that others have too.
 *
 * What is handed out belongs to the library: it lives as long as the object that it was asked of, and whoever enqueues
 * work with it by himself also waits for it by himself. What is taken in stays the program's: it lives at least as long as the
 * object that was made of it, and is as it was afterwards. All functions answer UNSUPPORTED where the backend has no such
 * thing.
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
    TRM_NATIVE_VULKAN_SEMAPHORE    = 66, /* VkSemaphore: a timeline with the values of the stream's points */
    TRM_NATIVE_CUDA_STREAM         = 96, /* CUstream */
    /* of a buffer */
    TRM_NATIVE_VULKAN_BUFFER = 128, /* VkBuffer; the buffer begins at `offset` in it */
    TRM_NATIVE_CUDA_POINTER  = 160, /* CUdeviceptr; the buffer begins `offset` bytes behind it */
    /* of an event; for trm_stream_wait_native() and trm_stream_record_native() */
    TRM_NATIVE_CUDA_EVENT = 224, /* CUevent */
};

/* A handle of what is behind an object; type is one of its kind in enum trm_native_type.
 *
 * A stream's queue may be shared with other streams of the library, and Vulkan allows one thread at a time to use it: the program
 * sees to it that nobody enqueues on the device meanwhile. A point {stream, value} is reached when the stream's semaphore
 * shows the value; it has to be flushed (trm_stream_flush()) for that.
 *
 * A CUstream is the stream's own. What the program enqueues on it comes behind what the library has handed to the driver:
 * see trm_stream_hand_over(). A place of a stream goes out by an event of the program's: trm_stream_record_native().
 *
 * Threads     any
 * Errors      UNSUPPORTED for another backend's type; INVALID_ARGUMENT for one of another object
 */
TRM_API int32_t trm_device_native(struct trm_device *device, int32_t type, uint64_t *native);
TRM_API int32_t trm_stream_native(struct trm_stream *stream, int32_t type, uint64_t *native);
TRM_API int32_t trm_buffer_native(struct trm_buffer *buffer, int32_t type, uint64_t *native,
                                  uint64_t *offset);

/* Returns when all that was enqueued on the stream is with the driver, so that what the program enqueues with the native handle
 * comes behind it. Without that it may come before: while a stream waits for the host (a callback has not returned, a stream of
 * another backend is not as far), what follows is held back on the host; and so is a copy that would make the caller wait,
 * until somebody asks for it.
 *
 * Blocks      for as long as the stream waits for the host, not for the work itself
 * Threads     as for enqueueing on the stream
 * Errors      DEADLOCK inside of the callback that the stream waits for; the stream's first failure
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
    /* VkPhysicalDeviceFeatures2 with its chain, as the device was made with; NULL: none */
    const void *features;
    /* Called around each use of a queue by the library, from any thread; NULL: the program keeps away from these queues. */
    void (*lock_queue)(void *user, uint32_t family, uint32_t index);
    void (*unlock_queue)(void *user, uint32_t family, uint32_t index);
    void *user;
};

/* A CUcontext that the program has made, also one of a green context. (Programs that use the CUDA runtime need none of this: the
 * library's devices work in the same context, the primary one.) */
struct trm_cuda_device {
    uint32_t struct_size;
    uint32_t reserved;
    void *context; /* CUcontext */
};

enum trm_native_device_type {
    TRM_NATIVE_DEVICE_VULKAN = 1, /* struct trm_vulkan_device */
    TRM_NATIVE_DEVICE_CUDA   = 2, /* struct trm_cuda_device */
};

/* A device that works on an application's own native device instead of one that it opens itself.
 *
 * backend     "vulkan", "cuda"
 * type        enum trm_native_device_type; `native` points to its struct, which is needed during the call only
 * Ownership   the native device stays the program's, and lives until the library's has been destroyed with all of its children
 * Errors      NOT_FOUND for a backend that is not there; INVALID_ARGUMENT for a description that cannot be right
 */
TRM_API int32_t trm_device_adopt(struct trm_context *context, const char *backend, int32_t type,
                                 const void *native, struct trm_device **device);

/* ---- an application's own streams, memory and events --------------------------------------------- */

/* A stream on top of one of the program's own: what the program enqueues on it by itself and what it enqueues through the library
 * run in the order in which they came to the driver (see trm_stream_hand_over()). Destroying it waits for what was enqueued
 * through the library, and leaves the native stream alone.
 *
 * type        TRM_NATIVE_CUDA_STREAM: a CUstream of the device's context. 0 is the legacy stream (cudaStreamLegacy), which waits for the
 *             context's other blocking streams; cudaStreamPerThread is another stream in every thread and refused
 * native      the handle
 * Ownership   the native stream stays the program's, and lives until the library's has been destroyed
 * Errors      INVALID_ARGUMENT for a handle of another device or context
 */
TRM_API int32_t trm_stream_adopt(struct trm_device *device, int32_t type, uint64_t native,
                                 struct trm_stream **stream);

/* A buffer (TRM_MEMORY_DEVICE) that is memory of the program's own: `size` bytes, not 0, from `offset` on. Destroying it waits for
 * nothing: the memory stays the program's, which frees it when the work that uses it has ended (trm_buffer_wait()).
 *
 * type        TRM_NATIVE_CUDA_POINTER: a CUdeviceptr of the device, from cuMemAlloc(), cudaMalloc(), a pool, cuMemMap(), or managed
 * Errors      INVALID_ARGUMENT for an address that is no such memory; OUT_OF_RANGE where less of it is there
 */
TRM_API int32_t trm_buffer_adopt(struct trm_device *device, int32_t type, uint64_t native, uint64_t offset,
                                 uint64_t size, struct trm_buffer **buffer);

/* The stream goes on when the work has ended that the event was last recorded behind. As with cuStreamWaitEvent(), that is settled
 * during the call: recording the event again or destroying it afterwards changes nothing.
 *
 * type        TRM_NATIVE_CUDA_EVENT: a CUevent, of any context of the process
 * Blocks      as trm_stream_hand_over(), which it does first
 */
TRM_API int32_t trm_stream_wait_native(struct trm_stream *stream, int32_t type, uint64_t native);

/* Record the program's event behind everything that is enqueued on the stream. When the call returns it has been recorded: the program
 * can wait for it on streams of its own, or on the host.
 *
 * type        TRM_NATIVE_CUDA_EVENT: a CUevent of the device's context
 * Blocks      as trm_stream_hand_over(), which it does first
 */
TRM_API int32_t trm_stream_record_native(struct trm_stream *stream, int32_t type, uint64_t native);

/* ---- memory that others have too ---------------------------------------------------------------- */

enum trm_handle_type {
    /* A file descriptor of the driver's, as VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD and
     * CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR have it. Another process gets it through a socket (SCM_RIGHTS). */
    TRM_HANDLE_OPAQUE_FD = 1,
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

/* ---- memory that other processes have too, by handles that are data ------------------------------- */

#define TRM_IPC_HANDLE_BYTES 64u

/* Names a buffer's memory to other processes of the same computer. Plain data: it goes there in any way (a pipe, shared memory, a
 * message), and names no owner: who has it can open it. Unlike a file descriptor it does not keep the memory alive. */
struct trm_ipc_handle {
    uint8_t bytes[TRM_IPC_HANDLE_BYTES]; /* a CUipcMemHandle (cudaIpcMemHandle_t) as it is */
    uint64_t offset;                     /* bytes from the beginning of what that names to the buffer */
    uint64_t size;                       /* bytes of the buffer */
};

/* Device memory that such handles can name. It does not come from a pool, and shares nothing with memory that was not made so: who
 * opens a handle reaches the whole of what the driver has cut the memory from. size in bytes, not 0. */
TRM_API int32_t trm_buffer_create_ipc(struct trm_device *device, uint64_t size, struct trm_buffer **buffer);

/* The handle of a buffer that was made by trm_buffer_create_ipc(), or adopted (trm_buffer_adopt()) from cuMemAlloc() or cudaMalloc():
 * then it names the whole allocation, which begins `offset` bytes before the buffer. It can be asked for any number of times.
 *
 * Ownership   the memory stays this process's, and has to be there until all others have closed it: with CUDA, what happens is
 *             undefined where it is freed (trm_buffer_destroy()) before. What was written is seen by others when the work that
 *             wrote it has ended (trm_stream_sync(), or an event of both processes)
 * Errors      UNSUPPORTED for other memory: of pools, exportable, imported, opened by a handle, managed
 */
TRM_API int32_t trm_buffer_get_ipc_handle(struct trm_buffer *buffer, struct trm_ipc_handle *ipc);

/* A buffer (TRM_MEMORY_DEVICE) that is memory of another process, which gave its handle; also one of a program that uses CUDA by
 * itself and says offset (a multiple of 16) and size. Destroying the buffer closes the handle when the work that uses it has ended, and
 * leaves the memory as it is. Several buffers may be made of one handle: with CUDA they have the same address, and the last
 * one that goes closes it. With CUDA the memory is that of the device's own GPU, or of one that it has peer access to, and each of the
 * process's devices may have opened what another process gives in one CUcontext only.
 *
 * Errors      INVALID_ARGUMENT for what is no handle, or of memory that is gone, or of this very process, where CUDA opens none, or for an
 *             offset that is no multiple of 16; OUT_OF_RANGE where what was opened has fewer than offset + size bytes, or a buffer
 *             cannot have so many; OUT_OF_DEVICE_MEMORY. Nothing stays open then
 */
TRM_API int32_t trm_buffer_open_ipc_handle(struct trm_device *device, const struct trm_ipc_handle *ipc,
                                           struct trm_buffer **buffer);

/* ---- semaphores that others have too ------------------------------------------------------------ */

struct trm_semaphore;

/* A timeline semaphore: a number that only grows, beginning at 0, which streams of the library and others wait for and raise.
 * Reference-counted by its uses: it may be destroyed while enqueued work still needs it.
 *
 * CUDA has none of its own and cannot tell what one shows: create, export and value are UNSUPPORTED there. It imports those that
 * Vulkan made; its streams wait for them on the device, and what waits for the whole device then waits for that too. */
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
