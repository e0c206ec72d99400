/* Tests of the vulkan backend's hazards: which accesses need a barrier.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/record/access.h"

#include "tests/check.h"

#include "tests/unit/runner.h"

static struct vulkan_accesses accesses;

static void setup(void)
{
    accesses.count = 0;
}

static VkBuffer buffer(uint64_t number)
{
    return (VkBuffer)(uintptr_t)(0x1000 * number);
}

static struct vulkan_access range(uint64_t number, uint64_t begin, uint64_t end, uint32_t flags)
{
    struct vulkan_access access = {buffer(number), begin, end, flags, 0};
    return access;
}

/* Does what the recorder does. Returns the barrier that was needed. */
static struct vulkan_barrier make(const struct vulkan_access *access, uint32_t count)
{
    struct vulkan_barrier barrier = vulkan_access_find_barrier(&accesses, access, count);
    if (barrier.source != 0)
        vulkan_access_apply_barrier(&accesses, &barrier, VULKAN_STAGES);
    for (uint32_t i = 0; i < count; i++)
        ck_assert(vulkan_access_add(&accesses, &access[i]));
    return barrier;
}

static struct vulkan_barrier touch(uint64_t begin, uint64_t end, uint32_t flags)
{
    struct vulkan_access access = range(1, begin, end, flags);
    return make(&access, 1);
}

static bool waits(uint64_t begin, uint64_t end, uint32_t flags)
{
    return touch(begin, end, flags).source != 0;
}

#define KERNEL_READS (VULKAN_KERNEL | VULKAN_READ)
#define KERNEL_WRITES (VULKAN_KERNEL | VULKAN_WRITE)
#define COPY_READS (VULKAN_TRANSFER | VULKAN_READ)
#define COPY_WRITES (VULKAN_TRANSFER | VULKAN_WRITE)

START_TEST(a_read_behind_a_write_waits_for_it)
{
    ck_assert(!waits(0, 64, KERNEL_WRITES));
    struct vulkan_barrier barrier = touch(0, 64, COPY_READS);
    ck_assert_uint_eq(barrier.source, VULKAN_KERNEL);
    ck_assert_uint_eq(barrier.source_writes, VULKAN_KERNEL);
    ck_assert_uint_eq(barrier.destination, VULKAN_TRANSFER);
}
END_TEST

START_TEST(a_write_behind_a_read_waits_but_sees_nothing_new)
{
    ck_assert(!waits(0, 64, COPY_READS));
    struct vulkan_barrier barrier = touch(0, 64, KERNEL_WRITES);
    ck_assert_uint_eq(barrier.source, VULKAN_TRANSFER);
    ck_assert_uint_eq(barrier.source_writes, 0);
    ck_assert_uint_eq(barrier.destination, VULKAN_KERNEL);
}
END_TEST

START_TEST(a_write_behind_a_write_waits)
{
    ck_assert(!waits(0, 64, COPY_WRITES));
    ck_assert(waits(63, 65, COPY_WRITES));
}
END_TEST

START_TEST(reads_do_not_wait_for_reads)
{
    ck_assert(!waits(0, 64, COPY_READS));
    ck_assert(!waits(0, 64, COPY_READS));
    ck_assert(!waits(32, 96, KERNEL_READS));
}
END_TEST

START_TEST(ranges_that_only_touch_do_not_wait)
{
    ck_assert(!waits(0, 64, KERNEL_WRITES));
    ck_assert(!waits(64, 128, KERNEL_WRITES));
    ck_assert(!waits(128, 129, COPY_READS));
    ck_assert(waits(127, 128, COPY_READS));
}
END_TEST

START_TEST(other_buffers_do_not_wait)
{
    struct vulkan_access other = range(2, 0, 64, KERNEL_WRITES);
    ck_assert(!waits(0, 64, KERNEL_WRITES));
    ck_assert_uint_eq(make(&other, 1).source, 0);
}
END_TEST

START_TEST(one_barrier_makes_all_writes_of_its_stages_visible)
{
    ck_assert(!waits(0, 64, KERNEL_WRITES));
    ck_assert(!waits(64, 128, KERNEL_WRITES));
    ck_assert(waits(0, 64, KERNEL_READS));
    ck_assert(!waits(64, 128, KERNEL_READS));
}
END_TEST

