/* Profiles of contexts: which devices and streams they have.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/stream/profile.h"
#include "tests/unit/stream_fixture.h"

static struct trm_profile *begin_profile(void)
{
    struct trm_profile_desc desc = {.struct_size = sizeof(desc), .interval = 1};
    struct trm_profile *profile;
    OK(trm_profile_begin_context(fake.context, &desc, &profile));
    return profile;
}

static struct trm_profile_device device_at(struct trm_profile *profile, uint32_t index)
{
    struct trm_profile_device device = {.struct_size = sizeof(device)};
    OK(trm_profile_get_device(profile, index, &device));
    return device;
}

static struct trm_stream *stream_on(struct trm_device *device)
{
    struct trm_stream *stream;
    OK(trm_stream_create(device, TRM_STREAM_ANY, 0, &stream));
    return stream;
}

static void enqueue(struct trm_stream *stream, unsigned operations)
{
    for (unsigned i = 0; i < operations; i++)
        OK(fake_enqueue(stream));
}

START_TEST(it_has_the_open_devices_and_later_ones)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_device *first    = fake.device;
    struct trm_stream *early    = stream_on(first);
    struct trm_profile *profile = begin_profile();
    struct trm_device *second   = fake_open(&fake);
    struct trm_stream *late     = stream_on(second);
    enqueue(early, 3);
    enqueue(late, 5);
    OK(trm_profile_end(profile));
    enqueue(late, 7);
    struct trm_device *third = fake_open(&fake);

    ck_assert_uint_eq(device_at(profile, 0).operations, 3);
    ck_assert_uint_eq(device_at(profile, 1).operations, 5);
    ck_assert_uint_eq(device_at(profile, TRM_PROFILE_ALL).operations, 8);
    ck_assert_uint_eq(device_at(profile, TRM_PROFILE_ALL).timed, 8);
    struct trm_profile_device device = {.struct_size = sizeof(device)};
    ck_assert_int_eq(trm_profile_get_device(profile, 2, &device), TRM_ERROR_OUT_OF_RANGE);
    trm_profile_destroy(profile);
    trm_stream_destroy(late);
    trm_stream_destroy(early);
    trm_device_destroy(first);
    trm_device_destroy(second);
    fake.device = third;
    end();
}
END_TEST

START_TEST(a_device_that_closes_is_kept_and_may_be_opened_again)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_profile *profile = begin_profile();
    struct trm_stream *stream   = stream_on(fake.device);
    enqueue(stream, 4);
    trm_stream_destroy(stream);
    trm_device_destroy(fake.device);
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    fake_open(&fake);
    stream = stream_on(fake.device);
    enqueue(stream, 2);
    OK(trm_profile_end(profile));
    ck_assert_uint_eq(device_at(profile, 0).operations, 4);
    ck_assert_uint_eq(device_at(profile, 1).operations, 2);
    ck_assert_uint_le(device_at(profile, 0).wall_ns, device_at(profile, TRM_PROFILE_ALL).wall_ns);
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_context_has_one_profile_at_a_time_and_none_beside_that_of_a_device)
{
    struct trm_profile *other = NULL;
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_profile *profile = begin_profile();
    ck_assert_int_eq(trm_profile_begin_context(fake.context, NULL, &other), TRM_ERROR_BUSY);
    ck_assert_int_eq(trm_profile_begin(fake.device, NULL, &other), TRM_ERROR_BUSY);
    OK(trm_profile_end(profile));
    OK(trm_profile_begin(fake.device, NULL, &other));
    trm_profile_destroy(profile);
    ck_assert_int_eq(trm_profile_begin_context(fake.context, NULL, &profile), TRM_ERROR_BUSY);
    trm_profile_destroy(other);
    trm_profile_destroy(begin_profile());
    end();
}
END_TEST

static int32_t add_text(void *user, const char *bytes, size_t length)
{
    strncat(user, bytes, length);
    return TRM_OK;
}

START_TEST(the_text_names_the_device_of_each_stream_where_there_are_several)
{
    static char text[1 << 14];
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_device *first = fake.device, *second = fake_open(&fake);
    struct trm_stream *streams[] = {stream_on(first), stream_on(second)};
    struct trm_profile *profile  = begin_profile();
    enqueue(streams[0], 3);
    enqueue(streams[1], 5);
    OK(trm_profile_end(profile));
    text[0] = '\0';
    OK(trm_profile_write(profile, TRM_PROFILE_TEXT, add_text, text));
    for (uint32_t i = 0; i < 2; i++) {
        struct trm_profile_stream stream = {.struct_size = sizeof(stream)};
        char line[100];
        OK(trm_profile_get_stream(profile, i, &stream));
        snprintf(line, sizeof(line), "\n%u %s ", stream.number, device_at(profile, stream.device).id);
        ck_assert_msg(strstr(text, line) != NULL, "\"%s\" is not in\n%s", line, text);
    }
    trm_profile_destroy(profile);
    trm_stream_destroy(streams[1]);
    trm_stream_destroy(streams[0]);
    trm_device_destroy(first);
    trm_device_destroy(second);
    end();
}
END_TEST

START_TEST(it_may_outlive_its_devices_and_the_handle_of_its_context)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_profile *profile = begin_profile();
    struct trm_stream *stream   = stream_on(fake.device);
    enqueue(stream, 4);
    trm_stream_destroy(stream);
    trm_device_destroy(fake.device);
    trm_context_destroy(fake.context);
    OK(trm_profile_end(profile));
    ck_assert_uint_eq(device_at(profile, TRM_PROFILE_ALL).timed, 4);
    trm_profile_destroy(profile);
    fake.device  = NULL;
    fake.context = NULL;
    end();
}
END_TEST

START_TEST(where_memory_runs_out_no_device_is_profiled)
{
    struct trm_profile *profile = NULL;
    int32_t status              = TRM_ERROR_OUT_OF_HOST_MEMORY;
    unsigned failures           = 0;
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_device *first = fake.device, *second = fake_open(&fake);
    struct trm_stream *streams[] = {stream_on(first), stream_on(second)};
    while (status != TRM_OK) {
        counting.fail_at = counting.allocations + ++failures;
        status           = trm_profile_begin_context(fake.context, NULL, &profile);
        ck_assert(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY);
        enqueue(streams[0], 1);
    }
    counting.fail_at = 0;
    ck_assert_uint_gt(failures, 5);
    OK(trm_profile_end(profile));
    ck_assert_uint_eq(device_at(profile, TRM_PROFILE_ALL).operations, 1);
    trm_profile_destroy(profile);
    trm_stream_destroy(streams[1]);
    trm_stream_destroy(streams[0]);
    trm_device_destroy(first);
    end();
}
END_TEST

START_TEST(a_device_that_opens_without_memory_for_its_profile_is_open)
{
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_device *first    = fake.device;
    struct trm_profile *profile = begin_profile();
    struct trm_profile_device device;
    unsigned after = 0;
    do {
        struct core_device *made;
        device           = (struct trm_profile_device){.struct_size = sizeof(device)};
        counting.fail_at = counting.allocations + ++after;
        int32_t status   = core_device_create(fake.backend.context, &fake.backend, 0, &made);
        counting.fail_at = 0;
        if (status == TRM_OK)
            trm_device_destroy(core_object_publish(&made->object));
        ck_assert(status == TRM_OK || status == TRM_ERROR_OUT_OF_HOST_MEMORY);
    } while (after < 20);
    OK(trm_profile_end(profile));
    ck_assert_uint_eq(device_at(profile, 1).operations, 0);
    trm_profile_destroy(profile);
    fake.device = first;
    end();
}
END_TEST

START_TEST(a_stream_tells_only_so_many_things_apart_that_it_waited_for)
{
    begin(FAKE_ALL);
    struct trm_profile *profile = begin_profile();
    struct trm_stream *waiting = make_stream(), *other = make_stream();
    struct trm_profile_stream found = {.struct_size = sizeof(found)};
    struct trm_event *events[3 * CORE_PROFILE_WAITS];
    uint64_t waits = 0;
    enqueue(other, 1);
    for (uint32_t i = 0; i < 3 * CORE_PROFILE_WAITS; i++) {
        OK(trm_event_create(fake.device, 0, &events[i]));
        OK(trm_event_record(events[i], other));
        OK(trm_stream_wait_event(waiting, events[i]));
    }
    fake_let_run(&fake);
    OK(trm_profile_end(profile));
    OK(trm_profile_get_stream(profile, 1, &found));
    ck_assert_uint_eq(found.count[TRM_PROFILE_WAIT], 3 * CORE_PROFILE_WAITS);
    ck_assert_uint_eq(found.wait_count, CORE_PROFILE_WAITS + 1);
    for (uint32_t i = 0; i < found.wait_count; i++) {
        struct trm_profile_wait wait = {.struct_size = sizeof(wait)};
        OK(trm_profile_get_wait(profile, 1, i, &wait));
        waits += wait.count;
    }
    ck_assert_uint_eq(waits, 3 * CORE_PROFILE_WAITS);
    for (uint32_t i = 0; i < 3 * CORE_PROFILE_WAITS; i++)
        trm_event_destroy(events[i]);
    trm_profile_destroy(profile);
    trm_stream_destroy(other);
    trm_stream_destroy(waiting);
    end();
}
END_TEST

/* How many bytes the file has before the profile that it ends with; −1: it ends with none. */
static long bytes_before_profile(FILE *file)
{
    char text[8192] = "";
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    const char *found                            = strstr(text, "{\"");
    return found != NULL ? (long)(found - text) : -1;
}

