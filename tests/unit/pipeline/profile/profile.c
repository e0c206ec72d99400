/* Profiles of devices.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/profile.h"
#include "pipeline/profile/profile.h"

#include <pthread.h>
#include <sched.h>

#include "core/object/context.h"
#include "tests/unit/stream_fixture.h"

#define CONTEXT core_context_find(fake.context)

static struct trm_profile *begin_profile(uint32_t interval)
{
    struct trm_profile_desc desc = {sizeof(desc), interval};
    struct trm_profile *profile;
    OK(trm_profile_begin(fake.device, &desc, &profile));
    return profile;
}

static struct trm_profile_stream stream_at(struct trm_profile *profile, uint32_t index)
{
    struct trm_profile_stream stream = {.struct_size = sizeof(stream)};
    OK(trm_profile_get_stream(profile, index, &stream));
    return stream;
}

static uint32_t count_of(struct trm_profile *profile)
{
    uint32_t count = 99;
    OK(trm_profile_stream_count(profile, &count));
    return count;
}

static void enqueue(struct trm_stream *stream, unsigned operations)
{
    for (unsigned i = 0; i < operations; i++)
        OK(fake_enqueue(stream));
}

struct text {
    char bytes[1 << 16];
    size_t length;
};

static int32_t add_text(void *user, const char *bytes, size_t length)
{
    struct text *text = user;
    if (length >= sizeof(text->bytes) - text->length)
        return TRM_ERROR_OUT_OF_RANGE;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return TRM_OK;
}

static const char *written(struct trm_profile *profile, int32_t format)
{
    static struct text text;
    text.length = 0;
    OK(trm_profile_write(profile, format, add_text, &text));
    return text.bytes;
}

START_TEST(all_streams_are_counted_and_timed_also_new_ones)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *first = make_stream();
    enqueue(first, 3);
    struct trm_profile *profile = begin_profile(1);
    enqueue(first, 10);
    struct trm_stream *second = make_stream(), *unused = make_stream();
    enqueue(second, 1000);
    OK(trm_profile_end(profile));
    enqueue(first, 5);

    ck_assert_uint_eq(count_of(profile), 2);
    struct trm_profile_stream stream = stream_at(profile, 0);
    ck_assert_uint_eq(stream.operations, 10);
    ck_assert_uint_eq(stream.timed, 10);
    ck_assert_uint_eq(stream.count[TRM_PROFILE_COPY], 10);
    ck_assert_uint_eq(stream.bytes[TRM_PROFILE_COPY], 10000);
    ck_assert_uint_eq(stream_at(profile, 1).timed, 1000);
    trm_profile_destroy(profile);
    trm_stream_destroy(unused);
    trm_stream_destroy(second);
    trm_stream_destroy(first);
    end();
}
END_TEST

START_TEST(without_timestamps_operations_are_counted_only)
{
    begin(FAKE_ALL & ~(uint32_t)FAKE_PROFILE);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(1);
    enqueue(stream, 10);
    OK(trm_profile_end(profile));
    struct trm_profile_stream found = stream_at(profile, 0);
    ck_assert_uint_eq(found.operations, 10);
    ck_assert_uint_eq(found.timed, 0);
    ck_assert_ptr_nonnull(strstr(written(profile, TRM_PROFILE_TEXT), "overlap unknown"));
    ck_assert_ptr_nonnull(strstr(written(profile, TRM_PROFILE_JSON), "\"overlap\":null"));
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_stream_that_has_ended_is_in_the_profile)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_profile *profile = begin_profile(1);
    struct trm_stream *stream   = make_stream();
    enqueue(stream, 7);
    trm_stream_destroy(stream);
    OK(trm_profile_end(profile));
    ck_assert_uint_eq(count_of(profile), 1);
    ck_assert_uint_eq(stream_at(profile, 0).timed, 7);
    trm_profile_destroy(profile);
    end();
}
END_TEST

START_TEST(a_device_has_one_profile_at_a_time)
{
    struct trm_profile *other = NULL;
    uint32_t count;
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(1);
    ck_assert_int_eq(trm_profile_begin(fake.device, NULL, &other), TRM_ERROR_BUSY);
    ck_assert_int_eq(trm_profile_stream_count(profile, &count), TRM_ERROR_BUSY);
    enqueue(stream, 2);
    OK(trm_profile_end(profile));
    OK(trm_profile_end(profile));
    other = begin_profile(1);
    enqueue(stream, 4);
    trm_profile_destroy(profile);
    OK(trm_profile_end(other));
    ck_assert_uint_eq(stream_at(other, 0).operations, 4);
    trm_profile_destroy(other);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* The program is linked with --wrap=pthread_mutex_unlock. */
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

