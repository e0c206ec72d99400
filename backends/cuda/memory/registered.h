/* cuda backend: host memory that is registered with the driver (page-locked and mapped).
 *
 * The driver registers a piece of memory once. So the backend keeps a list of what it has registered, for
 * the whole process as the driver does. A piece within one that is registered already shares it, and the
 * last user unregisters it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MEMORY_REGISTERED_H
#define CUDA_MEMORY_REGISTERED_H

#include "backends/cuda/driver/driver.h"

struct cuda_registered;

/* Make `size` bytes at `host` accessible to the device, at `address`. *registered is NULL where the
 * program has registered the memory itself; it must then stay registered while it is used. With the
 * context entered. Errors: UNSUPPORTED, OUT_OF_HOST_MEMORY, DEVICE_LOST. */
int32_t cuda_register(struct trm_backend_device *device, void *host, uint64_t size,
                      struct cuda_registered **registered, CUdeviceptr *address);
void cuda_unregister(struct trm_backend_device *device, struct cuda_registered *registered);

#endif
