/* Averages of measured times, and what they predict.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/estimate/estimate.h"

/* Of a new sample. */
#define WEIGHT_LEAST (1.0 / 8)

/* `samples` have been blended before, of which the first does not count. */
static double blend(double before, double sample, uint64_t samples)
{
    return before + (sample - before) * pipeline_average_weight(samples, WEIGHT_LEAST);
}

/* Of the next pieces, after the first one that counts. */
#define COLD 4

/* How many times as long the first piece, and those while the device warms up, may take. */
#define FIRST_LONGER 4
#define COLD_LONGER 2

/* Other programs make a piece longer and never shorter, and a device that seems slow because of them gets
 * few more. So one of the first pieces that took so small a part replaces what was before. */
#define EARLY 8
#define FAR_SHORTER 4

/* A later piece that takes longer than so many times the average counts as that: another program had the
 * processor for some milliseconds, or it is the first of several that take longer. */
#define FAR_LONGER 4

static void add_latency(struct pipeline_estimate *estimate, const struct pipeline_sample *sample)
{
    double took   = (double)sample->took;
    bool is_first = estimate->samples < 2 || estimate->is_doubted;
    bool is_undisturbed =
        !sample->is_coarse && estimate->samples < EARLY && took * FAR_SHORTER < estimate->latency;

    if (!is_first && estimate->samples >= EARLY && took > estimate->latency * FAR_LONGER)
        took = estimate->latency * FAR_LONGER;
    estimate->latency = is_first || is_undisturbed ? took : blend(estimate->latency, took, estimate->samples);
}

/* The device had this piece before it ended the one before. */
static bool follows_directly(const struct pipeline_estimate *estimate, const struct pipeline_sample *sample)
{
    return estimate->samples > 0 && sample->number == estimate->last_number + 1 &&
           sample->begin < estimate->last_end;
}

void pipeline_estimate_add(struct pipeline_estimate *estimate, const struct pipeline_sample *sample)
{
    if (sample->is_coarse && estimate->samples > 0 && !estimate->is_coarse)
        return;
    if (!sample->is_coarse && estimate->is_coarse)
        *estimate = (struct pipeline_estimate){.samples = 0};
    if (estimate->is_doubted) {
        estimate->period = 0;
    } else if (follows_directly(estimate, sample)) {
        double period = sample->end > estimate->last_end ? (double)(sample->end - estimate->last_end) : 0;
        estimate->period =
            estimate->period != 0 ? blend(estimate->period, period, estimate->samples) : period;
    }
    add_latency(estimate, sample);
    if (estimate->samples == 0 || estimate->is_doubted)
        estimate->cold = COLD;
    else if (estimate->cold > 0)
        estimate->cold--;
    estimate->is_doubted  = false;
    estimate->is_coarse   = sample->is_coarse;
    estimate->last_number = sample->number;
    estimate->last_end    = sample->end > estimate->last_end ? sample->end : estimate->last_end;
    estimate->samples++;
}

void pipeline_estimate_doubt(struct pipeline_estimate *estimate)
{
    estimate->is_doubted = true;
}

double pipeline_estimate_hope(const struct pipeline_estimate *estimate)
{
    if (estimate->cold == 0)
        return estimate->latency;
    return estimate->latency / (estimate->samples == 1 ? FIRST_LONGER : COLD_LONGER);
}

double pipeline_estimate_step(const struct pipeline_estimate *estimate)
{
    bool is_known = estimate->period > 0 && estimate->period < estimate->latency;
    return is_known ? estimate->period : estimate->latency;
}

uint64_t pipeline_estimate_ahead(const struct pipeline_estimate *estimate, uint32_t before)
{
    return (uint64_t)(estimate->latency + pipeline_estimate_step(estimate) * before);
}
