/* Sums across devices of which one is lost, or whose stream fails: before the call, between calls without
 * anything in between, and while the call waits. Each device in turn, at sizes on both sides of that up to
 * which one device does all.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "tests/cuda/fixture.h"
#include "tests/cuda/sum_team.h"

enum {
    BOUND = 128 << 10, /* up to so many bytes a sum takes the way root */
};

struct form {
    const char *way;
    uint32_t count;
    uint64_t bytes;
};

static const struct form forms[] = {
    {"auto", 1, 4},           {"auto", 1, BOUND},
    {"auto", 1, BOUND + 4},   {"auto", SUM_TEAM_SPANS, SUM_TEAM_SPAN},
    {"copies", 1, BOUND + 4}, {"host", 1, BOUND + 4},
};

enum {
    FORMS = sizeof(forms) / sizeof(forms[0]),
};

/* ---- losing a device ------------------------------------------------------------------------- */

/* Work that will lose the device, on another stream than the team's; nothing waits for it. */
struct loss {
    struct trm_stream *stream;
    struct trm_buffer *buffer;
};

static struct loss loss_open(uint32_t device)
{
    return (struct loss){stream_open(sum_team.devices[device], TRM_STREAM_ANY),
                         buffer_open(sum_team.devices[device], TRM_MEMORY_DEVICE, 64)};
}

