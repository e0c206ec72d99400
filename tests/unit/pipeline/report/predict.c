/* Predictions, compared with a step-by-step simulation and with formulas.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <trireme/trireme.h>

#include "pipeline/report/predict.h"

#include "tests/unit/runner.h"

enum {
    TOKENS_MOST = 2000
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t random_below(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*state * limit) >> 32);
}

static struct trm_prediction_desc describe(uint32_t depth, uint64_t tokens, const uint64_t times[TRM_STAGES])
{
    struct trm_prediction_desc desc = {.struct_size = sizeof(desc), .depth = depth, .tokens = tokens};

    memcpy(desc.stage_ns, times, sizeof(desc.stage_ns));
    return desc;
}

static struct trm_prediction predict(const struct trm_prediction_desc *desc)
{
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    ck_assert_int_eq(trm_predict(desc, &prediction), TRM_OK);
    return prediction;
}

static uint64_t sum_of(const uint64_t times[TRM_STAGES])
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < TRM_STAGES; i++)
        sum += times[i];
    return sum;
}

static bool is_on_device(uint32_t stage)
{
    return stage != TRM_STAGE_LOAD && stage != TRM_STAGE_SINK;
}

static uint32_t devices_of(const struct trm_prediction_desc *desc)
{
    return desc->devices == 0 ? 1 : desc->devices;
}

/* The stage whose beginnings the memory of the host spaces; TRM_STAGES: none. Tests set 1e9 bytes a second,
 * so that bytes are nanoseconds. */
static uint32_t spaced_stage(const struct trm_prediction_desc *desc)
{
    if (desc->host_speed == 0)
        return TRM_STAGES;
    return desc->stage_ns[TRM_STAGE_UPLOAD] != 0     ? TRM_STAGE_UPLOAD
           : desc->stage_ns[TRM_STAGE_DOWNLOAD] != 0 ? TRM_STAGE_DOWNLOAD
                                                     : TRM_STAGES;
}

/* Token by token: the end of the last token, and of its stage `critical`. */
static uint64_t token_by_token(const struct trm_prediction_desc *desc, int32_t critical,
                               uint64_t *critical_end)
{
    static uint64_t ends[TOKENS_MOST][TRM_STAGES];
    uint32_t depth = desc->depth * devices_of(desc);
    uint64_t space = 0; /* when the memory of the host is free */

    for (uint64_t token = 0; token < desc->tokens; token++) {
        uint64_t at = token >= depth ? ends[token - depth][TRM_STAGE_SINK] : 0;

        for (uint32_t i = 0; i < TRM_STAGES; i++) {
            uint32_t lanes = desc->lanes[i] == 0 ? 1 : desc->lanes[i];

            if (lanes > desc->depth && is_on_device(i))
                lanes = desc->depth;
            lanes *= is_on_device(i) ? devices_of(desc) : 1;
            if (token >= lanes)
                at = larger(at, ends[token - lanes][i]);
            if (i == spaced_stage(desc)) {
                at    = larger(at, space);
                space = at + desc->bytes_up + desc->bytes_down;
            }
            at += desc->stage_ns[i];
            ends[token][i] = at;
        }
    }
    *critical_end = ends[desc->tokens - 1][critical];
    return ends[desc->tokens - 1][TRM_STAGE_SINK];
}

/* ---- formulas ------------------------------------------------------------------------------- */

START_TEST(one_slot_takes_tokens_times_the_sum_of_the_stages)
{
    const uint64_t times[TRM_STAGES] = {10, 200, 3000, 40, 5};
    struct trm_prediction_desc desc  = describe(1, 1000, times);
    struct trm_prediction prediction = predict(&desc);

    ck_assert_uint_eq(prediction.elapsed_ns, 1000 * 3255);
    ck_assert_uint_eq(prediction.sequential_ns, 1000 * 3255);
    ck_assert_uint_eq(prediction.period_ns, 3255);
    ck_assert_uint_eq(prediction.bound_ns, 1000 * 3000);
    ck_assert_uint_eq(prediction.startup_ns, 3255);
    ck_assert_uint_eq(prediction.drain_ns, 45);
    ck_assert_int_eq(prediction.critical, TRM_STAGE_COMPUTE);
    ck_assert(fabs(prediction.speedup - 1) < 1e-12);
}
END_TEST

