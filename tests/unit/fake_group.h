/* A group of fake devices, and a context that keeps no models between runs.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_FAKE_GROUP_H
#define TESTS_UNIT_FAKE_GROUP_H

#include "tests/check.h"
#include <trireme/cpu_kernel.h>
#include <trireme/group_pool.h>

#include "core/object/object.h"
#include "pipeline/group/group.h"
#include "pipeline/pool/pool.h"
#include "tests/unit/fake_backend.h"

static inline void fake_init_unkept(struct fake *fake)
{
    const struct trm_setting settings[] = {{"stream.models", "no"}};
    const struct trm_context_desc desc  = {.struct_size   = sizeof(desc),
                                           .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                           .settings      = settings,
                                           .setting_count = 1};
    fake_init(fake, FAKE_ALL, &desc);
}

static inline int32_t fake_function(const struct trm_cpu_groups *groups, const void *arguments)
{
    (void)groups;
    (void)arguments;
    return 0;
}

/* The pool of a device knows all kernels that it has run: each takes a microsecond, whatever this machine did
 * meanwhile. The width of the device is not measured for so many tasks; 0: when it is due. */
static inline void fake_settle(struct trm_stream_pool *handle, uint32_t tasks)
{
    struct pipeline_stream_pool *pool = core_object_find(handle, CORE_STREAM_POOL);
    ck_assert_ptr_nonnull(pool);
    base_lock_acquire(&pool->lock);
    for (uint32_t i = 0; i < PIPELINE_TASK_MODELS; i++) {
        struct pipeline_task_model *model = &pool->models.table[i];
        if (model->key.what == 0)
            continue;
        model->time      = (struct pipeline_model){.mean = 1000, .samples = 64};
        model->least     = 1000;
        model->fresh     = 64;
        model->unsampled = 0;
    }
    if (tasks > 0)
        pool->load = (struct pipeline_load){.width = 1, .patience = tasks, .rest = tasks};
    base_lock_release(&pool->lock);
}

static const struct trm_cpu_kernel fake_functions[]   = {{.name = "work", .function = fake_function}};
static const struct trm_module_desc fake_kernels_desc = {.struct_size = sizeof(fake_kernels_desc),
                                                         .format      = TRM_MODULE_FUNCTIONS,
                                                         .data        = fake_functions,
                                                         .size        = sizeof(fake_functions)};

static inline void fake_group_retire(struct core_object *object)
{
    struct pipeline_group *group = (struct pipeline_group *)object;
    for (uint32_t i = 0; i < group->count; i++)
        trm_device_destroy(group->handles[i]);
}

static inline void fake_group_release(struct core_object *object)
{
    struct pipeline_group *group = (struct pipeline_group *)object;
    for (uint32_t i = 0; i < group->count; i++)
        core_object_end_hold(group->held[i]);
    pthread_mutex_destroy(&group->data_lock);
    core_free(object->context, group, sizeof(*group));
}

static const struct core_object_ops fake_group_ops = {
    .type    = CORE_GROUP,
    .name    = "group",
    .source  = __FILE__,
    .retire  = fake_group_retire,
    .release = fake_group_release,
};

/* As trm_group_create() does it, which finds devices of plugins only. */
static inline struct trm_group *fake_group(struct fake *fake, uint32_t count)
{
    struct core_context *context = fake->backend.context;
    struct pipeline_group *group = core_allocate(context, sizeof(*group));
    ck_assert_int_eq(core_object_init(&group->object, &fake_group_ops, context), TRM_OK);
    pthread_mutex_init(&group->data_lock, NULL);
    group->count = count;
    for (uint32_t i = 0; i < count; i++) {
        group->handles[i] = fake_open(fake);
        ck_assert_int_eq(core_object_hold(group->handles[i], CORE_DEVICE, &group->held[i]), TRM_OK);
        group->devices[i] = core_object_find(group->held[i], CORE_DEVICE);
    }
    return core_object_publish(&group->object);
}

#endif
