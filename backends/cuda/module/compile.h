/* cuda backend: compiles CUDA C for a device by NVRTC, through the cache.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MODULE_COMPILE_H
#define CUDA_MODULE_COMPILE_H

#include "backends/cuda/driver/driver.h"

/* The source of a compilation. */
struct cuda_text {
    const char *text;
    uint64_t length;
    const char *name;           /* for messages */
    const char *const *options; /* added to the backend's; one of them may name an architecture */
    uint32_t option_count;
    bool is_ours; /* translated from SPIR-V: includes nothing */
};

struct cuda_code {
    void *bytes;   /* a cubin or PTX, and a zero; of trm_util_allocate() */
    uint64_t size; /* without the zero */
    uint64_t allocated;
};

/* Compile for the device's architecture, or take the code from the cache. as_ptx: make PTX, because the
 * driver has refused the cubin. Makes PTX too where NVRTC knows only an architecture of an earlier major
 * version. Blocks while it compiles.
 *
 * Errors: UNSUPPORTED where there is no NVRTC, with what was tried, or where it knows no architecture that
 * the device runs; BACKEND with the compiler's words. */
int32_t cuda_compile(struct trm_backend_device *device, const struct cuda_text *text, bool as_ptx,
                     struct cuda_code *code);
void cuda_code_release(struct trm_backend_device *device, struct cuda_code *code);

/* Write all bytes to an open file. False: errno says why. */
bool cuda_write_all(int file, const void *bytes, uint64_t size);

/* Read a whole file; a zero follows. Errors: NOT_FOUND, BACKEND, OUT_OF_HOST_MEMORY. */
int32_t cuda_code_read_file(struct trm_backend_device *device, const char *path, struct cuda_code *code);

void cuda_compiler_close(struct trm_backend_instance *instance);

#endif
