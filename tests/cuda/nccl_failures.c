/* Collectives by NCCL: their order, calls that fail, work that hangs, and devices that are lost. On the
 * stand-ins for the driver and for NCCL.
 * SPDX-License-Identifier: MIT
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/cuda/nccl_team.h"

#define LONG_NS UINT64_C(60000000000)

/* More than the backend has places for. */
#define MANY 70u

/* ---- calls that fail ------------------------------------------------------------------------- */

/* Every kind of call, of which the first error is returned. */
static int32_t call_all(void)
{
    struct trm_span parts[DEVICES];
    for (uint32_t d = 0; d < team.count; d++)
        parts[d] = trm_span_of(team.out[d], 0, BYTES / team.count / 4 * 4);
    struct trm_span whole[DEVICES];
    for (uint32_t d = 0; d < team.count; d++)
        whole[d] = trm_span_of(team.in[d], 0, parts[d].length * team.count);
    int32_t status = add_up();
    if (status == TRM_OK)
        status = trm_reduce(team.collective, team.streams, &team.outputs[1], team.inputs, 1, TRM_TYPE_I32,
                            TRM_REDUCE_MAXIMUM, 1);
    if (status == TRM_OK)
        status = trm_broadcast(team.collective, team.streams, team.outputs, 1, 2);
    if (status == TRM_OK)
        status = trm_all_gather(team.collective, team.streams, whole, parts, 1);
    if (status == TRM_OK)
        status =
            trm_reduce_scatter(team.collective, team.streams, parts, whole, 1, TRM_TYPE_I32, TRM_REDUCE_SUM);
    for (uint32_t d = 0; d < team.count; d++)
        parts[d] = trm_span_of(team.out[d], 0, whole[d].length);
    return status == TRM_OK ? trm_all_to_all(team.collective, team.streams, parts, whole, 1) : status;
}

static bool is_enqueued(const char *function)
{
    return strcmp(function, "ncclGetVersion") != 0 && strcmp(function, "ncclCommInitAll") != 0 &&
           strcmp(function, "ncclCommDestroy") != 0 && strcmp(function, "ncclCommAbort") != 0 &&
           strcmp(function, "ncclCommGetAsyncError") != 0 && strcmp(function, "ncclGetErrorString") != 0;
}

START_TEST(a_call_of_nccl_that_fails_fails_all_streams_and_no_later_calls)
{
    const char *function = nccl_functions[_i];
    if (!is_enqueued(function))
        return;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    fill_inputs();
    ck_ok(call_all());
    nccl->fail_next(function, SYSTEM_ERROR);
    ck_fails(call_all(), TRM_ERROR_BACKEND);
    ck_sentence_has(function);
    ck_sentence_has("unhandled system error");
    ck_assert_uint_eq(nccl->living(), 0);
    ck_assert_uint_eq(nccl->aborted(), team.count);
    for (uint32_t d = 0; d < team.count; d++) {
        ck_fails(trm_stream_sync(team.streams[d]), TRM_ERROR_BACKEND);
        ck_sentence_has(function);
    }
    streams_close();
    streams_open();
    add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 2);
    team_close();
}
END_TEST

START_TEST(a_communicator_that_cannot_be_made_is_refused_or_done_without)
{
    nccl->fail_next("ncclCommInitAll", SYSTEM_ERROR);
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("ncclCommInitAll");
    add_up_rightly(); /* it is asked for again */
    team_close();
    nccl->fail_next("ncclCommInitAll", SYSTEM_ERROR);
    team_open(NCCL_STANDIN_PATH, "auto", 0);
    for (uint32_t i = 0; i < 12; i++)
        add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 3); /* and here it is not */
    team_close();
}
END_TEST

/* Each call of the driver in turn, while the communicator is made, used and destroyed. */
START_TEST(the_driver_fails_under_nccl_and_nothing_is_left)
{
    unsigned stride = thorough(1, 7);
    uint64_t calls  = 0;
    for (uint64_t n = 0; n <= calls; n += n == 0 ? 1 : stride) { /* the first time none fails */
        char rule[64];
        team_open(NCCL_STANDIN_PATH, "nccl", 0);
        fill_inputs();
        for (uint32_t d = 0; d < team.count; d++)
            ck_ok(trm_stream_sync(team.streams[d]));
        uint64_t before = standin->fallible_calls();
        snprintf(rule, sizeof(rule), "any:%u:once:CUDA_ERROR_OUT_OF_MEMORY", (unsigned)n);
        if (n > 0)
            ck_assert_int_eq(standin->arm(rule), 0);
        int32_t status = add_up();
        for (uint32_t d = 0; d < team.count; d++) {
            int32_t end = trm_stream_sync(team.streams[d]);
            ck_assert(status == TRM_OK || end == TRM_OK || trm_last_error().sentence[0]);
        }
        if (standin->failures() == 0)
            ck_ok(status);
        if (n == 0)
            calls = standin->fallible_calls() - before;
        standin->arm(NULL);
        streams_close();
        streams_open();
        add_up_rightly();
        team_close();
    }
    ck_assert_uint_gt(calls, 20);
}
END_TEST

