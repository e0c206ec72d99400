/* Descriptors that a function cannot do without.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/desc.h"

#include <string.h>

#include "tests/unit/runner.h"

struct things {
    uint32_t struct_size;
    uint32_t first; /* of the first version */
    uint64_t later;
};

#define LEAST 8 /* bytes of the first version */

static int32_t copy(struct things *own, const struct things *given)
{
    memset(own, 0xff, sizeof(*own));
    return core_desc_copy(own, sizeof(*own), given, LEAST, "trm_things_desc");
}

START_TEST(a_descriptor_that_is_null_is_refused_by_its_name)
{
    struct things own;

    ck_assert_int_eq(copy(&own, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(trm_last_error().sentence, "the struct trm_things_desc is NULL");
}
END_TEST

START_TEST(a_descriptor_without_its_size_is_told_both_sizes)
{
    const struct things given = {.struct_size = _i ? LEAST - 1 : 0, .first = 7};
    const char *sentences[]   = {"trm_things_desc.struct_size is 0, but its size is 16",
                                 "trm_things_desc.struct_size is 7, but its size is 16"};
    struct things own;

    ck_assert_int_eq(copy(&own, &given), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(trm_last_error().sentence, sentences[_i]);
}
END_TEST

START_TEST(a_descriptor_of_the_first_version_is_taken_and_the_rest_is_zero)
{
    const struct things given = {.struct_size = LEAST, .first = 7, .later = 9};
    struct things own;

    ck_assert_int_eq(copy(&own, &given), TRM_OK);
    ck_assert_uint_eq(own.struct_size, sizeof(own));
    ck_assert_uint_eq(own.first, 7);
    ck_assert_uint_eq(own.later, 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("descriptors");
    TCase *desc  = tcase_create("descriptors");
    tcase_add_test(desc, a_descriptor_that_is_null_is_refused_by_its_name);
    tcase_add_loop_test(desc, a_descriptor_without_its_size_is_told_both_sizes, 0, 2);
    tcase_add_test(desc, a_descriptor_of_the_first_version_is_taken_and_the_rest_is_zero);
    suite_add_tcase(suite, desc);
    return suite;
}

UNIT_SUITE(make_suite)
