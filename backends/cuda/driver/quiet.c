/* cuda backend: quiet times of a device, in which no kernel stays on it.
 *
 * Some calls of the driver wait for all work of the device. A kernel that stays would make them wait until it
 * leaves, so its stream (room `resident`) is a member here and is paused around them. Threads may pause a
 * device at once.
 * SPDX-License-Identifier: MIT
 */
#include "driver.h"

/* The lock is held while kernels end, which they do by themselves. */
void cuda_quiet_begin(struct trm_backend_device *device)
{
    pthread_mutex_lock(&device->quiet_lock);
    if (device->quiet_depth++ == 0) {
        for (struct cuda_quiet_member *member = device->quiet_members; member != NULL; member = member->next)
            member->pause(member);
        for (struct cuda_quiet_member *member = device->quiet_members; member != NULL; member = member->next)
            member->await(member);
    }
    pthread_mutex_unlock(&device->quiet_lock);
}

void cuda_quiet_end(struct trm_backend_device *device)
{
    pthread_mutex_lock(&device->quiet_lock);
    if (--device->quiet_depth == 0)
        for (struct cuda_quiet_member *member = device->quiet_members; member != NULL; member = member->next)
            member->resume(member);
    pthread_mutex_unlock(&device->quiet_lock);
}

void cuda_quiet_join(struct trm_backend_device *device, struct cuda_quiet_member *member)
{
    pthread_mutex_lock(&device->quiet_lock);
    member->next          = device->quiet_members;
    device->quiet_members = member;
    if (device->quiet_depth != 0)
        member->pause(member);
    pthread_mutex_unlock(&device->quiet_lock);
}

void cuda_quiet_leave(struct trm_backend_device *device, struct cuda_quiet_member *member)
{
    pthread_mutex_lock(&device->quiet_lock);
    struct cuda_quiet_member **place = &device->quiet_members;
    while (*place != member)
        place = &(*place)->next;
    *place = member->next;
    pthread_mutex_unlock(&device->quiet_lock);
}