/* ---- order ----------------------------------------------------------------------------------- */

START_TEST(a_call_behind_a_callback_is_given_to_nccl_when_the_callback_is_done)
{
    struct barrier barrier = BARRIER_CLOSED;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    uint64_t before = nccl->calls("ncclAllReduce");
    ck_ok(barrier_enqueue(team.streams[_i], &barrier));
    fill_inputs();
    ck_ok(add_up());
    for (uint32_t d = 0; d < team.count; d++)
        ck_ok(trm_fill(team.streams[d], team.inputs[d], 99, 4));
    barrier_await(&barrier);
    ck_assert_uint_eq(nccl->calls("ncclAllReduce"), before);
    barrier_open(&barrier);
    ck_sums();
    ck_assert_uint_eq(nccl->calls("ncclAllReduce"), before + team.count);
    team_close();
}
END_TEST

START_TEST(a_deferred_call_that_fails_fails_all_streams)
{
    struct barrier barrier = BARRIER_CLOSED;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    ck_ok(barrier_enqueue(team.streams[1], &barrier));
    ck_ok(add_up());
    barrier_await(&barrier);
    nccl->fail_next("ncclGroupEnd", SYSTEM_ERROR);
    barrier_open(&barrier);
    for (uint32_t d = 0; d < team.count; d++) {
        if (d == 1)
            continue; /* its own work before the call has ended well, and it waits for the rest as the others do */
        ck_fails(trm_stream_sync(team.streams[d]), TRM_ERROR_BACKEND);
        ck_sentence_has("ncclGroupEnd");
    }
    ck_fails(trm_stream_sync(team.streams[1]), TRM_ERROR_BACKEND);
    streams_close();
    streams_open();
    add_up_rightly();
    team_close();
}
END_TEST

/* The call on the other streams cannot end before this thread opens the barrier. */
START_TEST(a_failed_communicator_that_has_deferred_calls_is_replaced_without_waiting)
{
    struct barrier barrier = BARRIER_CLOSED;
    struct trm_stream *before[DEVICES];
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    ck_ok(barrier_enqueue(team.streams[0], &barrier));
    ck_ok(add_up());
    barrier_await(&barrier);
    memcpy(before, team.streams, sizeof(before));
    streams_open();
    nccl->fail_next("ncclGroupEnd", SYSTEM_ERROR);
    ck_fails(add_up(), TRM_ERROR_BACKEND);
    streams_close();
    streams_open();
    add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 2);
    barrier_open(&barrier);
    for (uint32_t d = 0; d < team.count; d++) {
        ck_fails(trm_stream_sync(before[d]), TRM_ERROR_BACKEND);
        trm_stream_destroy(before[d]);
    }
    team_close();
}
END_TEST

START_TEST(the_current_context_of_the_program_stays)
{
    CUcontext before = NULL, after = NULL;
    void *driver = dlopen(CUDA_STANDIN_PATH, RTLD_NOW | RTLD_LOCAL);
    CUresult (*get)(CUcontext *);
    void *symbol = dlsym(driver, "cuCtxGetCurrent");
    memcpy(&get, &symbol, sizeof(get));
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    ck_assert_int_eq(get(&before), CUDA_SUCCESS);
    add_up_rightly();
    ck_assert_int_eq(get(&after), CUDA_SUCCESS);
    ck_assert_ptr_eq(before, after);
    team_close();
}
END_TEST

/* ---- work that does not end ------------------------------------------------------------------ */

/* A thread of the backend aborts the ranks of a communicator one after the other, and the work of all has
 * ended with the first: only when the collective is destroyed are all of them aborted for certain. */

static void ck_all_fail(int32_t status, const char *words)
{
    for (uint32_t d = 0; d < team.count; d++) {
        struct trm_point point;
        int32_t found = trm_stream_mark(team.streams[d], &point);
        if (found == TRM_OK)
            found = trm_point_wait(point, LONG_NS);
        ck_assert_msg(found == status, "stream %u: %s, %s", d, trm_status_name(found),
                      trm_last_error().sentence);
        ck_sentence_has(words);
    }
}

START_TEST(an_error_that_nccl_tells_later_fails_all_streams)
{
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    fill_inputs();
    nccl->hang(1);
    ck_ok(add_up());
    nccl->set_error(SYSTEM_ERROR);
    ck_all_fail(TRM_ERROR_BACKEND, "unhandled system error");
    nccl->hang(0);
    nccl->set_error(0);
    streams_close();
    streams_open();
    add_up_rightly();
    team_close();
    ck_assert_uint_eq(nccl->aborted(), team.count);
}
END_TEST

/* Streams that waited for a call that failed may ask for it as long as they live, but a program may go on
 * for ever with new ones. */
START_TEST(a_failure_is_still_told_to_all_streams_after_many_others)
{
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    fill_inputs();
    for (uint32_t i = 0; i < MANY; i++) {
        nccl->fail_next("ncclGroupEnd", SYSTEM_ERROR);
        ck_fails(add_up(), TRM_ERROR_BACKEND);
        streams_close();
        streams_open();
    }
    nccl->hang(1);
    ck_ok(add_up());
    nccl->set_error(SYSTEM_ERROR);
    ck_all_fail(TRM_ERROR_BACKEND, "unhandled system error");
    nccl->hang(0);
    nccl->set_error(0);
    team_close();
}
END_TEST