START_TEST(enough_slots_take_the_sum_once_and_then_the_longest_stage_for_each_token)
{
    const uint64_t times[TRM_STAGES] = {10, 200, 3000, 40, 5};
    struct trm_prediction_desc desc  = describe(5, 1000000000, times);
    struct trm_prediction prediction = predict(&desc);

    ck_assert_uint_eq(prediction.elapsed_ns, 3255 + UINT64_C(999999999) * 3000);
    ck_assert_uint_eq(prediction.period_ns, 3000);
    ck_assert_uint_eq(prediction.drain_ns, 45);
    ck_assert_int_eq(prediction.critical, TRM_STAGE_COMPUTE);
}
END_TEST

START_TEST(two_slots_of_three_equal_stages_take_half_of_the_sum_for_each_token)
{
    const uint64_t times[TRM_STAGES] = {0, 100, 100, 100, 0};
    struct trm_prediction_desc desc  = describe(2, 101, times);

    ck_assert_uint_eq(predict(&desc).elapsed_ns, 300 + 50 * 300);
    ck_assert_uint_eq(predict(&desc).period_ns, 150);
    desc.depth = 3;
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 300 + 100 * 100);
}
END_TEST

START_TEST(more_loaders_divide_the_time_of_load)
{
    const uint64_t times[TRM_STAGES] = {1000, 0, 100, 0, 0};
    struct trm_prediction_desc desc  = describe(8, 401, times);

    ck_assert_uint_eq(predict(&desc).elapsed_ns, 1100 + 400 * 1000);
    desc.lanes[TRM_STAGE_LOAD] = 4;
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 1100 + 100 * 1000);
    ck_assert_uint_eq(predict(&desc).bound_ns, 401 * 1000 / 4);
    /* Ten loaders, but only eight slots. */
    desc.lanes[TRM_STAGE_LOAD] = 10;
    ck_assert_uint_eq(predict(&desc).period_ns, (1100 + 4) / 8);
}
END_TEST

START_TEST(one_processor_makes_the_stages_of_the_device_follow_each_other)
{
    const uint64_t times[TRM_STAGES] = {0, 100, 300, 50, 0};
    struct trm_prediction_desc desc  = describe(4, 1000, times);

    ck_assert_uint_eq(predict(&desc).elapsed_ns, 450 + 999 * 300);
    desc.processors = 1;
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 1000 * 450);
    ck_assert_uint_eq(predict(&desc).bound_ns, 1000 * 450);
    ck_assert_uint_eq(predict(&desc).period_ns, 450);
    /* As many processors as can ever be busy are no limit. */
    desc.processors = 3;
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 450 + 999 * 300);
}
END_TEST

START_TEST(one_thread_for_load_and_sink_does_one_after_the_other)
{
    const uint64_t times[TRM_STAGES] = {200, 10, 100, 10, 150};
    struct trm_prediction_desc desc  = describe(6, 1000, times);

    ck_assert_uint_eq(predict(&desc).period_ns, 200);
    desc.one_thread = 1;
    ck_assert_uint_eq(predict(&desc).period_ns, 350);
    ck_assert_uint_eq(predict(&desc).bound_ns, 1000 * 350);
    /* Never idle: it fills six slots while the first token is on its way. */
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 1000 * 350);
    /* A stage without time is no limit. */
    desc.stage_ns[TRM_STAGE_SINK] = 0;
    ck_assert_uint_eq(predict(&desc).period_ns, 200);
}
END_TEST

START_TEST(another_link_replaces_the_time_of_a_copy)
{
    const uint64_t times[TRM_STAGES] = {0, 5000, 1000, 700, 0};
    struct trm_prediction_desc desc  = describe(3, 100, times);

    desc.bytes_up   = 64000;
    desc.bytes_down = 64000;
    ck_assert_int_eq(predict(&desc).critical, TRM_STAGE_UPLOAD);
    desc.up_speed = 64e9; /* a microsecond */
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 2700 + 99 * 1000);
    desc.down_speed = 32e9;
    ck_assert_int_eq(predict(&desc).critical, TRM_STAGE_DOWNLOAD);
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 4000 + 99 * 2000);
    desc.bytes_down = 0;
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 2700 + 99 * 1000);
}
END_TEST

