/* cuda backend: what a device of the driver is and can do. Queried once, when an instance is created.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_PHYSICAL_H
#define CUDA_DRIVER_PHYSICAL_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct trm_backend_instance;

/* Limits of a launch that every driver accepts. */
#define CUDA_MAX_ARGUMENTS 256u
#define CUDA_ARGUMENT_BYTES 4096u

struct cuda_physical {
    uint32_t index; /* among the devices that the driver shows, so after CUDA_VISIBLE_DEVICES */
    CUdevice handle;
    char name[256]; /* "NVIDIA H200", "NVIDIA H200 MIG 1g.18gb" */
    char pci[24];   /* "0000:65:00.0" */
    uint8_t uuid[16];
    bool has_uuid;
    uint64_t memory_bytes, cache_bytes, clock_hz;
    int major, minor; /* compute capability */
    int units, warp, copy_engines;
    int connections; /* hardware queues to which the driver assigns streams */
    int group_items, group_size[3], grid[3];
    int shared_bytes; /* the most that a group may have, with opting in */
    bool integrated;  /* host and device share one memory */
    bool maps_host;   /* kernels reach pinned and registered memory */
    bool managed, concurrent_managed;
    bool pools;
    bool shares_memory;     /* exports and imports virtual memory by file descriptors */
    bool opens_handles;     /* shares memory with other processes by IPC handles */
    bool unified_addresses; /* no address is both a host's and a device's */
    int compute_mode;       /* CUcomputemode */
    /* Texture objects over plain memory: alignments in bytes, 0: there are none; sizes in texels, bytes. */
    int texture_alignment, texture_pitch_alignment;
    int texture_width, texture_height, texture_pitch;
};

/* Query all devices that the driver shows. Errors: UNSUPPORTED where there is none, and others, with the
 * reason in `reason`. */
int32_t cuda_physicals_enumerate(struct trm_backend_instance *instance, char *reason, uint64_t capacity);
void cuda_physicals_release(struct trm_backend_instance *instance);

#endif
