/* When tokens are cut into pieces.
 * SPDX-License-Identifier: MIT
 */
#include "check_fixture.h"
#include "tests/unit/runner.h"

/* Of a token of 1 MiB through two stages, on a device that shares the host's memory. */
static uint32_t pieces_of(uint64_t kind, uint64_t piece_bytes, int32_t strategy)
{
    struct trm_pipeline *handle;
    struct trm_report report = {.struct_size = sizeof(report)};

    other.kind       = kind;
    stages[0].kernel = stages[1].kernel = foreign;
    stages[0].shape                     = shape;
    stages[1].arguments                 = arguments;
    ports[X].size = ports[Y].size = 1 << 20;
    desc.flags                    = TRM_PIPELINE_DIVISIBLE;
    desc.port_count               = 2;
    desc.piece_bytes              = piece_bytes;
    desc.strategy                 = strategy;
    ck_assert_int_eq(trm_pipeline_create(other.device, &desc, &handle), TRM_OK);
    ck_assert_int_eq(trm_pipeline_report(handle, &report), TRM_OK);
    trm_pipeline_destroy(handle);
    return report.pieces;
}

START_TEST(the_library_cuts_tokens_only_where_the_backend_runs_kernels_on_the_hosts_processors)
{
    static const int32_t tried[]   = {TRM_STRATEGY_AUTO, TRM_STRATEGY_ZERO_COPY, TRM_STRATEGY_SLOT_STREAMS};
    static const uint64_t others[] = {0, TRM_DEVICE_GPU, TRM_DEVICE_VIRTUAL, TRM_DEVICE_SOFTWARE};

    for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
        ck_assert_uint_eq(pieces_of(TRM_DEVICE_CPU, 0, tried[i]), 8);
        for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
            ck_assert_uint_eq(pieces_of(others[k], 0, tried[i]), 1);
    }
}
END_TEST

START_TEST(a_program_may_have_tokens_cut_on_any_device_that_shares_the_hosts_memory)
{
    ck_assert_uint_eq(pieces_of(TRM_DEVICE_CPU, 1 << 18, TRM_STRATEGY_AUTO), 4);
    ck_assert_uint_eq(pieces_of(TRM_DEVICE_SOFTWARE, 1 << 18, TRM_STRATEGY_AUTO), 4);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipelines: pieces");
    TCase *tests = tcase_create("pieces");

    tcase_add_checked_fixture(tests, open_stores, close_stores);
    tcase_add_test(tests,
                   the_library_cuts_tokens_only_where_the_backend_runs_kernels_on_the_hosts_processors);
    tcase_add_test(tests, a_program_may_have_tokens_cut_on_any_device_that_shares_the_hosts_memory);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
