/* Errands: tasks of coordinators over the pool of a group, and the devices that they go to.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/pool/team_fixture.h"

#define DEVICES 2u
#define FIRST 1u /* devices, as bits */
#define SECOND 2u

static struct pipeline_pool_listener listeners[DEVICES];
static uint32_t losing; /* devices that are lost while they get the errand */
static uint32_t runs;

static void hear(struct pipeline_pool_listener *listener)
{
    (void)listener;
}

static int32_t wait_for_nothing(struct pipeline_pool_errand *errand)
{
    (void)errand;
    return TRM_OK;
}

static int32_t run(struct pipeline_pool_errand *errand, const struct trm_stream_task *form)
{
    struct trm_stream *stream = errand->slot->stream->object.handle;
    (void)form;
    runs++;
    if ((losing >> errand->device & 1) != 0)
        fake_fail(&fake, stream, TRM_ERROR_DEVICE_LOST, 5, "it fell off the bus");
    return fake_enqueue(stream);
}

static int32_t never_called(void *user, struct trm_stream *stream)
{
    (void)user;
    (void)stream;
    return TRM_ERROR_UNSUPPORTED;
}

/* Overwrites the cells on any device, before a kernel that looks at them on some. Returns the device. */
static int32_t run_before(uint32_t devices, uint32_t *device)
{
    const struct trm_group_use use    = {.buffer = cells, .access = TRM_ACCESS_WRITE};
    const struct trm_argument cell    = trm_arg_buffer(trm_group_port_buffer(cells));
    const struct trm_stream_task task = {
        .struct_size = sizeof(task), .enqueue = never_called, .uses = &use, .use_count = 1};
    const struct trm_stream_task next  = {.struct_size    = sizeof(next),
                                          .kernel         = trm_group_stage_kernel(look),
                                          .grid           = trm_grid_1d(1, 64),
                                          .arguments      = &cell,
                                          .argument_count = 1,
                                          .devices        = devices};
    struct pipeline_pool_errand errand = {
        .task = &task, .next = &next, .listeners = listeners, .wait = wait_for_nothing, .run = run};
    int32_t status = pipeline_pool_run_errand(core_object_find(handle, CORE_STREAM_POOL), &errand);
    *device        = errand.device;
    if (errand.slot != NULL)
        pipeline_pool_give_back(errand.member, errand.slot);
    ck_notes_of_all();
    return status;
}

static void set_up(void)
{
    open_team_of(DEVICES, 0);
    fake_let_run(&fake);
    for (uint32_t i = 0; i < DEVICES; i++)
        listeners[i] = (struct pipeline_pool_listener){.called = hear};
    losing = runs = 0;
}

static void tear_down(void)
{
    pipeline_pool_unlisten(core_object_find(handle, CORE_STREAM_POOL), listeners);
    close_team();
}

START_TEST(an_errand_goes_where_the_kernel_behind_it_may_run)
{
    uint32_t device;
    for (uint32_t i = 0; i < 4 * DEVICES; i++) {
        OK(run_before(1u << i % DEVICES, &device));
        ck_assert_uint_eq(device, i % DEVICES);
    }
}
END_TEST

START_TEST(an_errand_goes_to_another_device_when_all_those_of_the_kernel_behind_it_are_lost_meanwhile)
{
    uint32_t device;
    losing = FIRST;
    OK(run_before(FIRST, &device));
    ck_assert_uint_eq(device, 1);
    ck_assert_uint_eq(runs, 2);
    OK(run_before(FIRST, &device));
    ck_assert_uint_eq(device, 1);
    ck_assert_uint_eq(runs, 3);
}
END_TEST

START_TEST(an_errand_fails_when_the_last_device_is_lost)
{
    uint32_t device;
    losing = FIRST | SECOND;
    ck_assert_int_eq(run_before(SECOND, &device), TRM_ERROR_DEVICE_LOST);
    ck_assert_uint_eq(runs, 2);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool errand");
    TCase *tests = tcase_create("errand");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, an_errand_goes_where_the_kernel_behind_it_may_run);
    tcase_add_test(
        tests, an_errand_goes_to_another_device_when_all_those_of_the_kernel_behind_it_are_lost_meanwhile);
    tcase_add_test(tests, an_errand_fails_when_the_last_device_is_lost);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
