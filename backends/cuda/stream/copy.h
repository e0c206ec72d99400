/* cuda backend: copies and fills as the driver takes them. For streams and graphs.
 *
 * The driver stages copies from and to host memory that is not pinned (pageable) through pinned memory of
 * its own. A short copy to the device it takes with the call. A copy from the device, or from host memory
 * to host memory, blocks the calling thread until the stream has reached it. Enqueueing must not block:
 * streams defer such copies (deferred_submit.h), and a thread that waits for one, or a watcher thread,
 * submits it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_COPY_H
#define CUDA_STREAM_COPY_H

#include "backends/cuda/driver/driver.h"

/* The address that the driver takes for a place in device or host memory (unified addressing). */
CUdeviceptr cuda_place_address(const struct trm_place *place);

/* Whether the driver knows the memory at an address of the program: it was pinned, registered or managed. */
bool cuda_is_known_to_driver(struct trm_backend_device *device, const void *memory);

/* Whether the device reaches the bytes at a place by itself: host memory that the driver does not know is out
 * of its reach. */
bool cuda_place_is_reachable(struct trm_backend_device *device, const struct trm_place *place,
                             uint64_t bytes);

/* Whether the driver would block the thread that submits the operation. */
bool cuda_copy_blocks(struct trm_backend_device *device, const struct trm_copy_desc *desc);
bool cuda_copy_2d_blocks(struct trm_backend_device *device, const struct trm_copy_2d_desc *desc);
bool cuda_fill_blocks(const struct trm_fill_desc *desc);

/* Submit to `stream`, with the context entered where needed. */
CUresult cuda_copy_submit(struct trm_backend_device *device, CUstream stream,
                          const struct trm_copy_desc *desc);
CUresult cuda_copy_2d_submit(struct trm_backend_device *device, CUstream stream,
                             const struct trm_copy_2d_desc *desc);
CUresult cuda_fill_submit(struct trm_backend_device *device, CUstream stream,
                          const struct trm_fill_desc *desc);

/* The parameters of a graph node. False: no node can do it (a fill of 8 bytes whose halves differ; a pitch
 * that the driver does not take). */
void cuda_copy_node(const struct trm_copy_desc *desc, CUDA_MEMCPY3D *node);
bool cuda_copy_2d_node(const struct trm_copy_2d_desc *desc, CUDA_MEMCPY3D *node);
bool cuda_fill_node(const struct trm_fill_desc *desc, CUDA_MEMSET_NODE_PARAMS *node);

#endif