/* Begins once the first lock has been released under which no profile has this device any more. */
static struct {
    struct core_device *device; /* NULL: never */
    uint32_t interval;
    struct trm_profile *begun;
} next;

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    bool is_free = next.device != NULL && mutex == &next.device->lock && next.device->profile == NULL;
    int status   = __real_pthread_mutex_unlock(mutex);

    if (is_free) {
        next.device = NULL;
        next.begun  = begin_profile(next.interval);
    }
    return status;
}

/* A profile claims the device at the first moment at which it can, while another one leaves it. */
START_TEST(a_device_that_is_claimed_while_a_profile_leaves_it_stays_marked)
{
    static const uint32_t marks[] = {CORE_DEVICE_PROFILED, CORE_DEVICE_PROFILED | CORE_DEVICE_TIMED};

    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct core_device *device  = core_stream_find(stream)->device;
    struct trm_profile *profile = begin_profile(1);
    next.interval               = _i == 0 ? TRM_PROFILE_COUNTED : 1;
    next.device                 = device;
    OK(trm_profile_end(profile));
    ck_assert_ptr_nonnull(next.begun);
    ck_assert_uint_eq(atomic_load(&device->attention), marks[_i]);
    enqueue(stream, 2);
    struct trm_stream *later = make_stream();
    enqueue(later, 3);
    OK(trm_profile_end(next.begun));
    ck_assert_uint_eq(stream_at(next.begun, count_of(next.begun) - 1).operations, 3);
    ck_assert_uint_eq(atomic_load(&device->attention), 0);
    trm_stream_destroy(later);
    trm_stream_destroy(stream);
    trm_profile_destroy(next.begun);
    trm_profile_destroy(profile);
    end();
}
END_TEST

START_TEST(destroying_a_profile_ends_it)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream = make_stream();
    trm_profile_destroy(begin_profile(1));
    enqueue(stream, 3);
    ck_assert_uint_eq(atomic_load(&fake.stamps), 0);
    struct trm_profile *profile = begin_profile(1);
    enqueue(stream, 3);
    trm_profile_destroy(profile);
    trm_profile_destroy(begin_profile(1));
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(where_no_timestamp_is_free_operations_are_not_timed)
{
    begin(FAKE_ALL);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(1);
    enqueue(stream, 1000);
    fake_let_run(&fake);
    OK(trm_profile_end(profile));
    struct trm_profile_stream found = stream_at(profile, 0);
    ck_assert_uint_eq(found.operations, 1000);
    ck_assert_uint_gt(found.timed, 0);
    ck_assert_uint_lt(found.timed, 1000);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* The first finds the stream idle; of the others, those right behind a timed one have a beginning. */
START_TEST(an_interval_leaves_operations_out)
{
    begin(FAKE_ALL);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(10);
    enqueue(stream, 100);
    fake_let_run(&fake);
    OK(trm_profile_end(profile));
    struct trm_profile_stream found = stream_at(profile, 0);
    ck_assert_uint_eq(found.operations, 100);
    ck_assert_uint_eq(found.timed, 11);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_profile_that_counts_takes_no_times)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(TRM_PROFILE_COUNTED);
    enqueue(stream, 100);
    OK(trm_profile_end(profile));
    struct trm_profile_stream found = stream_at(profile, 0);
    ck_assert_uint_eq(found.operations, 100);
    ck_assert_uint_eq(found.timed, 0);
    ck_assert_uint_eq(found.span_ns, 0);
    ck_assert_uint_eq(calls(FAKE_CALL_STAMP), 0);
    trm_profile_destroy(profile);
    profile = begin_profile(1);
    enqueue(stream, 3);
    OK(trm_profile_end(profile));
    ck_assert_uint_eq(stream_at(profile, 0).timed, 3);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

static uint32_t attention(struct trm_stream *stream)
{
    return atomic_load(&core_stream_find(stream)->device->attention);
}

/* A call looks at what is to be done before it only while times are taken. */
START_TEST(a_profile_that_counts_is_not_looked_at_when_a_call_begins)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(TRM_PROFILE_COUNTED);
    ck_assert_uint_eq(attention(stream), CORE_DEVICE_PROFILED);
    ck_assert(core_stream_is_quiet(core_stream_find(stream)));
    trm_profile_destroy(profile);
    ck_assert_uint_eq(attention(stream), 0);
    profile = begin_profile(0);
    ck_assert_uint_eq(attention(stream), CORE_DEVICE_PROFILED | CORE_DEVICE_TIMED);
    ck_assert(!core_stream_is_quiet(core_stream_find(stream)));
    trm_profile_destroy(profile);
    ck_assert_uint_eq(attention(stream), 0);
    trm_stream_destroy(stream);
    end();
}
END_TEST