START_TEST(depth_0_is_3)
{
    const uint64_t times[TRM_STAGES] = {7, 100, 100, 100, 9};
    struct trm_prediction_desc three = describe(3, 100, times), unset = describe(0, 100, times);

    ck_assert_uint_eq(predict(&three).elapsed_ns, predict(&unset).elapsed_ns);
}
END_TEST

/* Bound by the kernel, two devices take half of the time; by the source they gain nothing. */
START_TEST(two_devices_take_half_of_the_time_of_one_unless_the_host_is_slower)
{
    const uint64_t times[TRM_STAGES] = {100, 300, 1000, 200, 10};
    struct trm_prediction_desc desc  = describe(3, 1000, times);
    struct trm_prediction one        = predict(&desc);

    desc.devices              = 2;
    struct trm_prediction two = predict(&desc);
    ck_assert_uint_eq(one.period_ns, 1000);
    ck_assert_uint_eq(two.period_ns, 500);
    /* The second device begins when the first token is loaded, and then each takes a token every 1000 ns. */
    ck_assert_uint_eq(one.elapsed_ns, 1610 + 999 * 1000);
    ck_assert_uint_eq(two.elapsed_ns, 100 + 1610 + 499 * 1000);
    ck_assert_uint_eq(two.startup_ns, one.startup_ns);
    ck_assert_uint_eq(two.bound_ns, one.bound_ns / 2);
    ck_assert_uint_eq(two.sequential_ns, one.sequential_ns);
    ck_assert_double_eq_tol(two.throughput, 2 * one.throughput, 1);
    desc.devices                  = 12;
    desc.stage_ns[TRM_STAGE_LOAD] = 800;
    ck_assert_uint_eq(predict(&desc).period_ns, 800);
    ck_assert_int_eq(predict(&desc).critical, TRM_STAGE_LOAD);
}
END_TEST

/* 16 MiB up at 55 GB/s on each device, of which the memory of the host moves 75 GB/s on both together. */
START_TEST(the_memory_of_the_host_limits_what_devices_copy_together)
{
    const uint64_t times[TRM_STAGES] = {0, 1, 100000, 0, 0};
    struct trm_prediction_desc desc  = describe(3, 1000, times);

    desc.bytes_up             = 16 << 20;
    desc.up_speed             = 55e9;
    desc.host_speed           = 75e9;
    struct trm_prediction one = predict(&desc);
    desc.devices              = 2;
    struct trm_prediction two = predict(&desc);
    ck_assert_uint_eq(one.host_bound, 0);
    ck_assert_uint_eq(one.period_ns, 305040);
    ck_assert_uint_eq(two.host_bound, 1);
    ck_assert_uint_eq(two.period_ns, 223696);
    ck_assert_uint_ge(two.elapsed_ns, two.bound_ns);
    desc.host_speed = 0;
    two             = predict(&desc);
    ck_assert_uint_eq(two.host_bound, 0);
    ck_assert_uint_eq(two.period_ns, 152520);
}
END_TEST

/* What two H200 did, and how far that may be from what is predicted. */
struct recorded {
    uint64_t bytes, kernel_ns; /* of a token */
    double tokens_a_second;    /* where copies are the limit; 0: the kernel is */
    double gain;               /* over one device; 0: not recorded */
    double apart;
};

/* A device alone copies 55 GB/s each way, and the memory of the host moves 150 GB/s up and down together
 * (doc/results/2026-11-29-h200-group.md, doc/results/2026-11-29-h200-two.md). */
static const struct recorded recorded[] = {
    {16 << 20, 20000, 4492, 0, 0.01}, {64 << 20, 80000, 1011, 0, 0.11},  {64 << 10, 60000, 0, 2.02, 0.02},
    {1 << 20, 400000, 0, 2.00, 0.01}, {4 << 20, 1500000, 0, 1.99, 0.01},
};

