/* A pool over a group of fake devices, and tasks of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_POOL_TEAM_FIXTURE_H
#define TESTS_UNIT_PIPELINE_POOL_TEAM_FIXTURE_H

#include <check.h>

#include "pipeline/pool/team.h"
#include "tests/unit/fake_group.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static struct fake fake;
static struct trm_group *group;
static struct trm_stream_pool *handle;
static struct trm_group_kernel *work, *change, *look;
static struct trm_group_buffer *cells;

static inline void open_team_of(uint32_t devices, uint32_t most)
{
    const struct trm_stream_pool_desc wish = {.struct_size = sizeof(wish), .most = most};
    const struct trm_buffer_desc desc      = {.struct_size = sizeof(desc), .size = 64};
    fake_init_unkept(&fake);
    group = fake_group(&fake, devices);
    OK(trm_group_kernel_load(group, &fake_kernels_desc, "work", &work));
    OK(trm_group_kernel_load(group, &fake_kernels_desc, "change", &change));
    OK(trm_group_kernel_load(group, &fake_kernels_desc, "look", &look));
    OK(trm_group_buffer_create(group, &desc, &cells));
    OK(trm_group_pool_create(group, &wish, &handle));
}

static inline void close_team(void)
{
    fake_let_run(&fake);
    trm_stream_pool_destroy(handle);
    trm_group_kernel_destroy(work);
    trm_group_kernel_destroy(change);
    trm_group_kernel_destroy(look);
    trm_group_buffer_destroy(cells);
    trm_group_destroy(group);
    fake.device = NULL;
    fake_fini(&fake);
}

static inline struct pipeline_stream_pool *member(uint32_t index)
{
    struct trm_stream_pool *one;
    OK(trm_group_pool_get(handle, index, &one));
    struct pipeline_stream_pool *pool = core_object_find(one, CORE_STREAM_POOL);
    ck_assert_ptr_nonnull(pool);
    return pool;
}

/* A kernel that takes nothing, or a buffer. */
static inline struct trm_point submit_with(struct trm_group_kernel *kernel, struct trm_group_buffer *buffer,
                                           uint32_t devices)
{
    const struct trm_argument cell    = trm_arg_buffer(trm_group_port_buffer(buffer));
    const struct trm_stream_task task = {.struct_size    = sizeof(task),
                                         .kernel         = trm_group_stage_kernel(kernel),
                                         .grid           = trm_grid_1d(1, 64),
                                         .arguments      = &cell,
                                         .argument_count = kernel != work,
                                         .devices        = devices};
    struct trm_point point;
    OK(trm_stream_pool_submit(handle, &task, &point));
    return point;
}

/* A kernel that takes nothing, or the cells. */
static inline struct trm_point submit_on(struct trm_group_kernel *kernel, uint32_t devices)
{
    return submit_with(kernel, cells, devices);
}

#endif