/* Otherwise a copy could read what a kernel is still writing. */
START_TEST(a_barrier_for_kernels_does_not_order_copies)
{
    ck_assert(!waits(0, 64, KERNEL_WRITES));
    ck_assert(waits(0, 64, KERNEL_READS));
    ck_assert(waits(0, 64, COPY_READS));
    ck_assert(!waits(0, 64, COPY_READS));
}
END_TEST

START_TEST(a_barrier_for_writes_of_one_stage_does_not_order_the_other)
{
    ck_assert(!waits(0, 64, KERNEL_WRITES));
    ck_assert(!waits(64, 128, COPY_WRITES));
    ck_assert(waits(0, 64, KERNEL_READS));
    ck_assert(waits(64, 128, KERNEL_READS));
}
END_TEST

/* copy -> kernel, kernel -> copy: both barriers together order the second copy after the first. */
START_TEST(barriers_make_chains)
{
    struct vulkan_access other = range(2, 0, 64, KERNEL_WRITES);
    ck_assert(!waits(0, 64, COPY_WRITES));
    ck_assert(waits(0, 64, KERNEL_READS));
    ck_assert_uint_eq(make(&other, 1).source, 0);
    other.flags = COPY_READS;
    ck_assert_uint_eq(make(&other, 1).source, VULKAN_KERNEL);
    ck_assert(!waits(0, 64, COPY_READS));
}
END_TEST

START_TEST(kernels_in_place_need_a_barrier_each_and_no_memory)
{
    ck_assert(!waits(0, 64, KERNEL_WRITES | VULKAN_READ));
    for (int i = 0; i < 1000; i++)
        ck_assert(waits(0, 64, KERNEL_WRITES | VULKAN_READ));
    ck_assert_uint_le(accesses.count, 2);
}
END_TEST

START_TEST(a_thousand_copies_side_by_side_need_neither)
{
    for (uint64_t i = 0; i < 1000; i++) {
        struct vulkan_access both[2] = {range(1, 16 * i, 16 * i + 5, COPY_READS),
                                        range(2, 5 * i, 5 * i + 5, COPY_WRITES)};
        ck_assert_uint_eq(make(both, 2).source, 0);
    }
    ck_assert_uint_le(accesses.count, 2);
    ck_assert(waits(0, 16000, COPY_WRITES));
}
END_TEST

START_TEST(one_access_to_anything_conflicts_with_all)
{
    struct vulkan_access any = {VK_NULL_HANDLE, 0, UINT64_MAX, VULKAN_READ | VULKAN_WRITE | VULKAN_STAGES, 0};
    ck_assert(vulkan_access_add(&accesses, &any));
    struct vulkan_barrier barrier = touch(5, 6, COPY_READS);
    ck_assert_uint_eq(barrier.source, VULKAN_STAGES);
    ck_assert_uint_eq(barrier.source_writes, VULKAN_STAGES);
    ck_assert(!waits(500, 600, COPY_WRITES));
    ck_assert(waits(500, 600, KERNEL_READS));
}
END_TEST

START_TEST(a_full_list_is_reported)
{
    struct vulkan_access access;
    for (uint64_t i = 0; i < VULKAN_ACCESSES_MOST; i++) {
        access = range(1 + i, 0, 64, COPY_READS);
        ck_assert(vulkan_access_add(&accesses, &access));
    }
    ck_assert(vulkan_access_add(&accesses, &access));
    access = range(1000, 0, 64, COPY_READS);
    ck_assert(!vulkan_access_add(&accesses, &access));
}
END_TEST

/* ---- comparison with a simple model ----------------------------------------------------------------- */

#define CELLS 12u
#define OPERATIONS 400u

/* For each cell and stage: whether the barriers so far have ordered the last write, and the reads since,
 * before the stage. */
struct cell {
    uint32_t written, read; /* stages that have, since the last write */
    uint32_t write_seen;    /* stages that are ordered after the write */
    uint32_t read_past[2];  /* stages that are ordered after the reads of each stage */
};

