/* cuda backend: host memory that has been registered with the driver (page-locked and mapped).
 *
 * The driver takes a piece of memory once. So the backend keeps what it has registered, in a list of the whole process, as the
 * driver does: a piece that lies within one that is there already shares it, and the last one to go unregisters it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MEMORY_REGISTERED_H
#define CUDA_MEMORY_REGISTERED_H

#include "backends/cuda/driver/driver.h"

struct cuda_registered;

/* Make `size` bytes at `host` such that the device reaches them; its address for them is `address`. *registered is NULL where the
 * program has registered the memory itself: it must stay so for as long as it is used. With the context entered.
 * Errors: UNSUPPORTED, OUT_OF_HOST_MEMORY, DEVICE_LOST. */
int32_t cuda_register(struct trm_backend_device *device, void *host, uint64_t size,
                      struct cuda_registered **registered, CUdeviceptr *address);
void cuda_unregister(struct trm_backend_device *device, struct cuda_registered *registered);

#endif
