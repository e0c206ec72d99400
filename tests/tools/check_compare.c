/* `trireme check` compares what is in structs by the types of their members.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>

#include "tests/unit/runner.h"
#include "tools/check/kernel.h"

/* {uint used; struct {double mass; half speed; ushort id; int next; float heat[2];}[]}: the array begins at
 * byte 8. */
static const struct kernel_layout layout = {
    .fields      = {{.offset = 0, .count = 1, .stride = 4, .type = TRM_TYPE_U32, .name = "used"},
                    {.offset = 0, .count = 1, .stride = 8, .type = TRM_TYPE_F64, .name = "mass"},
                    {.offset = 8, .count = 1, .stride = 2, .type = TRM_TYPE_F16, .name = "speed"},
                    {.offset = 10, .count = 1, .stride = 2, .type = TRM_TYPE_U16, .name = "id"},
                    {.offset = 12, .count = 1, .stride = 4, .type = TRM_TYPE_I32, .name = "next"},
                    {.offset = 16, .count = 2, .stride = 4, .type = TRM_TYPE_F32, .name = "heat"}},
    .head_count  = 1,
    .count       = 6,
    .tail        = 8,
    .tail_stride = 32, /* 8 bytes of it are in no member */
};

#define ELEMENTS 3u
#define BYTES (8u + 32u * ELEMENTS)

static struct trm_parameter parameter = {.name = "bodies", .kind = TRM_PARAMETER_BUFFER};
static unsigned char one[BYTES], other[BYTES];

static struct kernel_difference compare(double tolerance)
{
    struct kernel_inputs inputs = {.count = 1, .result_bytes = BYTES};
    struct kernel_difference difference;

    inputs.arguments[0] = (struct kernel_argument){
        .parameter = &parameter, .bytes = BYTES, .is_written = true, .layout = &layout};
    kernel_compare(&inputs, one, other, tolerance, &difference);
    return difference;
}

/* Sets both sides of a member of an element. */
static void set(uint32_t element, uint32_t offset, const void *value, const void *reference, size_t size)
{
    memcpy(one + 8 + 32 * element + offset, value, size);
    memcpy(other + 8 + 32 * element + offset, reference, size);
}

static void clear(void)
{
    memset(one, 0, BYTES);
    memset(other, 0, BYTES);
}

START_TEST(members_are_compared_as_what_they_are)
{
    const double mass = 1 + 1e-13, light = 1 + 1e-9, reference = 1;
    const uint16_t speed = 0x3c01, fast = 0x3d00, unit = 0x3c00; /* 1 and a bit, 1.25, 1 */
    const int32_t next = 1000001, before = 1000000;              /* near each other as floats */
    const float heat = 1 + 1e-6F, hot = 1.01F, warm = 1;

    ck_assert(compare(-1).is_exact);
    set(1, 0, &mass, &reference, sizeof(mass));
    set(1, 8, &speed, &unit, sizeof(speed));
    set(1, 16, &heat, &warm, sizeof(heat));
    ck_assert(!compare(-1).is_exact);
    ck_assert_uint_eq(compare(-1).count, 0);
    set(1, 0, &light, &reference, sizeof(light));
    ck_assert_uint_eq(compare(-1).count, 1);
    ck_assert_str_eq(compare(-1).member, "mass");
    clear();
    set(2, 8, &fast, &unit, sizeof(fast));
    ck_assert_str_eq(compare(-1).member, "speed");
    ck_assert_str_eq(compare(-1).value, "1.25");
    ck_assert_uint_eq(compare(-1).element, 2);
    ck_assert_uint_eq(compare(0.3).count, 0);
    clear();
    set(0, 12, &next, &before, sizeof(next));
    ck_assert_str_eq(compare(-1).member, "next");
    ck_assert_str_eq(compare(-1).reference, "1000000");
    clear();
    set(0, 20, &hot, &warm, sizeof(hot));
    ck_assert_str_eq(compare(-1).member, "heat");
    ck_assert_ptr_eq(compare(-1).parameter, &parameter);
}
END_TEST

START_TEST(what_is_in_no_member_is_not_compared)
{
    const uint64_t dirt = 0x1122334455667788, clean = 0;

    clear();
    set(1, 24, &dirt, &clean, sizeof(dirt));
    ck_assert(!compare(-1).is_exact);
    ck_assert_uint_eq(compare(-1).count, 0);
}
END_TEST

START_TEST(members_before_an_array_are_compared_once)
{
    clear();
    one[0] = 1;
    ck_assert_uint_eq(compare(-1).count, 1);
    ck_assert_str_eq(compare(-1).member, "used");
    clear();
    one[4] = 1; /* between them and the array */
    ck_assert_uint_eq(compare(-1).count, 0);
}
END_TEST

static void count_places(void *user, const struct kernel_place *place)
{
    uint32_t *scalars = user;

    *scalars += place->count;
}

START_TEST(the_end_of_a_buffer_may_cut_an_element)
{
    uint32_t scalars = 0;

    kernel_layout_each(&layout, BYTES, count_places, &scalars);
    ck_assert_uint_eq(scalars, 1 + 6 * ELEMENTS);
    scalars = 0;
    kernel_layout_each(&layout, 8 + 32 + 20, count_places, &scalars); /* within heat[2] */
    ck_assert_uint_eq(scalars, 1 + 6 + 5);
    scalars = 0;
    kernel_layout_each(&layout, 0, count_places, &scalars);
    ck_assert_uint_eq(scalars, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("results of trireme check");
    TCase *tests = tcase_create("structs");

    tcase_add_test(tests, members_are_compared_as_what_they_are);
    tcase_add_test(tests, what_is_in_no_member_is_not_compared);
    tcase_add_test(tests, members_before_an_array_are_compared_once);
    tcase_add_test(tests, the_end_of_a_buffer_may_cut_an_element);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
