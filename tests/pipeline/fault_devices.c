/* Devices that fail under a pipeline: a proxy makes backend calls fail at once, later as a failure of the
 * stream, or by losing the device.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <inttypes.h>

/* Which call of an operation, counted from when the token is filled, belongs to which stage. */
struct fault {
    const char *operation;
    unsigned call;
    const char *words; /* named by the sentence */
};

static const struct fault faults[] = {
    {"copy", 1, "upload"},
    {"launch", 1, "\"first\""},
    {"launch", 2, "\"second\""},
    {"copy", 2, "download"},
};

enum {
    FAULTS = sizeof(faults) / sizeof(faults[0])
};

static const struct fault *armed;
static bool armed_async;

/* Called when a token is filled: its work is enqueued next. */
static void arm(struct chain *chain, uint64_t number)
{
    char rule[64];

    if (number != chain->at)
        return;
    if (armed_async) {
        snprintf(rule, sizeof(rule), "%s:%u:%d", armed->operation, armed->call, TRM_ERROR_BACKEND);
        ck_assert_int_eq(the.control->async_fault(rule), TRM_OK);
    } else {
        snprintf(rule, sizeof(rule), "%s:%u:once:%d", armed->operation, armed->call, TRM_ERROR_BACKEND);
        ck_assert_int_eq(the.control->fault(rule), TRM_OK);
    }
}

/* The number of the token that a sentence names. */
static uint64_t named_token(const struct chain *chain)
{
    const char *at = strstr(chain->sentence, "token ");

    ck_assert_msg(at != NULL, "no token is named: %s", chain->sentence);
    return strtoull(at + strlen("token "), NULL, 10) - chain->base;
}

static void check_call(struct chain *chain, enum method method)
{
    if (chain->desc.on_failure != TRM_FAILURE_SKIP || method != BY_RUN) {
        ck_assert_msg(chain->status == TRM_ERROR_BACKEND, "%s: %s", trm_status_name(chain->status),
                      chain->sentence);
        ck_assert_uint_eq(named_token(chain), chain->at);
        ck_assert_msg(strstr(chain->sentence, armed->words) != NULL, "not %s: %s", armed->words,
                      chain->sentence);
    }
    chain_check_failed(chain, chain->at);
}

/* A failed stream may also fail what it had just done. */
static void check_stream(struct chain *chain, enum method method)
{
    uint64_t depth = chain->desc.depth;

    if (chain->desc.on_failure == TRM_FAILURE_SKIP && method == BY_RUN) {
        ck_assert_uint_eq(chain->delivered, chain->count - 1);
        return;
    }
    ck_assert_msg(chain->status == TRM_ERROR_BACKEND, "%s: %s", trm_status_name(chain->status),
                  chain->sentence);
    ck_assert_uint_le(named_token(chain), chain->at + depth);
    ck_assert_uint_ge(named_token(chain) + depth, chain->at);
    chain_check_failed(chain, named_token(chain));
}

static void fail_everywhere(struct chain *chain, enum method method)
{
    uint64_t count = 2 * chain->desc.depth + 3, tokens[] = {0, 1, count / 2, count - 1};

    chain->before      = arm;
    chain->fault_stage = FAULT_STAGES;
    for (int f = 0; f < FAULTS; f++) {
        for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
            armed     = &faults[f];
            chain->at = tokens[i];
            chain_round(chain, method, count);
            the.control->disarm();
            if (armed_async)
                check_stream(chain, method);
            else
                check_call(chain, method);
        }
        chain->at = UINT64_MAX;
        chain_round(chain, method, count);
        chain_check_whole(chain);
    }
}

/* The number of a test encodes a mode and a way to run. Strategies that call the operations one by one. */
static void matrix(enum fixture_backend backend, int number)
{
    static const int32_t direct[] = {TRM_STRATEGY_ROLE_STREAMS, TRM_STRATEGY_SLOT_STREAMS};
    struct chain chain;

    if (!backend_there(backend))
        return;
    fixture_open(backend, NULL, 0);
    for (uint32_t depth = 1; depth <= 8; depth += depth < 3 ? 1 : scaled(1, 3)) {
        for (int s = 0; s < 2; s++) {
            mark_point();
            chain_make(&chain, depth, direct[s], number % 3, false);
            ck_ok(chain_open(&chain));
            fail_everywhere(&chain, (enum method)(number / 3));
            chain_close(&chain);
            device_as_before();
        }
    }
    fixture_close();
}

START_TEST(a_call_that_fails_is_a_failure_of_its_token_on_the_cpu)
{
    armed_async = false;
    matrix(ON_PROXIED_CPU, _i);
}
END_TEST

START_TEST(a_call_that_fails_is_a_failure_of_its_token_on_a_device_of_its_own)
{
    armed_async = false;
    matrix(ON_PROXIED_TIMED, _i);
}
END_TEST

START_TEST(a_call_that_fails_is_a_failure_of_its_token_on_cuda)
{
    armed_async = false;
    matrix(ON_PROXIED_CUDA, _i);
}
END_TEST

