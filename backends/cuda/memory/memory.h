/* cuda backend, room `memory`: memory of all kinds.
 *
 *     DEVICE    the device's pool (pool.c), else cuMemAlloc; the host reaches it on an integrated device
 *     PINNED    cuMemHostAlloc, portable and mapped: kernels reach it (TRM_DEVICE_MAPPED)
 *     UNIFIED   cuMemAllocManaged, where the host may touch it while the device works
 *     IMPORTED  cuMemHostRegister, portable and mapped (registered.c)
 *
 *     memory.c      allocates and frees memory; the table
 *     pool.c        the driver's pool, and the device's internal stream
 *     registered.c  host memory that is registered with the driver, once for all imports
 *     pageable.c    long copies from and to memory that is not pinned
 *     texture.c     texture objects over images in the memory
 *     external.c    memory that is shared by file descriptors
 *     ipc.c         memory that is shared by IPC handles
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MEMORY_MEMORY_H
#define CUDA_MEMORY_MEMORY_H

#include "pageable.h"
#include "pool.h"

enum cuda_memory_source {
    CUDA_MEMORY_POOL,
    CUDA_MEMORY_PLAIN, /* cuMemAlloc */
    CUDA_MEMORY_PINNED,
    CUDA_MEMORY_MANAGED,
    CUDA_MEMORY_REGISTERED,
    CUDA_MEMORY_VIRTUAL,  /* cuMemCreate and cuMemMap: exported or imported by a file descriptor */
    CUDA_MEMORY_EXTERNAL, /* cuImportExternalMemory */
    CUDA_MEMORY_BORROWED, /* an application's pointer */
    CUDA_MEMORY_OPENED,   /* cuIpcOpenMemHandle: another process's */
    CUDA_MEMORY_SOURCES
};

struct cuda_registered;
struct cuda_texture;
struct trm_ipc_handle;

extern const struct trm_memory_ops cuda_memory_ops;

struct trm_backend_memory {
    struct trm_backend_device *device;
    enum cuda_memory_source source;
    CUdeviceptr address; /* as the device sees it */
    void *host;          /* where the host reaches it; else NULL */
    uint64_t size;
    CUmemGenericAllocationHandle handle; /* VIRTUAL */
    bool exportable;                     /* VIRTUAL: created to be exported */
    CUexternalMemory external;           /* EXTERNAL */
    /* Bytes before `address` and `host` that were skipped for alignment; OPENED: the handle's offset. */
    uint64_t skipped;
    struct cuda_registered *registered; /* REGISTERED; NULL: the program registered it */
    struct cuda_texture *textures;      /* texture.c: over images in this memory, the last used one first */
    uint32_t texture_count;
};

/* Allocate a zeroed struct. */
struct trm_backend_memory *cuda_memory_new(struct trm_backend_device *device);
/* Allocate a struct and let `fill` make its memory from `what`, with the context entered. A `fill` that
 * fails undoes its own work. */
int32_t cuda_memory_create(struct trm_backend_device *device,
                           int32_t (*fill)(struct trm_backend_memory *memory, const void *what),
                           const void *what, struct trm_backend_memory **result);
/* Allocate pinned host memory, to be freed with cuMemFreeHost. With the context entered. */
CUresult cuda_memory_pin(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address, void **host);
/* Free memory of any source, and the struct. */
void cuda_memory_free(struct trm_backend_memory *memory);

/* ---- texture.c ---------------------------------------------------------------------------------- */

/* What a translated kernel finds in the state of a sampled image beside what <trireme/image_layout.h> says
 * (compiler/translate/prelude/sample.inc). CUDA_STATE_CHANNELS stands where TRM_STATE_COMPARE does: an image
 * whose sampler compares has no texture object. */
#define CUDA_STATE_CHANNELS 20u /* 2 bits: 0 is four channels, else how many the format has */
#define CUDA_STATE_TEXTURE 32u  /* 32 bits: the texture object; 0: the kernel samples the memory itself */

/* These bits for an argument of a launch; 0: it is not sampled, or there is no texture object for it. Creates
 * the object when it is first needed. */
uint64_t cuda_texture_state(const struct trm_launch_desc *desc, uint32_t index);
/* Destroy the texture objects over memory that is about to be freed, which nothing uses any more. */
void cuda_textures_destroy(struct trm_backend_memory *memory);

/* ---- external.c --------------------------------------------------------------------------------- */

int32_t cuda_memory_create_exportable(struct trm_backend_device *device, uint64_t size,
                                      struct trm_backend_memory **memory);
int32_t cuda_memory_export(struct trm_backend_memory *memory, int32_t type, int32_t *fd, uint64_t *size);
int32_t cuda_memory_import(struct trm_backend_device *device, int32_t type, int32_t fd, uint64_t size,
                           struct trm_backend_memory **memory);

/* ---- ipc.c -------------------------------------------------------------------------------------- */

int32_t cuda_ipc_create(struct trm_backend_device *device, uint64_t size, struct trm_backend_memory **memory);
int32_t cuda_ipc_export(struct trm_backend_memory *memory, struct trm_ipc_handle *handle);
int32_t cuda_ipc_open(struct trm_backend_device *device, const struct trm_ipc_handle *handle,
                      struct trm_backend_memory **memory);

/* Free memory whose source is VIRTUAL, EXTERNAL or BORROWED. */
void cuda_external_free(struct trm_backend_memory *memory);
/* Close memory whose source is OPENED. */
void cuda_ipc_close(struct trm_backend_memory *memory);

#endif
