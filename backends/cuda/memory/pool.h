/* cuda backend: the driver's pool (cuMemPool) that device memory comes from, and the internal stream.
 *
 * The core allocates in stream order by itself (core/memory/pool_stream.c), without calls of the driver
 * and several times faster than cuMemAllocAsync. The driver's pool supplies the core's large pieces:
 * allocating one does not stop the device, as cuMemAlloc and cuMemFree do, and the setting pool.threshold
 * bounds what both keep together.
 *
 * device->internal_stream serves allocations, base events of the clock, and uploads of graphs. It has the
 * highest priority. Its work is short and never waits for another stream, so waiting for it is short.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MEMORY_POOL_H
#define CUDA_MEMORY_POOL_H

#include "backends/cuda/driver/driver.h"

extern const struct trm_pool_ops cuda_pool_ops;

/* Create device->internal_stream, and device->pool, which stays NULL where the driver has no pools. */
int32_t cuda_pool_open(struct trm_backend_device *device);
void cuda_pool_close(struct trm_backend_device *device);

/* Allocate memory that may be used at once on any stream; free memory that nothing uses any more. Only
 * where there is a pool; with the context entered. */
CUresult cuda_pool_allocate(struct trm_backend_device *device, uint64_t size, CUdeviceptr *address);
void cuda_pool_free(struct trm_backend_device *device, CUdeviceptr address);

/* Let the device `other` access this device's pool (stream/peer.c). CUDA_SUCCESS where there is no pool,
 * since memory of cuMemAlloc needs only cuCtxEnablePeerAccess(). */
CUresult cuda_pool_share(struct trm_backend_device *device, CUdevice other);

#endif
