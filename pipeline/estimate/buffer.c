/* The size of a buffer between two irregular rates.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/estimate/buffer.h"

#include <stdbool.h>

#include "pipeline/estimate/average.h"

/* Of a new sample. */
#define WEIGHT_LEAST (1.0 / 128)

/* The part of the time that may be lost to a buffer that is too small. */
#define LOST_MOST 0.01

void pipeline_spread_add(struct pipeline_spread *spread, double took)
{
    spread->samples++;
    double weight = pipeline_average_weight(spread->samples, WEIGHT_LEAST);
    double off    = took - spread->mean;
    spread->mean += weight * off;
    spread->variance = (1 - weight) * (spread->variance + weight * off * off);
}

/* By Newton's method: the library does without libm. */
double pipeline_spread_deviation(const struct pipeline_spread *spread)
{
    double root = spread->variance;
    if (root <= 0)
        return 0;
    for (int i = 0; i < 200; i++) {
        double better = (root + spread->variance / root) / 2;
        if (better >= root && i > 0)
            break;
        root = better;
    }
    return root;
}

#define HALVINGS 10

/* exp(x) - 1, of an x halved until the series is short: exp(2y) - 1 = d * (d + 2) where d = exp(y) - 1. */
static double exp_less_one(double x)
{
    if (x > 700)
        return 1e300;
    if (x < -700)
        return -1;
    double y    = x / (1 << HALVINGS);
    double less = y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5))));
    for (int i = 0; i < HALVINGS; i++)
        less *= less + 2;
    return less;
}

/* Things a nanosecond, and the variance of their number. */
struct flow {
    double rate, variance;
};

/* Each lane is a renewal process of its own. */
static struct flow flow_of(const struct pipeline_spread *spread, uint32_t lanes)
{
    if (spread->mean <= 0)
        return (struct flow){0, 0};
    double rate = (double)lanes / spread->mean;
    return (struct flow){rate, rate * spread->variance / (spread->mean * spread->mean)};
}

/* The most that the taker waits, 0 to 1: with one place it waits for what putting takes longer than taking.
 * That is (root(variance + off^2) + off) / 2 in the mean at most, where `off` is the difference of the means:
 * H. Scarf, "A Min-Max Solution of an Inventory Problem" (1958). The Brownian motion has no such limit,
 * since what a small buffer contains is no continuous number. */
static double waits_most(const struct pipeline_buffer *buffer)
{
    double off                  = buffer->put.mean / (double)buffer->lanes - buffer->take.mean;
    struct pipeline_spread both = {.variance = buffer->put.variance + buffer->take.variance + off * off};
    double waits                = (pipeline_spread_deviation(&both) + off) / 2;
    return waits <= 0 ? 0 : waits / (waits + buffer->take.mean);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

double pipeline_buffer_waits(const struct pipeline_buffer *buffer, uint32_t places)
{
    struct flow in = flow_of(&buffer->put, buffer->lanes), out = flow_of(&buffer->take, 1);
    if (in.rate <= 0 || out.rate <= 0)
        return 0;
    double drift = in.rate - out.rate, variance = in.variance + out.variance;
    double slow = drift < 0 ? -drift / out.rate : 0;
    if (variance <= 0)
        return slow;
    double reach = 2 * drift * places / variance;
    /* How often the motion is at 0: drift / (exp(reach) - 1), whose limit without drift is variance / (2
     * places). */
    bool is_level = reach < 1e-9 && reach > -1e-9;
    double at_zero =
        is_level ? variance / (2 * (places > 0 ? (double)places : 1)) : drift / exp_less_one(reach);
    double waits = smaller(at_zero / out.rate, waits_most(buffer));
    return waits < slow ? slow : smaller(waits, 1);
}

uint32_t pipeline_buffer_places(const struct pipeline_buffer *buffer, uint32_t most)
{
    double least    = pipeline_buffer_waits(buffer, UINT32_MAX);
    uint32_t places = 1, step = 1;
    /* Waits fall with every place: doubles the step, then halves it. */
    while (places + step < most && pipeline_buffer_waits(buffer, places + step) > least + LOST_MOST) {
        places += step;
        step *= 2;
    }
    if (pipeline_buffer_waits(buffer, places) <= least + LOST_MOST)
        return places;
    for (; step > 0; step /= 2)
        if (places + step <= most && pipeline_buffer_waits(buffer, places + step) > least + LOST_MOST)
            places += step;
    return places < most ? places + 1 : most;
}