START_TEST(two_devices_did_what_is_predicted_from_one)
{
    const struct recorded *row       = &recorded[_i];
    const uint64_t times[TRM_STAGES] = {0, row->bytes / 55, row->kernel_ns, row->bytes / 55, 0};
    struct trm_prediction_desc desc  = describe(3, 500, times);

    desc.bytes_up = desc.bytes_down = row->bytes;
    desc.host_speed                 = 150e9;
    struct trm_prediction one       = predict(&desc);
    desc.devices                    = 2;
    struct trm_prediction two       = predict(&desc);
    ck_assert_uint_eq(two.host_bound, row->gain == 0);
    if (row->gain != 0)
        ck_assert_double_eq_tol(two.throughput / one.throughput, row->gain, row->gain * row->apart);
    else
        ck_assert_double_eq_tol(two.throughput, row->tokens_a_second, row->tokens_a_second * row->apart);
}
END_TEST

/* ---- against simulations -------------------------------------------------------------------- */

START_TEST(it_is_exactly_what_comes_out_token_by_token)
{
    uint32_t state = 12345;

    for (uint32_t i = 0; i < 3000; i++) {
        struct trm_prediction_desc desc = {.struct_size = sizeof(desc)};
        struct trm_prediction prediction;
        uint64_t critical_end;

        desc.depth  = 1 + random_below(&state, i % 3 == 0 ? 64 : 8);
        desc.tokens = 1 + random_below(&state, i % 7 == 0 ? TOKENS_MOST : 60);
        for (uint32_t s = 0; s < TRM_STAGES; s++) {
            desc.stage_ns[s] = random_below(&state, 4) == 0 ? 0 : random_below(&state, i % 2 ? 10 : 100000);
            desc.lanes[s]    = random_below(&state, 3) == 0 ? random_below(&state, 12) : 0;
        }
        if (sum_of(desc.stage_ns) == 0)
            desc.stage_ns[2] = 1;
        if (i % 2 == 1) {
            desc.devices    = 1 + random_below(&state, 64 / desc.depth < 5 ? 64 / desc.depth : 5);
            desc.bytes_up   = random_below(&state, 12);
            desc.host_speed = i % 4 == 1 ? 1e9 : 0;
        }
        prediction = predict(&desc);
        ck_assert_uint_eq(prediction.elapsed_ns, token_by_token(&desc, prediction.critical, &critical_end));
        ck_assert_uint_eq(prediction.drain_ns, prediction.elapsed_ns - critical_end);
        ck_assert_uint_eq(prediction.startup_ns, sum_of(desc.stage_ns));
        ck_assert_uint_ge(prediction.sequential_ns, prediction.elapsed_ns);
        ck_assert_uint_ge(prediction.elapsed_ns, prediction.bound_ns);
    }
}
END_TEST

