/* Profiles on a device of known times: every number is exact. The operations of a test are enqueued while a
 * function of the host holds a stream, so that each begins when the one before it ends, however late a thread
 * is.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <stdatomic.h>

enum {
    BYTES = 1024
};

static atomic_bool is_released;

static struct trm_profile *profile;
static struct trm_buffer *buffers[2];

/* ---- helpers -------------------------------------------------------------------------------- */

static void open_devices(const char *devices)
{
    struct trm_setting settings[] = {
        {"timed.upload_ns", "2000000"}, {"timed.download_ns", "1000000"}, {"timed.devices", devices}};

    fixture_open(ON_TIMED, settings, 3);
    atomic_store(&is_released, false);
}

static void begin(void)
{
    struct trm_profile_desc desc = {.struct_size = sizeof(desc), .interval = 1};

    open_devices("1");
    for (int i = 0; i < 2; i++)
        ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, BYTES, &buffers[i]));
    ck_ok(trm_profile_begin(the.device, &desc, &profile));
}

static void end(void)
{
    trm_profile_destroy(profile);
    trm_buffer_destroy(buffers[1]);
    trm_buffer_destroy(buffers[0]);
    fixture_close();
}

static struct trm_stream *make_stream(struct trm_device *device)
{
    struct trm_stream *stream;

    ck_ok(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    return stream;
}

static void wait_for_release(void *user, int32_t status)
{
    (void)user;
    (void)status;
    while (!atomic_load(&is_released))
        sleep_ns(MS / 10);
}

/* Holds the stream; the point is behind it. */
static struct trm_point hold(struct trm_stream *stream)
{
    struct trm_point point;

    ck_ok(trm_stream_callback(stream, wait_for_release, NULL));
    ck_ok(trm_stream_mark(stream, &point));
    return point;
}

static void launch(struct trm_stream *stream, uint64_t nanoseconds)
{
    struct trm_grid grid            = trm_grid_1d(1, 0);
    struct trm_argument arguments[] = {trm_arg_buffer(buffers[0]), trm_arg_buffer(buffers[1]),
                                       trm_arg_u64(nanoseconds)};

    ck_ok(trm_launch(stream, the.timed, &grid, arguments, 3));
}

static void upload(struct trm_stream *stream)
{
    static const unsigned char bytes[BYTES];

    ck_ok(trm_upload(stream, trm_span_whole(buffers[0]), bytes));
}

static void download(struct trm_stream *stream)
{
    static unsigned char bytes[BYTES];

    ck_ok(trm_download(stream, bytes, trm_span_whole(buffers[1])));
}

static void release_and_end(void)
{
    atomic_store(&is_released, true);
    ck_ok(trm_profile_end(profile));
}

static struct trm_profile_stream stream_at(uint32_t index)
{
    struct trm_profile_stream stream = {.struct_size = sizeof(stream)};

    ck_ok(trm_profile_get_stream(profile, index, &stream));
    return stream;
}

static struct trm_profile_device device_at(uint32_t index)
{
    struct trm_profile_device device = {.struct_size = sizeof(device)};

    ck_ok(trm_profile_get_device(profile, index, &device));
    return device;
}

/* What the stream waited for in this way. */
static struct trm_profile_wait wait_of(uint32_t stream, int32_t kind)
{
    struct trm_profile_wait wait = {.struct_size = sizeof(wait)};
    uint32_t count               = stream_at(stream).wait_count;

