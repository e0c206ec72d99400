/* A stage while it is copied.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_STAGES_H
#define PIPELINE_ENGINE_STAGES_H

#include "core/module/module.h"
#include "pipeline/engine/engine_internal.h"

struct pipeline_stage_subject {
    struct pipeline *pipeline;
    struct pipeline_stage_plan *plan;
    const struct core_kernel *kernel; /* NULL: a host stage */
    const struct trm_stage *declared;
};

/* Checks the arguments of a launch and puts them in the plan in the order of the kernel's parameters. After a
 * failure the plan holds what has been copied so far. */
int32_t pipeline_stage_arguments(const struct pipeline_stage_subject *subject);
void pipeline_stage_arguments_fini(struct core_context *context, struct pipeline_stage_plan *plan);

/* The integer type in which a parameter takes a number of elements; NONE: it cannot. */
int32_t pipeline_stage_elements_type(const struct trm_parameter *parameter);

#endif
