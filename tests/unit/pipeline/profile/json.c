/* The values of a profile's JSON, which are worked out by hand.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/profile.h"
#include "pipeline/profile/profile.h"

#include "tests/unit/stream_fixture.h"

struct text {
    char bytes[1 << 14];
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

/* Fails unless the JSON has these words. */
static void ck_json(struct trm_profile *profile, const char *words)
{
    static struct text text;
    text.length = 0;
    OK(trm_profile_write(profile, TRM_PROFILE_JSON, add_text, &text));
    ck_assert_msg(strstr(text.bytes, words) != NULL, "%s is not in %s", words, text.bytes);
}

/* A profile of one operation of a stream. */
static struct trm_profile *make_profile(struct trm_stream *stream)
{
    struct trm_profile_desc desc = {sizeof(desc), 1};
    struct trm_profile *profile;
    OK(trm_profile_begin(fake.device, &desc, &profile));
    OK(fake_enqueue(stream));
    OK(trm_profile_end(profile));
    return profile;
}

/* Replaces what the first stream of an ended profile did. */
static void set_records(struct trm_profile *profile, const struct core_profile_record *records,
                        uint32_t count)
{
    struct core_profile *found         = core_object_find(profile, CORE_PROFILE);
    struct core_profile_result *result = found->parts->results;

    memset(result->count, 0, sizeof(result->count));
    memset(result->bytes, 0, sizeof(result->bytes));
    memset(result->timed, 0, sizeof(result->timed));
    memset(result->busy_ns, 0, sizeof(result->busy_ns));
    memset(result->queued, 0, sizeof(result->queued));
    memset(result->ran, 0, sizeof(result->ran));
    result->record_count = 0;
    result->first_ns     = records[0].called;
    result->last_ns      = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct core_work work = {.kind = records[i].kind, .bytes = records[i].bytes};
        core_profile_count(found->object.context, result, &work);
        core_profile_add_record(found->object.context, result, &records[i]);
    }
}

/* Times are kept by the power of two and its quarters: 5 is alone, 100 and 105 are among 96 to 111, and 1000
 * is among 896 to 1023. The lowest of these is in the histogram, the highest is the percentile. */
START_TEST(times_of_a_stream_are_in_its_histograms_and_percentiles)
{
    static const struct core_profile_record records[] = {
        {.called = 1000, .begin = 1005, .end = 1105, .bytes = 400, .kind = CORE_WORK_UPLOAD},
        {.called = 1100, .begin = 1105, .end = 1205, .bytes = 600, .kind = CORE_WORK_UPLOAD},
        {.called = 1100, .begin = 1205, .end = 2205, .bytes = 700, .kind = CORE_WORK_COPY},
        {.called = 2200, .begin = 2300, .end = 2400, .kind = CORE_WORK_WAIT}, /* runs nothing */
    };
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream   = make_stream();
    struct trm_profile *profile = make_profile(stream);
    set_records(profile, records, 4);
    ck_json(profile, "\"operations\":4,\"timed\":4,\"span_ns\":1400,\"idle_ns\":100,");
    ck_json(profile, "\"count\":{\"upload\":2,\"download\":0,\"copy\":1,\"fill\":0,\"launch\":0,\"graph\":0,"
                     "\"wait\":1}");
    ck_json(profile, "\"bytes\":{\"upload\":1000,\"download\":0,\"copy\":700,\"fill\":0,\"launch\":0,"
                     "\"graph\":0,\"wait\":0}");
    ck_json(profile, "\"busy_ns\":{\"upload\":200,\"download\":0,\"copy\":1000,\"fill\":0,\"launch\":0,"
                     "\"graph\":0,\"wait\":100}");
    ck_json(profile, "\"queued\":{\"p50_ns\":5,\"p99_ns\":111,\"histogram\":[[5,2],[96,2]]}");
    ck_json(profile, "\"ran\":{\"p50_ns\":111,\"p99_ns\":1023,\"histogram\":[[96,2],[896,1]]}");
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* The most that the device's buffers had at an operation: not before, and not between two. */
START_TEST(the_peak_is_that_of_the_buffers_at_an_operation)
{
    struct trm_profile_desc desc  = {sizeof(desc), 1};
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    static const uint64_t sizes[] = {1000, 3000, 2000};
    struct trm_profile *profile;
    struct trm_buffer *buffer;
    begin(FAKE_ALL);
    fake_let_run(&fake);
    struct trm_stream *stream = make_stream();
    OK(trm_device_get_usage(fake.device, &usage));
    ck_assert_uint_eq(usage.buffer_bytes, 0);
    OK(trm_profile_begin(fake.device, &desc, &profile));
    for (uint32_t i = 0; i < 3; i++) {
        OK(trm_buffer_create(fake.device, TRM_MEMORY_DEVICE, sizes[i], &buffer));
        OK(fake_enqueue(stream));
        trm_buffer_destroy(buffer);
    }
    OK(trm_buffer_create(fake.device, TRM_MEMORY_DEVICE, 5000, &buffer));
    trm_buffer_destroy(buffer);
    OK(fake_enqueue(stream));
    OK(trm_profile_end(profile));
    ck_json(profile, "\"peak_bytes\":3000,\"count\"");                                  /* of the stream */
    ck_json(profile, "\"peak_bytes\":3000,\"operations\":4,\"timed\":4,\"active_ns\""); /* of the device */
    trm_profile_destroy(profile);
    trm_stream_destroy(stream);
    end();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("profile json");
    TCase *all   = tcase_create("values");

    tcase_add_test(all, times_of_a_stream_are_in_its_histograms_and_percentiles);
    tcase_add_test(all, the_peak_is_that_of_the_buffers_at_an_operation);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
