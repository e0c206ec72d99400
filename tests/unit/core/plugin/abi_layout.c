/* The layout of minor 0 holds: nearly all of it is checked when this file is compiled
 * (tests/plugins/abi-1.0/pins.h).
 * SPDX-License-Identifier: MIT
 */
#include "core/object/abi.h"
#include "tests/plugins/abi-1.0/pins.h"
#include "tests/unit/runner.h"

/* ---- minor 2 ---- */

PIN_GROWING(trm_image_ops, 64);
PIN(trm_image_ops, struct_size, 0, 4);
PIN(trm_image_ops, supports, 8, 8);
PIN(trm_image_ops, create, 16, 8);
PIN(trm_image_ops, destroy, 24, 8);
PIN(trm_image_ops, copy, 32, 8);
PIN(trm_image_ops, transfer, 40, 8);
PIN(trm_image_ops, sampler_create, 48, 8);
PIN(trm_image_ops, sampler_destroy, 56, 8);
PIN(trm_backend, image, 144, 8);

PIN_FIXED(trm_image_part, 32);
PIN_GROWING(trm_image_copy_desc, 96);
PIN(trm_image_copy_desc, part, 8, 32);
PIN(trm_image_copy_desc, place, 40, 24);
PIN(trm_image_copy_desc, row_pitch, 64, 8);
PIN(trm_image_copy_desc, slice_pitch, 72, 8);
PIN(trm_image_copy_desc, width, 80, 4);
PIN_GROWING(trm_image_transfer_desc, 88);
PIN(trm_image_transfer_desc, destination, 8, 32);
PIN(trm_image_transfer_desc, source, 40, 32);
PIN(trm_image_transfer_desc, width, 72, 4);
PIN_GROWING(trm_launch_image, 24);
PIN(trm_launch_image, level, 4, 4);
PIN(trm_launch_image, image, 8, 8);
PIN(trm_launch_image, sampler, 16, 8);

/* Translated kernels read it without a header. */
PIN_FIXED(trm_image_words, 16);
PIN(trm_image_words, data, 0, 8);
PIN(trm_image_words, state, 8, 8);
PIN_FIXED(trm_image_level, 40);
PIN(trm_image_level, offset, 0, 8);
PIN(trm_image_level, row_pitch, 8, 8);
PIN(trm_image_level, slice_pitch, 16, 8);
PIN(trm_image_level, width, 24, 4);
PIN(trm_image_level, height, 28, 4);
PIN(trm_image_level, depth, 32, 4);
PIN_FIXED(trm_image_layout, 672);
PIN(trm_image_layout, type, 4, 4);
PIN(trm_image_layout, format, 8, 4);
PIN(trm_image_layout, layers, 12, 4);
PIN(trm_image_layout, levels, 16, 4);
PIN(trm_image_layout, level, 32, 640);

/* ---- minor 4 ---- */

PIN_GROWING(trm_resident_ops, 24);
PIN(trm_resident_ops, struct_size, 0, 4);
PIN(trm_resident_ops, stream, 8, 8);
PIN(trm_resident_ops, graph, 16, 8);
PIN(trm_backend, resident, 152, 8);
PIN(trm_graph_node, source, 64, 8);

/* ---- minor 5 ---- */

PIN_GROWING(trm_sampler_desc, 36);
PIN(trm_sampler_desc, unnormalized, 28, 4);
PIN(trm_sampler_desc, compare, 32, 4);
PIN(trm_resident_ops, times, 24, 8);

/* ---- minor 6 ---- */

PIN_GROWING(trm_collective_ops, 40);
PIN(trm_collective_ops, struct_size, 0, 4);
PIN(trm_collective_ops, create, 8, 8);
PIN(trm_collective_ops, destroy, 16, 8);
PIN(trm_collective_ops, check, 24, 8);
PIN(trm_collective_ops, enqueue, 32, 8);
PIN(trm_backend, collective, 160, 8);
PIN_FIXED(trm_collective_place, 24);
PIN(trm_collective_place, memory, 0, 8);
PIN(trm_collective_place, offset, 8, 8);
PIN(trm_collective_place, size, 16, 8);
PIN_GROWING(trm_collective_desc, 40);
PIN(trm_collective_desc, kind, 4, 4);
PIN(trm_collective_desc, type, 8, 4);
PIN(trm_collective_desc, operation, 12, 4);
PIN(trm_collective_desc, root, 16, 4);
PIN(trm_collective_desc, count, 20, 4);
PIN(trm_collective_desc, inputs, 24, 8);
PIN(trm_collective_desc, outputs, 32, 8);

/* ---- minor 7 ---- */

PIN(trm_device_ops, check_loss, 40, 8);

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
    ck_assert_uint_eq(CORE_ABI_IMAGE_OPS, pinned_size_of_trm_image_ops);           /* of minor 2 */
    ck_assert_uint_eq(CORE_ABI_RESIDENT_OPS, pinned_size_of_trm_resident_ops);     /* of minor 4 */
    ck_assert_uint_eq(CORE_ABI_COLLECTIVE_OPS, pinned_size_of_trm_collective_ops); /* of minor 6 */
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
