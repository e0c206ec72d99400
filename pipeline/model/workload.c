/* Workloads.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/model/workload.h"

#include <stdbool.h>

#include "pipeline/estimate/estimate.h"

#define MEMORY_PART (1.0 / 2)
#define COMPUTE_PART (1.0 / 8)

#define HARM 1.1
#define SAMPLES_LEAST 16u
#define HEEDED_MOST 512u
#define WEIGHT (1.0 / 16)
#define FIND_EVERY 16u
#define RATE_WINDOW 256u /* tasks among which the fastest is looked for */

int32_t pipeline_task_workload_of(const struct pipeline_task_workloads *workloads, int32_t given,
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

static void add_harm(struct pipeline_task_harm *harm, double factor)
{
    harm->samples++;
    harm->factor += (factor - harm->factor) * pipeline_average_weight(harm->samples, WEIGHT);
}

static void take_lower(const struct pipeline_task_harm *harm, double *least)
{
    if (harm->samples >= SAMPLES_LEAST && (*least == 0 || harm->factor < *least))
        *least = harm->factor;
}

/* The harm beside a workload to the least in any company; 0: not known. */
static double relative_harm(const struct pipeline_task_workloads *workloads, int32_t workload, int32_t beside)
{
    const struct pipeline_task_harm *harm = &workloads->harm[workload][beside];
    double least                          = 0;
    if (harm->samples < SAMPLES_LEAST)
        return 0;
    take_lower(&workloads->alone[workload], &least);
    for (int32_t other = 0; other < PIPELINE_TASK_WORKLOADS; other++)
        take_lower(&workloads->harm[workload][other], &least);
    return harm->factor / least;
}

static bool is_found(const struct pipeline_task_workloads *workloads, int32_t a, int32_t b)
{
    double one = relative_harm(workloads, a, b), other = relative_harm(workloads, b, a);
    return one > 0 && other > 0 && one + other > 2 * HARM;
}

static void find_all(struct pipeline_task_workloads *workloads)
{
    for (int32_t a = TRM_STREAM_WORKLOAD_COMPUTE; a < PIPELINE_TASK_WORKLOADS; a++) {
        workloads->hindering[a] = 0;
        for (int32_t b = TRM_STREAM_WORKLOAD_COMPUTE; b < PIPELINE_TASK_WORKLOADS; b++)
            if (is_found(workloads, a, b))
                workloads->hindering[a] |= 1u << b;
    }
}

static void note_rate(struct pipeline_task_workloads *workloads, double rate)
{
    if (rate > workloads->best_rate)
        workloads->best_rate = rate;
    if (rate < COMPUTE_PART * workloads->best_rate || rate == 0)
        return;
    if (rate > workloads->window_rate)
        workloads->window_rate = rate;
    if (++workloads->window < RATE_WINDOW)
        return;
    workloads->best_rate += (workloads->window_rate - workloads->best_rate) / 2;
    workloads->window_rate = 0;
    workloads->window      = 0;
}

void pipeline_task_workload_add(struct pipeline_task_workloads *workloads, int32_t workload, uint64_t bytes,
                                const struct pipeline_task_company *company, double took, double least)
{
    if (least == 0)
        return;
    note_rate(workloads, (double)bytes / least);
    for (int32_t other = 0; other < PIPELINE_TASK_WORKLOADS; other++)
        if ((company->workloads >> other & 1) != 0)
            add_harm(&workloads->harm[workload][other], took / least / company->streams);
    if (company->streams == 1)
        add_harm(&workloads->alone[workload], took / least);
    if (++workloads->added % FIND_EVERY == 0)
        find_all(workloads);
}

void pipeline_task_workload_heed(struct pipeline_task_workloads *workloads, int32_t a, int32_t b)
{
    struct pipeline_task_harm *one = &workloads->harm[a][b], *other = &workloads->harm[b][a];
    if (++one->heeded < HEEDED_MOST)
        return;
    *one   = (struct pipeline_task_harm){.samples = 0};
    *other = (struct pipeline_task_harm){.samples = 0};
    find_all(workloads);
}
