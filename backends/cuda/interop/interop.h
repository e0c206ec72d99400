/* cuda backend, room `interop`: sharing with an application's own use of CUDA, and with other interfaces.
 *
 *     adopt.c      an application's context, stream and memory
 *     semaphore.c  timeline semaphores of other interfaces
 *     interop.c    native handles, events, and the table
 *
 * memory/external.c and memory/ipc.c share memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_INTEROP_INTEROP_H
#define CUDA_INTEROP_INTEROP_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_interop_ops cuda_interop_ops;

/* A native handle as CUDA's type. */
static inline CUstream cuda_native_stream(uint64_t native)
{
    return (CUstream)(uintptr_t)native; // NOLINT(performance-no-int-to-ptr)
}

static inline CUevent cuda_native_event(uint64_t native)
{
    return (CUevent)(uintptr_t)native; // NOLINT(performance-no-int-to-ptr)
}

/* ---- adopt.c ------------------------------------------------------------------------------------ */

int32_t cuda_device_adopt(struct trm_backend_instance *instance, int32_t type, const void *native,
                          uint32_t *index, struct trm_backend_device **device);
int32_t cuda_stream_adopt(struct trm_backend_device *device, int32_t type, uint64_t native,
                          const struct trm_stream_desc *desc, struct trm_backend_stream **stream);
int32_t cuda_memory_adopt(struct trm_backend_device *device, int32_t type, uint64_t native, uint64_t offset,
                          uint64_t size, struct trm_backend_memory **memory);

/* ---- semaphore.c -------------------------------------------------------------------------------- */

int32_t cuda_semaphore_create(struct trm_backend_device *device, struct trm_backend_semaphore **semaphore);
int32_t cuda_semaphore_import(struct trm_backend_device *device, int32_t type, int32_t fd,
                              struct trm_backend_semaphore **semaphore);
int32_t cuda_semaphore_export(struct trm_backend_semaphore *semaphore, int32_t type, int32_t *fd);
void cuda_semaphore_destroy(struct trm_backend_semaphore *semaphore);
int32_t cuda_semaphore_value(struct trm_backend_semaphore *semaphore, uint64_t *current);
int32_t cuda_semaphore_wait(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_semaphore *semaphore, uint64_t semaphore_value);
int32_t cuda_semaphore_signal(struct trm_backend_stream *stream, uint64_t value,
                              struct trm_backend_semaphore *semaphore, uint64_t semaphore_value);

#endif