static void loss_enqueue(struct loss loss)
{
    standin->fail_work(NULL);
    ck_assert_int_eq(standin->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(trm_fill(loss.stream, trm_span_whole(loss.buffer), 0, 4));
}

/* The device is lost, and neither its streams nor the library have been told. */
static struct loss lose(uint32_t device)
{
    struct loss loss = loss_open(device);
    standin->settle(); /* the rule is for the next fill that begins */
    loss_enqueue(loss);
    standin->settle();
    return loss;
}

static void loss_end(struct loss loss)
{
    trm_stream_destroy(loss.stream);
    trm_buffer_destroy(loss.buffer);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void ck_works_on(uint32_t device)
{
    ck_ok(trm_fill(sum_team.streams[device], trm_span_whole(sum_team.out[device]), 7, 4));
    ck_ok(trm_stream_sync(sum_team.streams[device]));
}

static void ck_all_failed(int32_t status)
{
    for (uint32_t d = 0; d < sum_team.count; d++)
        ck_fails(trm_stream_sync(sum_team.streams[d]), status);
}

/* The devices that are not lost go on with new streams. */
static void ck_others_go_on(uint32_t lost)
{
    for (uint32_t d = 0; d < sum_team.count; d++) {
        if (d == lost)
            continue;
        struct trm_stream *fresh = stream_open(sum_team.devices[d], TRM_STREAM_ANY);
        ck_ok(trm_fill(fresh, trm_span_whole(sum_team.out[d]), 7, 4));
        ck_ok(trm_stream_sync(fresh));
        trm_stream_destroy(fresh);
    }
}

/* The last call was refused for the stream of this device alone. */
static void ck_refused_for(uint32_t failed, int32_t status)
{
    char words[64];
    snprintf(words, sizeof(words), "trm_all_reduce: stream %u, of cuda:%u: ", (unsigned)failed,
             (unsigned)failed);
    ck_sentence_has(words);
    for (uint32_t d = 0; d < sum_team.count; d++)
        if (d != failed)
            ck_works_on(d);
    ck_fails(trm_stream_sync(sum_team.streams[failed]), status);
}

/* ---- a device is lost ------------------------------------------------------------------------ */

static void lose_before(const struct form *form, uint32_t lost)
{
    sum_team_open(form->way);
    ck_ok(sum_team_call(form->count, form->bytes));
    sum_team_sync();
    for (uint32_t d = 0; d < sum_team.count; d++)
        ck_ok(trm_fill(sum_team.streams[d], trm_span_whole(sum_team.out[d]), 7, 4));
    struct loss loss = lose(lost);
    ck_fails(sum_team_call(form->count, form->bytes), TRM_ERROR_DEVICE_LOST);
    ck_refused_for(lost, TRM_ERROR_DEVICE_LOST);
    ck_fails(sum_team_call(form->count, form->bytes), TRM_ERROR_DEVICE_LOST); /* it is known now */
    ck_refused_for(lost, TRM_ERROR_DEVICE_LOST);
    loss_end(loss);
    sum_team_close();
}

/* The streams have met, so the call may find the loss only when its kernels are enqueued. It ends in one of
 * two ways: nothing was enqueued, or all streams fail. */
static void lose_between(const struct form *form, uint32_t lost)
{
    sum_team_open(form->way);
    ck_ok(sum_team_call(form->count, form->bytes));
    sum_team_sync();
    struct loss loss = lose(lost);
    int32_t status   = sum_team_call(form->count, form->bytes);
    ck_assert(status == TRM_OK || status == TRM_ERROR_DEVICE_LOST);
    if (status != TRM_OK)
        ck_sentence_has("trm_all_reduce: stream ");
    bool is_refused = status != TRM_OK && trm_stream_sync(sum_team.streams[lost == 0 ? 1 : 0]) == TRM_OK;
    ck_fails(sum_team_call(form->count, form->bytes), TRM_ERROR_DEVICE_LOST);
    if (is_refused)
        ck_refused_for(lost, TRM_ERROR_DEVICE_LOST);
    else
        ck_all_failed(TRM_ERROR_DEVICE_LOST);
    ck_others_go_on(lost);
    loss_end(loss);
    sum_team_close();
}

/* Two calls, of which the second finds that the streams have met. */
static void lose_while_waiting(const struct form *form, uint32_t lost)
{
    sum_team_open(form->way);
    ck_ok(sum_team_call(form->count, form->bytes)); /* loads kernels */
    sum_team_sync();
    struct loss loss = loss_open(lost);
    standin->hold();
    loss_enqueue(loss);
    ck_ok(sum_team_call(form->count, form->bytes));
    ck_ok(sum_team_call(form->count, form->bytes));
    standin->release();
    standin->settle();
    ck_all_failed(TRM_ERROR_DEVICE_LOST);
    ck_fails(sum_team_call(form->count, form->bytes), TRM_ERROR_DEVICE_LOST);
    ck_others_go_on(lost);
    loss_end(loss);
    sum_team_close();
}

/* ---- a stream fails --------------------------------------------------------------------------- */

/* Its next fill is submitted behind the barrier, and the driver refuses it. */
static void fail_behind(uint32_t device, struct barrier *barrier)
{
    ck_ok(barrier_enqueue(sum_team.streams[device], barrier));
    ck_ok(trm_fill(sum_team.streams[device], trm_span_of(sum_team.out[device], 0, 4), 1, 1));
    barrier_await(barrier);
    ck_assert_int_eq(standin->arm("cuMemsetD8Async:1:once:CUDA_ERROR_OUT_OF_MEMORY"), 0);
}

static void fail_before(const struct form *form, uint32_t failing)
{
    struct barrier barrier = BARRIER_CLOSED;
    sum_team_open(form->way);
    fail_behind(failing, &barrier);
    barrier_open(&barrier);
    ck_fails(trm_stream_sync(sum_team.streams[failing]), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    standin->arm(NULL);
    ck_fails(sum_team_call(form->count, form->bytes), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_refused_for(failing, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    sum_team_close();
}

static void fail_while_waiting(const struct form *form, uint32_t failing)
{
    struct barrier barrier = BARRIER_CLOSED;
    sum_team_open(form->way);
    ck_ok(sum_team_call(form->count, form->bytes)); /* loads kernels */
    sum_team_sync();
    fail_behind(failing, &barrier);
    ck_ok(sum_team_call(form->count, form->bytes));
    ck_ok(sum_team_call(form->count, form->bytes));
    barrier_open(&barrier);
    ck_all_failed(TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    standin->arm(NULL);
    sum_team_close();
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void for_each_member(uint32_t devices, int form, void (*run)(const struct form *form, uint32_t member))
{
    for (uint32_t member = 0; member < devices; member++)
        run(&forms[form], member);
}

static uint32_t devices;

START_TEST(a_sum_is_refused_for_a_lost_device_and_leaves_the_others_alone)
{
    for_each_member(devices, _i, lose_before);
}
END_TEST

START_TEST(a_sum_without_anything_before_it_fails_on_all_devices_or_none_when_one_is_lost)
{
    for_each_member(devices, _i, lose_between);
}
END_TEST

START_TEST(a_device_that_is_lost_while_a_sum_waits_fails_it_on_all_devices)
{
    for_each_member(devices, _i, lose_while_waiting);
}
END_TEST

START_TEST(a_sum_is_refused_for_a_failed_stream_and_leaves_the_others_alone)
{
    for_each_member(devices, _i, fail_before);
}
END_TEST

START_TEST(a_stream_that_fails_while_a_sum_waits_fails_it_on_all_devices)
{
    for_each_member(devices, _i, fail_while_waiting);
}
END_TEST

static void shape_of_two(void)
{
    devices = 2;
    standin_shape("devices=2");
}

static void shape_of_three(void)
{
    devices = 3;
    standin_shape("devices=3");
}

/* With the forms from `first` to `end` - 1. A stream that fails is tested with the first form alone: each
 * test compiles kernels. */
static void add_cases(Suite *suite, const char *name, SFun shape, int first, int end)
{
    TCase *sums = tcase_create(name);
    tcase_add_checked_fixture(sums, shape, NULL);
    tcase_set_timeout(sums, 120); /* compiles kernels for each device */
    tcase_add_loop_test(sums, a_sum_is_refused_for_a_lost_device_and_leaves_the_others_alone, first, end);
    tcase_add_loop_test(sums, a_sum_without_anything_before_it_fails_on_all_devices_or_none_when_one_is_lost,
                        first, end);
    tcase_add_loop_test(sums, a_device_that_is_lost_while_a_sum_waits_fails_it_on_all_devices, first, end);
    tcase_add_loop_test(sums, a_sum_is_refused_for_a_failed_stream_and_leaves_the_others_alone, first,
                        first + 1);
    tcase_add_loop_test(sums, a_stream_that_fails_while_a_sum_waits_fails_it_on_all_devices, first,
                        first + 1);
    suite_add_tcase(suite, sums);
}

int main(void)
{
    Suite *suite = suite_create("cuda: sums that fail");
    add_cases(suite, "two devices", shape_of_two, 0, FORMS);
    add_cases(suite, "three devices", shape_of_three, 1, 2);
    return run_on_standin(suite);
}
