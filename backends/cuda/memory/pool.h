/* cuda backend: the pool of the driver (cuMemPool) that a device's memory comes from.
 *
 * Allocation in stream order is the core's (core/memory/pool_stream.c), which has no call of the driver in it and is several times faster
 * than cuMemAllocAsync: what a stream has freed, the same stream takes at once, and another one as soon as the first has come to where
 * it was freed. The driver's pool is where the core's pieces come from: so that making one does not stop the device, as cuMemAlloc
 * and cuMemFree do, and so that what both keep together is bounded by the setting pool.threshold.
 *
 * Here is also the device's inner stream, which is the backend's own: for allocations, base events of the clock, uploads of graphs. It
 * is of the highest priority and nothing on it takes long or waits for another stream, so waiting for it is short.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MEMORY_POOL_H
#define CUDA_MEMORY_POOL_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_pool_ops cuda_pool_ops;

/* Makes device->internal_stream, and device->pool, which stays NULL where the driver has no pools. */
int32_t cuda_pool_open(struct trm_backend_device *device);
void cuda_pool_close(struct trm_backend_device *device);

/* Memory that may be used at once on any stream; and back, when nothing uses it any more. Only where there is a pool; with the
 * context entered. */
CUresult cuda_pool_allocate(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address);
void cuda_pool_free(struct trm_backend_device *device, CUdeviceptr address);

/* Let another device reach this one's pool (peer.c). CUDA_SUCCESS where there is none: what cuMemAlloc gives needs no more than
 * cuCtxEnablePeerAccess(). */
CUresult cuda_pool_share(struct trm_backend_device *device, CUdevice other);

#endif