    for (uint32_t i = 0; i < count; i++) {
        ck_ok(trm_profile_get_wait(profile, stream, i, &wait));
        if (wait.kind == kind)
            return wait;
    }
    ck_abort_msg("stream %u did not wait in the way %d", stream, kind);
    return wait;
}

/* ---- a stream ------------------------------------------------------------------------------- */

START_TEST(each_operation_takes_its_time)
{
    begin();
    struct trm_stream *stream = make_stream(the.device);
    hold(stream);
    for (int i = 0; i < 3; i++)
        upload(stream);
    launch(stream, 3 * MS);
    launch(stream, 5 * MS);
    download(stream);
    release_and_end();

    struct trm_profile_stream found = stream_at(0);
    ck_assert_uint_eq(found.operations, 7);
    ck_assert_uint_eq(found.timed, 7);
    ck_assert_uint_eq(found.busy_ns[TRM_PROFILE_UPLOAD], 6 * MS);
    ck_assert_uint_eq(found.busy_ns[TRM_PROFILE_LAUNCH], 8 * MS);
    ck_assert_uint_eq(found.busy_ns[TRM_PROFILE_DOWNLOAD], 1 * MS);
    ck_assert_uint_eq(found.idle_ns, 0);
    ck_assert_uint_eq(found.span_ns, 15 * MS + found.busy_ns[TRM_PROFILE_WAIT]);
    ck_assert_uint_eq(wait_of(0, TRM_PROFILE_WAIT_CALLBACK).wait_ns, found.busy_ns[TRM_PROFILE_WAIT]);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(timestamps_of_the_program_take_no_time)
{
    begin();
    struct trm_stream *stream = make_stream(the.device);
    struct trm_event *event;
    ck_ok(trm_event_create(the.device, TRM_EVENT_TIMING, &event));
    hold(stream);
    for (int i = 0; i < 3; i++) {
        launch(stream, 3 * MS);
        ck_ok(trm_event_record(event, stream));
    }
    release_and_end();

    ck_assert_uint_eq(stream_at(0).timed, 4);
    ck_assert_uint_eq(stream_at(0).busy_ns[TRM_PROFILE_LAUNCH], 9 * MS);
    trm_event_destroy(event);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(launches_are_known_by_their_kernels)
{
    begin();
    struct trm_stream *streams[]     = {make_stream(the.device), make_stream(the.device)};
    struct trm_profile_kernel kernel = {.struct_size = sizeof(kernel)};
    struct trm_point held            = hold(streams[0]);
    ck_ok(trm_stream_wait(streams[1], held));
    launch(streams[0], 3 * MS);
    launch(streams[1], 4 * MS);
    release_and_end();

    ck_ok(trm_profile_get_kernel(profile, 0, &kernel));
    ck_assert_str_eq(kernel.name, "timed");
    ck_assert_uint_eq(kernel.count, 2);
    ck_assert_uint_eq(kernel.timed, 2);
    /* One engine does both: the second waits for the first, as a part of its time. */
    ck_assert_uint_eq(kernel.busy_ns == 10 * MS || kernel.busy_ns == 11 * MS, 1);
    ck_assert_int_eq(trm_profile_get_kernel(profile, 1, &kernel), TRM_ERROR_OUT_OF_RANGE);
    trm_stream_destroy(streams[1]);
    trm_stream_destroy(streams[0]);
    end();
}
END_TEST

/* ---- several streams ------------------------------------------------------------------------ */

START_TEST(streams_that_are_busy_together_overlap)
{
    begin();
    struct trm_stream *kernels = make_stream(the.device), *copies = make_stream(the.device);
    struct trm_point held = hold(kernels);
    ck_ok(trm_stream_wait(copies, held));
    launch(kernels, 4 * MS);
    upload(copies);
    upload(copies);
    release_and_end();

    struct trm_profile_device device = device_at(0);
    ck_assert_uint_eq(device.streams, 2);
    ck_assert_uint_eq(device.active_ns, 4 * MS);
    ck_assert_uint_eq(device.kernels_ns, 4 * MS);
    ck_assert_uint_eq(device.copies_ns, 4 * MS);
    ck_assert_uint_eq(device.overlap, 2000);
    ck_assert_uint_eq(device_at(TRM_PROFILE_ALL).overlap, 2000);
    trm_stream_destroy(copies);
    trm_stream_destroy(kernels);
    end();
}
END_TEST

START_TEST(one_stream_after_the_other_does_not_overlap)
{
    begin();
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    struct trm_point point;
    hold(first);
    launch(first, 4 * MS);
    ck_ok(trm_stream_mark(first, &point));
    ck_ok(trm_stream_wait(second, point));
    upload(second);
    release_and_end();

    struct trm_profile_device device = device_at(0);
    ck_assert_uint_eq(device.active_ns, 6 * MS);
    ck_assert_uint_eq(device.kernels_ns, 4 * MS);
    ck_assert_uint_eq(device.copies_ns, 2 * MS);
    ck_assert_uint_eq(device.overlap, 1000);
    trm_stream_destroy(second);
    trm_stream_destroy(first);
    end();
}
END_TEST

START_TEST(a_wait_tells_for_which_stream_and_how_long)
{
    begin();
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    struct trm_point held = hold(first), point;
    struct trm_event *event;
    ck_ok(trm_event_create(the.device, 0, &event));
    launch(first, 5 * MS);
    ck_ok(trm_event_record(event, first));
    launch(first, 5 * MS);
    ck_ok(trm_stream_mark(first, &point));
    ck_ok(trm_stream_wait(second, held));
    upload(second);
    ck_ok(trm_stream_wait_event(second, event)); /* from 2 to 5 ms */
    upload(second);
    ck_ok(trm_stream_wait(second, point)); /* from 7 to 10 ms */
    release_and_end();

    struct trm_profile_wait for_event  = wait_of(1, TRM_PROFILE_WAIT_EVENT);
    struct trm_profile_wait for_stream = wait_of(1, TRM_PROFILE_WAIT_STREAM);
    ck_assert_uint_eq(for_event.wait_ns, 3 * MS);
    ck_assert_uint_eq(for_event.stream, stream_at(0).number);
    ck_assert_uint_ne(for_event.event, 0);
    ck_assert_uint_eq(for_stream.count, 2);
    ck_assert_uint_eq(for_stream.stream, stream_at(0).number);
    ck_assert_uint_eq(for_stream.wait_ns + for_event.wait_ns, stream_at(1).busy_ns[TRM_PROFILE_WAIT]);
    trm_event_destroy(event);
    trm_stream_destroy(second);
    trm_stream_destroy(first);
    end();
}
END_TEST

/* ---- ranges --------------------------------------------------------------------------------- */

static struct trm_profile_range range_at(uint32_t index)
{
    struct trm_profile_range range = {.struct_size = sizeof(range)};

    ck_ok(trm_profile_get_range(profile, index, &range));
    return range;
}

START_TEST(a_range_spans_its_operations_and_those_of_the_ranges_in_it)
{
    begin();
    struct trm_stream *stream = make_stream(the.device);
    hold(stream);
    for (int i = 0; i < 2; i++) {
        ck_ok(trm_range_push(stream, "round"));
        upload(stream);
        ck_ok(trm_range_push(stream, "compute"));
        launch(stream, 3 * MS);
        launch(stream, 4 * MS);
        ck_ok(trm_range_pop(stream));
        ck_ok(trm_range_pop(stream));
        download(stream);
    }
    release_and_end();

    struct trm_profile_range outer = range_at(0), inner = range_at(1);
    ck_assert_str_eq(outer.name, "round");
    ck_assert_uint_eq(outer.count, 2);
    ck_assert_uint_eq(outer.operations, 6);
    ck_assert_uint_eq(outer.span_ns, 18 * MS);
    ck_assert_uint_eq(outer.busy_ns, 18 * MS);
    ck_assert_str_eq(inner.name, "compute");
    ck_assert_uint_eq(inner.operations, 4);
    ck_assert_uint_eq(inner.span_ns, 14 * MS);
    ck_assert_int_eq(trm_profile_get_range(profile, 2, &inner), TRM_ERROR_OUT_OF_RANGE);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_range_counts_what_it_waited_for_as_span_alone)
{
    begin();
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    struct trm_point held = hold(first), point;
    launch(first, 5 * MS);
    ck_ok(trm_stream_mark(first, &point));
    ck_ok(trm_stream_wait(second, held));
    ck_ok(trm_range_push(second, "both"));
    upload(second);
    ck_ok(trm_stream_wait(second, point)); /* from 2 to 5 ms */
    upload(second);
    ck_ok(trm_range_pop(second));
    release_and_end();

    ck_assert_uint_eq(range_at(0).span_ns, 7 * MS);
    ck_assert_uint_eq(range_at(0).busy_ns, 4 * MS);
    trm_stream_destroy(second);
    trm_stream_destroy(first);
    end();
}
END_TEST

START_TEST(a_profile_that_begins_within_a_range_does_not_know_it)
{
    begin();
    struct trm_profile_desc desc = {.struct_size = sizeof(desc), .interval = 1};
    struct trm_stream *stream    = make_stream(the.device);
    ck_ok(trm_range_push(stream, "begun before"));
    trm_profile_destroy(profile);
    ck_ok(trm_profile_begin(the.device, &desc, &profile));
    hold(stream);
    ck_ok(trm_range_push(stream, "within"));
    upload(stream);
    ck_ok(trm_range_pop(stream));
    upload(stream);
    ck_ok(trm_range_pop(stream));
    upload(stream);
    release_and_end();

    ck_assert_str_eq(range_at(0).name, "within");
    ck_assert_uint_eq(range_at(0).operations, 1);
    ck_assert_int_eq(trm_range_pop(stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_range_push(stream, NULL), TRM_ERROR_INVALID_ARGUMENT);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* ---- a context ------------------------------------------------------------------------------ */

/* Each device copies on its own engine. */
static void upload_to(struct trm_stream *stream, struct trm_buffer *buffer)
{
    static const unsigned char bytes[BYTES];

    ck_ok(trm_upload(stream, trm_span_whole(buffer), bytes));
}

START_TEST(the_devices_of_a_context_overlap_and_one_that_closes_is_kept)
{
    struct trm_profile_desc desc = {.struct_size = sizeof(desc), .interval = 1};
    struct trm_device *other;
    struct trm_buffer *near, *far;
    open_devices("2");
    ck_ok(trm_profile_begin_context(the.context, &desc, &profile));
    ck_ok(trm_device_open(the.context, "timed:1", &other));
    ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, BYTES, &near));
    ck_ok(trm_buffer_create(other, TRM_MEMORY_DEVICE, BYTES, &far));
    struct trm_stream *first = make_stream(the.device), *second = make_stream(other);
    ck_ok(trm_stream_wait(second, hold(first)));
    upload_to(first, near);
    upload_to(second, far);
    upload_to(second, far);
    atomic_store(&is_released, true);
    ck_ok(trm_stream_sync(second));
    trm_stream_destroy(second);
    trm_buffer_destroy(far);
    trm_device_destroy(other);
    ck_ok(trm_profile_end(profile));

    ck_assert_uint_eq(device_at(0).overlap, 1000);
    ck_assert_uint_eq(device_at(1).overlap, 1000);
    ck_assert_str_eq(device_at(1).id, "timed:1");
    ck_assert_uint_eq(device_at(1).active_ns, 4 * MS);
    ck_assert_str_eq(device_at(TRM_PROFILE_ALL).id, "all");
    ck_assert_uint_eq(device_at(TRM_PROFILE_ALL).active_ns, 4 * MS);
    ck_assert_uint_eq(device_at(TRM_PROFILE_ALL).overlap, 1500);
    ck_assert_uint_eq(stream_at(1).device, 1);
    trm_profile_destroy(profile);
    trm_stream_destroy(first);
    trm_buffer_destroy(near);
    fixture_close();
}
END_TEST

/* ---- the trace ------------------------------------------------------------------------------ */

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

START_TEST(the_trace_names_kernels_and_what_is_waited_for)
{
    static struct text text;
    char expected[64];
    begin();
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    ck_ok(trm_stream_wait(second, hold(first)));
    ck_ok(trm_range_push(second, "a \"range\""));
    launch(second, 3 * MS);
    ck_ok(trm_range_pop(second));
    release_and_end();

    ck_ok(trm_profile_write(profile, TRM_PROFILE_TRACE, add_text, &text));
    snprintf(expected, sizeof(expected), "\"name\":\"wait for stream %u\"", stream_at(0).number);
    ck_assert_ptr_nonnull(strstr(text.bytes, expected));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"name\":\"wait for a callback\""));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"cat\":\"launch\",\"name\":\"timed\""));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"dur\":3000.000"));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"cat\":\"range\",\"name\":\"a \\\"range\\\"\""));
    trm_stream_destroy(second);
    trm_stream_destroy(first);
    end();
}
END_TEST