static uint32_t place_of(uint32_t stage)
{
    return stage == VULKAN_TRANSFER ? 0 : 1;
}

static bool is_safe(const struct cell *cell, uint32_t flags)
{
    uint32_t stage = flags & VULKAN_STAGES;
    if (cell->written != 0 && (cell->write_seen & stage) == 0)
        return false;
    if ((flags & VULKAN_WRITE) == 0)
        return true;
    for (uint32_t reader = VULKAN_TRANSFER; reader <= VULKAN_KERNEL; reader <<= 1)
        if ((cell->read & reader) != 0 && (cell->read_past[place_of(reader)] & stage) == 0)
            return false;
    return true;
}

static void pass_barrier(struct cell *cell, const struct vulkan_barrier *barrier)
{
    if ((cell->written & barrier->source & barrier->source_writes) != 0 ||
        (cell->write_seen & barrier->source) != 0)
        cell->write_seen |= barrier->destination;
    for (uint32_t reader = VULKAN_TRANSFER; reader <= VULKAN_KERNEL; reader <<= 1)
        if ((barrier->source & reader) != 0 || (cell->read_past[place_of(reader)] & barrier->source) != 0)
            cell->read_past[place_of(reader)] |= barrier->destination;
}

static void do_access(struct cell *cell, uint32_t flags)
{
    uint32_t stage = flags & VULKAN_STAGES;
    if ((flags & VULKAN_WRITE) != 0) {
        *cell = (struct cell){.written = stage};
        return;
    }
    cell->read |= stage;
    cell->read_past[place_of(stage)] = 0;
}

static uint32_t state = 1;
static uint32_t some(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
}

static uint32_t some_flags(void)
{
    static const uint32_t all[] = {KERNEL_READS, KERNEL_WRITES, COPY_READS, COPY_WRITES};
    return all[some(4)];
}

START_TEST(any_sequence_of_accesses_is_ordered_and_no_barrier_is_unnecessary)
{
    state                    = (uint32_t)_i + 1;
    struct cell cells[CELLS] = {{0, 0, 0, {0, 0}}};
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        uint32_t first = some(CELLS), last = first + 1 + some(CELLS - first), flags = some_flags();
        bool safe = true;
        for (uint32_t k = first; k < last; k++)
            safe = safe && is_safe(&cells[k], flags);
        struct vulkan_barrier barrier = touch(first * UINT64_C(1000), last * UINT64_C(1000) - 500, flags);
        ck_assert_int_eq(barrier.source == 0, safe);
        for (uint32_t k = 0; k < CELLS && barrier.source != 0; k++)
            pass_barrier(&cells[k], &barrier);
        for (uint32_t k = first; k < last; k++) {
            ck_assert(is_safe(&cells[k], flags));
            do_access(&cells[k], flags);
        }
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("vulkan: hazards");
    TCase *tests = tcase_create("hazards");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, a_read_behind_a_write_waits_for_it);
    tcase_add_test(tests, a_write_behind_a_read_waits_but_sees_nothing_new);
    tcase_add_test(tests, a_write_behind_a_write_waits);
    tcase_add_test(tests, reads_do_not_wait_for_reads);
    tcase_add_test(tests, ranges_that_only_touch_do_not_wait);
    tcase_add_test(tests, other_buffers_do_not_wait);
    tcase_add_test(tests, one_barrier_makes_all_writes_of_its_stages_visible);
    tcase_add_test(tests, a_barrier_for_kernels_does_not_order_copies);
    tcase_add_test(tests, a_barrier_for_writes_of_one_stage_does_not_order_the_other);
    tcase_add_test(tests, barriers_make_chains);
    tcase_add_test(tests, kernels_in_place_need_a_barrier_each_and_no_memory);
    tcase_add_test(tests, a_thousand_copies_side_by_side_need_neither);
    tcase_add_test(tests, one_access_to_anything_conflicts_with_all);
    tcase_add_test(tests, a_full_list_is_reported);
    tcase_add_loop_test(tests, any_sequence_of_accesses_is_ordered_and_no_barrier_is_unnecessary, 0, 200);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
