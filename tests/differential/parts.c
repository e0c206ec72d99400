/* SPDX-License-Identifier: MIT */
#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/image.h>
#include <trireme/shader.h>
#include <trireme/type.h>

#include "tests/differential/compile.h"
#include "tests/differential/generator.h"
#include "tests/differential/local_size.h"

static const struct tolerance exact = {0};

static int same_f32(float one, float other, const struct tolerance *tolerance)
{
    return element_same(element_type("f32", 3), tolerance, &one, &other);
}

START_TEST(floats_are_the_same_within_their_tolerance_alone)
{
    const struct tolerance two_ulp = {.ulp = 2}, hundredth = {.absolute = 0.01}, percent = {.relative = 0.01};
    ck_assert(same_f32(1.0f, 1.0f, &exact));
    ck_assert(!same_f32(1.0f, 1.0000001f, &exact));
    ck_assert(same_f32(1.0f, 1.0000002f, &two_ulp));
    ck_assert(!same_f32(1.0f, 1.000001f, &two_ulp));
    ck_assert(same_f32(0.005f, -0.004f, &hundredth));
    ck_assert(!same_f32(0.005f, -0.006f, &hundredth));
    ck_assert(same_f32(1000, 1009, &percent));
    ck_assert(!same_f32(1000, 1011, &percent));
}
END_TEST

START_TEST(nan_is_nan_and_infinity_is_its_own_sign_and_denormals_are_zero)
{
    const struct tolerance loose = {.relative = 1e30};
    float nan = strtof("nan", NULL), infinity = strtof("inf", NULL);
    ck_assert(same_f32(nan, -nan, &exact));
    ck_assert(!same_f32(nan, 1, &loose));
    ck_assert(same_f32(infinity, infinity, &exact));
    ck_assert(!same_f32(infinity, -infinity, &loose));
    ck_assert(!same_f32(infinity, 3e38f, &loose));
    ck_assert(same_f32(1e-40f, 0, &exact));
    ck_assert(!same_f32(1e-37f, 0, &exact));
    ck_assert(!same_f32(0.0f, -0.0f, &exact));
}
END_TEST

START_TEST(integers_have_no_tolerance)
{
    const struct tolerance loose = {.ulp = 100, .absolute = 100, .relative = 1};
    int32_t one = 7, other = 8;
    ck_assert(element_same(element_type("i32", 3), &loose, &one, &one));
    ck_assert(!element_same(element_type("i32", 3), &loose, &one, &other));
}
END_TEST

START_TEST(halves_are_rounded_to_the_nearest_even)
{
    static const struct {
        const char *text;
        uint16_t bits;
    } halves[] = {{"1", 0x3c00},
                  {"-2", 0xc000},
                  {"65504", 0x7bff},
                  {"65520", 0x7c00},
                  {"65519", 0x7bff},
                  {"0.1", 0x2e66},
                  {"5.9604644775390625e-8", 1},
                  {"6.103515625e-5", 0x0400},
                  {"2049", 0x6800},
                  {"2051", 0x6802},
                  {"0.99999", 0x3c00},
                  {"-0.0", 0x8000}};
    for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++) {
        uint16_t bits = 0;
        ck_assert(element_parse(element_type("f16", 3), halves[i].text, &bits));
        ck_assert_msg(bits == halves[i].bits, "%s is %04x", halves[i].text, bits);
    }
}
END_TEST

START_TEST(a_shader_says_what_it_needs)
{
    struct shader_case shader;
    char reason[512];
    const char *text = "//! in 1.2 3f32,4pad,u32 10 range -1 1\n"
                       "//! uniform 3 f32 4\n"
                       "//! out 4 u8 16 ulp 4 abs 0.5\n"
                       "//! out 5 f32 16 abs 0.01 filter 4\n"
                       "//! out 6 f32 16 abs 0.5 filter 4\n"
                       "//! groups 2 3 4\n"
                       "//! push u8 1 2 f32 0.5\n"
                       "//! constant 7 i16 -2\n"
                       "void main() {}\n";
    ck_assert_msg(shader_case_parse(&shader, "one", text, reason, sizeof(reason)), "%s", reason);
    ck_assert_uint_eq(shader.buffer_count, 5);
    ck_assert_uint_eq(shader.buffers[0].set, 1);
    ck_assert_uint_eq(shader.buffers[0].binding, 2);
    ck_assert_uint_eq(shader.buffers[0].field_count, 8);
    ck_assert_uint_eq(shader.buffers[0].record_size, 20);
    ck_assert(shader.buffers[1].is_uniform && !shader.buffers[1].is_compared);
    ck_assert(shader.buffers[2].is_compared && !shader.buffers[2].is_read);
    ck_assert_double_eq(shader.buffers[2].tolerance.absolute, 0.5);
    ck_assert_double_eq(shader.buffers[3].tolerance.absolute, 4.0 / 256);
    ck_assert_double_eq(shader.buffers[4].tolerance.absolute, 0.5);
    ck_assert_uint_eq(shader.groups[2], 4);
    ck_assert_uint_eq(shader.push_size, 6);
    ck_assert_uint_eq(shader.push[1], 2);
    ck_assert_uint_eq(shader.constants[0].bits, 0xfffe);
    ck_assert_int_eq(shader.constants[0].type, TRM_TYPE_I16);
    shader_case_fini(&shader);
}
END_TEST

