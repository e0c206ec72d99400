/* The group room: groups of devices, and what exists once on each device of a group. Pipelines over a group
 * are the queue room's.
 *
 *     group.c     a list of ids as open devices      replica.c   a kernel or a buffer on every device
 *     data.c      the parts of a buffer part.c which copies of a part are current, and what work
 *                                                                   on them comes after
 *     contents.c  the functions that write, read and move them
 *
 * Locks: group->data_lock guards the data of all buffers of the group; all else does not change once it is
 * made. It comes before the locks of pools and of the core.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_GROUP_GROUP_H
#define PIPELINE_GROUP_GROUP_H

#include <pthread.h>
#include <trireme/group_pool.h>

#include "core/device/device.h"
#include "core/object/object.h"
#include "pipeline/group/data.h"

struct pipeline_group {
    struct core_object object;
    uint32_t count;
    struct trm_device *handles[TRM_GROUP_DEVICES]; /* the program gets further references to them */
    void *held[TRM_GROUP_DEVICES];                 /* holds of the same devices */
    struct core_device *devices[TRM_GROUP_DEVICES];
    pthread_mutex_t data_lock;
    _Atomic uintptr_t data_owner;   /* the thread that has data_lock; 0: none */
    struct pipeline_group *outer;   /* which that thread has locked before it; NULL: none */
    struct pipeline_group *awaited; /* what that thread waits for meanwhile (group.c); NULL: nothing */
};

/* A kernel or a buffer of a group. */
struct pipeline_replica {
    struct core_object object;
    struct pipeline_group *group; /* holds a reference */
    uint32_t count;               /* of the devices that have one */
    void *ones[TRM_GROUP_DEVICES];
    struct pipeline_data data; /* of a buffer; under group->data_lock */
};

/* Puts the device's id before the last error's sentence. Returns the status. */
int32_t pipeline_group_fail(const struct pipeline_group *group, uint32_t index, int32_t status);

/* OUT_OF_RANGE: the group has no such device. */
int32_t pipeline_group_fail_index(const struct pipeline_group *group, uint32_t index);

/* A wait for data_lock, or for what needs it, begins and ends. Errors: DEADLOCK where this thread has
 * data_lock, within the function of a task; or has another group's, and a thread with this one waits for
 * that. */
int32_t pipeline_group_begin_wait(struct pipeline_group *group);
void pipeline_group_end_wait(void);

/* Takes data_lock. Errors: those of pipeline_group_begin_wait(). */
int32_t pipeline_group_lock_data(struct pipeline_group *group);
/* Does not wait for it. */
bool pipeline_group_try_lock_data(struct pipeline_group *group);
void pipeline_group_unlock_data(struct pipeline_group *group);
/* Gives the lock away, and takes it after a wait that has begun. From the first to the second this thread
 * counts as one that waits for the lock, so the second does not fail. */
void pipeline_group_pause_data(struct pipeline_group *group);
void pipeline_group_resume_data(struct pipeline_group *group);
/* Does this thread have data_lock of any group? */
bool pipeline_group_is_any_data_locked(void);

/* The devices of the group that are not lost: bit i is device i. */
uint32_t pipeline_group_sound(const struct pipeline_group *group);

/* The handle of device `index` for a handle of a replica of this type, which must be of the group; any other
 * handle as it is. Errors: WRONG_DEVICE. */
int32_t pipeline_replica_resolve(const struct pipeline_group *group, uint32_t index, enum core_type type,
                                 void *given, void **one);

#endif
