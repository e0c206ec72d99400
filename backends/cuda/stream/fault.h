/* cuda backend: accesses outside of variables, which kernels note with the setting kernel.bounds.
 *
 * Each stream has a record in pinned host memory. Kernels get its address as a parameter
 * (compiler/translate/targets/cuda_bounds.c), and the first access of the stream that is outside is written
 * there. Before a stream reports a point as complete it reads its own record and the records of the streams
 * that it has waited for on the device, directly or through others: their work may have used what the kernel
 * did not write. If there is a fault, the stream fails with TRM_ERROR_KERNEL. Without the setting there are
 * no records.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_FAULT_H
#define CUDA_STREAM_FAULT_H

#include "stream_object.h"

/* Make stream->faults; without the setting kernel.bounds, leave it NULL. */
int32_t cuda_faults_create(struct trm_backend_stream *stream);
/* Nothing of the stream runs any more. */
void cuda_faults_destroy(struct trm_backend_stream *stream);

/* Write the record's address as the device sees it: 8 bytes of a launch's arguments. */
void cuda_fault_write_address(const struct trm_backend_stream *stream, uint8_t *to);

/* Note that the stream waits for `other`, on the device. False: there is no memory. */
bool cuda_fault_follow(struct trm_backend_stream *stream, struct trm_backend_stream *other);

/* Fail the stream if there is a fault. */
void cuda_faults_check(struct trm_backend_stream *stream);

#endif
