/* cuda backend: the inside of device.c, which opens and closes devices, and info.c, which tells what they are.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DEVICE_DEVICE_H
#define CUDA_DEVICE_DEVICE_H

#include "backends/cuda/driver/objects.h"

/* A slot of the table. */
int32_t cuda_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                             uint64_t capacity, uint64_t *needed);

/* The device of a number; NULL, explained, when there is none. */
const struct cuda_physical *cuda_find_physical(const struct trm_backend_instance *instance, uint32_t index);

#endif
