/* Averages that follow a changing value: plain over the first samples, then exponentially weighted.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ESTIMATE_AVERAGE_H
#define PIPELINE_ESTIMATE_AVERAGE_H

#include <stdint.h>

/* The weight of the newest of `samples` (from 1 on): its share of the plain average, but at least `least`. */
static inline double pipeline_average_weight(uint64_t samples, double least)
{
    double share = 1.0 / (double)samples;
    return share > least ? share : least;
}

#endif