START_TEST(streams_are_shown_by_their_names)
{
    static struct text text;
    begin();
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    char expected[80];
    ck_ok(trm_stream_set_name(first, "a name that is longer than what a stream keeps"));
    ck_ok(trm_stream_set_name(first, "decode"));
    ck_assert_int_eq(trm_stream_set_name(first, NULL), TRM_ERROR_INVALID_ARGUMENT);
    hold(first);
    launch(first, 3 * MS);
    launch(second, 3 * MS);
    release_and_end();

    ck_assert_str_eq(stream_at(0).name, "decode");
    ck_assert_str_eq(stream_at(1).name, "");
    ck_ok(trm_profile_write(profile, TRM_PROFILE_TRACE, add_text, &text));
    snprintf(expected, sizeof(expected), "\"stream %u: decode\"", stream_at(0).number);
    ck_assert_ptr_nonnull(strstr(text.bytes, expected));
    snprintf(expected, sizeof(expected), "\"stream %u\"", stream_at(1).number);
    ck_assert_ptr_nonnull(strstr(text.bytes, expected));
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"name\":\"decode\""));
    memset(&text, 0, sizeof(text));
    ck_ok(trm_profile_write(profile, TRM_PROFILE_TEXT, add_text, &text));
    snprintf(expected, sizeof(expected), "\n%u decode", stream_at(0).number);
    ck_assert_ptr_nonnull(strstr(text.bytes, expected));
    trm_stream_destroy(second);
    trm_stream_destroy(first);
    end();
}
END_TEST