static void count_launch(struct core_profile_result *result, const char *name, uintptr_t handle)
{
    const struct core_work work = {.kind = CORE_WORK_LAUNCH, .kernel = name, .handle = (void *)handle};
    ck_assert_ptr_nonnull(core_profile_count(CONTEXT, result, &work));
}

static uint64_t count_named(const struct core_profile_result *result, const char *name)
{
    const struct core_profile_subject *each = result->kernels;
    while (each != NULL && strcmp(each->name, name) != 0)
        each = each->next;
    return each != NULL ? each->count : 0;
}

/* A kernel's name may be where that of an earlier one was. */
START_TEST(kernels_are_told_apart_by_their_names_wherever_these_are)
{
    char place[] = "scale";
    begin(FAKE_ALL);
    struct core_profile_result *result = core_allocate(CONTEXT, sizeof(*result));
    ck_assert_ptr_nonnull(result);
    count_launch(result, place, 1);
    count_launch(result, place, 1);
    place[0] = 'S';
    count_launch(result, place, 2);
    count_launch(result, "scale", 3);
    ck_assert_uint_eq(count_named(result, "scale"), 3);
    ck_assert_uint_eq(count_named(result, "Scale"), 1);
    ck_assert_uint_eq(result->kernel_count, 2);
    /* More handles than there are places for. */
    for (uintptr_t handle = 4; handle < 4 + 10 * CORE_PROFILE_HANDLES; handle++)
        count_launch(result, handle % 2 == 0 ? "even" : "odd", handle);
    ck_assert_uint_eq(count_named(result, "even"), 5 * CORE_PROFILE_HANDLES);
    ck_assert_uint_eq(count_named(result, "odd"), 5 * CORE_PROFILE_HANDLES);
    core_profile_free_results(CONTEXT, result);
    end();
}
END_TEST

/* ---- counting while a profile begins and ends ---- */

struct counter {
    struct trm_stream *stream;
    _Atomic bool is_over;
    _Atomic uint64_t enqueued;
};

static void *enqueue_until_over(void *user)
{
    struct counter *counter = user;
    while (!atomic_load(&counter->is_over)) {
        OK(fake_enqueue(counter->stream));
        atomic_fetch_add(&counter->enqueued, 1);
        sched_yield();
    }
    return NULL;
}

static void wait_for_more(const struct counter *counter, uint64_t more)
{
    uint64_t from = atomic_load(&counter->enqueued);
    while (atomic_load(&counter->enqueued) < from + more)
        sched_yield();
}

