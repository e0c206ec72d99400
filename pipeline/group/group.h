/* The group room: groups of devices, and what exists once on each device of a group. Pipelines over a group are
 * the queue room's.
 *
 *     group.c     a list of ids as open devices      replica.c   a kernel or a buffer on every device
 *
 * Locks: none; a group does not change once it is made.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_GROUP_GROUP_H
#define PIPELINE_GROUP_GROUP_H

#include <trireme/group.h>

#include "core/device/device.h"
#include "core/object/object.h"

struct pipeline_group {
    struct core_object object;
    uint32_t count;
    struct trm_device *handles[TRM_GROUP_DEVICES]; /* the program gets further references to them */
    void *held[TRM_GROUP_DEVICES];                 /* holds of the same devices */
    struct core_device *devices[TRM_GROUP_DEVICES];
};

/* A kernel or a buffer of a group. */
struct pipeline_replica {
    struct core_object object;
    struct pipeline_group *group; /* holds a reference */
    uint32_t count;               /* of the devices that have one */
    void *ones[TRM_GROUP_DEVICES];
};

/* Puts the device's id before the last error's sentence. Returns the status. */
int32_t pipeline_group_fail(const struct pipeline_group *group, uint32_t index, int32_t status);

/* OUT_OF_RANGE: the group has no such device. */
int32_t pipeline_group_fail_index(const struct pipeline_group *group, uint32_t index);

/* The handle of device `index` for a handle of a replica of this type, which must be of the group; any other
 * handle as it is. Errors: WRONG_DEVICE. */
int32_t pipeline_replica_resolve(const struct pipeline_group *group, uint32_t index, enum core_type type,
                                 void *given, void **one);

#endif
