/* cuda backend: copies and fills as the driver takes them. For streams and graphs.
 *
 * Memory of the program that is not pinned (pageable) the driver copies by way of pinned memory of its own. What goes to the
 * device and is not very long it takes with the call; what comes from the device, and goes from host memory to host memory,
 * makes the caller wait until the stream has come to it. Enqueueing must not: streams hold such copies back until somebody asks
 * for what is behind (hold.c), and then the copy is submitted by the thread that waits for it, or by one of the backend's own.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_COPY_H
#define CUDA_STREAM_COPY_H

#include "backends/cuda/driver/driver.h"

/* The address of a place: of device memory, or of host memory as the device is told it (unified addressing). */
CUdeviceptr cuda_place_address(const struct trm_place *place);

/* Memory that the driver knows, though the program gave it by its address. */
bool cuda_is_known_to_driver(struct trm_backend_device *device, const void *memory);

/* Would the driver make who submits it wait? */
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

/* As parameters of graph nodes. False: no node does it (a fill of 8 bytes whose halves differ; pitches that the driver does not take). */
void cuda_copy_node(const struct trm_copy_desc *desc, CUDA_MEMCPY3D *node);
bool cuda_copy_2d_node(const struct trm_copy_2d_desc *desc, CUDA_MEMCPY3D *node);
bool cuda_fill_node(const struct trm_fill_desc *desc, CUDA_MEMSET_NODE_PARAMS *node);

#endif