/* Sharing, nanosecond by nanosecond: older tokens first, but load before sink in one thread. */
static uint64_t tick_by_tick(const struct trm_prediction_desc *desc)
{
    static uint64_t left[TOKENS_MOST];
    static uint32_t stage[TOKENS_MOST];
    static int32_t running[TOKENS_MOST];
    uint64_t now = 0, done = 0, space = 0;
    uint32_t devices = devices_of(desc);

    memset(running, 0, sizeof(running));
    for (uint64_t i = 0; i < desc->tokens; i++)
        stage[i] = 0;
    for (;; now++) {
        uint64_t end;

        for (uint64_t i = done; i < desc->tokens; i++) {
            if (running[i] && --left[i] == 0) {
                running[i] = 0;
                stage[i]++;
            }
        }
        while (done < desc->tokens) {
            while (!running[done] && stage[done] < TRM_STAGES && desc->stage_ns[stage[done]] == 0)
                stage[done]++;
            if (stage[done] < TRM_STAGES)
                break;
            done++;
        }
        if (done == desc->tokens)
            return now;
        end = done + desc->depth * devices < desc->tokens ? done + desc->depth * devices : desc->tokens;
        for (uint32_t last = desc->one_thread ? TRM_STAGE_LOAD : TRM_STAGE_SINK; last < TRM_STAGES;
             last          = last == TRM_STAGE_LOAD ? TRM_STAGE_SINK : TRM_STAGES) {
            for (uint64_t i = done; i < end; i++) {
                uint32_t device = 0, host = 0, same = 0;
                int32_t first = 1;

                if (running[i])
                    continue;
                while (stage[i] < TRM_STAGES && desc->stage_ns[stage[i]] == 0)
                    stage[i]++;
                if (stage[i] > last)
                    continue;
                for (uint64_t k = done; k < end; k++) {
                    int32_t on_host = stage[k] == TRM_STAGE_LOAD || stage[k] == TRM_STAGE_SINK;

                    host += (uint32_t)(running[k] && on_host);
                    /* The host takes tokens in order, whichever device is faster. */
                    first &= k >= i || is_on_device(stage[i]) || stage[k] >= stage[i];
                    if (is_on_device(stage[i]) && k % devices != i % devices)
                        continue;
                    device += (uint32_t)(running[k] && !on_host);
                    same += (uint32_t)(running[k] && stage[k] == stage[i]);
                    first &= k >= i || running[k] || stage[k] != stage[i];
                }
                if (!first || same > 0)
                    continue;
                if (stage[i] == TRM_STAGE_LOAD || stage[i] == TRM_STAGE_SINK) {
                    if (desc->one_thread && host > 0)
                        continue;
                } else if (desc->processors != 0 && device >= desc->processors) {
                    continue;
                }
                if (stage[i] == spaced_stage(desc)) {
                    if (now < space)
                        continue;
                    space = now + desc->bytes_up + desc->bytes_down;
                }
                running[i] = 1;
                left[i]    = desc->stage_ns[stage[i]];
            }
        }
    }
}

START_TEST(sharing_is_exactly_what_comes_out_tick_by_tick)
{
    uint32_t state = 777;

    for (uint32_t i = 0; i < 400; i++) {
        struct trm_prediction_desc desc = {.struct_size = sizeof(desc)};

        desc.depth      = 1 + random_below(&state, 6);
        desc.tokens     = 1 + random_below(&state, i % 5 == 0 ? 400 : 30);
        desc.one_thread = random_below(&state, 2);
        desc.processors = random_below(&state, 3);
        for (uint32_t s = 0; s < TRM_STAGES; s++)
            desc.stage_ns[s] = random_below(&state, 4) == 0 ? 0 : random_below(&state, 12);
        if (sum_of(desc.stage_ns) == 0)
            desc.stage_ns[2] = 1;
        if (i % 2 == 1) {
            desc.devices    = 1 + random_below(&state, 4);
            desc.bytes_down = random_below(&state, 12);
            desc.host_speed = i % 4 == 1 ? 1e9 : 0;
        }
        ck_assert_uint_eq(predict(&desc).elapsed_ns, tick_by_tick(&desc));
    }
}
END_TEST

START_TEST(a_thousand_million_tokens_that_share_continue_as_a_thousand_do)
{
    const uint64_t times[TRM_STAGES] = {31, 47, 113, 29, 37};
    struct trm_prediction_desc desc  = describe(4, 1000, times);
    uint64_t thousand, more;

    desc.one_thread = 1;
    desc.processors = 2;
    thousand        = predict(&desc).elapsed_ns;
    desc.tokens     = 2000;
    more            = predict(&desc).elapsed_ns - thousand;
    desc.tokens     = 1000000000;
    ck_assert_uint_eq(predict(&desc).elapsed_ns, thousand + more * 999999);
}
END_TEST

START_TEST(a_million_million_tokens_are_predicted_without_going_through_them)
{
    const uint64_t times[TRM_STAGES] = {31000, 47111, 113222, 29333, 37444};
    struct trm_prediction_desc desc  = describe(64, UINT64_C(1000000000000), times);

    /* One by one they would take days. */
    ck_assert_uint_eq(predict(&desc).elapsed_ns, 258110 + UINT64_C(999999999999) * 113222);
    desc.one_thread = 1;
    ck_assert_uint_eq(predict(&desc).period_ns, 113222);
}
END_TEST

