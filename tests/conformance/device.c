/* Devices: the list, opening, properties, usage, waiting for all work.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the list ---- */

static bool has_zero(const char *text, size_t capacity)
{
    return memchr(text, '\0', capacity) != NULL;
}

START_TEST(every_device_of_the_list_can_be_opened_by_its_id)
{
    uint32_t count = 0;
    ck_ok(trm_device_count(the.context, &count));
    ck_assert_uint_gt(count, 0);
    for (uint32_t i = 0; i < count; i++) {
        struct trm_device_summary summary = {.struct_size = sizeof(summary)};
        struct trm_device *device         = NULL;
        ck_ok(trm_device_describe(the.context, i, &summary));
        ck_assert(has_zero(summary.id, sizeof(summary.id)) &&
                  has_zero(summary.backend, sizeof(summary.backend)) &&
                  has_zero(summary.name, sizeof(summary.name)));
        ck_assert(summary.id[0] && summary.backend[0] && summary.name[0]);
        ck_assert_uint_gt(summary.memory_bytes, 0);
        ck_assert(summary.unified == 0 || summary.unified == 1);
        ck_assert_int_eq(strncmp(summary.id, summary.backend, strlen(summary.backend)), 0);
        ck_assert_int_eq(summary.id[strlen(summary.backend)], ':');
        ck_ok(trm_device_open(the.context, summary.id, &device));
        trm_device_destroy(device);
    }
}
END_TEST

START_TEST(a_device_past_the_end_of_the_list_is_out_of_range)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    uint32_t count                    = 0;
    ck_ok(trm_device_count(the.context, &count));
    ck_status(trm_device_describe(the.context, count, &summary), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_device_describe(the.context, UINT32_MAX, &summary), TRM_ERROR_OUT_OF_RANGE);
    ck_ok(trm_device_describe(the.context, count - 1, &summary));
}
END_TEST