START_TEST(a_comment_that_is_not_understood_is_named_with_its_line)
{
    static const char *const wrong[] = {
        "//! in 0 f33 1",        "//! in 0 f32",   "//! out 0 f32 4 ulp", "//! out 0 f32 4 filter",
        "//! in 0 f32 4 near 1", "//! groups 1 1", "//! push 3",          "//! constant 0 u32",
        "//! nothing 1",         "//! in 0 f32 0"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct shader_case shader;
        char reason[512], text[128];
        snprintf(text, sizeof(text), "//! in 5 u32 1\n%s\n", wrong[i]);
        ck_assert_msg(!shader_case_parse(&shader, "one", text, reason, sizeof(reason)), "%s", wrong[i]);
        ck_assert_ptr_nonnull(strstr(reason, "one:2:"));
    }
}
END_TEST

START_TEST(a_difference_is_found_where_it_is_and_in_what_was_only_to_be_read_too)
{
    struct shader_case shader;
    struct run_buffer one[CASE_BUFFERS], other[CASE_BUFFERS];
    char text[512];
    ck_assert(
        shader_case_parse(&shader, "two", "//! in 0 u32 8\n//! out 1 u32,u32,4pad 8\n", text, sizeof(text)));
    ck_assert(shader_case_fill(&shader, 1, one) && shader_case_fill(&shader, 1, other));
    ck_assert(shader_case_same(&shader, one, other, text, sizeof(text)));
    ((unsigned char *)other[1].bytes)[12 * 5 + 8] ^= 1; /* what pads does not count */
    ck_assert(shader_case_same(&shader, one, other, text, sizeof(text)));
    ((unsigned char *)other[1].bytes)[12 * 5 + 4] ^= 1;
    ck_assert(!shader_case_same(&shader, one, other, text, sizeof(text)));
    ck_assert_ptr_nonnull(strstr(text, "buffer 0.1, record 5, field 1"));
    ((unsigned char *)other[1].bytes)[12 * 5 + 4] ^= 1;
    ((unsigned char *)other[0].bytes)[3] ^= 1;
    ck_assert(!shader_case_same(&shader, one, other, text, sizeof(text)));
    shader_case_release(&shader, one);
    shader_case_release(&shader, other);
    shader_case_fini(&shader);
}
END_TEST

START_TEST(data_is_the_same_for_a_seed_and_another_for_another)
{
    struct shader_case shader;
    struct run_buffer one[CASE_BUFFERS], again[CASE_BUFFERS], other[CASE_BUFFERS];
    char reason[512];
    ck_assert(shader_case_parse(&shader, "data", "//! in 0 f32 64 range 2 3\n", reason, sizeof(reason)));
    ck_assert(shader_case_fill(&shader, 1, one) && shader_case_fill(&shader, 1, again));
    ck_assert(shader_case_fill(&shader, 2, other));
    ck_assert_mem_eq(one[0].bytes, again[0].bytes, 256);
    ck_assert_mem_ne(one[0].bytes, other[0].bytes, 256);
    for (uint32_t i = 0; i < 64; i++)
        ck_assert(((float *)one[0].bytes)[i] >= 2 && ((float *)one[0].bytes)[i] <= 3);
    shader_case_release(&shader, one);
    shader_case_release(&shader, again);
    shader_case_release(&shader, other);
    shader_case_fini(&shader);
}
END_TEST

START_TEST(images_have_the_texels_of_all_their_levels)
{
    static const char *const wrong[] = {
        "//! image in 0 rgba9 2d 16 8 1 1\n",
        "//! image in 0 rgba8 sphere 16 8 1 1\n",
        "//! image in 0 rgba8 2d 16 8 1\n",
        "//! texels in 0 none 16\n",
        "//! in 0 f32 4\n//! sampler 0 soft nearest clamp\n",
    };
    struct shader_case shader;
    char reason[512];
    ck_assert(shader_case_parse(&shader, "image",
                                "//! image in 1.2 rg16f 2d-array 8 2 3 2\n//! sampler 1.2 linear nearest "
                                "border white\n",
                                reason, sizeof(reason)));
    ck_assert_uint_eq(shader.buffers[0].records, (16 + 4) * 3);
    ck_assert_uint_eq(shader.buffers[0].record_size, 4);
    ck_assert_uint_eq(shader.buffers[0].image.layers, 3);
    ck_assert_int_eq(shader.samplers[0].border, TRM_BORDER_WHITE);
    ck_assert_uint_eq(shader.samplers[0].set, 1);
    shader_case_fini(&shader);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert(!shader_case_parse(&shader, "wrong", wrong[i], reason, sizeof(reason)));
}
END_TEST

