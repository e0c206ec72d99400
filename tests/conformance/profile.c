/* Profiles: what the streams of a device did.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "kernels.h"

#include <pthread.h>

#define N 1000u
#define BYTES (sizeof(uint32_t) * N)

static struct trm_profile *begin_profile(uint32_t interval)
{
    struct trm_profile_desc desc = {sizeof(desc), interval};
    struct trm_profile *profile  = NULL;
    ck_ok(trm_profile_begin(the.device, &desc, &profile));
    return profile;
}

static struct trm_profile_stream stream_at(struct trm_profile *profile, uint32_t index)
{
    struct trm_profile_stream stream = {.struct_size = sizeof(stream)};
    ck_ok(trm_profile_get_stream(profile, index, &stream));
    return stream;
}

static uint64_t sum_of(const uint64_t *values)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TRM_PROFILE_WORKS; i++)
        sum += values[i];
    return sum;
}

START_TEST(a_profile_has_the_operations_and_bytes_of_a_stream)
{
    static uint32_t numbers[N], found[N];
    struct trm_buffer *buffer   = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_profile *profile = begin_profile(1);
    uint32_t count              = 0;
    for (unsigned i = 0; i < 20; i++) {
        numbers[i] = i;
        ck_ok(trm_upload(the.stream, trm_span_whole(buffer), numbers));
        ck_ok(trm_download(the.stream, found, trm_span_whole(buffer)));
    }
    ck_ok(trm_profile_end(profile));
    ck_assert_mem_eq(found, numbers, BYTES);
    ck_ok(trm_upload(the.stream, trm_span_whole(buffer), numbers));
    ck_ok(trm_profile_stream_count(profile, &count));
    ck_assert_uint_eq(count, 1);
    struct trm_profile_stream stream = stream_at(profile, 0);
    ck_assert_uint_eq(stream.count[TRM_PROFILE_UPLOAD], 20);
    ck_assert_uint_eq(stream.count[TRM_PROFILE_DOWNLOAD], 20);
    ck_assert_uint_eq(stream.bytes[TRM_PROFILE_UPLOAD], 20 * BYTES);
    ck_assert_uint_eq(stream.bytes[TRM_PROFILE_DOWNLOAD], 20 * BYTES);
    ck_assert_uint_ge(stream.peak_bytes, BYTES);
    ck_assert(stream.timed == 0 || stream.timed == stream.operations);
    ck_assert_uint_le(sum_of(stream.busy_ns), stream.span_ns);
    ck_assert_uint_le(stream.ran.p50_ns, stream.ran.p99_ns);
    trm_profile_destroy(profile);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_profile_does_not_change_what_work_does)
{
    static uint32_t found[N];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_stream *other  = NULL;
    struct trm_profile *profile;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &other));
    struct trm_stream *streams[] = {the.stream, other};
    for (uint32_t n = 1; n <= 30; n++) {
        profile = begin_profile(n % 3);
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), n, 4));
        ck_ok(trm_stream_barrier(streams, 2));
        ck_ok(trm_download(other, found, trm_span_whole(buffer)));
        ck_ok(trm_stream_sync(other));
        for (uint32_t i = 0; i < N; i++)
            ck_assert_uint_eq(found[i], n);
        trm_profile_destroy(profile);
    }
    trm_stream_destroy(other);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_profile_knows_kernels_by_their_names)
{
    if (kernels_missing())
        return;
    struct trm_profile_kernel found = {.struct_size = sizeof(found)};
    struct trm_buffer *x            = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_buffer *y            = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_argument arguments[] = {trm_arg_buffer(x), trm_arg_buffer(y), trm_arg_f32(2), trm_arg_u32(N)};
    struct trm_profile *profile     = begin_profile(1);
    for (unsigned i = 0; i < 3; i++)
        ck_ok(launch_1d(the.stream, kernel("saxpy"), N, arguments, 4));
    ck_ok(trm_profile_end(profile));
    ck_ok(trm_profile_get_kernel(profile, 0, &found));
    ck_assert_str_eq(found.name, "saxpy");
    ck_assert_uint_eq(found.count, 3);
    ck_assert(found.timed == 0 || found.timed == 3);
    ck_refused(trm_profile_get_kernel(profile, 1, &found));
    trm_profile_destroy(profile);
    trm_buffer_destroy(y);
    trm_buffer_destroy(x);
}
END_TEST

/* A stream that reaches a point before the wait is enqueued needs no wait. */
START_TEST(a_profile_tells_what_a_stream_waited_for)
{
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_buffer *another   = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_stream *other     = make_stream(the.device);
    struct trm_stream *streams[] = {the.stream, other};
    struct trm_profile *profile  = begin_profile(1);
    struct trm_profile_wait wait = {.struct_size = sizeof(wait)};
    for (uint32_t i = 0; i < 50; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 4));
        ck_ok(trm_stream_barrier(streams, 2));
        ck_ok(trm_fill(other, trm_span_whole(another), i, 4));
    }
    ck_ok(trm_profile_end(profile));
    struct trm_profile_stream first = stream_at(profile, 0), second = stream_at(profile, 1);
    if (second.wait_count != 0) {
        ck_ok(trm_profile_get_wait(profile, 1, 0, &wait));
        ck_assert_int_eq(wait.kind, TRM_PROFILE_WAIT_STREAM);
        ck_assert_uint_eq(wait.stream, first.number);
        ck_assert_uint_eq(wait.count, second.count[TRM_PROFILE_WAIT]);
    }
    ck_refused(trm_profile_get_wait(profile, 1, second.wait_count, &wait));
    trm_profile_destroy(profile);
    trm_buffer_destroy(another);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_profile_adds_up_the_ranges_of_a_program)
{
    struct trm_profile_range range = {.struct_size = sizeof(range)};
    struct trm_buffer *buffer      = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_profile *profile    = begin_profile(1);
    for (uint32_t i = 0; i < 10; i++) {
        ck_ok(trm_range_push(the.stream, "fills"));
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 4));
        ck_ok(trm_range_pop(the.stream));
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 4));
    }
    ck_status(trm_range_pop(the.stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_profile_end(profile));
    struct trm_profile_stream stream = stream_at(profile, 0);
    ck_ok(trm_profile_get_range(profile, 0, &range));
    ck_assert_str_eq(range.name, "fills");
    ck_assert_uint_eq(range.count, 10);
    ck_assert(range.operations == 0 || range.operations * 2 == stream.timed);
    ck_assert_uint_le(range.busy_ns, range.span_ns);
    ck_assert_uint_le(range.span_ns, stream.span_ns);
    trm_profile_destroy(profile);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_profile_of_a_context_is_the_sum_of_its_devices)
{
    struct trm_profile_desc desc  = {.struct_size = sizeof(desc), .interval = 1};
    struct trm_profile_device one = {.struct_size = sizeof(one)}, all = {.struct_size = sizeof(all)};
    struct trm_profile *profile       = NULL;
    struct trm_profile *of_the_device = NULL;
    struct trm_buffer *buffer         = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    ck_ok(trm_profile_begin_context(the.context, &desc, &profile));
    ck_status(trm_profile_begin(the.device, &desc, &of_the_device), TRM_ERROR_BUSY);
    for (uint32_t i = 0; i < 10; i++)
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 4));
    ck_ok(trm_profile_end(profile));
    ck_ok(trm_profile_get_device(profile, 0, &one));
    ck_ok(trm_profile_get_device(profile, TRM_PROFILE_ALL, &all));
    ck_assert_uint_ge(one.operations, 10);
    ck_assert_uint_eq(all.operations, one.operations);
    ck_assert_uint_le(all.active_ns, all.wall_ns);
    ck_assert(all.overlap == 0 || all.overlap >= 999);
    trm_profile_destroy(profile);
    trm_buffer_destroy(buffer);
}
END_TEST

