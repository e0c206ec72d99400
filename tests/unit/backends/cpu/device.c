/* Device, memory, time stamps and instances of the cpu backend.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/machine/machine.h"
#include "tests/unit/backends/cpu/host.h"
#include "tests/unit/runner.h"

#define FOREVER UINT64_MAX

static struct cpu_bench bench;
static struct trm_backend_stream *stream;
static uint64_t last;

static void set_up(void)
{
    bench  = cpu_bench_open("2");
    stream = cpu_bench_stream(&bench, 0);
    last   = 0;
    ck_assert_ptr_nonnull(stream);
}

static void tear_down(void)
{
    bench.stream->destroy(stream);
    cpu_bench_close(&bench);
    ck_assert_int_eq(cpu_host.bytes, 0);
}

static uint64_t number_of(uint32_t key)
{
    uint64_t number = 0, needed = 0;
    ck_assert_int_eq(bench.backend->device->get_info(bench.instance, 0, key, &number, 8, &needed), TRM_OK);
    ck_assert_uint_eq(needed, 8);
    return number;
}

START_TEST(the_backend_asks_how_long_to_spin)
{
    ck_assert(atomic_load(&cpu_host.asked_for_spin));
}
END_TEST

START_TEST(the_device_answers_what_is_required)
{
    const struct trm_device_ops *device = bench.backend->device;
    char name[256];
    uint64_t needed = 0, groups[3];
    uint32_t count  = 0;
    ck_assert_int_eq(device->count(bench.instance, &count), TRM_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(device->get_info(bench.instance, 0, TRM_DEVICE_NAME, NULL, 0, &needed), TRM_OK);
    ck_assert_int_eq(device->get_info(bench.instance, 0, TRM_DEVICE_NAME, name, sizeof(name), &needed),
                     TRM_OK);
    ck_assert_uint_eq(strlen(name) + 1, needed);
    ck_assert_int_eq(device->get_info(bench.instance, 0, TRM_DEVICE_NAME, name, needed - 1, &needed),
                     TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(device->get_info(bench.instance, 0, TRM_DEVICE_MAX_GROUPS, groups, 24, &needed), TRM_OK);
    ck_assert_int_eq(device->get_info(bench.instance, 0, TRM_DEVICE_MAX_GROUP_SIZE, groups, 24, &needed),
                     TRM_OK);
    ck_assert_int_eq(device->get_info(bench.instance, 0, TRM_DEVICE_PCI, name, 256, &needed),
                     TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(device->get_info(bench.instance, 1, TRM_DEVICE_NAME, name, 256, &needed),
                     TRM_ERROR_NOT_FOUND);
    ck_assert_uint_eq(number_of(TRM_DEVICE_KIND), TRM_DEVICE_CPU);
    ck_assert_uint_eq(number_of(TRM_DEVICE_UNIFIED), 1);
    ck_assert_uint_eq(number_of(TRM_DEVICE_UNITS), 2);
    ck_assert_uint_ge(number_of(TRM_DEVICE_MEMORY_TOTAL), number_of(TRM_DEVICE_MEMORY_FREE));
    ck_assert_uint_gt(number_of(TRM_DEVICE_MEMORY_FREE), 0);
    ck_assert_uint_eq(number_of(TRM_DEVICE_SYNCHRONOUS), 0);
    ck_assert_uint_gt(number_of(TRM_DEVICE_MAX_GROUP_ITEMS), 0);
    ck_assert_uint_gt(number_of(TRM_DEVICE_MAX_SHARED_BYTES), 0);
    ck_assert_uint_eq(number_of(TRM_DEVICE_MAX_ARGUMENTS), 256);
    ck_assert_uint_ge(number_of(TRM_DEVICE_BUFFER_ALIGNMENT), 1);
}
END_TEST

START_TEST(memory_of_every_kind_and_size_is_aligned_and_reachable)
{
    static const uint64_t sizes[]      = {1, 4095, 65536, 70001, 2 << 20, (5 << 20) + 1};
    static const uint64_t alignments[] = {1, 256, 4096, 2 << 20};
    for (int32_t kind = TRM_MEMORY_DEVICE; kind <= TRM_MEMORY_UNIFIED; kind++)
        for (size_t i = 0; i < 24; i++) {
            struct trm_memory_desc desc       = {.struct_size = sizeof(desc),
                                                 .kind        = kind,
                                                 .size        = sizes[i / 4],
                                                 .alignment   = alignments[i % 4]};
            struct trm_backend_memory *memory = NULL;
            void *pointer                     = NULL;
            ck_assert_int_eq(bench.memory->allocate(bench.device, &desc, &memory), TRM_OK);
            ck_assert_int_eq(bench.memory->host_pointer(memory, &pointer), TRM_OK);
            ck_assert_uint_eq((uintptr_t)pointer % desc.alignment, 0);
            memset(pointer, 1, desc.size);
            bench.memory->free(memory);
        }
}
END_TEST

START_TEST(imported_memory_stays_where_it_is)
{
    char mine[100];
    struct trm_memory_desc desc       = {.struct_size  = sizeof(desc),
                                         .kind         = TRM_MEMORY_IMPORTED,
                                         .size         = sizeof(mine),
                                         .alignment    = 1,
                                         .host_pointer = mine + 1};
    struct trm_backend_memory *memory = NULL;
    void *pointer                     = NULL;
    ck_assert_int_eq(bench.memory->allocate(bench.device, &desc, &memory), TRM_OK);
    ck_assert_int_eq(bench.memory->host_pointer(memory, &pointer), TRM_OK);
    ck_assert_ptr_eq(pointer, mine + 1);
    bench.memory->free(memory);
}
END_TEST

START_TEST(more_memory_than_there_is_is_refused)
{
    static const uint64_t sizes[]     = {1ull << 46, UINT64_MAX, UINT64_MAX - (4 << 20)};
    struct trm_backend_memory *memory = NULL;
    for (int i = 0; i < 3; i++) {
        struct trm_memory_desc desc = {.struct_size = sizeof(desc), .size = sizes[i], .alignment = 64};
        ck_assert_int_eq(bench.memory->allocate(bench.device, &desc, &memory),
                         TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    }
    struct trm_memory_desc desc = {.struct_size = sizeof(desc), .kind = 9, .size = 64, .alignment = 64};
    ck_assert_int_eq(bench.memory->allocate(bench.device, &desc, &memory), TRM_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(buffers_that_together_need_more_memory_than_there_is_are_refused)
{
    struct trm_memory_desc desc = {.struct_size = sizeof(desc), .alignment = 64};
    struct trm_backend_memory *memory[2], *none = NULL;
    desc.size = cpu_physical_bytes() / 5 * 2;
    for (int i = 0; i < 2; i++)
        ck_assert_msg(bench.memory->allocate(bench.device, &desc, &memory[i]) == TRM_OK, "%d: %s", i,
                      cpu_host_sentence);
    ck_assert_int_eq(bench.memory->allocate(bench.device, &desc, &none), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    bench.memory->free(memory[0]);
    ck_assert_int_eq(bench.memory->allocate(bench.device, &desc, &memory[0]), TRM_OK);
    for (int i = 0; i < 2; i++)
        bench.memory->free(memory[i]);
}
END_TEST

START_TEST(time_stamps_are_of_the_monotonic_clock_and_in_order)
{
    const struct trm_profile_ops *profile = bench.backend->profile;
    struct trm_backend_stamp *stamps[2];
    uint64_t times[2], before = cpu_host_now();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(profile->stamp_create(bench.device, &stamps[i]), TRM_OK);
        ck_assert_int_eq(profile->stamp_record(stream, ++last, stamps[i]), TRM_OK);
    }
    ck_assert_int_eq(bench.stream->wait(stream, last, FOREVER), TRM_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(profile->stamp_read(stamps[i], &times[i]), TRM_OK);
        profile->stamp_destroy(stamps[i]);
    }
    ck_assert_uint_le(before, times[0]);
    ck_assert_uint_le(times[0], times[1]);
    ck_assert_uint_le(times[1], cpu_host_now());
}
END_TEST

START_TEST(instances_open_and_close_again_and_stand_side_by_side)
{
    struct trm_backend_instance *others[3];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(bench.backend->open(&cpu_host_table, &others[i]), TRM_OK);
        for (int i = 0; i < 3; i++)
            bench.backend->close(others[i]);
    }
}
END_TEST

START_TEST(a_core_that_asks_for_a_later_minor_is_not_served)
{
    int32_t score    = 0;
    char reason[100] = "x";
    ck_assert_ptr_null(trm_backend_query_v1(&cpu_host_table, TRM_BACKEND_ABI_MINOR + 1, 5));
    ck_assert_ptr_eq(trm_backend_query_v1(&cpu_host_table, 0, 5), bench.backend);
    ck_assert_int_eq(bench.backend->probe(&cpu_host_table, &score, reason, sizeof(reason)), TRM_OK);
    ck_assert_int_eq(score, 100);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cpu device");
    TCase *tests = tcase_create("device");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_backend_asks_how_long_to_spin);
    tcase_add_test(tests, the_device_answers_what_is_required);
    tcase_add_test(tests, memory_of_every_kind_and_size_is_aligned_and_reachable);
    tcase_add_test(tests, imported_memory_stays_where_it_is);
    tcase_add_test(tests, more_memory_than_there_is_is_refused);
    tcase_add_test(tests, buffers_that_together_need_more_memory_than_there_is_are_refused);
    tcase_add_test(tests, time_stamps_are_of_the_monotonic_clock_and_in_order);
    tcase_add_test(tests, instances_open_and_close_again_and_stand_side_by_side);
    tcase_add_test(tests, a_core_that_asks_for_a_later_minor_is_not_served);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
