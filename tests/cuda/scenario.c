/* The scenario's settings for CUDA.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/scenario_inside.h"

static int32_t ask_device(struct scenario_things *things)
{
    uint64_t value = 0;
    int32_t status = trm_device_get_u64(things->device, TRM_DEVICE_MEMORY_FREE, &value);
    return status == TRM_OK ? trm_device_get_u64(things->device, TRM_DEVICE_UNITS, &value) : status;
}

const struct scenario_step scenario_own[] = {
    SCENARIO_STEP(ask_device),
    {"run_other_pipelines", scenario_run_other_pipelines},
    {NULL, NULL},
};
