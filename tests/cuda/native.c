/* CUDA's driver as the program itself uses it.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/native.h"

#include <dlfcn.h>
#include <string.h>
#include <trireme/interop.h>

struct native native;
uint32_t native_numbers[NATIVE_WORDS];

static void *library; /* the driver */

void *native_function(const char *name)
{
    void *function = dlsym(library, name);
    ck_assert_msg(function != NULL || strcmp(name, "cuCtxCreate_v4") == 0, "%s is not in the driver", name);
    return function;
}

void native_open(void)
{
    library = dlopen(driver_path(), RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
#define NATIVE_LOAD(name) *(void **)&native.name = native_function(#name);
    NATIVE_FUNCTIONS(NATIVE_LOAD)
#undef NATIVE_LOAD
    ck_cuda(native.cuInit(0));
}

CUcontext native_context(int ordinal)
{
    CUcontext before = NULL, made = NULL;
    CUdevice device = 0;
    if (!native.cuCtxCreate_v4) {
        skip("this driver has no cuCtxCreate_v4");
        return NULL;
    }
    ck_cuda(native.cuCtxGetCurrent(&before));
    ck_cuda(native.cuDeviceGet(&device, ordinal));
    ck_cuda(native.cuCtxCreate_v4(&made, NULL, 0, device));
    ck_cuda(native.cuCtxSetCurrent(before));
    return made;
}

void native_enter(struct trm_device *device)
{
    uint64_t context = 0;
    ck_ok(trm_device_native(device, TRM_NATIVE_CUDA_CONTEXT, &context));
    ck_cuda(native.cuCtxSetCurrent((CUcontext)(uintptr_t)context));
}

/* ---- data ---- */

void native_check_part(uint32_t from, uint32_t to, uint32_t first, uint32_t step)
{
    uint32_t i = from;
    while (i < to && native_numbers[i] == first + step * i)
        i++;
    ck_assert_msg(i == to, "number %u is %u and not %u", i, native_numbers[i], first + step * i);
}

void native_check(uint32_t first, uint32_t step)
{
    native_check_part(0, NATIVE_WORDS, first, step);
}

void native_count(uint32_t first)
{
    for (uint32_t i = 0; i < NATIVE_WORDS; i++)
        native_numbers[i] = first + i;
}

/* ---- the program's use, and the library's on top of it --------------------------------------- */

CUevent native_event(void)
{
    CUevent event = NULL;
    ck_cuda(native.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    return event;
}

CUstream native_stream(void)
{
    CUstream stream = NULL;
    ck_cuda(native.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

CUdeviceptr native_memory(void)
{
    CUdeviceptr memory = 0;
    ck_cuda(native.cuMemAlloc_v2(&memory, NATIVE_BYTES));
    return memory;
}

struct trm_stream *native_adopt_stream(CUstream handle)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_adopt(the.device, TRM_NATIVE_CUDA_STREAM, NATIVE_NUMBER(handle), &stream));
    return stream;
}

struct trm_buffer *native_adopt_memory(CUdeviceptr memory)
{
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_buffer_adopt(the.device, TRM_NATIVE_CUDA_POINTER, memory, 0, NATIVE_BYTES, &buffer));
    return buffer;
}

CUdeviceptr native_address(struct trm_buffer *buffer)
{
    uint64_t address = 0, offset = 0;
    ck_ok(trm_buffer_native(buffer, TRM_NATIVE_CUDA_POINTER, &address, &offset));
    return address + offset;
}

void native_world_open(void)
{
    native_open();
    world_open();
    native_enter(the.device);
}

void native_world_close(void)
{
    ck_cuda(native.cuCtxSetCurrent(NULL));
    world_close();
}