struct worker {
    pthread_t thread;
    struct trm_buffer *buffer;
    int32_t status;
};

static void *work(void *user)
{
    struct worker *worker = user;
    for (uint32_t n = 0; n < 200 && worker->status == TRM_OK; n++) {
        struct trm_stream *stream = NULL;
        worker->status            = trm_stream_create(the.device, TRM_STREAM_ANY, 0, &stream);
        for (uint32_t i = 0; i < 5 && worker->status == TRM_OK; i++)
            worker->status = trm_fill(stream, trm_span_whole(worker->buffer), n, 4);
        trm_stream_destroy(stream);
    }
    return NULL;
}

/* Streams that are being destroyed come too late. */
static void check_frozen(struct trm_profile *profile)
{
    uint32_t first = 0, again = 0;
    ck_ok(trm_profile_stream_count(profile, &first));
    for (unsigned i = 0; i < 20; i++) {
        ck_ok(trm_profile_stream_count(profile, &again));
        ck_assert_uint_eq(again, first);
    }
}

START_TEST(profiles_begin_and_end_while_threads_use_streams)
{
    struct worker workers[3] = {{0}};
    for (unsigned i = 0; i < 3; i++) {
        workers[i].buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (unsigned n = 0; n < scaled(400, 40); n++) {
        static const uint32_t intervals[] = {0, 1, TRM_PROFILE_COUNTED};
        struct trm_profile_desc desc      = {.struct_size = sizeof(desc), .interval = intervals[n % 3]};
        struct trm_profile *profile       = NULL;
        if (n % 4 < 2)
            ck_ok(trm_profile_begin(the.device, &desc, &profile));
        else
            ck_ok(trm_profile_begin_context(the.context, &desc, &profile));
        ck_ok(trm_profile_end(profile));
        check_frozen(profile);
        trm_profile_destroy(profile);
    }
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(workers[i].thread, NULL);
        ck_ok(workers[i].status);
        trm_buffer_destroy(workers[i].buffer);
    }
}
END_TEST

void add_profile(Suite *suite)
{
    TCase *group = group_make(suite, "profiles");
    CASE(group, a_profile_has_the_operations_and_bytes_of_a_stream);
    CASE(group, a_profile_does_not_change_what_work_does);
    CASE(group, a_profile_knows_kernels_by_their_names);
    CASE(group, a_profile_tells_what_a_stream_waited_for);
    CASE(group, a_profile_adds_up_the_ranges_of_a_program);
    CASE(group, a_profile_of_a_context_is_the_sum_of_its_devices);
    CASE(group, profiles_begin_and_end_while_threads_use_streams);
}
