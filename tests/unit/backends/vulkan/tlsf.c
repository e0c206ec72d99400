/* Tests of the allocator, against a model that checks every piece.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/tlsf.h"

#include "tests/check.h"
#include <stdlib.h>
#include <trireme/status.h>

#include "tests/unit/runner.h"

#define GRAIN VULKAN_TLSF_GRAIN
#define MIB (UINT64_C(1) << 20)
#define PIECES 300
#define RANGES 5

/* ---- records ---- */

static long records;         /* records in use */
static long records_allowed; /* further ones are refused; negative: unlimited */

static void *record_allocate(void *context, uint64_t size)
{
    ck_assert_ptr_eq(context, &records);
    if (records_allowed >= 0 && records >= records_allowed)
        return NULL;
    records++;
    return malloc(size);
}

static void record_release(void *context, void *memory, uint64_t size)
{
    ck_assert_ptr_eq(context, &records);
    ck_assert_uint_eq(size, sizeof(struct vulkan_tlsf_piece));
    records--;
    free(memory);
}

/* ---- the model: walks along all ranges --------------------------- */

struct range {
    uint64_t begin, size;
};

static struct vulkan_tlsf tlsf;
static struct range ranges[RANGES];
static struct vulkan_tlsf_piece *used[PIECES];
static uint64_t wanted_alignment[PIECES], wanted_size[PIECES];

static void begin(void)
{
    records         = 0;
    records_allowed = -1;
    vulkan_tlsf_init(&tlsf, record_allocate, record_release, &records);
}

static void end(void)
{
    vulkan_tlsf_fini(&tlsf);
    ck_assert_int_eq(records, 0);
}

static struct vulkan_tlsf_piece *take(uint64_t size, uint64_t alignment)
{
    struct vulkan_tlsf_piece *piece = NULL;
    ck_assert_int_eq(vulkan_tlsf_allocate(&tlsf, size, alignment, &piece), TRM_OK);
    ck_assert(!piece->free);
    ck_assert_uint_ge(piece->size, size);
    ck_assert_uint_lt(piece->size, size + GRAIN);
    ck_assert_uint_eq(piece->offset % alignment, 0);
    return piece;
}

static struct vulkan_tlsf_piece *leftmost(struct vulkan_tlsf_piece *piece)
{
    while (piece->before != NULL)
        piece = piece->before;
    return piece;
}

/* Whether pieces are contiguous, and no two free ones are adjacent. Adds the used bytes. */
static bool is_sound(const struct range *range, struct vulkan_tlsf_piece *any, uint64_t *bytes)
{
    uint64_t at = range->begin;
    bool sound  = true;
    for (const struct vulkan_tlsf_piece *piece = leftmost(any); piece != NULL; piece = piece->after) {
        sound = sound && piece->offset == at && piece->size != 0 && piece->size % GRAIN == 0;
        sound = sound && piece->owner == range;
        if (piece->after != NULL)
            sound = sound && piece->after->before == piece && !(piece->free && piece->after->free);
        *bytes += piece->free ? 0 : piece->size;
        at += piece->size;
    }
    return sound && at == range->begin + range->size;
}

/* Whether a free piece exists that the allocator must find: as large as its lists round up, for any
 * offset. */
