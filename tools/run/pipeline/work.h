/* Trireme: making a plan into a pipeline on the devices of a group.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PIPELINE_WORK_H
#define TRIREME_TOOLS_RUN_PIPELINE_WORK_H

#include <trireme/group.h>
#include <trireme/pipeline.h>

#include "tools/run/plan/plan.h"

enum {
    WORK_PORTS = 64
};

/* Parameters of the launch of a stage, for frames of flat data that may be shorter. */
struct work_shape {
    const struct step *step;
    struct trm_kernel *kernel; /* of the first device: the grid is the same on all */
    int32_t input_type;        /* of the track's elements at the input */
};

/* Inputs are ports 0 to tracks − 1; outputs follow. */
struct work {
    const struct plan *plan;
    struct fault *fault;
    struct trm_group *group;
    struct trm_group_kernel **kernels; /* of each step */
    struct trm_argument *arguments;    /* of all steps, STEP_ARGUMENTS each */
    struct trm_stage *stages;
    struct work_shape *shapes; /* of each step */
    struct trm_port ports[WORK_PORTS];
    uint32_t port_count;
    struct trm_group_buffer *values[WORK_PORTS]; /* of shared ports */
    struct trm_pipeline *pipeline;
};

/* Create the pipeline; `desc` has everything but ports and stages. */
bool work_open(struct work *work, const struct plan *plan, struct trm_group *group,
               const struct trm_pipeline_desc *desc, struct fault *fault);
void work_close(struct work *work);

#endif