START_TEST(a_stream_that_fails_does_not_take_the_pipeline_with_it_on_the_cpu)
{
    armed_async = true;
    matrix(ON_PROXIED_CPU, _i);
}
END_TEST

START_TEST(a_stream_that_fails_does_not_take_the_pipeline_with_it_on_a_device_of_its_own)
{
    armed_async = true;
    matrix(ON_PROXIED_TIMED, _i);
}
END_TEST

START_TEST(a_stream_that_fails_does_not_take_the_pipeline_with_it_on_cuda)
{
    armed_async = true;
    matrix(ON_PROXIED_CUDA, _i);
}
END_TEST

/* ---- any call ------------------------------------------------------------------------------- */

/* Not query and wait: a stream for which they fail has failed. */
static const char *const operations[] = {
    "copy",          "launch",   "mark",         "wait_stream",  "gate",
    "flush",         "notify",   "stamp_record", "stamp_read",   "stamp_create",
    "stream_create", "allocate", "graph_create", "graph_launch", "graph_update",
};

enum {
    OPERATIONS = sizeof(operations) / sizeof(operations[0])
};

/* Whatever the status: nothing hangs, nothing is lost, no wrong data comes out, and later everything works
 * again. */
static void fail_any(enum fixture_backend backend, const char *operation)
{
    char rule[64];
    struct chain chain;

    if (!backend_there(backend))
        return;
    fixture_open(backend, NULL, 0);
    for (unsigned call = 1; call <= scaled(16, 6); call++) {
        for (size_t s = 0; s < 4; s++) {
            mark_point();
            snprintf(rule, sizeof(rule), "%s:%u:once:%d", operation, call,
                     strcmp(operation, "allocate") == 0 ? TRM_ERROR_OUT_OF_DEVICE_MEMORY : TRM_ERROR_BACKEND);
            ck_assert_int_eq(the.control->fault(rule), TRM_OK);
            chain_make(&chain, 3, strategies[s], (int32_t)(call % 3), call % 2 == 0);
            chain.desc.measure = TRM_MEASURE_ALL;
            int32_t status     = trm_pipeline_create(the.device, &chain.desc, &chain.pipeline);
            if (status != TRM_OK) {
                ck_assert_str_ne(trm_last_error().sentence, "");
                ck_assert_ptr_null(chain.pipeline);
            } else {
                chain.at          = 0; /* not known which: the report may have a failure */
                chain.fault_stage = FAULT_STAGES;
                chain_round(&chain, (enum method)(call % 2), 12);
                the.control->disarm();
                chain.at = UINT64_MAX;
                chain_round(&chain, BY_RUN, 12);
                chain_check_whole(&chain);
            }
            the.control->disarm();
            chain_close(&chain);
            device_as_before();
        }
    }
    fixture_close();
}

START_TEST(any_call_may_fail_on_the_cpu)
{
    fail_any(ON_PROXIED_CPU, operations[_i]);
}
END_TEST

START_TEST(any_call_may_fail_on_a_device_of_its_own)
{
    fail_any(ON_PROXIED_TIMED, operations[_i]);
}
END_TEST

START_TEST(any_call_may_fail_on_cuda)
{
    fail_any(ON_PROXIED_CUDA, operations[_i]);
}
END_TEST

/* ---- a lost device -------------------------------------------------------------------------- */

START_TEST(a_lost_device_stops_in_any_mode)
{
    for (uint32_t depth = 1; depth <= 4; depth++) {
        for (size_t s = 0; s < 4; s++) {
            struct chain chain;
            char rule[32];

            if (!backend_there(ON_PROXIED_TIMED))
                return;
            fixture_open(ON_PROXIED_TIMED, NULL, 0);
            chain_make(&chain, depth, strategies[s], _i, false);
            ck_ok(chain_open(&chain));
            snprintf(rule, sizeof(rule), "launch:6:%d", TRM_ERROR_DEVICE_LOST);
            ck_assert_int_eq(the.control->async_fault(rule), TRM_OK);
            chain.at          = 0;
            chain.fault_stage = FAULT_STAGES;
            chain_round(&chain, BY_RUN, 20);
            ck_assert_msg(chain.status == TRM_ERROR_DEVICE_LOST, "%s: %s", trm_status_name(chain.status),
                          chain.sentence);
            ck_assert_uint_lt(chain.delivered, 20);
            chain_round(&chain, BY_RUN, 20); /* and stays lost */
            ck_assert_int_eq(chain.status, TRM_ERROR_DEVICE_LOST);
            ck_assert_uint_eq(chain.delivered, 0);
            chain_close(&chain);
            fixture_close();
        }
    }
}
END_TEST

static struct trm_buffer *buffer_on(struct trm_device *device)
{
    struct trm_buffer *buffer;

    ck_ok(trm_buffer_create(device, TRM_MEMORY_DEVICE, 64, &buffer));
    return buffer;
}

static void do_nothing(void *user, int32_t status)
{
    (void)user;
    (void)status;
}