START_TEST(a_seed_makes_one_shader_and_another_seed_another)
{
    struct shader_case one, again, other;
    char reason[512];
    ck_assert(generate_case(&one, 5, reason, sizeof(reason)));
    ck_assert(generate_case(&again, 5, reason, sizeof(reason)));
    ck_assert(generate_case(&other, 6, reason, sizeof(reason)));
    ck_assert_str_eq(one.text, again.text);
    ck_assert_str_ne(one.text, other.text);
    shader_case_fini(&one);
    shader_case_fini(&again);
    shader_case_fini(&other);
}
END_TEST

START_TEST(the_size_of_a_group_is_that_of_the_constants_in_force)
{
    /* header; OpExecutionMode %1 LocalSize 4 5 6; OpDecorate %2 SpecId 9; OpDecorate %5 BuiltIn
     * WorkgroupSize; %2 = OpSpecConstant 8; %3 = OpConstant 2; %5 = OpSpecConstantComposite %2 %3 %3 */
    static const uint32_t words[] = {0x07230203, 0x10000,    0,          9, 0, 0x00060010, 1,          17, 4,
                                     5,          6,          0x00040047, 2, 1, 9,          0x00040047, 5,  11,
                                     25,         0x00040032, 7,          2, 8, 0x0004002b, 7,          3,  2,
                                     0x00060033, 8,          5,          2, 3, 3};
    const struct run_constant constant = {.id = 9, .type = TRM_TYPE_U32, .size = 4, .bits = 64};
    struct run_request request         = {.words = words, .word_count = 11};
    uint32_t size[3];
    ck_assert(local_size_of(&request, size));
    ck_assert_uint_eq(size[0], 4);
    ck_assert_uint_eq(size[2], 6);
    request.word_count = sizeof(words) / sizeof(words[0]);
    ck_assert(local_size_of(&request, size));
    ck_assert_uint_eq(size[0], 8);
    ck_assert_uint_eq(size[1], 2);
    request.constants      = &constant;
    request.constant_count = 1;
    ck_assert(local_size_of(&request, size));
    ck_assert_uint_eq(size[0], 64);
    request.word_count = 5;
    ck_assert(!local_size_of(&request, size));
}
END_TEST

/* One text compiled by itself is what it is among others, of which one is refused and one is assembled
 * already. */
START_TEST(texts_compiled_together_are_what_each_is_alone)
{
    enum {
        COUNT = 12
    };
    struct compilation list[COUNT];
    char texts[COUNT][256];
    uint32_t word = 0x07230203;
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof(texts[i]),
                 "#version 450\nlayout(binding = 0) buffer B { uint b[]; };\n"
                 "void main() { uint x = 2u; x += x; b[0] = x * %uu; }\n%s",
                 i, i == 5 ? "what is this" : "");
        list[i] =
            (struct compilation){.name = "text", .text = texts[i], .flags = i % 2 ? TRM_GLSL_UNOPTIMIZED : 0};
    }
    list[7].status = COMPILE_DONE;
    list[7].words  = memcpy(malloc(sizeof(word)), &word, sizeof(word));
    list[7].size   = sizeof(word);
    ck_assert(compile_all(list, COUNT));
    for (uint32_t i = 0; i < COUNT; i++) {
        struct compilation alone = {.name = "text", .text = texts[i], .flags = list[i].flags};
        if (list[i].status == COMPILE_UNSUPPORTED)
            continue; /* there is no compiler of GLSL here */
        ck_assert_int_eq(list[i].status, i == 5 ? COMPILE_REFUSED : COMPILE_DONE);
        ck_assert(compile_all(&alone, 1));
        if (i != 5 && i != 7) {
            /* they contain the name of the file */
            ck_assert_uint_ge(list[i].size, alone.size);
            ck_assert_uint_le(list[i].size, alone.size + 8);
            ck_assert_uint_gt(list[i].size, sizeof(word));
        }
        compilation_fini(&alone);
    }
    ck_assert_uint_eq(list[7].size, sizeof(word));
    for (uint32_t i = 0; i < COUNT; i++)
        compilation_fini(&list[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("differential");
    TCase *tests = tcase_create("parts");
    tcase_add_test(tests, floats_are_the_same_within_their_tolerance_alone);
    tcase_add_test(tests, nan_is_nan_and_infinity_is_its_own_sign_and_denormals_are_zero);
    tcase_add_test(tests, integers_have_no_tolerance);
    tcase_add_test(tests, halves_are_rounded_to_the_nearest_even);
    tcase_add_test(tests, a_shader_says_what_it_needs);
    tcase_add_test(tests, a_comment_that_is_not_understood_is_named_with_its_line);
    tcase_add_test(tests, a_difference_is_found_where_it_is_and_in_what_was_only_to_be_read_too);
    tcase_add_test(tests, data_is_the_same_for_a_seed_and_another_for_another);
    tcase_add_test(tests, images_have_the_texels_of_all_their_levels);
    tcase_add_test(tests, a_seed_makes_one_shader_and_another_seed_another);
    tcase_add_test(tests, the_size_of_a_group_is_that_of_the_constants_in_force);
    tcase_add_test(tests, texts_compiled_together_are_what_each_is_alone);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
