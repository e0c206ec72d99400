/* The scenario: what is made, and all the rest uses.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/kernels.h"
#include "tests/device/scenario_inside.h"
#include "tests/device/world.h"

static int32_t make_context(struct scenario_things *things)
{
    return context_make(NULL, 0, &things->context);
}

static int32_t open_device(struct scenario_things *things)
{
    return trm_device_open(things->context, NULL, &things->device);
}

static int32_t make_streams(struct scenario_things *things)
{
    int32_t status =
        trm_stream_create(things->device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &things->stream);
    if (status == TRM_OK)
        status = trm_stream_create(things->device, TRM_STREAM_UPLOAD, TRM_PRIORITY_HIGH, &things->upload);
    if (status == TRM_OK)
        status = trm_stream_create(things->device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_LOW, &things->download);
    return status;
}

static int32_t make_device_buffers(struct scenario_things *things)
{
    int32_t status = trm_buffer_create(things->device, TRM_MEMORY_DEVICE, SCENARIO_BYTES, &things->a);
    if (status == TRM_OK)
        status = trm_buffer_create(things->device, TRM_MEMORY_DEVICE, SCENARIO_BYTES, &things->b);
    if (status == TRM_OK)
        status = trm_buffer_create(things->device, TRM_MEMORY_DEVICE, SCENARIO_LARGE, &things->large);
    return status;
}

static int32_t make_host_buffers(struct scenario_things *things)
{
    struct trm_buffer_desc desc = {.struct_size  = sizeof(desc),
                                   .kind         = TRM_MEMORY_IMPORTED,
                                   .size         = SCENARIO_BYTES,
                                   .host_pointer = things->memory};
    int32_t status = trm_buffer_create(things->device, TRM_MEMORY_PINNED, SCENARIO_BYTES, &things->pinned);
    if (status == TRM_OK)
        status = scenario_may_lack(
            trm_buffer_create(things->device, TRM_MEMORY_UNIFIED, SCENARIO_BYTES, &things->unified));
    if (status == TRM_OK)
        status = scenario_may_lack(trm_buffer_create_from(things->device, &desc, &things->imported));
    return status;
}

static int32_t load_kernels(struct scenario_things *things)
{
    int32_t status = affine_load(things->device, &things->kernel);
    return status == TRM_OK ? spread_load(things->device, &things->spread) : status;
}

const struct scenario_step scenario_making[] = {
    SCENARIO_STEP(make_context),
    SCENARIO_STEP(open_device),
    SCENARIO_STEP(make_streams),
    SCENARIO_STEP(make_device_buffers),
    SCENARIO_STEP(make_host_buffers),
    SCENARIO_STEP(load_kernels),
    {NULL, NULL},
};