static bool must_be_found(uint64_t size, uint64_t alignment)
{
    uint64_t least = (size + GRAIN - 1) / GRAIN * GRAIN + (alignment > GRAIN ? alignment - GRAIN : 0);
    least += least / 16 + GRAIN;
    for (uint32_t row = 0; row < VULKAN_TLSF_ROWS; row++)
        for (uint32_t column = 0; column < VULKAN_TLSF_COLUMNS; column++)
            for (struct vulkan_tlsf_piece *piece = tlsf.lists[row][column]; piece != NULL;
                 piece                           = piece->next)
                if (piece->size >= least)
                    return true;
    return false;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* ---- cases ---- */

START_TEST(a_range_is_one_free_piece_before_and_after)
{
    struct vulkan_tlsf_piece *whole = vulkan_tlsf_add(&tlsf, 0, 4 * MIB, &ranges[0]);
    ck_assert(whole->free && vulkan_tlsf_is_whole(whole));
    struct vulkan_tlsf_piece *a = take(1000, 1), *b = take(MIB, 1), *c = take(1, 1);
    ck_assert(!vulkan_tlsf_is_whole(a));
    ck_assert(!vulkan_tlsf_is_whole(vulkan_tlsf_free(&tlsf, b)));
    ck_assert(!vulkan_tlsf_is_whole(vulkan_tlsf_free(&tlsf, a)));
    whole = vulkan_tlsf_free(&tlsf, c);
    ck_assert(vulkan_tlsf_is_whole(whole));
    ck_assert_uint_eq(whole->size, 4 * MIB);
    ck_assert_uint_eq(whole->offset, 0);
    vulkan_tlsf_remove(&tlsf, whole);
}
END_TEST

START_TEST(a_whole_range_can_be_allocated_and_no_byte_more)
{
    struct vulkan_tlsf_piece *piece;
    vulkan_tlsf_add(&tlsf, 0, 3 * MIB + GRAIN, &ranges[0]);
    ck_assert_int_eq(vulkan_tlsf_allocate(&tlsf, 3 * MIB + GRAIN + 1, 1, &piece),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    piece = take(3 * MIB + GRAIN, 1);
    ck_assert(vulkan_tlsf_is_whole(piece));
    struct vulkan_tlsf_piece *more;
    ck_assert_int_eq(vulkan_tlsf_allocate(&tlsf, 1, 1, &more), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    vulkan_tlsf_remove(&tlsf, vulkan_tlsf_free(&tlsf, piece));
}
END_TEST

START_TEST(nothing_can_be_allocated_without_a_range)
{
    struct vulkan_tlsf_piece *piece;
    ck_assert_int_eq(vulkan_tlsf_allocate(&tlsf, 1, 1, &piece), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(vulkan_tlsf_allocate(&tlsf, UINT64_MAX, 1, &piece), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(vulkan_tlsf_allocate(&tlsf, 1, UINT64_C(1) << 63, &piece),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
}
END_TEST

START_TEST(the_piece_freed_last_is_reused_for_the_same_size)
{
    static const uint64_t sizes[] = {1, 4096, 4352, 99999, MIB, MIB + GRAIN};
    vulkan_tlsf_add(&tlsf, 0, 64 * MIB, &ranges[0]);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct vulkan_tlsf_piece *before = take(1, 1), *piece = take(sizes[i], 1), *behind = take(1, 1);
        uint64_t offset = piece->offset;
        vulkan_tlsf_free(&tlsf, piece);
        piece = take(sizes[i], 1);
        ck_assert_uint_eq(piece->offset, offset);
        vulkan_tlsf_free(&tlsf, piece);
        vulkan_tlsf_free(&tlsf, behind);
        vulkan_tlsf_free(&tlsf, before);
    }
    struct vulkan_tlsf_piece *whole = vulkan_tlsf_free(&tlsf, take(1, 1));
    ck_assert(vulkan_tlsf_is_whole(whole));
    vulkan_tlsf_remove(&tlsf, whole);
}
END_TEST

START_TEST(alignments_hold_in_a_range_that_does_not_begin_aligned)
{
    for (uint64_t alignment = 1; alignment <= 2 * MIB; alignment *= 2) {
        vulkan_tlsf_add(&tlsf, 5 * GRAIN, 8 * MIB, &ranges[0]);
        struct vulkan_tlsf_piece *first = take(100, alignment), *second = take(70000, alignment);
        vulkan_tlsf_free(&tlsf, first);
        vulkan_tlsf_remove(&tlsf, vulkan_tlsf_free(&tlsf, second));
    }
}
END_TEST

START_TEST(a_piece_is_allocated_from_the_given_range_or_not_at_all)
{
    struct vulkan_tlsf_piece *first  = vulkan_tlsf_add(&tlsf, 0, MIB, &ranges[0]);
    struct vulkan_tlsf_piece *second = vulkan_tlsf_add(&tlsf, 0, 2 * MIB, &ranges[1]), *piece;
    ck_assert_int_eq(vulkan_tlsf_allocate_from(&tlsf, second, 1000, 4096, &piece), TRM_OK);
    ck_assert_ptr_eq(piece->owner, &ranges[1]);
    ck_assert_int_eq(vulkan_tlsf_allocate_from(&tlsf, first, MIB + 1, 1, &second),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(vulkan_tlsf_allocate_from(&tlsf, first, MIB, 1, &first), TRM_OK);
    vulkan_tlsf_remove(&tlsf, vulkan_tlsf_free(&tlsf, first));
    vulkan_tlsf_remove(&tlsf, vulkan_tlsf_free(&tlsf, piece));
}
END_TEST

START_TEST(without_memory_for_records_nothing_is_allocated_and_everything_can_be_freed)
{
    struct vulkan_tlsf_piece *piece, *more;
    records_allowed = 0;
    ck_assert_ptr_null(vulkan_tlsf_add(&tlsf, 0, MIB, &ranges[0]));
    records_allowed = 3;
    ck_assert_ptr_nonnull(vulkan_tlsf_add(&tlsf, 0, MIB, &ranges[0]));
    piece = take(GRAIN, 4096);
    ck_assert_int_eq(vulkan_tlsf_allocate(&tlsf, GRAIN, 1, &more), TRM_ERROR_OUT_OF_HOST_MEMORY);
    records_allowed = 4;
    more            = take(GRAIN, 1);
    records_allowed = 0;
    vulkan_tlsf_free(&tlsf, more);
    piece = vulkan_tlsf_free(&tlsf, piece);
    ck_assert(vulkan_tlsf_is_whole(piece));
    vulkan_tlsf_remove(&tlsf, piece);
}
END_TEST

/* Random sizes of all magnitudes and alignments; checks everything every few steps. */
START_TEST(a_long_random_walk_keeps_every_byte_in_one_place)
{
    uint32_t wrong                           = 0;
    uint32_t random                          = 4711 + (uint32_t)_i;
    struct vulkan_tlsf_piece *anchor[RANGES] = {NULL};
    for (uint32_t i = 0; i < RANGES; i++) {
        ranges[i] = (struct range){.begin = (i % 3) * 7 * GRAIN, .size = (1 + 3 * i) * MIB};
        vulkan_tlsf_add(&tlsf, ranges[i].begin, ranges[i].size, &ranges[i]);
    }
    for (uint32_t step = 0; step < 4000; step++) {
        uint32_t place = next_random(&random) % PIECES;
        if (used[place] != NULL) {
            wrong += used[place]->offset % wanted_alignment[place] != 0;
            wrong += used[place]->size < wanted_size[place];
            vulkan_tlsf_free(&tlsf, used[place]);
            used[place] = NULL;
        } else {
            wanted_size[place] = 1 + next_random(&random) % (UINT64_C(1) << (1 + next_random(&random) % 20));
            wanted_alignment[place] = UINT64_C(1) << next_random(&random) % 18;
            int must                = must_be_found(wanted_size[place], wanted_alignment[place]);
            int32_t status =
                vulkan_tlsf_allocate(&tlsf, wanted_size[place], wanted_alignment[place], &used[place]);
            wrong += status != TRM_OK && (status != TRM_ERROR_OUT_OF_DEVICE_MEMORY || must);
        }
        ck_assert_uint_eq(wrong, 0);
        if (step % 16 != 0)
            continue;
        uint64_t in_use = 0, seen = 0;
        for (uint32_t i = 0; i < PIECES; i++)
            if (used[i] != NULL) {
                in_use += used[i]->size;
                anchor[(const struct range *)used[i]->owner - ranges] = used[i];
            }
        for (uint32_t i = 0; i < RANGES; i++) {
            wrong += anchor[i] != NULL && !is_sound(&ranges[i], anchor[i], &seen);
            anchor[i] = NULL;
        }
        ck_assert_uint_eq(seen, in_use);
    }
    uint32_t whole = 0;
    for (uint32_t i = 0; i < PIECES; i++)
        if (used[i] != NULL) {
            vulkan_tlsf_free(&tlsf, used[i]);
            used[i] = NULL;
        }
    for (uint32_t row = 0; row < VULKAN_TLSF_ROWS; row++)
        for (uint32_t column = 0; column < VULKAN_TLSF_COLUMNS; column++)
            while (tlsf.lists[row][column] != NULL) {
                struct vulkan_tlsf_piece *piece = tlsf.lists[row][column];
                const struct range *range       = piece->owner;
                ck_assert(vulkan_tlsf_is_whole(piece));
                ck_assert_uint_eq(piece->size, range->size);
                vulkan_tlsf_remove(&tlsf, piece);
                whole++;
            }
    ck_assert_uint_eq(whole, RANGES);
    ck_assert_uint_eq(tlsf.rows, 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("allocator of the vulkan backend");
    TCase *tests = tcase_create("allocator");

    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_range_is_one_free_piece_before_and_after);
    tcase_add_test(tests, a_whole_range_can_be_allocated_and_no_byte_more);
    tcase_add_test(tests, nothing_can_be_allocated_without_a_range);
    tcase_add_test(tests, the_piece_freed_last_is_reused_for_the_same_size);
    tcase_add_test(tests, alignments_hold_in_a_range_that_does_not_begin_aligned);
    tcase_add_test(tests, a_piece_is_allocated_from_the_given_range_or_not_at_all);
    tcase_add_test(tests, without_memory_for_records_nothing_is_allocated_and_everything_can_be_freed);
    tcase_add_loop_test(tests, a_long_random_walk_keeps_every_byte_in_one_place, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
