/* The estimate room: how long work takes on a device, learned from times that were measured.
 *
 * An estimate predicts when a piece of work would end that a device gets now. Two averages suffice: the
 * latency, from the beginning of a piece to its end while nothing is before it, and the period, from one end
 * to the next while the device is never idle. Both are exponentially weighted (after the first few a new
 * sample counts an eighth), so that they follow a device whose speed changes. The first sample is replaced by
 * the second: it contains what happens only once, such as compiling. The next few take up to 2.4 times as
 * long as later ones, since the memory that they use is not in the caches; so what is known of them alone
 * must not decide that a device gets no more.
 *
 * Work of several kinds at once has other files: model.c, how long one kind takes; load.c, when a device
 * would end more of it; transfer.c, how long data takes to get there.
 *
 * Locks: none; the owner locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ESTIMATE_ESTIMATE_H
#define PIPELINE_ESTIMATE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/estimate/average.h"
#include "pipeline/estimate/buffer.h"
#include "pipeline/estimate/load.h"
#include "pipeline/estimate/model.h"
#include "pipeline/estimate/transfer.h"

/* All zero: nothing is known. Times are in nanoseconds. */
struct pipeline_estimate {
    double latency;
    double period; /* 0: not known yet; the latency stands for it */
    uint64_t samples;
    uint32_t cold;                  /* so many of the next pieces still warm the device up */
    bool is_doubted;                /* the next sample replaces what is known */
    uint64_t last_number, last_end; /* of the latest sample */
    bool is_coarse;                 /* no sample was stamped by the device */
};

/* A piece of work that has ended well. */
struct pipeline_sample {
    uint64_t number; /* among the pieces of the device, in the order in which it got them */
    uint64_t begin;  /* base_now() when the device got it */
    uint64_t end;    /* base_now() when it ended */
    uint64_t took;   /* without the time for which it waited for others */
    bool is_coarse;  /* the host saw the end some time after it */
};

/* Learns from a sample. Coarse ones count as long as there are no others. */
void pipeline_estimate_add(struct pipeline_estimate *estimate, const struct pipeline_sample *sample);

static inline bool pipeline_estimate_is_known(const struct pipeline_estimate *estimate)
{
    return estimate->samples > 0;
}

/* The device had nothing to do for long, and may have changed: the next sample replaces what is known, and
 * the device warms up again after it. */
void pipeline_estimate_doubt(struct pipeline_estimate *estimate);

/* The latency that the device may have once it is warm. */
double pipeline_estimate_hope(const struct pipeline_estimate *estimate);

/* What each piece before it adds to the time until a piece ends: the period, as far as it is known. */
double pipeline_estimate_step(const struct pipeline_estimate *estimate);

/* The time from now to the end of a piece that the device gets behind `before` others. */
uint64_t pipeline_estimate_ahead(const struct pipeline_estimate *estimate, uint32_t before);

#endif
