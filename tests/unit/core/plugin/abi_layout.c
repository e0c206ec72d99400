/* The layout of minor 0 holds: nearly all of it is checked when this file is compiled
 * (tests/plugins/abi-1.0/pins.h).
 * SPDX-License-Identifier: MIT
 */
#include "core/object/abi.h"
#include "tests/plugins/abi-1.0/pins.h"
#include "tests/unit/runner.h"

START_TEST(the_core_asks_of_plugins_what_minor_0_had_and_no_more)
{
    ck_assert_uint_eq(CORE_ABI_HOST, pinned_size_of_trm_host);
    ck_assert_uint_eq(CORE_ABI_BACKEND, pinned_size_of_trm_backend);
    ck_assert_uint_eq(CORE_ABI_DEVICE_OPS, pinned_size_of_trm_device_ops);
    ck_assert_uint_eq(CORE_ABI_MEMORY_OPS, pinned_size_of_trm_memory_ops);
    ck_assert_uint_eq(CORE_ABI_STREAM_OPS, pinned_size_of_trm_stream_ops);
    ck_assert_uint_eq(CORE_ABI_MODULE_OPS, pinned_size_of_trm_module_ops);
    ck_assert_uint_eq(CORE_ABI_PROFILE_OPS, pinned_size_of_trm_profile_ops);
    ck_assert_uint_eq(CORE_ABI_POOL_OPS, pinned_size_of_trm_pool_ops);
    ck_assert_uint_eq(CORE_ABI_PEER_OPS, pinned_size_of_trm_peer_ops);
    ck_assert_uint_eq(CORE_ABI_GRAPH_OPS, pinned_size_of_trm_graph_ops);
    ck_assert_uint_eq(CORE_ABI_INTEROP_OPS, pinned_size_of_trm_interop_ops);
}
END_TEST

START_TEST(the_symbol_of_the_query_carries_the_major_version)
{
    ck_assert_str_eq(TRM_BACKEND_QUERY_SYMBOL, "trm_backend_query_v1");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("layout of the plugin ABI");
    TCase *layout = tcase_create("layout");
    tcase_add_test(layout, the_core_asks_of_plugins_what_minor_0_had_and_no_more);
    tcase_add_test(layout, the_symbol_of_the_query_carries_the_major_version);
    suite_add_tcase(suite, layout);
    return suite;
}

UNIT_SUITE(make_suite)
