/* cuda backend: streams that wait for streams of other devices, or access their memory, and fail with these
 * when one is lost.
 *
 * The driver does not tell: work of a lost device counts as ended, and what waited for it goes on. So a
 * stream keeps which devices it has waited for, directly or through other streams, and whose memory its
 * kernels have as arguments and its copies access. Before it reports a point behind such an operation as
 * complete it asks those devices, and fails with TRM_ERROR_DEVICE_LOST if one is lost.
 * It forgets them when all that it was given has completed. What several devices do as a whole, such as a
 * collective of NCCL, has an outcome that is followed in the same way.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_FOLLOW_H
#define CUDA_STREAM_FOLLOW_H

#include "stream_object.h"

/* Note that the operation that the stream submits next waits for `other`, on the device. */
void cuda_follow(struct trm_backend_stream *stream, struct trm_backend_stream *other);

/* Note that the operation that the stream submits next accesses memory of these devices: follow bits. */
void cuda_follow_reached(struct trm_backend_stream *stream, uint64_t reached);

/* Everything up to `value` has ended: fail the stream if a device that it follows is lost. */
void cuda_follow_check(struct trm_backend_stream *stream, uint64_t value);

#endif