START_TEST(a_file_is_replaced_and_a_descriptor_is_written_from_its_position)
{
    static const char earlier[] = "earlier output\n";
    char path[32];
    begin(FAKE_ALL);
    struct trm_profile *profile = begin_profile();
    FILE *file                  = tmpfile();
    OK(trm_profile_end(profile));
    ck_assert_ptr_nonnull(file);
    fputs(earlier, file);
    fflush(file);
    snprintf(path, sizeof(path), "/dev/fd/%d", fileno(file));
    OK(trm_profile_write_file(profile, TRM_PROFILE_JSON, path));
    ck_assert_int_eq(bytes_before_profile(file), sizeof(earlier) - 1);
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fileno(file));
    OK(trm_profile_write_file(profile, TRM_PROFILE_JSON, path));
    ck_assert_int_eq(bytes_before_profile(file), 0);
    ck_assert_int_eq(trm_profile_write_file(profile, 0, "/dev/fd/1000000"), TRM_ERROR_IO);
    fclose(file);
    trm_profile_destroy(profile);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("context_profile");
    TCase *all   = tcase_create("profiles of contexts");
    tcase_add_test(all, it_has_the_open_devices_and_later_ones);
    tcase_add_test(all, a_device_that_closes_is_kept_and_may_be_opened_again);
    tcase_add_test(all, a_file_is_replaced_and_a_descriptor_is_written_from_its_position);
    tcase_add_test(all, a_context_has_one_profile_at_a_time_and_none_beside_that_of_a_device);
    tcase_add_test(all, the_text_names_the_device_of_each_stream_where_there_are_several);
    tcase_add_test(all, it_may_outlive_its_devices_and_the_handle_of_its_context);
    tcase_add_test(all, where_memory_runs_out_no_device_is_profiled);
    tcase_add_test(all, a_device_that_opens_without_memory_for_its_profile_is_open);
    tcase_add_test(all, a_stream_tells_only_so_many_things_apart_that_it_waited_for);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
