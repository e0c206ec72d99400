/* cuda backend: NVRTC, opened at run time.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MODULE_COMPILER_H
#define CUDA_MODULE_COMPILER_H

#include <nvrtc.h>

#include "backends/cuda/driver/driver.h"

/* The functions that the backend uses, as <nvrtc.h> declares them. */
struct cuda_nvrtc_functions {
    __typeof__(nvrtcVersion) *nvrtcVersion;
    __typeof__(nvrtcGetErrorString) *nvrtcGetErrorString;
    __typeof__(nvrtcCreateProgram) *nvrtcCreateProgram;
    __typeof__(nvrtcDestroyProgram) *nvrtcDestroyProgram;
    __typeof__(nvrtcCompileProgram) *nvrtcCompileProgram;
    __typeof__(nvrtcGetProgramLogSize) *nvrtcGetProgramLogSize;
    __typeof__(nvrtcGetProgramLog) *nvrtcGetProgramLog;
    __typeof__(nvrtcGetNumSupportedArchs) *nvrtcGetNumSupportedArchs;
    __typeof__(nvrtcGetSupportedArchs) *nvrtcGetSupportedArchs;
    __typeof__(nvrtcGetCUBINSize) *nvrtcGetCUBINSize;
    __typeof__(nvrtcGetCUBIN) *nvrtcGetCUBIN;
    __typeof__(nvrtcGetPTXSize) *nvrtcGetPTXSize;
    __typeof__(nvrtcGetPTX) *nvrtcGetPTX;
};

#define CUDA_NVRTC_ARCHITECTURES 64

struct cuda_compiler {
    void *library;
    struct cuda_nvrtc_functions nvrtc;
    int major, minor;
    int architectures[CUDA_NVRTC_ARCHITECTURES]; /* 90 is compute capability 9.0; in increasing order */
    int architecture_count;
    /* the toolkit's folder of headers; "" where it is not beside the library */
    char include[TRM_PATH_MOST];
};

/* The instance's compiler, opened when first asked for. Errors: UNSUPPORTED with what was tried;
 * PERMISSION. */
int32_t cuda_compiler_get(struct trm_backend_instance *instance, struct cuda_compiler **compiler);

#endif
