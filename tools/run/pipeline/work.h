/* Trireme: making a plan into a pipeline on a device.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PIPELINE_WORK_H
#define TRIREME_TOOLS_RUN_PIPELINE_WORK_H

#include <trireme/pipeline.h>

#include "tools/run/plan/plan.h"

enum {
    WORK_PORTS = 64
};

/* Parameters of the launch of a stage, for frames of flat data that may be shorter. */
struct work_shape {
    const struct step *step;
    struct trm_kernel *kernel;
    int32_t input_type; /* of the track's elements at the input */
};

/* Inputs are ports 0 to tracks − 1; outputs follow. */
struct work {
    const struct plan *plan;
    struct fault *fault;
    struct trm_device *device;
    struct trm_kernel **kernels;    /* of each step */
    struct trm_argument *arguments; /* of all steps, STEP_ARGUMENTS each */
    struct trm_stage *stages;
    struct work_shape *shapes; /* of each step */
    struct trm_port ports[WORK_PORTS];
    uint32_t port_count;
    struct trm_buffer *values[WORK_PORTS]; /* of shared ports */
    struct trm_pipeline *pipeline;
};

/* Create the pipeline; `desc` has everything but ports and stages. */
bool work_open(struct work *work, const struct plan *plan, struct trm_device *device,
               const struct trm_pipeline_desc *desc, struct fault *fault);
void work_close(struct work *work);

#endif
