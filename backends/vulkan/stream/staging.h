/* vulkan backend: copies from and to plain host memory.
 *
 * Host memory that belongs to pinned, unified or imported memory of the device is looked up
 * (vulkan_heap_find_host()) and copied directly. Other copies go through staging memory:
 *
 *     small uploads    (up to VULKAN_STAGING_SMALL, if nothing before them may still write the host memory)
 *                      are copied into a piece when they are enqueued, and from there by the device
 *     small downloads  are copied into a piece by the device, and from there by the host before their number
 *                      is complete
 *     other copies     are jobs of the service's copying thread: piece by piece, two in turn, so that the
 *                      host copies one while the device copies the other
 *
 * Device memory that the host reaches as fast as its own needs no staging: jobs copy it directly, and
 * downloads are copied by the host at the end of the batch.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_STAGING_H
#define BACKENDS_VULKAN_STREAM_STAGING_H

#include "backends/vulkan/stream/stream_object.h"

#define VULKAN_STAGING_SMALL (UINT64_C(1) << 20) /* bytes of a small copy */
#define VULKAN_STAGING_PIECE (UINT64_C(4) << 20) /* bytes of a piece of a job */

/* Enqueue a copy with plain host memory on one side (place.memory is NULL). One-dimensional copies have a
 * height of 1. The caller holds the stream's lock; these functions also note the operation. */
int32_t vulkan_staging_upload(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc);
int32_t vulkan_staging_download(struct trm_backend_stream *stream, uint64_t value,
                                const struct trm_copy_2d_desc *desc);

/* staging_image.c: the same for images, in both directions. */
int32_t vulkan_staging_image(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_image_copy_desc *desc);

/* staging_job.c: enqueue the copy as a job. */
int32_t vulkan_staging_job(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_2d_desc *desc);
int32_t vulkan_staging_image_job(struct trm_backend_stream *stream, uint64_t value,
                                 const struct trm_image_copy_desc *desc);

/* Copy rows on the host. One memcpy() if both pitches are the width. */
void vulkan_copy_rows(void *destination, uint64_t destination_pitch, const void *source,
                      uint64_t source_pitch, uint64_t width, uint64_t height);

/* Make the pieces of a batch available again. */
void vulkan_staging_release(struct trm_backend_device *device, struct vulkan_staging *pieces);
/* Initialize the device's part; calls no driver. */
int32_t vulkan_staging_init(struct trm_backend_device *device);
/* Free everything before the heap is destroyed; fine if init was not called or failed. */
void vulkan_staging_fini(struct trm_backend_device *device);

#endif
