/* How many things a buffer must hold so that what takes them out rarely waits for what puts them in.
 *
 * The contents are taken for a Brownian motion between 0 and the size of the buffer, whose drift and variance
 * are those of the two rates; how often it is at 0 is known exactly: J. M. Harrison, "Brownian Motion and
 * Stochastic Flow Systems" (1985), section 5.4. For regular times a place or two suffice, for irregular ones
 * it grows with their variance.
 *
 * Locks: none; the owner locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ESTIMATE_BUFFER_H
#define PIPELINE_ESTIMATE_BUFFER_H

#include <stdint.h>

/* Mean and variance of times in nanoseconds, of the last hundred or so. Outliers count: they are what a
 * buffer is for. All zero: nothing is known. */
struct pipeline_spread {
    double mean, variance;
    uint64_t samples;
};

void pipeline_spread_add(struct pipeline_spread *spread, double took);
double pipeline_spread_deviation(const struct pipeline_spread *spread);

struct pipeline_buffer {
    struct pipeline_spread put; /* of one of `lanes` that put things in at once */
    struct pipeline_spread take;
    uint32_t lanes;
};

/* The part of the time, 0 to 1, in which the taker would not wait if there were no end of things, but waits
 * with `places` places. */
double pipeline_buffer_waits(const struct pipeline_buffer *buffer, uint32_t places);

/* The least number of places, 1 to `most`, with which the taker waits for no more than 1 % of the time beyond
 * what it would wait with any number. */
uint32_t pipeline_buffer_places(const struct pipeline_buffer *buffer, uint32_t most);

#endif
