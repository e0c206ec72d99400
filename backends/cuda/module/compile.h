/* cuda backend: CUDA C made into code for a device, by NVRTC, which is opened when something must be compiled; and the cache of
 * what it made.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MODULE_COMPILE_H
#define CUDA_MODULE_COMPILE_H

#include "backends/cuda/driver/driver.h"

/* What is compiled. */
struct cuda_text {
    const char *text;
    uint64_t length;
    const char *name;           /* for messages */
    const char *const *options; /* besides our own; one of them may name an architecture */
    uint32_t option_count;
    bool is_ours; /* translated: it includes nothing */
};

struct cuda_code {
    void *bytes;   /* a cubin, or PTX; a zero follows; of cuda_allocate() */
    uint64_t size; /* without it */
    uint64_t allocated;
};

/* Code for the device's architecture, from the cache where it is there. `as_ptx`: PTX, where the driver has refused the cubin.
 * A cubin is PTX too where NVRTC does not know the architecture, but an earlier one. Errors: UNSUPPORTED where there is no NVRTC,
 * with what was tried, or where it does not know any architecture that the device is of; BACKEND with the compiler's own words.
 * Blocks while it compiles. */
int32_t cuda_compile(struct trm_backend_device *device, const struct cuda_text *text, bool as_ptx,
                     struct cuda_code *code);
void cuda_code_release(struct trm_backend_device *device, struct cuda_code *code);

/* All of the bytes to an open file; false, and errno. */
bool cuda_write_all(int file, const void *bytes, uint64_t size);

/* A whole file, with a zero behind it. Errors: NOT_FOUND, BACKEND, OUT_OF_HOST_MEMORY. */
int32_t cuda_code_read_file(struct trm_backend_device *device, const char *path, struct cuda_code *code);

void cuda_compiler_close(struct trm_backend_instance *instance);

#endif
