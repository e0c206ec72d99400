/* cuda backend: what a device of the driver is and can do, found out once.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_PHYSICAL_H
#define CUDA_DRIVER_PHYSICAL_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct trm_backend_instance;

/* Of a launch, at most: what every driver takes. */
#define CUDA_MAX_ARGUMENTS 64u
#define CUDA_ARGUMENT_BYTES 4096u

struct cuda_physical {
    uint32_t index; /* among those that the driver shows: CUDA_VISIBLE_DEVICES has been heeded by it */
    CUdevice handle;
    char name[256]; /* "NVIDIA H200", "NVIDIA H200 MIG 1g.18gb" */
    char pci[24];   /* "0000:65:00.0" */
    uint8_t uuid[16];
    bool has_uuid;
    uint64_t memory_bytes, cache_bytes, clock_hz;
    int major, minor; /* of the compute capability */
    int units, warp, copy_engines;
    int group_items, group_size[3], grid[3];
    int shared_bytes; /* a group may have so many, by opting in */
    bool integrated;  /* host and device memory are one */
    bool maps_host;   /* kernels reach pinned and registered memory */
    bool managed, concurrent_managed;
    bool pools;
    bool shares_memory;     /* virtual memory that file descriptors are made of */
    bool opens_handles;     /* memory of other processes by IPC handles */
    bool unified_addresses; /* host and device addresses do not meet, and the driver tells them apart */
    int compute_mode;       /* CUcomputemode */
};

/* All that the driver shows. Errors: UNSUPPORTED where there is none, and others, with the reason in `reason`. */
int32_t cuda_physicals_enumerate(struct trm_backend_instance *instance, char *reason, uint64_t capacity);
void cuda_physicals_release(struct trm_backend_instance *instance);

#endif
