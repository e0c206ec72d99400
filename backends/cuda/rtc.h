/* cuda backend: NVRTC, opened at run time.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_RTC_H
#define CUDA_RTC_H

#include <nvrtc.h>

#include "cuda.h"

/* The functions that are used, as <nvrtc.h> declares them. */
#define CUDA_RTC_FUNCTIONS(USE)    \
    USE(nvrtcVersion)              \
    USE(nvrtcGetErrorString)       \
    USE(nvrtcCreateProgram)        \
    USE(nvrtcDestroyProgram)       \
    USE(nvrtcCompileProgram)       \
    USE(nvrtcGetProgramLogSize)    \
    USE(nvrtcGetProgramLog)        \
    USE(nvrtcGetNumSupportedArchs) \
    USE(nvrtcGetSupportedArchs)    \
    USE(nvrtcGetCUBINSize)         \
    USE(nvrtcGetCUBIN)             \
    USE(nvrtcGetPTXSize)           \
    USE(nvrtcGetPTX)

struct cuda_rtc_functions {
#define CUDA_RTC_MEMBER(name) __typeof__(name) *name;
    CUDA_RTC_FUNCTIONS(CUDA_RTC_MEMBER)
#undef CUDA_RTC_MEMBER
};

#define CUDA_RTC_ARCHITECTURES 64

struct cuda_compiler {
    void *library;
    struct cuda_rtc_functions rtc;
    int major, minor;
    int architectures[CUDA_RTC_ARCHITECTURES]; /* 90 is compute capability 9.0; in increasing order */
    int architecture_count;
    char include[TRM_PATH_MOST]; /* the toolkit's folder of headers; "" where it is not beside the library */
};

/* The instance's, opened when first asked for. Errors: UNSUPPORTED with what was tried; PERMISSION. */
int32_t cuda_compiler_get(struct trm_backend_instance *instance, struct cuda_compiler **compiler);

#endif
