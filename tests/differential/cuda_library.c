/* SPDX-License-Identifier: MIT */
#include "tests/differential/cuda_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct entry {
    const char *symbol;
    size_t offset; /* of the pointer in struct cuda_library */
};

#define ENTRY(member, symbol)                         \
    {                                                 \
        symbol, offsetof(struct cuda_library, member) \
    }

/* The suffixes are those that cuda.h puts on with #define. */
static const struct entry driver_entries[] = {
    ENTRY(cuInit, "cuInit"),
    ENTRY(cuGetErrorString, "cuGetErrorString"),
    ENTRY(cuDeviceGet, "cuDeviceGet"),
    ENTRY(cuDeviceGetName, "cuDeviceGetName"),
    ENTRY(cuDeviceGetAttribute, "cuDeviceGetAttribute"),
    ENTRY(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"),
    ENTRY(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2"),
    ENTRY(cuCtxSetCurrent, "cuCtxSetCurrent"),
    ENTRY(cuCtxSynchronize, "cuCtxSynchronize"),
    ENTRY(cuModuleLoadData, "cuModuleLoadData"),
    ENTRY(cuModuleUnload, "cuModuleUnload"),
    ENTRY(cuModuleGetFunction, "cuModuleGetFunction"),
    ENTRY(cuMemAlloc, "cuMemAlloc_v2"),
    ENTRY(cuMemFree, "cuMemFree_v2"),
    ENTRY(cuMemcpyHtoD, "cuMemcpyHtoD_v2"),
    ENTRY(cuMemcpyDtoH, "cuMemcpyDtoH_v2"),
    ENTRY(cuLaunchKernel, "cuLaunchKernel"),
};

static const struct entry nvrtc_entries[] = {
    ENTRY(nvrtcGetErrorString, "nvrtcGetErrorString"),
    ENTRY(nvrtcCreateProgram, "nvrtcCreateProgram"),
    ENTRY(nvrtcDestroyProgram, "nvrtcDestroyProgram"),
    ENTRY(nvrtcCompileProgram, "nvrtcCompileProgram"),
    ENTRY(nvrtcGetPTXSize, "nvrtcGetPTXSize"),
    ENTRY(nvrtcGetPTX, "nvrtcGetPTX"),
    ENTRY(nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize"),
    ENTRY(nvrtcGetProgramLog, "nvrtcGetProgramLog"),
};

static const char *const nvrtc_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                          "libnvrtc.so"};

static int find_entries(struct cuda_library *cuda, void *library, const struct entry *entries, size_t count,
                        char *reason, size_t capacity)
{
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, entries[i].symbol);
        if (!symbol) {
            snprintf(reason, capacity, "CUDA's library has no %s", entries[i].symbol);
            return 0;
        }
        memcpy((char *)cuda + entries[i].offset, &symbol, sizeof(symbol));
    }
    return 1;
}

int cuda_library_open(struct cuda_library *cuda, char *reason, size_t capacity)
{
    memset(cuda, 0, sizeof(*cuda));
    cuda->driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof(nvrtc_names) / sizeof(nvrtc_names[0]) && !cuda->nvrtc; i++)
        cuda->nvrtc = dlopen(nvrtc_names[i], RTLD_NOW | RTLD_LOCAL);
    if (!cuda->driver || !cuda->nvrtc) {
        snprintf(reason, capacity,
                 cuda->driver ? "NVRTC was not found" : "there is no driver of CUDA (libcuda.so.1)");
        cuda_library_close(cuda);
        return 0;
    }
    if (!find_entries(cuda, cuda->driver, driver_entries, sizeof(driver_entries) / sizeof(driver_entries[0]),
                      reason, capacity) ||
        !find_entries(cuda, cuda->nvrtc, nvrtc_entries, sizeof(nvrtc_entries) / sizeof(nvrtc_entries[0]),
                      reason, capacity)) {
        cuda_library_close(cuda);
        return 0;
    }
    return 1;
}

void cuda_library_close(struct cuda_library *cuda)
{
    if (cuda->nvrtc)
        dlclose(cuda->nvrtc);
    if (cuda->driver)
        dlclose(cuda->driver);
    memset(cuda, 0, sizeof(*cuda));
}
