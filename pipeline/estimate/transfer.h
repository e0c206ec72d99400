/* How long transfers take from one place to another: a latency and a time for each byte, as a line through
 * the samples (least squares), in which recent ones count more. The first sample is replaced by the second:
 * it contains what happens only once.
 *
 * Locks: none; the owner locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ESTIMATE_TRANSFER_H
#define PIPELINE_ESTIMATE_TRANSFER_H

#include <stdint.h>

/* All zero: nothing is known. */
struct pipeline_transfer {
    uint64_t samples;
    uint64_t bounds;    /* of these, those that are bounds only */
    uint32_t unsampled; /* since the last one; counted by the owner, which need not sample each transfer */
    /* Weighted sums: of 1, of bytes, of nanoseconds, of their products. */
    double weight, bytes, time, bytes_bytes, bytes_time;
};

void pipeline_transfer_add(struct pipeline_transfer *transfer, uint64_t bytes, uint64_t took);

/* Adds what a transfer took at most, with a wait. It counts where it is less than what is predicted, and of a
 * pair of places of which nothing better is known, or where it is far less (pipeline/estimate/model.h). */
void pipeline_transfer_add_bound(struct pipeline_transfer *transfer, uint64_t bytes, uint64_t most);

/* Nanoseconds; 0 while nothing is known, so that a transfer is tried. */
uint64_t pipeline_transfer_predict(const struct pipeline_transfer *transfer, uint64_t bytes);

#endif
