/* What profiles and log lines call the streams of a pool.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/stream.h"
#include "tests/unit/pipeline/pool/fixture.h"

static void check_name(int32_t priority, const char *expected)
{
    const struct trm_stream_pool_desc desc = {.struct_size = sizeof(desc), .priority = priority, .most = 1};
    struct trm_stream_pool *named;
    struct trm_stream *stream;
    char name[CORE_STREAM_NAME];

    OK(trm_stream_pool_create(fake.device, &desc, &named));
    OK(trm_stream_pool_acquire(named, 0, 0, &stream));
    core_stream_copy_name(core_stream_find(stream), name);
    ck_assert_str_eq(name, expected);
    OK(trm_stream_pool_release(named, stream));
    trm_stream_pool_destroy(named);
}

START_TEST(streams_of_a_pool_are_called_after_their_priority)
{
    open_pool(1);
    check_name(TRM_PRIORITY_LOW, "pool low");
    check_name(TRM_PRIORITY_NORMAL, "pool");
    check_name(TRM_PRIORITY_HIGH, "pool high");
    check_name(TRM_PRIORITY_HIGH + 7, "pool high");
    close_pool();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool names");
    TCase *tests = tcase_create("names");

    tcase_add_test(tests, streams_of_a_pool_are_called_after_their_priority);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
