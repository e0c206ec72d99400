/* How long transfers take.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/estimate/transfer.h"

#include <stdbool.h>

/* What the earlier samples count when another one comes. */
#define DECAY (7.0 / 8)

/* Sizes differ enough for a line if their variance is this part of their mean's square. */
#define SPREAD_LEAST (1.0 / 64)

/* Better samples, the first of which is replaced by the second. */
#define BETTER_LEAST 2

/* A bound is far below what is predicted if it is this part of it. */
#define FAR (1.0 / 2)

static bool has_better(const struct pipeline_transfer *transfer)
{
    return transfer->samples - transfer->bounds >= BETTER_LEAST;
}

static void add(struct pipeline_transfer *transfer, double size, double time, double keep)
{
    transfer->weight      = transfer->weight * keep + 1;
    transfer->bytes       = transfer->bytes * keep + size;
    transfer->time        = transfer->time * keep + time;
    transfer->bytes_bytes = transfer->bytes_bytes * keep + size * size;
    transfer->bytes_time  = transfer->bytes_time * keep + size * time;
}

void pipeline_transfer_add(struct pipeline_transfer *transfer, uint64_t bytes, uint64_t took)
{
    add(transfer, (double)bytes, (double)took, has_better(transfer) ? DECAY : 0);
    transfer->samples++;
}

/* All samples are of about one size: smaller transfers are not known to be faster. */
static double of_one_size(double mean_bytes, double mean_time, double bytes)
{
    return bytes > mean_bytes && mean_bytes > 0 ? mean_time * bytes / mean_bytes : mean_time;
}

uint64_t pipeline_transfer_predict(const struct pipeline_transfer *transfer, uint64_t bytes)
{
    if (transfer->samples == 0)
        return 0;
    double mean_bytes = transfer->bytes / transfer->weight, mean_time = transfer->time / transfer->weight;
    double variance   = transfer->bytes_bytes / transfer->weight - mean_bytes * mean_bytes;
    double covariance = transfer->bytes_time / transfer->weight - mean_bytes * mean_time;
    if (variance <= mean_bytes * mean_bytes * SPREAD_LEAST || covariance <= 0)
        return (uint64_t)of_one_size(mean_bytes, mean_time, (double)bytes);
    double slope   = covariance / variance;
    double latency = mean_time - slope * mean_bytes;
    if (latency < 0) {
        slope   = mean_time / mean_bytes;
        latency = 0;
    }
    return (uint64_t)(latency + slope * (double)bytes);
}

void pipeline_transfer_add_bound(struct pipeline_transfer *transfer, uint64_t bytes, uint64_t most)
{
    double part = has_better(transfer) ? FAR : 1;
    if (transfer->samples < BETTER_LEAST)
        add(transfer, (double)bytes, (double)most, 0);
    else if ((double)most < part * (double)pipeline_transfer_predict(transfer, bytes))
        add(transfer, (double)bytes, (double)most, DECAY);
    transfer->samples++;
    transfer->bounds++;
}
