/* cuda backend: memory.
 *
 *     DEVICE    from the device's pool of the driver (pool.h), else cuMemAlloc; on a device whose memory is the host's, such as the
 *               host reaches too
 *     PINNED    cuMemHostAlloc, portable and mapped: kernels reach it (TRM_DEVICE_MAPPED)
 *     UNIFIED   cuMemAllocManaged, where the host may touch it while the device works
 *     IMPORTED  cuMemHostRegister, portable and mapped (registered.h)
 *     and what comes from outside of all kinds: mapped from a file descriptor, another process's by a handle, or an
 *     application's pointer
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
struct trm_ipc_handle;

extern const struct trm_memory_ops cuda_memory_ops;

struct trm_backend_memory {
    struct trm_backend_device *device;
    enum cuda_memory_source source;
    CUdeviceptr address; /* the device's */
    void *host;          /* where the host can address it; else NULL */
    uint64_t size;
    CUmemGenericAllocationHandle handle; /* VIRTUAL */
    bool exportable;                     /* VIRTUAL: made here to be exported */
    CUexternalMemory external;           /* EXTERNAL */
    /* bytes before `address` and `host`: left out for the sake of alignment; OPENED: the handle's offset */
    uint64_t skipped;
    struct cuda_registered *registered; /* REGISTERED; NULL: by the program itself */
};

/* memory.c: a zeroed struct of the device. */
struct trm_backend_memory *cuda_memory_new(struct trm_backend_device *device);
/* One that `fill` makes of `what`, with the context entered. When that fails it undoes what it did itself; the struct goes. */
int32_t cuda_memory_create(struct trm_backend_device *device,
                           int32_t (*fill)(struct trm_backend_memory *memory, const void *what),
                           const void *what, struct trm_backend_memory **result);
/* By source. */
void cuda_memory_free(struct trm_backend_memory *memory);

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

/* Frees memory whose source is VIRTUAL, EXTERNAL or BORROWED. */
void cuda_external_free(struct trm_backend_memory *memory);
/* Closes memory whose source is OPENED. */
void cuda_ipc_close(struct trm_backend_memory *memory);

#endif