START_TEST(a_summary_of_another_size_is_refused)
{
    struct trm_device_summary summary = {.struct_size = 7};
    ck_status(trm_device_describe(the.context, 0, &summary), TRM_ERROR_INVALID_ARGUMENT);
    summary.struct_size = 0;
    ck_status(trm_device_describe(the.context, 0, &summary), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* ---- opening ---- */

static struct trm_device_summary first_summary(void)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    ck_ok(trm_device_describe(the.context, 0, &summary));
    return summary;
}

START_TEST(a_device_opens_by_the_name_of_its_backend)
{
    struct trm_device_summary summary = first_summary();
    struct trm_device *device         = NULL;
    ck_ok(trm_device_open(the.context, summary.backend, &device));
    trm_device_destroy(device);
}
END_TEST

START_TEST(a_device_that_is_not_there_is_not_found)
{
    struct trm_device_summary summary = first_summary();
    struct trm_device *device         = NULL;
    char past[80];
    snprintf(past, sizeof(past), "%s:4096", summary.backend);
    ck_status(trm_device_open(the.context, past, &device), TRM_ERROR_NOT_FOUND);
    ck_status(trm_device_open(the.context, "no-such-backend:0", &device), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("no-such-backend");
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(what_is_no_id_of_a_device_is_refused)
{
    static const char *const endings[] = {":",   ":x",  ":-1",  ":0x0",
                                          ": 0", ":0 ", ":0:0", ":99999999999999999999"};
    struct trm_device_summary summary  = first_summary();
    struct trm_device *device          = NULL;
    char id[100], longest[5000];
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        snprintf(id, sizeof(id), "%s%s", summary.backend, endings[i]);
        ck_refused(trm_device_open(the.context, id, &device));
    }
    memset(longest, 'a', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    ck_refused(trm_device_open(the.context, longest, &device));
    ck_refused(trm_device_open(the.context, ":0", &device));
    ck_assert_ptr_null(device);
}
END_TEST

START_TEST(the_default_device_is_that_of_the_setting)
{
    struct trm_device_summary summary = first_summary();
    struct trm_setting there          = {"device", summary.id};
    struct trm_setting missing        = {"device", "no-such-backend:0"};
    struct trm_context *context       = NULL;
    struct trm_device *device         = NULL;
    ck_ok(context_with(&there, 1, &context));
    ck_ok(trm_device_open(context, NULL, &device));
    trm_device_destroy(device);
    trm_context_destroy(context);

    device = NULL;
    ck_ok(context_with(&missing, 1, &context));
    ck_status(trm_device_open(context, NULL, &device), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("no-such-backend");
    ck_assert_ptr_null(device);
    trm_context_destroy(context);
}
END_TEST

START_TEST(every_opening_makes_a_device_of_its_own)
{
    struct trm_device *other      = second_device();
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_assert_ptr_ne(other, the.device);
    struct trm_buffer *buffer = make_buffer(other, TRM_MEMORY_DEVICE, 1000);
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_assert_uint_eq(usage.buffers, 0);
    ck_ok(trm_device_get_usage(other, &usage));
    ck_assert_uint_eq(usage.buffers, 1);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_device_can_be_opened_and_destroyed_again_and_again)
{
    for (struct rounds rounds = rounds_of(scaled(200, 20), 3); rounds_left(&rounds); rounds.number++) {
        struct trm_device *device = open_device(the.context);
        struct trm_stream *stream = NULL;
        ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 100);
        put_pattern(stream, buffer, 100, rounds.number);
        ck_buffer_pattern(stream, buffer, 100, rounds.number);
        trm_buffer_destroy(buffer);
        trm_stream_destroy(stream);
        trm_device_destroy(device);
    }
}
END_TEST

/* ---- properties ---- */

struct fact {
    uint32_t key;
    size_t bytes; /* 0: text */
    uint64_t least;
};

static const struct fact required[] = {
    {TRM_DEVICE_NAME, 0, 0},
    {TRM_DEVICE_KIND, 8, 0},
    {TRM_DEVICE_MEMORY_TOTAL, 8, 1},
    {TRM_DEVICE_UNIFIED, 8, 0},
    {TRM_DEVICE_UNITS, 8, 1},
    {TRM_DEVICE_MAX_GROUPS, 24, 1},
    {TRM_DEVICE_MAX_GROUP_SIZE, 24, 1},
    {TRM_DEVICE_MAX_GROUP_ITEMS, 8, 1},
    {TRM_DEVICE_MAX_SHARED_BYTES, 8, 0},
    {TRM_DEVICE_MAX_BUFFER_BYTES, 8, 1},
    {TRM_DEVICE_MAX_ARGUMENTS, 8, 1},
    {TRM_DEVICE_BUFFER_ALIGNMENT, 8, 1},
};

START_TEST(a_device_answers_all_that_is_required)
{
    for (size_t i = 0; i < COUNT_OF(required); i++) {
        const struct fact *fact = &required[i];
        union {
            char text[512];
            uint64_t numbers[64];
        } value       = {.text = ""};
        size_t needed = 0, again = 0;
        ck_ok(trm_device_get_info(the.device, fact->key, NULL, 0, &needed));
        ck_ok(trm_device_get_info(the.device, fact->key, &value, sizeof(value), &again));
        ck_assert_msg(needed == again, "key %u needs %zu bytes and then %zu", fact->key, needed, again);
        if (fact->bytes == 0) {
            ck_assert_uint_eq(strlen(value.text) + 1, needed);
            continue;
        }
        ck_assert_msg(needed == fact->bytes, "key %u has %zu bytes instead of %zu", fact->key, needed,
                      fact->bytes);
        for (size_t n = 0; n < fact->bytes / 8; n++)
            ck_assert_msg(value.numbers[n] >= fact->least, "key %u: %llu is less than it can be", fact->key,
                          (unsigned long long)value.numbers[n]);
    }
}
END_TEST

START_TEST(the_list_and_the_device_say_the_same)
{
    struct trm_device_summary summary = first_summary();
    char name[sizeof(summary.name)]   = "";
    ck_ok(trm_device_get_info(the.device, TRM_DEVICE_NAME, name, sizeof(name), NULL));
    ck_assert_str_eq(name, summary.name);
    ck_assert_uint_eq(device_number(the.device, TRM_DEVICE_KIND), (uint64_t)summary.kind);
    ck_assert_uint_eq(device_number(the.device, TRM_DEVICE_MEMORY_TOTAL), summary.memory_bytes);
    ck_assert_uint_eq(device_number(the.device, TRM_DEVICE_UNIFIED), (uint64_t)summary.unified);
    uint64_t alignment = device_number(the.device, TRM_DEVICE_BUFFER_ALIGNMENT);
    ck_assert_msg((alignment & (alignment - 1)) == 0, "%llu is no power of two",
                  (unsigned long long)alignment);
}
END_TEST

START_TEST(a_fact_that_does_not_fit_tells_its_size)
{
    char value[300] = "untouched";
    size_t needed   = 0;
    ck_status(trm_device_get_info(the.device, TRM_DEVICE_NAME, value, 1, &needed), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_gt(needed, 1);
    ck_assert_str_eq(value, "untouched");
    ck_status(trm_device_get_info(the.device, TRM_DEVICE_MAX_GROUPS, value, 23, &needed),
              TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(needed, 24);
    ck_assert_str_eq(value, "untouched");
    ck_ok(trm_device_get_info(the.device, TRM_DEVICE_MAX_GROUPS, value, 24, NULL));
}
END_TEST

START_TEST(an_open_device_tells_its_backend_index_and_id)
{
    char backend[64], id[128], expected[256];
    size_t needed = 0;
    ck_ok(trm_device_get_info(the.device, TRM_DEVICE_BACKEND, backend, sizeof(backend), &needed));
    ck_assert_uint_eq(needed, strlen(backend) + 1);
    ck_ok(trm_device_get_info(the.device, TRM_DEVICE_ID, id, sizeof(id), &needed));
    ck_assert_uint_eq(needed, strlen(id) + 1);
    snprintf(expected, sizeof(expected), "%s:%llu", backend,
             (unsigned long long)device_number(the.device, TRM_DEVICE_INDEX));
    ck_assert_str_eq(id, expected);
    needed = 0;
    ck_ok(trm_device_get_info(the.device, TRM_DEVICE_ID, NULL, 0, &needed));
    ck_assert_uint_eq(needed, strlen(id) + 1);
    ck_status(trm_device_get_info(the.device, TRM_DEVICE_ID, backend, 1, &needed), TRM_ERROR_OUT_OF_RANGE);
    struct trm_device *again = NULL;
    ck_ok(trm_device_open(the.context, id, &again));
    trm_device_destroy(again);
}
END_TEST

START_TEST(a_device_that_says_how_many_kernels_run_at_once_runs_one)
{
    uint64_t count = 0;
    int32_t status = trm_device_get_u64(the.device, TRM_DEVICE_MAX_KERNELS, &count);
    if (status == TRM_ERROR_NOT_FOUND) {
        skip("it does not say");
        return;
    }
    ck_ok(status);
    ck_assert_uint_ge(count, 1);
}
END_TEST

START_TEST(a_device_that_says_how_many_priorities_it_has_has_up_to_three)
{
    uint64_t count = 0;
    int32_t status = trm_device_get_u64(the.device, TRM_DEVICE_PRIORITIES, &count);
    if (status == TRM_ERROR_NOT_FOUND) {
        skip("it does not say");
        return;
    }
    ck_ok(status);
    ck_assert_uint_ge(count, 1);
    ck_assert_uint_le(count, 3);
}
END_TEST

START_TEST(a_device_that_says_how_many_queues_its_streams_have_has_one)
{
    uint64_t count = 0;
    int32_t status = trm_device_get_u64(the.device, TRM_DEVICE_QUEUES, &count);
    if (status == TRM_ERROR_NOT_FOUND) {
        skip("it does not say");
        return;
    }
    ck_ok(status);
    ck_assert_uint_ge(count, 1);
}
END_TEST

START_TEST(an_unknown_key_is_not_found)
{
    uint64_t value = 5;
    size_t needed  = 6;
    ck_status(trm_device_get_info(the.device, 0, &value, sizeof(value), &needed), TRM_ERROR_NOT_FOUND);
    ck_status(trm_device_get_info(the.device, UINT32_MAX, &value, sizeof(value), &needed),
              TRM_ERROR_NOT_FOUND);
    ck_status(trm_device_get_u64(the.device, UINT32_MAX, &value), TRM_ERROR_NOT_FOUND);
    ck_assert_uint_eq(value, 5);
    ck_refused(trm_device_get_u64(the.device, TRM_DEVICE_MAX_GROUPS, &value));
    ck_assert_uint_eq(value, 5);
}
END_TEST

/* ---- usage ---- */

static struct trm_device_usage usage_of(struct trm_device *device)
{
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(device, &usage));
    return usage;
}

START_TEST(usage_counts_what_is_alive)
{
    struct trm_device_usage before = usage_of(the.device), during, after;
    struct trm_stream *stream      = NULL;
    struct trm_event *event        = NULL;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_event_create(the.device, 0, &event));
    struct trm_buffer *small = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    struct trm_buffer *big   = make_buffer(the.device, TRM_MEMORY_PINNED, 50000);
    during                   = usage_of(the.device);
    ck_assert_uint_eq(during.streams, before.streams + 1);
    ck_assert_uint_eq(during.events, before.events + 1);
    ck_assert_uint_eq(during.buffers, before.buffers + (big ? 2 : 1));
    ck_assert_uint_eq(during.buffer_bytes, before.buffer_bytes + 1000 + (big ? 50000 : 0));
    ck_assert_uint_ge(during.peak_buffer_bytes, during.buffer_bytes);

    trm_buffer_destroy(small);
    trm_buffer_destroy(big);
    trm_event_destroy(event);
    trm_stream_destroy(stream);
    after = usage_of(the.device);
    ck_assert_uint_eq(after.streams, before.streams);
    ck_assert_uint_eq(after.events, before.events);
    ck_assert_uint_eq(after.buffers, before.buffers);
    ck_assert_uint_eq(after.buffer_bytes, before.buffer_bytes);
    ck_assert_uint_eq(after.peak_buffer_bytes, during.peak_buffer_bytes);
}
END_TEST

START_TEST(usage_counts_modules_and_kernels)
{
    if (kernels_missing())
        return;
    struct trm_device_usage before = usage_of(the.device);
    struct trm_module *module      = load_kernels(the.device);
    struct trm_kernel *kernels[3]  = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++)
        ck_ok(trm_kernel_get(module, "affine", &kernels[i]));
    ck_assert_uint_eq(usage_of(the.device).kernels, before.kernels + 3);
    ck_assert_uint_eq(usage_of(the.device).modules, before.modules + 1);
    trm_module_destroy(module); /* the kernels need it still */
    ck_assert_uint_eq(usage_of(the.device).kernels, before.kernels + 3);
    for (int i = 0; i < 3; i++)
        trm_kernel_destroy(kernels[i]);
    ck_assert_uint_eq(usage_of(the.device).kernels, before.kernels);
    ck_assert_uint_eq(usage_of(the.device).modules, before.modules);
}
END_TEST

START_TEST(usage_of_another_size_is_refused)
{
    struct trm_device_usage usage = {.struct_size = 5, .streams = 99};
    ck_status(trm_device_get_usage(the.device, &usage), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(usage.streams, 99);
}
END_TEST

/* ---- waiting for the whole device ---- */

START_TEST(syncing_a_device_without_work_returns)
{
    struct trm_device *other = second_device();
    ck_ok(trm_device_sync(other));
    ck_ok(trm_device_sync(the.device));
}
END_TEST

START_TEST(syncing_a_device_waits_for_all_of_its_streams)
{
    enum {
        STREAMS = 8,
        BYTES   = 4096
    };
    static uint8_t got[STREAMS][BYTES], sent[STREAMS][BYTES];
    for (uint32_t i = 0; i < STREAMS; i++) {
        struct trm_stream *stream = make_stream(the.device);
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
        struct hold *hold         = i == 3 ? hold_begin(stream) : NULL;
        pattern_make(sent[i], BYTES, i);
        ck_ok(trm_upload(stream, trm_span_whole(buffer), sent[i]));
        ck_ok(trm_download(stream, got[i], trm_span_whole(buffer)));
        trm_buffer_destroy(buffer);
        hold_end_after(hold, 50);
    }
    ck_ok(trm_device_sync(the.device));
    for (uint32_t i = 0; i < STREAMS; i++)
        ck_pattern(got[i], BYTES, i);
}
END_TEST

START_TEST(syncing_a_device_does_not_wait_for_another)
{
    struct trm_device *other  = second_device();
    struct trm_stream *stream = make_stream(other);
    struct hold *hold         = hold_begin(stream);
    ck_ok(trm_device_sync(the.device));
    if (hold)
        ck_status(trm_stream_query(stream), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_device_sync(other));
    ck_ok(trm_stream_query(stream));
}
END_TEST

void add_device(Suite *suite)
{
    TCase *group = group_make(suite, "devices");
    CASE(group, every_device_of_the_list_can_be_opened_by_its_id);
    CASE(group, a_device_past_the_end_of_the_list_is_out_of_range);
    CASE(group, a_summary_of_another_size_is_refused);
    CASE(group, a_device_opens_by_the_name_of_its_backend);
    CASE(group, a_device_that_is_not_there_is_not_found);
    CASE(group, what_is_no_id_of_a_device_is_refused);
    CASE(group, the_default_device_is_that_of_the_setting);
    CASE(group, every_opening_makes_a_device_of_its_own);
    CASE(group, a_device_can_be_opened_and_destroyed_again_and_again);
    CASE(group, a_device_answers_all_that_is_required);
    CASE(group, the_list_and_the_device_say_the_same);
    CASE(group, a_fact_that_does_not_fit_tells_its_size);
    CASE(group, an_open_device_tells_its_backend_index_and_id);
    CASE(group, a_device_that_says_how_many_kernels_run_at_once_runs_one);
    CASE(group, a_device_that_says_how_many_queues_its_streams_have_has_one);
    CASE(group, a_device_that_says_how_many_priorities_it_has_has_up_to_three);
    CASE(group, an_unknown_key_is_not_found);
    CASE(group, usage_counts_what_is_alive);
    CASE(group, usage_counts_modules_and_kernels);
    CASE(group, usage_of_another_size_is_refused);
    CASE(group, syncing_a_device_without_work_returns);
    CASE(group, syncing_a_device_waits_for_all_of_its_streams);
    CASE(group, syncing_a_device_does_not_wait_for_another);
}
