/* Two devices, with and without access to each other's memory, or one that is opened twice. On the
 * machine's own driver with two GPUs, or with one that is opened twice.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/two_devices.h"

#include "tests/cuda/fixture.h"

/* Another device than the first, where there is one. */
static void open_second(void)
{
    uint32_t count = 0;
    ck_ok(trm_device_count(the.context, &count));
    second_open(count > 1 ? "cuda:1" : NULL);
}

START_TEST(a_stream_waits_for_one_of_another_device_that_fails_and_fails_too)
{
    struct trm_buffer *far = buffer_on(second.device), *here = buffer_on(the.device);
    struct trm_stream *doomed = stream_open(the.device, TRM_STREAM_ANY);
    struct trm_point point;
    struct barrier barrier = BARRIER_CLOSED;
    if (standin_missing())
        goto destroy;
    ck_ok(barrier_enqueue(doomed,
                          /* so that the fill is submitted later and its failure is the stream's */
                          &barrier));
    ck_ok(trm_fill(doomed, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_mark(doomed, &point));
    ck_ok(trm_stream_wait(second.stream, point));
    ck_ok(trm_fill(second.stream, trm_span_whole(far), 1, 1));
    barrier_await(&barrier);
    ck_assert_int_eq(standin->arm("cuMemsetD8Async:1:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    ck_assert_int_eq(standin->arm("cuMemsetD32Async:1:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
    barrier_open(&barrier);
    ck_fails(trm_stream_sync(second.stream), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_fails(trm_stream_sync(doomed), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_sentence_has("CUDA_ERROR_OUT_OF_MEMORY");
    standin->arm(NULL);
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 1, 1));
    ck_ok(trm_stream_sync(the.stream));
destroy:
    trm_stream_destroy(doomed);
    trm_buffer_destroy(far);
    trm_buffer_destroy(here);
}
END_TEST

/* ---- one of them is lost ---- */

/* Work of the second stream loses the second device once the stand-in goes on. */
static void enqueue_loss(struct trm_buffer *far)
{
    standin->settle(); /* the rule is for the next fill that begins */
    standin->hold();
    standin->fail_work(NULL);
    ck_assert_int_eq(standin->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(trm_fill(second.stream, trm_span_whole(far), 0, 4));
}

static void ck_works(struct trm_stream *stream, struct trm_buffer *buffer)
{
    ck_ok(trm_fill(stream, trm_span_whole(buffer), 1, 4));
    ck_ok(trm_stream_sync(stream));
}

/* The stream fails with the second device, and its own device goes on, also with new streams. */
static void ck_fails_alone(struct trm_stream *failed, struct trm_buffer *far, struct trm_buffer *here)
{
    standin->release();
    standin->settle();
    ck_fails(trm_stream_sync(failed), TRM_ERROR_DEVICE_LOST);
    ck_sentence_has("memory or streams of cuda:1");
    ck_works(the.stream, here);
    struct trm_stream *fresh = stream_open(the.device, TRM_STREAM_ANY);
    ck_works(fresh, here);
    ck_fails(trm_stream_sync(failed), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_stream_sync(second.stream), TRM_ERROR_DEVICE_LOST);
    ck_fails(trm_fill(second.stream, trm_span_whole(far), 0, 4), TRM_ERROR_DEVICE_LOST);
    ck_works(fresh, here);
    trm_stream_destroy(fresh);
}

START_TEST(a_device_whose_stream_copied_from_a_lost_one_goes_on)
{
    struct trm_buffer *far = buffer_on(second.device), *here = buffer_on(the.device);
    if (standin_missing())
        goto destroy;
    struct trm_stream *reader = stream_open(the.device, TRM_STREAM_ANY);
    enqueue_loss(far);
    ck_ok(trm_copy(reader, trm_span_whole(here), trm_span_whole(far)));
    ck_fails_alone(reader, far, here);
    trm_stream_destroy(reader);
destroy:
    trm_buffer_destroy(far);
    trm_buffer_destroy(here);
}
END_TEST

START_TEST(a_device_whose_stream_waited_for_a_lost_one_goes_on)
{
    struct trm_buffer *far = buffer_on(second.device), *here = buffer_on(the.device);
    struct trm_point point;
    if (standin_missing())
        goto destroy;
    struct trm_stream *follower = stream_open(the.device, TRM_STREAM_ANY);
    enqueue_loss(far);
    ck_ok(trm_stream_mark(second.stream, &point));
    ck_ok(trm_stream_wait(follower, point));
    ck_ok(trm_fill(follower, trm_span_whole(here), 1, 4));
    ck_fails_alone(follower, far, here);
    trm_stream_destroy(follower);
destroy:
    trm_buffer_destroy(far);
    trm_buffer_destroy(here);
}
END_TEST

/* ---- access ---- */

START_TEST(devices_that_reach_each_other_copy_without_the_host)
{
    struct trm_buffer *far = buffer_on(second.device), *here = buffer_on(the.device);
    if (standin_missing())
        goto destroy;
    uint64_t before = standin->calls("cuMemcpyPeerAsync") + standin->calls("cuMemcpyAsync") +
                      standin->calls("cuMemcpyDtoDAsync");
    ck_ok(trm_fill(the.stream, trm_span_whole(here), 1, 4));
    ck_ok(trm_copy(the.stream, trm_span_whole(far), trm_span_whole(here)));
    ck_ok(trm_stream_sync(the.stream));
    uint64_t after = standin->calls("cuMemcpyPeerAsync") + standin->calls("cuMemcpyAsync") +
                     standin->calls("cuMemcpyDtoDAsync");
    ck_assert_uint_eq(after - before, 1);
destroy:
    trm_buffer_destroy(far);
    trm_buffer_destroy(here);
}
END_TEST

/* ---- a pipeline of both ---- */

enum {
    DEPTH       = 3, /* slots of each device */
    WORDS       = 16,
    IN_ADVANCE  = 64,   /* tokens that teach how long one takes */
    ALL_IN_TIME = 1000, /* tokens after a few hundred of which others stay on one device */
};

static struct {
    struct trm_group *group;
    struct trm_group_kernel *kernel;
    struct trm_pipeline *pipeline;
} pair;

static void pair_open(void)
{
    struct trm_port ports[] = {trm_port_input("in", 4 * WORDS), trm_port_output("out", 4 * WORDS)};
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_port_elements(0, 4),
                                             trm_arg_u32(3), trm_arg_u32(5)};
    ck_ok(trm_group_create(the.context, "cuda:0,cuda:1", &pair.group));
    ck_ok(spread_load_group(pair.group, &pair.kernel));
    struct trm_stage stage        = trm_stage_launch(trm_group_stage_kernel(pair.kernel), arguments, 5, 0, 4);
    struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                     .ports       = ports,
                                     .port_count  = 2,
                                     .stages      = &stage,
                                     .stage_count = 1,
                                     .depth       = DEPTH,
                                     .strategy    = TRM_STRATEGY_SLOT_STREAMS};
    ck_ok(trm_group_pipeline_create(pair.group, &desc, &pair.pipeline));
}

static void pair_close(void)
{
    trm_pipeline_destroy(pair.pipeline);
    trm_group_kernel_destroy(pair.kernel);
    trm_group_destroy(pair.group);
}

static int32_t fill_nothing(void *user, struct trm_token *token)
{
    (void)user;
    (void)token;
    return TRM_OK;
}

static uint64_t calls_so_far(void)
{
    return standin->fallible_calls() + standin->calls("cuCtxGetCurrent") + standin->calls("cuCtxSetCurrent");
}

static uint64_t tokens_on(uint32_t device)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    ck_ok(trm_pipeline_report(pair.pipeline, &report));
    ck_assert_uint_eq(report.device_count, 2);
    return report.devices[device].tokens;
}

/* What a device has to do is known from the tokens that it got, not from the driver: a call of the driver
 * takes as long as many choices. */
START_TEST(choosing_the_device_of_a_token_asks_the_driver_nothing)
{
    struct trm_token *tokens[2 * DEPTH];
    struct trm_source from = trm_source_function(fill_nothing, NULL);
    struct trm_sink to     = {.struct_size = sizeof(to)};
    if (standin_missing())
        return;
    pair_open();
    from.count = IN_ADVANCE;
    ck_ok(trm_pipeline_run(pair.pipeline, &from, &to));
    standin->settle();
    standin->hold(); /* so that each device has tokens which have not ended */
    for (uint32_t i = 0; i < 2 * DEPTH; i++) {
        uint64_t before = calls_so_far();
        ck_ok(trm_pipeline_acquire(pair.pipeline, TRM_FOREVER, &tokens[i]));
        ck_assert_uint_eq(calls_so_far(), before);
        ck_ok(trm_pipeline_submit(pair.pipeline, tokens[i]));
        ck_assert_uint_gt(calls_so_far(), before);
    }
    standin->release();
    for (uint32_t i = 0; i < 2 * DEPTH; i++) {
        ck_ok(trm_pipeline_next(pair.pipeline, TRM_FOREVER, &tokens[i]));
        ck_ok(trm_pipeline_release(pair.pipeline, tokens[i]));
    }
    ck_assert_uint_ge(tokens_on(0), 1);
    ck_assert_uint_ge(tokens_on(1), 1);
    ck_assert_uint_eq(tokens_on(0) + tokens_on(1), IN_ADVANCE + 2 * DEPTH);
    pair_close();
}
END_TEST

/* A source whose tokens have all ended before the run's thread waits for the next one. */
static int32_t fill_when_idle(void *user, struct trm_token *token)
{
    (void)user;
    (void)token;
    for (uint32_t i = 0; i < 2; i++) {
        struct trm_device *device;
        int32_t status = trm_group_device(pair.group, i, &device);
        if (status == TRM_OK) {
            status = trm_device_sync(device);
            trm_device_destroy(device);
        }
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

START_TEST(tokens_stay_on_one_device_where_none_is_waited_for)
{
    struct trm_source from = trm_source_function(fill_when_idle, NULL);
    struct trm_sink to     = {.struct_size = sizeof(to)};
    if (standin_missing())
        return;
    pair_open();
    from.count = ALL_IN_TIME;
    ck_ok(trm_pipeline_run(pair.pipeline, &from, &to));
    uint64_t on_first = tokens_on(0), on_second = tokens_on(1);
    ck_assert_uint_eq(on_first + on_second, ALL_IN_TIME);
    ck_assert_uint_ge(on_first, 1);
    ck_assert_uint_ge(on_second, 1);
    ck_assert_uint_lt(on_first < on_second ? on_first : on_second, ALL_IN_TIME / 4);
    pair_close();
}
END_TEST

/* ---- suites ---- */

static void shape_with_access(void)
{
    standin_shape("devices=2");
}

static void shape_without_access(void)
{
    standin_shape("devices=2 peers=no");
}

static void shape_without_pools(void)
{
    standin_shape("devices=2 pools=no");
}

static void shape_of_an_old_driver(void)
{
    standin_shape("devices=2 driver=11040");
}

static void add_cases(Suite *suite, const char *name, SFun shape, bool with_access)
{
    TCase *group = two_devices_cases(name, shape, open_second);
    tcase_add_test(group, a_stream_waits_for_one_of_another_device_that_fails_and_fails_too);
    if (shape != NULL) {
        tcase_add_test(group, a_device_whose_stream_waited_for_a_lost_one_goes_on);
        tcase_add_test(group, choosing_the_device_of_a_token_asks_the_driver_nothing);
        tcase_add_test(group, tokens_stay_on_one_device_where_none_is_waited_for);
    }
    if (with_access) {
        tcase_add_test(group, devices_that_reach_each_other_copy_without_the_host);
        tcase_add_test(group, a_device_whose_stream_copied_from_a_lost_one_goes_on);
    }
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite = suite_create("cuda: two devices");
    add_cases(suite, "with access to each other", shape_with_access, true);
    add_cases(suite, "without access", shape_without_access, false);
    add_cases(suite, "without pools", shape_without_pools, true);
    add_cases(suite, "an old driver", shape_of_an_old_driver, true);
    add_cases(suite, "one device opened twice", NULL, false);
    return run_suite(suite);
}