START_TEST(the_drain_of_any_number_of_tokens_that_share_is_short)
{
    const uint64_t times[TRM_STAGES] = {2000, 1009, 1013, 1019, 1};
    struct trm_prediction_desc desc  = describe(64, 100, times);

    desc.one_thread            = 1;
    desc.lanes[TRM_STAGE_LOAD] = 8; /* which one thread does not have */
    for (; desc.tokens <= 1000000; desc.tokens *= 10) {
        struct trm_prediction prediction = predict(&desc);

        ck_assert_int_eq(prediction.critical, TRM_STAGE_LOAD);
        ck_assert_uint_lt(prediction.drain_ns, 64 * sum_of(desc.stage_ns));
    }
}
END_TEST

/* ---- refusals ------------------------------------------------------------------------------- */

START_TEST(what_cannot_be_predicted_is_refused_with_a_reason)
{
    const uint64_t times[TRM_STAGES] = {1, 2, 3, 4, 5}, none[TRM_STAGES] = {0};
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};
    struct trm_prediction_desc desc  = describe(3, 10, times);
    struct trm_prediction_desc bad;

    ck_assert_int_eq(trm_predict(&desc, &prediction), TRM_OK);
    ck_assert_int_eq(trm_predict(NULL, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_predict(&desc, NULL), TRM_ERROR_INVALID_ARGUMENT);
    bad             = desc;
    bad.struct_size = 8;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    bad        = desc;
    bad.tokens = 0;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "no tokens"));
    bad       = desc;
    bad.depth = 65;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    bad = describe(3, 10, none);
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    bad             = desc;
    bad.stage_ns[1] = UINT64_MAX;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    bad        = desc;
    bad.tokens = UINT64_MAX / 4;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    bad          = desc;
    bad.bytes_up = 100;
    bad.up_speed = -1;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "up_speed"));
    bad.up_speed = NAN;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    bad            = desc;
    bad.bytes_up   = 100;
    bad.host_speed = -1;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "host_speed"));
    bad         = desc;
    bad.devices = 22;
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "22 devices"));
    /* A program that knows no devices. */
    bad             = desc;
    bad.devices     = 99;
    bad.struct_size = offsetof(struct trm_prediction_desc, devices);
    ck_assert_int_eq(trm_predict(&bad, &prediction), TRM_OK);
    prediction.struct_size = 4;
    ck_assert_int_eq(trm_predict(&desc, &prediction), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("predictions");
    TCase *tests = tcase_create("predictions");

    tcase_add_test(tests, one_slot_takes_tokens_times_the_sum_of_the_stages);
    tcase_add_test(tests, enough_slots_take_the_sum_once_and_then_the_longest_stage_for_each_token);
    tcase_add_test(tests, two_slots_of_three_equal_stages_take_half_of_the_sum_for_each_token);
    tcase_add_test(tests, more_loaders_divide_the_time_of_load);
    tcase_add_test(tests, one_processor_makes_the_stages_of_the_device_follow_each_other);
    tcase_add_test(tests, one_thread_for_load_and_sink_does_one_after_the_other);
    tcase_add_test(tests, another_link_replaces_the_time_of_a_copy);
    tcase_add_test(tests, two_devices_take_half_of_the_time_of_one_unless_the_host_is_slower);
    tcase_add_test(tests, the_memory_of_the_host_limits_what_devices_copy_together);
    tcase_add_loop_test(tests, two_devices_did_what_is_predicted_from_one, 0,
                        sizeof(recorded) / sizeof(recorded[0]));
    tcase_add_test(tests, depth_0_is_3);
    tcase_add_test(tests, it_is_exactly_what_comes_out_token_by_token);
    tcase_add_test(tests, sharing_is_exactly_what_comes_out_tick_by_tick);
    tcase_add_test(tests, a_thousand_million_tokens_that_share_continue_as_a_thousand_do);
    tcase_add_test(tests, a_million_million_tokens_are_predicted_without_going_through_them);
    tcase_add_test(tests, the_drain_of_any_number_of_tokens_that_share_is_short);
    tcase_add_test(tests, what_cannot_be_predicted_is_refused_with_a_reason);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
