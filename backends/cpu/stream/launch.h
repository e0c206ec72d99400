/* cpu backend: running kernels, and knowing what they cost.
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

/* What a launch is likely to take. */
uint32_t cpu_launch_cost(const struct trm_backend_kernel *kernel, const struct cpu_op *op);

/* Run a launch, split when that pays. As cpu_job_run(). */
bool cpu_launch_run(struct cpu_session *session, struct trm_backend_stream *stream, const struct cpu_op *op,
                    struct cpu_failure **failure);

/* Run some of its groups in this thread; NULL, or why the kernel failed. */
struct cpu_failure *cpu_launch_part(struct cpu_session *session, const struct cpu_op *op, uint64_t begin,
                                    uint64_t end);

#endif