/* ---- tasks ---------------------------------------------------------------------------------- */

static unsigned occurrences(const char *bytes, const char *words)
{
    unsigned count = 0;

    for (const char *at = bytes; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

/* An upload and a function of the host, and a kernel behind both. */
START_TEST(the_trace_has_the_tasks_of_a_coordinator)
{
    static struct text text;
    static unsigned char bytes[BYTES];
    begin();
    struct trm_coordinator *coordinator;
    struct trm_argument arguments[] = {trm_arg_buffer(buffers[0]), trm_arg_buffer(buffers[1]),
                                       trm_arg_u64(3 * MS)};
    uint64_t after[]                = {1, 2};
    struct trm_task tasks[]         = {
                {.struct_size = sizeof(tasks[0]),
                 .id          = 1,
                 .name        = "read",
                 .kind        = TRM_TASK_UPLOAD,
                 .destination = trm_span_whole(buffers[0]),
                 .host_source = bytes},
                {.struct_size = sizeof(tasks[0]),
                 .id          = 2,
                 .name        = "think",
                 .kind        = TRM_TASK_HOST,
                 .host        = wait_for_release},
                {.struct_size    = sizeof(tasks[0]),
                 .id             = 3,
                 .kind           = TRM_TASK_COMPUTE,
                 .after          = after,
                 .after_count    = 2,
                 .kernel         = the.timed,
                 .grid           = trm_grid_1d(1, 0),
                 .arguments      = arguments,
                 .argument_count = 3},
    };
    atomic_store(&is_released, true);
    ck_ok(trm_coordinator_create(the.device, NULL, &coordinator));
    for (int i = 0; i < 3; i++)
        ck_ok(trm_coordinator_add(coordinator, &tasks[i]));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    ck_ok(trm_profile_end(profile));
    trm_coordinator_destroy(coordinator);

    ck_ok(trm_profile_write(profile, TRM_PROFILE_TRACE, add_text, &text));
    ck_assert_uint_eq(occurrences(text.bytes, "\"cat\":\"task\""), 3);
    ck_assert_uint_eq(occurrences(text.bytes, "\"cat\":\"task\",\"name\":\"1 \\\"read\\\"\""), 1);
    ck_assert_uint_eq(occurrences(text.bytes, "\"cat\":\"task\",\"name\":\"2 \\\"think\\\"\""), 1);
    ck_assert_uint_eq(occurrences(text.bytes, "\"cat\":\"task\",\"name\":\"3\""), 1);
    ck_assert_uint_ge(occurrences(text.bytes, "\"name\":\"tasks 1\""), 1);
    ck_assert_uint_eq(device_at(0).busy_ns[TRM_PROFILE_LAUNCH] >= 3 * MS, 1);
    end();
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("exact profiles");
    TCase *all      = tcase_create("profiles");
    SRunner *runner = srunner_create(suite);
    int failed;

    if (!backend_there(ON_TIMED))
        return 77;
    tcase_set_timeout(all, 300);
    tcase_add_test(all, each_operation_takes_its_time);
    tcase_add_test(all, timestamps_of_the_program_take_no_time);
    tcase_add_test(all, launches_are_known_by_their_kernels);
    tcase_add_test(all, streams_that_are_busy_together_overlap);
    tcase_add_test(all, one_stream_after_the_other_does_not_overlap);
    tcase_add_test(all, a_wait_tells_for_which_stream_and_how_long);
    tcase_add_test(all, a_range_spans_its_operations_and_those_of_the_ranges_in_it);
    tcase_add_test(all, a_range_counts_what_it_waited_for_as_span_alone);
    tcase_add_test(all, a_profile_that_begins_within_a_range_does_not_know_it);
    tcase_add_test(all, the_devices_of_a_context_overlap_and_one_that_closes_is_kept);
    tcase_add_test(all, the_trace_names_kernels_and_what_is_waited_for);
    tcase_add_test(all, streams_are_shown_by_their_names);
    tcase_add_test(all, the_trace_has_the_tasks_of_a_coordinator);
    suite_add_tcase(suite, all);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