/* Where there are barriers between threads, and where there are none. */
START_TEST(an_ended_profile_counts_nothing_more)
{
    pthread_t thread;
    begin(FAKE_ALL);
    fake_let_run(&fake);
    if (_i == 0)
        CONTEXT->has_barriers = false;
    struct counter counter = {.stream = make_stream()};
    ck_assert_int_eq(pthread_create(&thread, NULL, enqueue_until_over, &counter), 0);
    for (unsigned n = 0; n < 50; n++) {
        uint64_t before             = atomic_load(&counter.enqueued);
        struct trm_profile *profile = begin_profile(TRM_PROFILE_COUNTED);
        wait_for_more(&counter, 4);
        OK(trm_profile_end(profile));
        struct trm_profile_stream found = stream_at(profile, 0);
        /* One that was counted may not be in `enqueued` yet; one that was under way may not be counted. */
        ck_assert_uint_ge(found.operations, 2);
        ck_assert_uint_le(found.operations, atomic_load(&counter.enqueued) + 1 - before);
        wait_for_more(&counter, 2);
        ck_assert_uint_eq(stream_at(profile, 0).operations, found.operations);
        trm_profile_destroy(profile);
    }
    atomic_store(&counter.is_over, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    trm_stream_destroy(counter.stream);
    end();
}
END_TEST

START_TEST(a_stream_that_fails_does_not_end_its_profile)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(1);
    enqueue(stream, 3);
    fail_next(FAKE_CALL_STAMP, TRM_ERROR_OUT_OF_HOST_MEMORY);
    enqueue(stream, 3);
    fake_fail(&fake, stream, TRM_ERROR_KERNEL, 3, "it failed");
    OK(trm_profile_end(profile));
    ck_assert_uint_ge(stream_at(profile, 0).operations, 6);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(where_memory_runs_out_none_begins_and_none_is_left)
{
    struct trm_profile *profile = NULL;
    int32_t status              = TRM_ERROR_OUT_OF_HOST_MEMORY;
    unsigned failures           = 0;
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *first = make_stream(), *second = make_stream();
    while (status != TRM_OK) {
        counting.fail_at = counting.allocations + ++failures;
        status           = trm_profile_begin(fake.device, NULL, &profile);
        ck_assert(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY);
    }
    counting.fail_at = 0;
    ck_assert_uint_gt(failures, 4);
    enqueue(second, 3);
    OK(trm_profile_end(profile));
    ck_assert_uint_eq(stream_at(profile, 0).operations, 3);
    trm_profile_destroy(profile);
    trm_stream_destroy(second);
    trm_stream_destroy(first);
    end();
}
END_TEST

START_TEST(it_is_written_as_text_as_json_and_as_a_trace)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(1);
    enqueue(stream, 5);
    OK(trm_profile_end(profile));
    ck_assert_ptr_nonnull(strstr(written(profile, TRM_PROFILE_TEXT), "kernels   copies"));
    ck_assert_ptr_nonnull(strstr(written(profile, TRM_PROFILE_JSON), "\"operations\":5,\"timed\":5"));
    const char *trace = written(profile, TRM_PROFILE_TRACE);
    unsigned events   = 0;
    for (const char *at = trace; (at = strstr(at, "\"ph\":\"X\"")) != NULL; at++)
        events++;
    ck_assert_uint_eq(events, 5);
    ck_assert_int_eq(trm_profile_write(profile, 3, add_text, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_profile_write(profile, 0, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_profile_write_file(profile, 0, "/nowhere/at/all"), TRM_ERROR_IO);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_time_is_kept_to_a_fourth_of_its_value)
{
    uint32_t last = 0;
    for (uint64_t time = 0; time < 100000; time++) {
        uint32_t slot  = core_profile_slot(time);
        uint64_t found = core_profile_slot_time(slot);
        ck_assert_uint_ge(slot, last);
        ck_assert_uint_le(found, time);
        ck_assert_uint_ge(found * 4, time * 3);
        last = slot;
    }
    ck_assert_uint_eq(core_profile_slot(UINT64_MAX), CORE_PROFILE_TIMES);
}
END_TEST

/* Two thirds of the operations take 1.5 ms, one third takes 3 ms. */
START_TEST(a_percentile_is_no_less_than_what_operations_take)
{
    static struct core_profile_result result;
    struct pipeline_profile_entry entry = {.result = &result};
    struct trm_profile_stream stream;
    memset(&result, 0, sizeof(result));
    result.ran[core_profile_slot(1500000)] = 200;
    result.ran[core_profile_slot(3000000)] = 100;
    pipeline_profile_sum(&entry, &stream);
    ck_assert(stream.ran.p50_ns >= 1500000 && stream.ran.p50_ns <= 1500000 / 4 * 5);
    ck_assert(stream.ran.p99_ns >= 3000000 && stream.ran.p99_ns <= 3000000 / 4 * 5);
    /* Short times are exact. */
    memset(&result, 0, sizeof(result));
    result.ran[core_profile_slot(5)] = 1;
    pipeline_profile_sum(&entry, &stream);
    ck_assert_uint_eq(stream.ran.p99_ns, 5);
}
END_TEST

START_TEST(what_was_not_timed_is_no_0_ns)
{
    begin(FAKE_ALL & ~(uint32_t)FAKE_PROFILE);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(1);
    OK(trm_range_push(stream, "decode"));
    enqueue(stream, 10);
    OK(trm_range_pop(stream));
    OK(trm_profile_end(profile));
    const char *text = written(profile, TRM_PROFILE_TEXT);
    ck_assert_msg(strstr(text, "0 ns") == NULL, "%s", text);
    ck_assert_msg(strstr(text, "busy -; overlap unknown") != NULL, "%s", text);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* A thing that has no advice says why. */
START_TEST(the_text_says_why_there_is_no_advice)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(1);
    OK(trm_profile_end(profile));
    ck_assert_ptr_null(strstr(written(profile, TRM_PROFILE_TEXT), "dvice"));
    ck_assert_ptr_nonnull(strstr(written(profile, TRM_PROFILE_JSON), "\"advice\":[],\"no_advice\":null"));
    trm_profile_destroy(profile);
    profile = begin_profile(1);
    enqueue(stream, 1);
    OK(trm_profile_end(profile));
    const char *text = written(profile, TRM_PROFILE_TEXT);
    ck_assert_msg(strstr(text, "\nNo advice: fake:0 ") != NULL, "%s", text);
    text = written(profile, TRM_PROFILE_JSON);
    ck_assert_msg(strstr(text, "\"advice\":[],\"no_advice\":\"fake:0 ") != NULL, "%s", text);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* An interval of 1 would not help. */
START_TEST(more_operations_than_a_profile_keeps_are_no_long_interval)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = begin_profile(1);
    enqueue(stream, CORE_PROFILE_RECORDS + 1);
    OK(trm_profile_end(profile));
    ck_assert_uint_eq(stream_at(profile, 0).timed, CORE_PROFILE_RECORDS + 1);
    const char *text = written(profile, TRM_PROFILE_TEXT);
    ck_assert_msg(strstr(text, "than a profile keeps") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "interval") == NULL, "%s", text);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("profile");
    TCase *all   = tcase_create("profiles");
    tcase_add_test(all, all_streams_are_counted_and_timed_also_new_ones);
    tcase_add_test(all, without_timestamps_operations_are_counted_only);
    tcase_add_test(all, a_stream_that_has_ended_is_in_the_profile);
    tcase_add_test(all, a_device_has_one_profile_at_a_time);
    tcase_add_loop_test(all, a_device_that_is_claimed_while_a_profile_leaves_it_stays_marked, 0, 2);
    tcase_add_test(all, destroying_a_profile_ends_it);
    tcase_add_test(all, where_no_timestamp_is_free_operations_are_not_timed);
    tcase_add_test(all, an_interval_leaves_operations_out);
    tcase_add_test(all, a_profile_that_counts_takes_no_times);
    tcase_add_test(all, a_profile_that_counts_is_not_looked_at_when_a_call_begins);
    tcase_add_test(all, kernels_are_told_apart_by_their_names_wherever_these_are);
    tcase_add_loop_test(all, an_ended_profile_counts_nothing_more, 0, 2);
    tcase_add_test(all, a_stream_that_fails_does_not_end_its_profile);
    tcase_add_test(all, where_memory_runs_out_none_begins_and_none_is_left);
    tcase_add_test(all, it_is_written_as_text_as_json_and_as_a_trace);
    tcase_add_test(all, a_time_is_kept_to_a_fourth_of_its_value);
    tcase_add_test(all, a_percentile_is_no_less_than_what_operations_take);
    tcase_add_test(all, what_was_not_timed_is_no_0_ns);
    tcase_add_test(all, the_text_says_why_there_is_no_advice);
    tcase_add_test(all, more_operations_than_a_profile_keeps_are_no_long_interval);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
