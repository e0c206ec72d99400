/* cuda backend: instances: the driver and the devices that it shows.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_INSTANCE_H
#define CUDA_DRIVER_INSTANCE_H

#include "objects.h"

/* No context is made. Where it cannot be: an error, and in `reason` (CUDA_REASON_BYTES) why, without a full stop; empty where
 * fail() has been told already. */
int32_t cuda_instance_create(const struct trm_host *host, struct trm_backend_instance **instance,
                             char *reason);
void cuda_instance_destroy(struct trm_backend_instance *instance);

#endif
