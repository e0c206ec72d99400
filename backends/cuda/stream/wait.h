/* cuda backend: how far a stream is, and waits for it.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_WAIT_H
#define CUDA_STREAM_WAIT_H

#include "stream_object.h"

int32_t cuda_stream_query(struct trm_backend_stream *stream, uint64_t *completed);
int32_t cuda_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns);

/* Ask the driver how much of what was submitted is complete. */
void cuda_stream_poll(struct trm_backend_stream *stream);

/* Wait for a number that has been submitted: polls first, and for the whole spin time where `may_spin`.
 * Returns when it is complete, or the stream has failed. Blocks. */
void cuda_stream_wait_completed(struct trm_backend_stream *stream, uint64_t value, bool may_spin);

#endif
