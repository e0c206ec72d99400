/* vulkan backend: copies from and to plain host memory.
 *
 * Host memory that belongs to pinned, unified or imported memory of the device is found (vulkan_heap_find_host()) and copied from
 * directly. For the rest there are pieces of pinned memory in between:
 *
 *     uploads up to VULKAN_STAGING_SMALL, while nothing that is still to run may write the host's memory
 *                 are copied into a piece when they are enqueued, and from there by the device
 *     downloads up to VULKAN_STAGING_SMALL
 *                 go into a piece by the device, and from there by the host before their number is complete
 *     all others  are jobs of the service's copying thread: piece by piece, two at a time, so that the host's copy of one
 *                 runs beside the device's of the other
 *
 * Device memory that the host reaches as fast as its own needs no pieces: a job copies there directly, and downloads are copied
 * by the host at the end of the batch.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_STAGING_H
#define BACKENDS_VULKAN_STREAM_STAGING_H

#include "backends/vulkan/stream/stream_object.h"

#define VULKAN_STAGING_SMALL (UINT64_C(1) << 20) /* bytes of one copy */
#define VULKAN_STAGING_PIECE (UINT64_C(4) << 20) /* bytes of a piece of a job */

/* Copies of which one side is plain host memory (place.memory is NULL). One-dimensional ones have a height of 1. The caller
 * holds the stream's lock; the operation is noted by these. */
int32_t vulkan_staging_upload(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc);
int32_t vulkan_staging_download(struct trm_backend_stream *stream, uint64_t value,
                                const struct trm_copy_2d_desc *desc);

/* staging_job.c: the same as a job. */
int32_t vulkan_staging_job(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_2d_desc *desc);

/* Rows by the host. One row where the pitches are the width, or the height is 1. */
void vulkan_copy_rows(void *destination, uint64_t destination_pitch, const void *source,
                      uint64_t source_pitch, uint64_t width, uint64_t height);

/* The pieces that a batch used are free again. */
void vulkan_staging_release(struct trm_backend_device *device, struct vulkan_staging *pieces);
/* With the device: nothing of the driver is made. */
int32_t vulkan_staging_init(struct trm_backend_device *device);
/* When the device is closed, before its heap goes; fine where init was never called or failed. */
void vulkan_staging_fini(struct trm_backend_device *device);

#endif
