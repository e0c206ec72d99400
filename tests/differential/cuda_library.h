/* The few functions of CUDA's driver and of NVRTC that the tests use. Their declarations are those of cuda.h
 * and nvrtc.h, which need not be installed.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_CUDA_LIBRARY_H
#define TESTS_DIFFERENTIAL_CUDA_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#define CUDA_COMPUTE_CAPABILITY_MAJOR 75
#define CUDA_COMPUTE_CAPABILITY_MINOR 76

struct cuda_library {
    void *driver, *nvrtc;
    int (*cuInit)(unsigned flags);
    int (*cuGetErrorString)(int error, const char **text);
    int (*cuDeviceGet)(int *device, int ordinal);
    int (*cuDeviceGetName)(char *name, int length, int device);
    int (*cuDeviceGetAttribute)(int *value, int attribute, int device);
    int (*cuDevicePrimaryCtxRetain)(void **context, int device);
    int (*cuDevicePrimaryCtxRelease)(int device);
    int (*cuCtxSetCurrent)(void *context);
    int (*cuCtxSynchronize)(void);
    int (*cuModuleLoadData)(void **module, const void *image);
    int (*cuModuleUnload)(void *module);
    int (*cuModuleGetFunction)(void **function, void *module, const char *name);
    int (*cuMemAlloc)(uint64_t *address, size_t size);
    int (*cuMemFree)(uint64_t address);
    int (*cuMemcpyHtoD)(uint64_t destination, const void *source, size_t size);
    int (*cuMemcpyDtoH)(void *destination, uint64_t source, size_t size);
    int (*cuLaunchKernel)(void *function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                          unsigned size_x, unsigned size_y, unsigned size_z, unsigned shared_bytes,
                          void *stream, void **parameters, void **extra);
    const char *(*nvrtcGetErrorString)(int error);
    int (*nvrtcCreateProgram)(void **program, const char *text, const char *name, int header_count,
                              const char *const *headers, const char *const *header_names);
    int (*nvrtcDestroyProgram)(void **program);
    int (*nvrtcCompileProgram)(void *program, int option_count, const char *const *options);
    int (*nvrtcGetPTXSize)(void *program, size_t *size);
    int (*nvrtcGetPTX)(void *program, char *ptx);
    int (*nvrtcGetProgramLogSize)(void *program, size_t *size);
    int (*nvrtcGetProgramLog)(void *program, char *log);
};

/* 0, and why, when one of the two libraries or a function of them is missing. */
int cuda_library_open(struct cuda_library *cuda, char *reason, size_t capacity);
void cuda_library_close(struct cuda_library *cuda);

#endif
