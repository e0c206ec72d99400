/* Pipelines: the times of which tokens are taken?
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/sampling.h"

#include "base/base.h"

/* Stretches of a run that has enough tokens to be measured in flow. */
#define STRETCHES 2

void core_sampling_begin(struct core_sampling *sampling, uint64_t expected)
{
    *sampling = (struct core_sampling){.expected = expected};
}

static int32_t is_due(const struct core_sampling *sampling, uint64_t stretch, uint64_t each_ns, uint64_t now)
{
    uint64_t number = sampling->tokens / stretch;

    if (number == 0)
        return sampling->expected < STRETCHES * stretch;
    return number < STRETCHES || sampling->begun_at == 0 || now - sampling->begun_at >= each_ns;
}

int32_t core_sampling_next(struct core_sampling *sampling, uint64_t stretch, uint64_t each_ns,
                           int32_t disturbs)
{
    if (sampling->tokens % stretch == 0) {
        uint64_t now = base_now();
        sampling->on = !disturbs && is_due(sampling, stretch, each_ns, now);
        if (sampling->on)
            sampling->begun_at = now;
    }
    sampling->tokens++;
    return sampling->on && !disturbs;
}