START_TEST(more_collectives_than_can_be_followed_are_refused_until_others_are_destroyed)
{
    struct trm_collective *others[MANY] = {NULL};
    uint32_t count                      = 0;
    int32_t status                      = TRM_OK;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    fill_inputs();
    while (status == TRM_OK && count < MANY) {
        ck_ok(trm_collective_create(team.group, 0, &others[count]));
        status = trm_all_reduce(others[count++], team.streams, team.outputs, team.inputs, 1, TRM_TYPE_I32,
                                TRM_REDUCE_SUM);
    }
    ck_assert_uint_gt(count, 32);
    ck_assert_int_eq(status, TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("at a time");
    trm_collective_destroy(others[0]);
    ck_ok(trm_all_reduce(others[count - 1], team.streams, team.outputs, team.inputs, 1, TRM_TYPE_I32,
                         TRM_REDUCE_SUM));
    ck_sums();
    for (uint32_t i = 1; i < count; i++)
        trm_collective_destroy(others[i]);
    team_close();
}
END_TEST

/* Both communicators' work is on the same streams of NCCL, so neither can be waited for before both are
 * aborted. */
START_TEST(two_communicators_that_hang_on_the_same_devices_both_end)
{
    struct trm_stream *first[DEVICES];
    struct trm_collective *beside;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    ck_ok(trm_collective_create(team.group, 0, &beside));
    fill_inputs();
    nccl->hang(1);
    ck_ok(add_up());
    memcpy(first, team.streams, sizeof(first));
    streams_open();
    ck_ok(trm_all_reduce(beside, team.streams, team.outputs, team.inputs, 1, TRM_TYPE_I32, TRM_REDUCE_SUM));
    nccl->set_error(SYSTEM_ERROR);
    ck_all_fail(TRM_ERROR_BACKEND, "unhandled system error");
    streams_close();
    memcpy(team.streams, first, sizeof(first));
    ck_all_fail(TRM_ERROR_BACKEND, "unhandled system error");
    nccl->hang(0);
    nccl->set_error(0);
    streams_close();
    streams_open();
    add_up_rightly();
    trm_collective_destroy(beside);
    team_close();
    ck_assert_uint_eq(nccl->aborted(), 2 * (uint64_t)team.count);
}
END_TEST

/* The streams of the other devices would wait for ever. */
START_TEST(a_lost_device_fails_the_streams_of_all_and_ends_what_hangs)
{
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    struct trm_stream *doomed = stream_open(team.devices[_i], TRM_STREAM_ANY);
    fill_inputs();
    for (uint32_t d = 0; d < team.count; d++)
        ck_ok(trm_stream_sync(team.streams[d]));
    nccl->hang(1);
    ck_ok(add_up());
    ck_assert_int_eq(standin->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(trm_fill(doomed, trm_span_of(team.out[_i], 0, 4), 1, 4));
    ck_all_fail(TRM_ERROR_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_fails(add_up(), TRM_ERROR_DEVICE_LOST);
    standin->fail_work(NULL);
    nccl->hang(0);
    trm_stream_destroy(doomed);
    streams_close();
    trm_collective_destroy(team.collective);
    team.collective = NULL;
    team_close();
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

int main(void)
{
    Suite *suite = suite_create("cuda: failures of NCCL");
    TCase *fails = tcase_create("failures");
    TCase *order = tcase_create("order");
    TCase *hangs = tcase_create("work that does not end");
    tcase_add_loop_test(fails, a_call_of_nccl_that_fails_fails_all_streams_and_no_later_calls, 0, FUNCTIONS);
    tcase_add_test(fails, a_communicator_that_cannot_be_made_is_refused_or_done_without);
    tcase_add_test(fails, the_driver_fails_under_nccl_and_nothing_is_left);
    tcase_add_loop_test(order, a_call_behind_a_callback_is_given_to_nccl_when_the_callback_is_done, 0,
                        (int)DEVICES);
    tcase_add_test(order, a_deferred_call_that_fails_fails_all_streams);
    tcase_add_test(order, a_failed_communicator_that_has_deferred_calls_is_replaced_without_waiting);
    tcase_add_test(order, the_current_context_of_the_program_stays);
    tcase_add_test(hangs, an_error_that_nccl_tells_later_fails_all_streams);
    tcase_add_test(hangs, a_failure_is_still_told_to_all_streams_after_many_others);
    tcase_add_test(order, more_collectives_than_can_be_followed_are_refused_until_others_are_destroyed);
    tcase_add_test(hangs, two_communicators_that_hang_on_the_same_devices_both_end);
    tcase_add_loop_test(hangs, a_lost_device_fails_the_streams_of_all_and_ends_what_hangs, 0, (int)DEVICES);
    team_add_case(suite, fails);
    team_add_case(suite, order);
    team_add_case(suite, hangs);
    return run_on_standin(suite);
}
