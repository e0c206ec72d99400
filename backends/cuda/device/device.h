/* cuda backend, room `device`: opening and closing devices, and what they are.
 *
 *     device.c  opens and closes devices; the table
 *     info.c    answers questions about devices, which need not be open
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DEVICE_DEVICE_H
#define CUDA_DEVICE_DEVICE_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_device_ops cuda_device_ops;

/* Open a device in its primary context, or in the application's where `borrowed` is one (interop/adopt.c). */
int32_t cuda_device_create(struct trm_backend_instance *instance, uint32_t index, CUcontext borrowed,
                           struct trm_backend_device **device);

/* A slot of the table. */
int32_t cuda_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                             uint64_t capacity, uint64_t *needed);

#endif
