/* Tasks of a coordinator over the pool of a group that pass data on: the devices that they go to.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/coordinator/flights.h"

#define CHAIN 8u /* as many as are enqueued before the first has ended */
#define BUFFERS 2u

static struct trm_group_kernel *change;
static struct trm_group_buffer *buffers[BUFFERS];
static const uint32_t cells[16];

/* Nothing ends by itself, and no kind of task is known. */
static void set_up(void)
{
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = sizeof(cells)};
    fake_init_unkept(&fake);
    open_group();
    OK(trm_group_kernel_load(group, &fake_kernels_desc, "change", &change));
    for (uint32_t i = 0; i < BUFFERS; i++)
        OK(trm_group_buffer_create(group, &desc, &buffers[i]));
    coordinator = coordinate();
}

static void tear_down(void)
{
    fake_let_run(&fake);
    OK(trm_coordinator_wait_all(coordinator, SOON));
    trm_group_kernel_destroy(change);
    for (uint32_t i = 0; i < BUFFERS; i++)
        trm_group_buffer_destroy(buffers[i]);
    end();
}

static struct trm_stream_pool_stats stats_of(struct trm_stream_pool *of)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    OK(trm_stream_pool_get_stats(of, &stats));
    return stats;
}

static uint64_t tasks_of(uint32_t device)
{
    struct trm_stream_pool *one;
    OK(trm_group_pool_get(pool, device, &one));
    return stats_of(one).tasks;
}

static uint64_t add_change(uint32_t which, uint32_t of_devices, uint64_t after)
{
    const struct trm_argument buffer = trm_arg_buffer(trm_group_port_buffer(buffers[which]));
    const struct trm_task task       = {.struct_size    = sizeof(task),
                                        .kind           = TRM_TASK_COMPUTE,
                                        .id             = ++last_id,
                                        .after          = &after,
                                        .after_count    = after != 0,
                                        .kernel         = trm_group_stage_kernel(change),
                                        .grid           = trm_grid_1d(1, 64),
                                        .arguments      = &buffer,
                                        .argument_count = 1,
                                        .devices        = of_devices};
    OK(trm_coordinator_add(coordinator, &task));
    return last_id;
}

/* The same by what the program says of a kernel without arguments. */
static uint64_t add_use(uint32_t which, uint32_t of_devices, uint64_t after)
{
    const struct trm_group_use use = {.buffer = buffers[which], .access = TRM_ACCESS_READ};
    const struct trm_task task     = {.struct_size = sizeof(task),
                                      .kind        = TRM_TASK_COMPUTE,
                                      .id          = ++last_id,
                                      .after       = &after,
                                      .after_count = after != 0,
                                      .kernel      = kernel,
                                      .grid        = trm_grid_1d(1, 64),
                                      .uses        = &use,
                                      .use_count   = 1,
                                      .devices     = of_devices};
    OK(trm_coordinator_add(coordinator, &task));
    return last_id;
}

static uint64_t add_upload(uint32_t which)
{
    const struct trm_task task = {.struct_size = sizeof(task),
                                  .kind        = TRM_TASK_UPLOAD,
                                  .id          = ++last_id,
                                  .destination = trm_span_whole(trm_group_port_buffer(buffers[which])),
                                  .host_source = cells};
    OK(trm_coordinator_add(coordinator, &task));
    return last_id;
}

START_TEST(a_chain_over_a_group_moves_its_data_once_to_each_device)
{
    uint64_t id = 0;
    for (uint32_t i = 0; i < CHAIN; i++)
        id = add_change(0, 0, id);
    submit();
    ck_assert_uint_eq(stats_of(pool).tasks, CHAIN);
    ck_assert_uint_eq(stats_of(pool).copies, 1);
    ck_assert_uint_eq(tasks_of(0), 2);
}
END_TEST

/* An upload of which nothing is known goes to the first device. */
START_TEST(an_upload_goes_where_the_first_kernel_behind_it_that_uses_its_buffer_may_run)
{
    uint64_t upload = add_upload(0);
    add_change(1, 1, upload);
    if (_i == 0)
        add_change(0, 2, upload);
    else
        add_use(0, 2, upload);
    add_change(0, 1, last_id);
    submit();
    ck_assert_uint_ge(tasks_of(1), 2);
    ck_assert_uint_eq(stats_of(pool).copies, 1);
}
END_TEST

START_TEST(of_several_kernels_behind_an_upload_the_one_that_was_added_first_counts)
{
    uint64_t upload = add_upload(0);
    add_use(0, 2, upload);
    add_use(0, 1, upload);
    submit();
    ck_assert_uint_eq(tasks_of(1), 2);
    ck_assert_uint_eq(stats_of(pool).copies, 1);
}
END_TEST

START_TEST(a_kernel_behind_an_upload_that_uses_other_data_does_not_matter_to_it)
{
    uint64_t upload = add_upload(0);
    add_change(1, 2, upload);
    submit();
    ck_assert_uint_eq(tasks_of(0), 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline coordinator chain");
    TCase *tests = tcase_create("chain");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_chain_over_a_group_moves_its_data_once_to_each_device);
    tcase_add_loop_test(tests, an_upload_goes_where_the_first_kernel_behind_it_that_uses_its_buffer_may_run,
                        0, 2);
    tcase_add_test(tests, of_several_kernels_behind_an_upload_the_one_that_was_added_first_counts);
    tcase_add_test(tests, a_kernel_behind_an_upload_that_uses_other_data_does_not_matter_to_it);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
