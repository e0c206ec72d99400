/* Trireme: the devices that stages of a pipeline of a group prefer.
 *
 *     struct trm_stage_device devices[] = {trm_stage_device_any(), trm_stage_device_of_group(1)};
 *     desc.devices                      = devices; one for each stage
 *     trm_group_pipeline_create(group, &desc, &pipeline);
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_STAGE_DEVICE_H
#define TRIREME_STAGE_DEVICE_H

#include <trireme/api.h>

TRM_API_BEGIN

enum trm_stage_device_kind {
    TRM_STAGE_DEVICE_ANY      = 0, /* the device to which its token goes */
    TRM_STAGE_DEVICE_OF_GROUP = 1, /* one of the group, whichever device the token goes to */
};

/* The device on which a stage runs. A token of a group goes to one device, its own, which uploads it, runs
 * the stages of kind ANY and downloads it. A stage that prefers another device runs there.
 *
 * Before the stage, the ports that it needs are copied to its device; after it, the ports that it wrote are
 * copied back, if anything else uses them. What stays current on that device until a later stage uses it
 * there is not copied in between. Copies go directly where one device can access the other's memory, else
 * through the host. Nothing is copied where the token's device shares the memory of the host, and kernels of
 * the stage's device can access it (trm_device_can_access()), such as between two parts of the cpu.
 *
 * The stages of a token's device that prefer one other device have one stream there, so they run one after
 * the other, for one token after the other. In reports such a stage has its own time, with its copies. It
 * runs on no other device: when its device is lost, the pipeline fails, since tokens cannot be repeated. */
struct trm_stage_device {
    int32_t kind; /* enum trm_stage_device_kind */
    /* Of kind OF_GROUP: of the device in the group, from 0; else 0. Creating a pipeline fails with
     * OUT_OF_RANGE for an index that is not in the group, and on one device for each index but 0. */
    uint32_t index;
};

static inline struct trm_stage_device trm_stage_device_any(void)
{
    struct trm_stage_device preferred = {TRM_STAGE_DEVICE_ANY, 0};
    return preferred;
}

static inline struct trm_stage_device trm_stage_device_of_group(uint32_t index)
{
    struct trm_stage_device preferred = {TRM_STAGE_DEVICE_OF_GROUP, index};
    return preferred;
}

TRM_API_END

#endif
