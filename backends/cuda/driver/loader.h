/* cuda backend: libcuda, opened at run time.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_LOADER_H
#define CUDA_DRIVER_LOADER_H

#include <stdint.h>

#include "functions.h"

#define CUDA_REASON_BYTES 1024

/* The oldest driver that has the newest form of every function that is not optional. */
#define CUDA_MIN_DRIVER 11040

struct trm_host;

struct cuda_loader {
    void *library;
    char release[32]; /* of the driver: "580.95.05"; empty where the library's name does not tell */
    /* The optional functions that the driver lacks, as text: "cuMemCreate, cuMemMap (CUDA 12.2)". */
    char missing[2048];
};

/* Open the library that the setting cuda.driver names, initialise it (cuInit) and fill the table. Errors:
 * UNSUPPORTED with the reason in `reason` ("libcuda.so.1, which comes with NVIDIA's driver, cannot be
 * opened: …", "there is no CUDA device"); PERMISSION or NOT_FOUND, which the host has explained and
 * `reason` does not; OUT_OF_HOST_MEMORY.
 *
 * The library stays mapped when it is closed, because an initialised driver cannot be unloaded safely. */
int32_t cuda_loader_open(const struct trm_host *host, struct cuda_loader *loader, struct cuda_functions *cuda,
                         int *driver_version, char *reason, uint64_t capacity);
void cuda_loader_close(struct cuda_loader *loader);

#endif
