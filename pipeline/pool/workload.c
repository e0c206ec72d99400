/* Workloads.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/pool/workload.h"

#include <stdbool.h>

#define MEMORY_PART (1.0 / 2)
#define COMPUTE_PART (1.0 / 8)

#define HARM 1.1
#define SAMPLES_LEAST 16u
#define HEEDED_MOST 512u
#define WEIGHT (1.0 / 16)

int32_t pipeline_pool_workload_of(const struct pipeline_pool_workloads *workloads, int32_t given,
                                  uint64_t bytes, double least)
{
    if (given != TRM_STREAM_WORKLOAD_FOUND)
        return given;
    if (bytes == 0 || least == 0 || workloads->best_rate == 0)
        return TRM_STREAM_WORKLOAD_MIXED;
    double part = (double)bytes / least / workloads->best_rate;
    if (part >= MEMORY_PART)
        return TRM_STREAM_WORKLOAD_MEMORY;
    return part < COMPUTE_PART ? TRM_STREAM_WORKLOAD_COMPUTE : TRM_STREAM_WORKLOAD_MIXED;
}

static void add_harm(struct pipeline_pool_harm *harm, double factor)
{
    double plain = 1.0 / (double)(harm->samples + 1);
    harm->factor += (factor - harm->factor) * (plain > WEIGHT ? plain : WEIGHT);
    harm->samples++;
}

void pipeline_pool_workload_add(struct pipeline_pool_workloads *workloads, int32_t workload, uint64_t bytes,
                                const struct pipeline_pool_company *company, double took, double least)
{
    if (least == 0)
        return;
    if ((double)bytes / least > workloads->best_rate)
        workloads->best_rate = (double)bytes / least;
    for (int32_t other = 0; other < PIPELINE_POOL_WORKLOADS; other++)
        if ((company->workloads >> other & 1) != 0)
            add_harm(&workloads->harm[workload][other], took / least / company->streams);
}

static bool is_found(const struct pipeline_pool_harm *a, const struct pipeline_pool_harm *b)
{
    return a->samples >= SAMPLES_LEAST && b->samples >= SAMPLES_LEAST && a->factor + b->factor > 2 * HARM;
}

uint32_t pipeline_pool_workload_hindering(const struct pipeline_pool_workloads *workloads, int32_t workload)
{
    uint32_t found = 0;
    for (int32_t other = TRM_STREAM_WORKLOAD_COMPUTE; other < PIPELINE_POOL_WORKLOADS; other++)
        if (is_found(&workloads->harm[workload][other], &workloads->harm[other][workload]))
            found |= 1u << other;
    return found;
}

void pipeline_pool_workload_heed(struct pipeline_pool_workloads *workloads, int32_t a, int32_t b)
{
    struct pipeline_pool_harm *one = &workloads->harm[a][b], *other = &workloads->harm[b][a];
    if (++one->heeded < HEEDED_MOST)
        return;
    *one   = (struct pipeline_pool_harm){.samples = 0};
    *other = (struct pipeline_pool_harm){.samples = 0};
}
