/* cpu backend: time stamps are operations that read the clock.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/profile.h"

#include "backends/cpu/stream/stream.h"

struct trm_backend_stamp {
    struct trm_backend_instance *instance;
    _Atomic uint64_t nanoseconds;
};

void cpu_stamp_take(struct trm_backend_stamp *stamp)
{
    atomic_store_explicit(&stamp->nanoseconds, trm_util_now(), memory_order_relaxed);
}

static int32_t stamp_create(struct trm_backend_device *device, struct trm_backend_stamp **result)
{
    struct trm_backend_stamp *stamp = cpu_allocate(device->instance, sizeof(*stamp));
    if (stamp == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a time stamp");
    stamp->instance = device->instance;
    atomic_init(&stamp->nanoseconds, 0);
    *result = stamp;
    return TRM_OK;
}

static void stamp_destroy(struct trm_backend_stamp *stamp)
{
    trm_util_release(stamp->instance->host, stamp, sizeof(*stamp));
}

static int32_t stamp_read(struct trm_backend_stamp *stamp, uint64_t *nanoseconds)
{
    *nanoseconds = atomic_load_explicit(&stamp->nanoseconds, memory_order_relaxed);
    return TRM_OK;
}

const struct trm_profile_ops cpu_profile_ops = {
    .struct_size   = sizeof(cpu_profile_ops),
    .stamp_create  = stamp_create,
    .stamp_destroy = stamp_destroy,
    .stamp_record  = cpu_enqueue_stamp,
    .stamp_read    = stamp_read,
};
