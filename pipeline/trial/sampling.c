/* Decides which tokens are measured.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/sampling.h"

#include "base/base.h"

/* Stretches after which a run is long enough to be measured in flow. */
#define STRETCHES 2

void pipeline_sampling_begin(struct pipeline_sampling *sampling, uint64_t expected)
{
    *sampling = (struct pipeline_sampling){.expected = expected};
}

static bool is_due(const struct pipeline_sampling *sampling, uint64_t stretch, uint64_t each_ns, uint64_t now)
{
    uint64_t number = sampling->tokens / stretch;

    if (number == 0)
        return sampling->expected < STRETCHES * stretch;
    return number < STRETCHES || sampling->begun_at == 0 || now - sampling->begun_at >= each_ns;
}

bool pipeline_sampling_next(struct pipeline_sampling *sampling, uint64_t stretch, uint64_t each_ns,
                            bool is_timed)
{
    if (sampling->tokens % stretch == 0) {
        uint64_t now           = base_now();
        sampling->is_measuring = !is_timed && is_due(sampling, stretch, each_ns, now);
        if (sampling->is_measuring)
            sampling->begun_at = now;
    }
    sampling->tokens++;
    bool is_measured = sampling->is_measuring && !is_timed;
    if (is_measured && sampling->measured < PIPELINE_SAMPLES_FIRST)
        sampling->measured++;
    return is_measured;
}
