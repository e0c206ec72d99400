/* CUDA's driver as the program itself uses it, beside the library: its functions, by their exported names,
 * and a context of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_NATIVE_H
#define CUDA_NATIVE_H

#include <cuda.h>

#include "tests/cuda/fixture.h"

#define NATIVE_FUNCTIONS(USE)         \
    USE(cuInit)                       \
    USE(cuDeviceGet)                  \
    USE(cuDevicePrimaryCtxRetain)     \
    USE(cuDevicePrimaryCtxRelease_v2) \
    USE(cuCtxCreate_v4)               \
    USE(cuCtxDestroy_v2)              \
    USE(cuCtxGetCurrent)              \
    USE(cuCtxSetCurrent)              \
    USE(cuCtxGetDevice)               \
    USE(cuCtxSynchronize)             \
    USE(cuMemAlloc_v2)                \
    USE(cuMemFree_v2)                 \
    USE(cuMemHostAlloc)               \
    USE(cuMemFreeHost)                \
    USE(cuMemAllocManaged)            \
    USE(cuMemcpyHtoD_v2)              \
    USE(cuMemcpyDtoH_v2)              \
    USE(cuMemcpyDtoDAsync_v2)         \
    USE(cuIpcGetMemHandle)            \
    USE(cuIpcOpenMemHandle_v2)        \
    USE(cuIpcCloseMemHandle)          \
    USE(cuMemsetD32Async)             \
    USE(cuStreamCreate)               \
    USE(cuStreamDestroy_v2)           \
    USE(cuStreamSynchronize)          \
    USE(cuStreamWaitEvent)            \
    USE(cuEventCreate)                \
    USE(cuEventDestroy_v2)            \
    USE(cuEventRecord)                \
    USE(cuEventQuery)                 \
    USE(cuEventSynchronize)

struct native {
#define NATIVE_MEMBER(name) __typeof__(name) *name;
    NATIVE_FUNCTIONS(NATIVE_MEMBER)
#undef NATIVE_MEMBER
};

extern struct native native;

#define ck_cuda(call)                                                                        \
    do {                                                                                     \
        CUresult result_given = (call);                                                      \
        ck_assert_msg(result_given == CUDA_SUCCESS, "%s gave %d", #call, (int)result_given); \
    } while (0)

/* Open the driver that the library uses too, and initialize it. */
void native_open(void);

/* A function that is not in the table, after native_open(). */
void *native_function(const char *name);

/* Create a context of the program on a device; leaves the current context as it was. NULL where this
 * driver cannot create one by this toolkit's function, after saying so. */
CUcontext native_context(int ordinal);

/* The context of the library's device, current in this thread until the end of the test. */
void native_enter(struct trm_device *device);

/* The fixture's world together with the program's own use of the driver; the library's context is current.
 * For Check's fixtures. */
void native_world_open(void);
void native_world_close(void);

/* ---- data ---- */

enum {
    NATIVE_WORDS = 50000,
    NATIVE_BYTES = 4 * NATIVE_WORDS, /* of each buffer below */
};

extern uint32_t native_numbers[NATIVE_WORDS];

/* Number i is first + i; check that those in [from, to) are first + step i. */
void native_count(uint32_t first);
void native_check_part(uint32_t from, uint32_t to, uint32_t first, uint32_t step);
void native_check(uint32_t first, uint32_t step); /* all of them */

/* ---- the program's use, and the library's on top of it --------------------------------------- */

#define NATIVE_STREAM(handle) ((CUstream)(uintptr_t)(handle))
#define NATIVE_NUMBER(handle) ((uint64_t)(uintptr_t)(handle))

CUevent native_event(void);
CUstream native_stream(void);
CUdeviceptr native_memory(void);
struct trm_stream *native_adopt_stream(CUstream handle);
struct trm_buffer *native_adopt_memory(CUdeviceptr memory);
CUdeviceptr native_address(struct trm_buffer *buffer); /* where it begins */

#endif
