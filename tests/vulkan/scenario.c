/* The part of the scenario that is specific to Vulkan.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/scenario_inside.h"
#include "tests/scale.h"

static int32_t share_semaphore(struct scenario_things *things)
{
    uint64_t value = 0;
    int32_t status = trm_semaphore_create(things->device, &things->semaphore);
    if (status == TRM_OK)
        status = trm_stream_signal_semaphore(things->upload, things->semaphore, 5);
    if (status == TRM_OK)
        status = trm_stream_flush(things->upload);
    if (status == TRM_OK)
        status = trm_stream_wait_semaphore(things->stream, things->semaphore, 5);
    if (status == TRM_OK)
        status = trm_fill(things->stream, trm_span_whole(things->large), 7, 1);
    if (status == TRM_OK)
        status = trm_stream_sync(things->stream);
    return status == TRM_OK ? trm_semaphore_value(things->semaphore, &value) : status;
}

/* Skipped under a sanitizer where each of its many calls fails in its turn: that takes too long. */
static int32_t run_other_pipelines(struct scenario_things *things)
{
    return sanitized() ? TRM_OK : scenario_run_other_pipelines(things);
}

const struct scenario_step scenario_own[] = {
    SCENARIO_STEP(share_semaphore),
    SCENARIO_STEP(run_other_pipelines),
    {NULL, NULL},
};
