/* cpu backend: running kernels and estimating their cost.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_STREAM_LAUNCH_H
#define BACKENDS_CPU_STREAM_LAUNCH_H

#include "backends/cpu/module/module.h"
#include "backends/cpu/stream/session.h"

static inline uint64_t cpu_launch_groups(const struct cpu_op *op)
{
    return (uint64_t)op->launch.groups[0] * op->launch.groups[1] * op->launch.groups[2];
}

/* The likely cost of a launch in nanoseconds; CPU_COST_UNKNOWN before the kernel has run. */
uint32_t cpu_launch_cost(const struct trm_backend_kernel *kernel, const struct cpu_op *op);

/* Run a launch, in parts when that pays. Returns as cpu_job_run(). */
bool cpu_launch_run(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                    struct cpu_failure **failure);

/* Run some groups of a launch in this thread. Returns why the kernel failed, or NULL. */
struct cpu_failure *cpu_launch_part(struct cpu_session *session, const struct cpu_op *op, uint64_t begin,
                                    uint64_t end);

#endif
