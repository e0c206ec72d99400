/* cuda backend: sleeping in the driver, without keeping a processor busy and without putting anything into a stream's way.
 *
 * Events that block make the device interrupt the host, which costs each of them about a microsecond; so marks are plain events,
 * and only who really goes to sleep pays: a stream of the sleeper's own waits for the mark and then records an event that
 * blocks, and the thread sleeps on that.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_DRIVER_BLOCKING_WAIT_H
#define CUDA_DRIVER_BLOCKING_WAIT_H

#include "objects.h"

int32_t cuda_sleeping_open(struct trm_backend_device *device);
void cuda_sleeping_close(struct trm_backend_device *device); /* nobody sleeps */

/* Returns when the event has come, or with what the driver has to say. */
CUresult cuda_sleep(struct trm_backend_device *device, CUevent event);

#endif
