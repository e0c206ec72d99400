/* Which workload a task is, and which workloads hinder each other.
 *
 * A task's workload is given, or found: memory if it moves at least half as many bytes in a nanosecond as the
 * fastest task of the pool of late, compute if less than an eighth, else mixed. The fastest is looked for
 * among some tasks that are not bound by compute; if none of them is as fast as those before, the rate goes
 * half way towards them.
 *
 * Of `k` streams that have work each should get a `k`-th of the device, so that a task takes at most `k`
 * times as long as alone. What it takes beyond that is harm. Harm that a workload suffers in any company, or
 * alone, is the machine's. Two workloads hinder each other when side by side they suffer more than that, by a
 * tenth in the mean of both: one after the other they would end sooner. A finding is forgotten after it was
 * heeded for some time, so that it is measured again.
 *
 * Locks: none; the pool locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_MODEL_WORKLOAD_H
#define PIPELINE_MODEL_WORKLOAD_H

#include <stdint.h>
#include <trireme/stream_pool.h>

#define PIPELINE_TASK_WORKLOADS 5

/* What ran beside a task when it was submitted. */
struct pipeline_task_company {
    uint32_t workloads; /* bit i: enum trm_stream_workload i */
    uint32_t streams;   /* with work, and the task's own */
};

struct pipeline_task_harm {
    double factor; /* the mean of: the time beside others, to the time alone times the streams with work */
    uint32_t samples;
    uint32_t heeded;
};

struct pipeline_task_workloads {
    double best_rate;   /* bytes a nanosecond of the fastest task of late */
    double window_rate; /* of the fastest in this window */
    uint32_t window;    /* tasks in it */
    /* harm[a][b]: of tasks of workload a beside b */
    struct pipeline_task_harm harm[PIPELINE_TASK_WORKLOADS][PIPELINE_TASK_WORKLOADS];
    struct pipeline_task_harm alone[PIPELINE_TASK_WORKLOADS];
    uint32_t added; /* samples */
    /* What was found after so many: bit b of hindering[a] is that a and b hinder each other. */
    uint32_t hindering[PIPELINE_TASK_WORKLOADS];
};

/* The workload of a task that takes `least` nanoseconds (0: not known) and is given as `given`. */
int32_t pipeline_task_workload_of(const struct pipeline_task_workloads *workloads, int32_t given,
                                  uint64_t bytes, double least);

/* Learns from a task that took `took` nanoseconds beside others. */
void pipeline_task_workload_add(struct pipeline_task_workloads *workloads, int32_t workload, uint64_t bytes,
                                const struct pipeline_task_company *company, double took, double least);

/* A task of workload a was put behind one of b, which hinder each other. */
void pipeline_task_workload_heed(struct pipeline_task_workloads *workloads, int32_t a, int32_t b);

#endif
