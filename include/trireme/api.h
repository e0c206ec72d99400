/* Trireme: what every public header needs.
 * SPDX-License-Identifier: MIT
 *
 * A handle (`struct trm_device *` and the like) is a name, not an address. It carries a type and a
 * generation, so that the library recognizes a handle that is stale, of another type, or never was one.
 * Never dereference a handle.
 *
 * The comment of a function says, in this order: what the function does; its parameters, with shapes and
 * units; whether it blocks; which threads may call it; who owns what; its errors, without their prefix
 * TRM_ERROR_. The comment at the top of a header says what holds for most functions of that header.
 *
 * In every header: sizes and offsets are bytes, and times are nanoseconds. A descriptor begins with
 * struct_size, which the caller sets to the descriptor's sizeof; the same holds for a struct that a function
 * fills in. A member that is 0 has its default. Outputs come last, and a function writes them only on
 * success.
 *
 * Unless a function says otherwise:
 *
 * Blocks      no. A function that blocks waits for work on a device or for another thread of the program. One
 *             that does not may still allocate memory, hold a lock for a short time, and call the driver. Two
 *             exceptions: on a device with TRM_DEVICE_SYNCHRONOUS, operations run inside the call that
 *             enqueues them; and without host memory to note that an operation uses a buffer, the call waits
 *             for the operation.
 * Threads     any, at the same time as others. No thread destroys an object while another thread enqueues
 *             with it. Every other call may meet a destroy in another thread: it returns before the object
 *             goes, or answers INVALID_HANDLE. A dead or invented handle is an error at any time, also while
 *             its context is being destroyed.
 * Ownership   an object keeps alive what it was made of, so that handles may be destroyed in any order.
 *             Only the program's own references keep a handle: destroying it again is an error and takes
 *             nothing from the objects that use it. Destroying NULL does nothing.
 * Errors      of a function that takes a handle: INVALID_HANDLE, and FORKED in a child process when the
 *             context was made before fork(); of one that takes a descriptor or an output: INVALID_ARGUMENT
 *             when it is NULL or its struct_size is too small; of one that creates or enqueues:
 *             OUT_OF_HOST_MEMORY; of one that uses a device: DEVICE_LOST, and BACKEND when the driver failed.
 *             A function without a result sets only the last error (<trireme/status.h>).
 */
#ifndef TRIREME_API_H
#define TRIREME_API_H

#include <stddef.h>
#include <stdint.h>

#define TRM_VERSION_MAJOR 0
#define TRM_VERSION_MINOR 1
#define TRM_VERSION_PATCH 0

#if defined(__GNUC__)
#define TRM_API __attribute__((visibility("default")))
#else
#define TRM_API
#endif

#ifdef __cplusplus
#define TRM_API_BEGIN extern "C" {
#define TRM_API_END }
#else
#define TRM_API_BEGIN
#define TRM_API_END
#endif

/* As a timeout: wait without a limit. */
#define TRM_FOREVER UINT64_MAX

/* As a length: from the offset to the end of the buffer. */
#define TRM_WHOLE UINT64_MAX

struct trm_context;
struct trm_device;
struct trm_image;
struct trm_sampler;
struct trm_stream;
struct trm_event;
struct trm_buffer;
struct trm_array;
struct trm_module;
struct trm_kernel;
struct trm_shader;
struct trm_graph;
struct trm_graph_exec;
struct trm_pipeline;
struct trm_coordinator;

TRM_API_BEGIN

/* Return the version of the loaded library as "major.minor.patch".
 *
 * Ownership   the string is static
 * Errors      none
 */
TRM_API const char *trm_version(void);

TRM_API_END

#endif
