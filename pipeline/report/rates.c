/* How fast the copies and the enqueueing of a pipeline are.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/measure.h"

#include <trireme/status.h>

static void add_copy(struct pipeline_rates *rates, uint32_t direction,
                     const struct pipeline_token_times *times)
{
    bool is_up                     = direction == PIPELINE_COPIES_UP;
    uint32_t stage                 = is_up ? TRM_STAGE_UPLOAD : TRM_STAGE_DOWNLOAD;
    uint64_t bytes                 = is_up ? times->bytes_up : times->bytes_down;
    bool is_pageable               = is_up ? times->is_pageable_up : times->is_pageable_down;
    struct pipeline_copies *copies = &rates->copies[direction];
    struct pipeline_rate *rate     = is_pageable ? &copies->pageable : &copies->pinned;

    if (bytes == 0 || times->begin[stage] == 0 || times->end[stage] <= times->begin[stage])
        return;
    rate->bytes += bytes;
    rate->time += times->end[stage] - times->begin[stage];
}

void pipeline_rates_add(struct pipeline_rates *rates, const struct pipeline_token_times *times)
{
    if (times->status != TRM_OK)
        return;
    for (uint32_t i = 0; i < PIPELINE_COPIES; i++)
        add_copy(rates, i, times);
    rates->enqueue_sum += times->enqueue_ns;
    rates->enqueued += times->enqueue_ns > 0;
}

uint64_t pipeline_rates_enqueue(const struct pipeline_rates *rates)
{
    return rates->enqueued > 0 ? rates->enqueue_sum / rates->enqueued : 0;
}

double pipeline_rates_pinned(const struct pipeline_rates *rates, uint32_t direction)
{
    const struct pipeline_copies *copies = &rates->copies[direction];
    const struct pipeline_rate *pinned =
        copies->pinned.bytes > 0 ? &copies->pinned : &rates->copies[PIPELINE_COPIES - 1 - direction].pinned;
    double bytes = (double)copies->pinned.bytes + (double)copies->pageable.bytes;
    double time  = (double)copies->pinned.time + (double)copies->pageable.time;

    if (copies->pageable.bytes == 0 || pinned->bytes == 0 || time <= 0)
        return 1;
    double factor = (double)pinned->time / (double)pinned->bytes * bytes / time;
    return factor < 1 ? factor : 1;
}
