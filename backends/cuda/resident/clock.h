/* cuda backend: the device's clock beside the host's, by tokens of kernels that stay.
 *
 * A token begins on the device after the host has submitted it, and ends before the host sees its end. So
 * each token gives two bounds for the distance of the clocks, as far apart as the token's ways over the bus
 * take; those of several tokens are closer.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_RESIDENT_CLOCK_H
#define CUDA_RESIDENT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* All zero at first. */
struct cuda_resident_clock {
    uint64_t noted;    /* when the last token was seen; 0: none was */
    int64_t low, high; /* the host's clock is so much ahead, in ns */
};

/* A token that was submitted and seen to have ended at these times of the host, and began and ended at these
 * of the device; all in ns. */
void cuda_resident_clock_note(struct cuda_resident_clock *clock, uint64_t submitted, uint64_t seen,
                              uint64_t begin, uint64_t end);

/* The time of the host for one of the device. Those of the token that was noted last are between its
 * submission and its end. */
uint64_t cuda_resident_clock_convert(const struct cuda_resident_clock *clock, uint64_t device);

#endif