/* The kernel is never run: the device is lost at its launch. */
static void launch_and_lose(struct trm_stream *stream, struct trm_buffer *buffer)
{
    const struct trm_grid grid            = trm_grid_1d(1, 1);
    const struct trm_argument arguments[] = {trm_arg_buffer(buffer), trm_arg_buffer(buffer), trm_arg_u32(0),
                                             trm_arg_u32(0)};
    ck_ok(trm_launch(stream, the.picky, &grid, arguments, 4));
}

/* The second time the wait stands behind a callback. */
START_TEST(a_device_goes_on_whose_stream_waited_for_a_lost_one)
{
    const struct trm_setting settings[] = {{"cpu.devices", "2"}, {"cpu.lose", "0@1"}};
    struct trm_device *other;
    struct trm_stream *lost, *follower, *fresh;
    struct trm_buffer *here, *far;
    struct trm_point point;

    fixture_open(ON_CPU, settings, 2);
    ck_ok(trm_device_open(the.context, "cpu:1", &other));
    here = buffer_on(the.device);
    far  = buffer_on(other);
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, 0, &lost));
    ck_ok(trm_stream_create(other, TRM_STREAM_ANY, 0, &follower));
    launch_and_lose(lost, here);
    ck_ok(trm_stream_mark(lost, &point));
    if (_i == 1)
        ck_ok(trm_stream_callback(follower, do_nothing, NULL));
    ck_ok(trm_stream_wait(follower, point));
    ck_assert_msg(trm_stream_sync(follower) == TRM_ERROR_DEVICE_LOST, "%s", trm_last_error().sentence);
    ck_assert_int_eq(trm_stream_sync(lost), TRM_ERROR_DEVICE_LOST);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "cpu:0 is lost"));
    ck_assert_int_eq(trm_stream_create(the.device, TRM_STREAM_ANY, 0, &fresh), TRM_ERROR_DEVICE_LOST);
    ck_ok(trm_stream_create(other, TRM_STREAM_ANY, 0, &fresh));
    ck_ok(trm_fill(fresh, trm_span_whole(far), 7, 4));
    ck_ok(trm_stream_sync(fresh));
    trm_stream_destroy(lost);
    trm_stream_destroy(follower);
    trm_stream_destroy(fresh);
    trm_buffer_destroy(here);
    trm_buffer_destroy(far);
    trm_device_destroy(other);
    fixture_close();
}
END_TEST

/* ---- out of memory -------------------------------------------------------------------------- */

START_TEST(a_pipeline_that_does_not_fit_is_a_status_and_leaves_nothing)
{
    struct trm_setting settings[] = {{"timed.memory", "16777216"}};
    struct trm_port ports[]       = {trm_port_input("in", 1 << 20), trm_port_output("out", 1 << 20)};
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = ports, .port_count = 2, .depth = 64};
    struct trm_pipeline *pipeline = NULL;

    fixture_open(ON_TIMED, settings, 1);
    ck_assert_int_eq(trm_pipeline_create(the.device, &desc, &pipeline), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_ptr_null(pipeline);
    device_as_before();
    desc.depth = 2;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    trm_pipeline_destroy(pipeline);
    fixture_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("devices that fail under pipelines");
    TCase *calls = tcase_create("calls and streams"), *others = tcase_create("the rest");
    SRunner *runner;
    int failed;

    if (!backend_there(ON_TIMED))
        return 77;
    tcase_set_timeout(calls, 600);
    tcase_add_loop_test(calls, a_call_that_fails_is_a_failure_of_its_token_on_the_cpu, 0, 3 * DRIVES);
    tcase_add_loop_test(calls, a_call_that_fails_is_a_failure_of_its_token_on_a_device_of_its_own, 0,
                        3 * DRIVES);
    tcase_add_loop_test(calls, a_stream_that_fails_does_not_take_the_pipeline_with_it_on_the_cpu, 0,
                        3 * DRIVES);
    tcase_add_loop_test(calls, a_stream_that_fails_does_not_take_the_pipeline_with_it_on_a_device_of_its_own,
                        0, 3 * DRIVES);
    tcase_add_loop_test(calls, a_call_that_fails_is_a_failure_of_its_token_on_cuda, 0, 3 * DRIVES);
    tcase_add_loop_test(calls, a_stream_that_fails_does_not_take_the_pipeline_with_it_on_cuda, 0, 3 * DRIVES);
    suite_add_tcase(suite, calls);

    tcase_set_timeout(others, 600);
    tcase_add_loop_test(others, any_call_may_fail_on_the_cpu, 0, OPERATIONS);
    tcase_add_loop_test(others, any_call_may_fail_on_a_device_of_its_own, 0, OPERATIONS);
    tcase_add_loop_test(others, any_call_may_fail_on_cuda, 0, OPERATIONS);
    tcase_add_loop_test(others, a_lost_device_stops_in_any_mode, 0, 3);
    tcase_add_loop_test(others, a_device_goes_on_whose_stream_waited_for_a_lost_one, 0, 2);
    tcase_add_test(others, a_pipeline_that_does_not_fit_is_a_status_and_leaves_nothing);
    suite_add_tcase(suite, others);

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
