/* Removing what no kernel uses.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/unit/compiler/spirv/spirv_fixture.h"

enum {
    P_OUT = 901, /* a pointer to an output */
    OUT,
    IMAGE,
    P_IMAGE,
    SAMPLED,
    VERTEX, /* a function, and the names in it */
    VERTEX_LABEL,
    HELPER,
    HELPER_LABEL,
    LOADED,
    SECOND, /* a buffer at the binding of P_BLOCK's */
    P_PUSH,
    PUSH,
};

#define TYPE(opcode, ...) ADD(&builder, PART_TYPE, opcode, __VA_ARGS__)

static const uint32_t *strip(uint32_t *count)
{
    const uint32_t *words = builder_words(&builder, count);

    ck_assert_int_eq(spirv_strip(&builder.arena, &words, count), TRM_OK);
    return words;
}

static struct spirv_module *accept_stripped(void)
{
    struct spirv_module *module = NULL;
    uint32_t count;
    const uint32_t *words = strip(&count);
    int32_t status        = spirv_read(&builder.arena, words, count, NULL, 0, &module);

    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    return module;
}

START_TEST(a_module_of_kernels_stays_as_it_is)
{
    uint32_t count, stripped;
    const uint32_t *words = builder_words(&builder, &count), *same = words;

    stripped = count;
    ck_assert_int_eq(spirv_strip(&builder.arena, &same, &stripped), TRM_OK);
    ck_assert_ptr_eq(same, words);
    ck_assert_uint_eq(stripped, count);
}
END_TEST

START_TEST(pointers_and_multisampled_images_that_nothing_uses_are_removed)
{
    TYPE(SpvOpTypePointer, P_OUT, SpvStorageClassOutput, U32);
    TYPE(SpvOpVariable, P_OUT, OUT, SpvStorageClassOutput);
    TYPE(SpvOpTypeImage, IMAGE, F32, SpvDim2D, 0, 0, 1, 1, SpvImageFormatUnknown);
    NAME(&builder, OUT, "position");
    ADD(&builder, PART_DECORATION, SpvOpDecorate, OUT, SpvDecorationLocation, 0);
    struct spirv_module *module = accept_stripped();
    ck_assert_int_eq(module->ids[P_OUT].kind, SPIRV_ID_NONE);
    ck_assert_int_eq(module->ids[IMAGE].kind, SPIRV_ID_NONE);
    /* All buffers stay, also those that no kernel uses. */
    ck_assert_int_eq(module->ids[VALUE(P_BLOCK)].kind, SPIRV_ID_VARIABLE);
    ck_assert_int_eq(module->ids[VALUE(P_BLOCK_U)].kind, SPIRV_ID_VARIABLE);
}
END_TEST

START_TEST(an_output_that_a_kernel_writes_stays_and_is_refused)
{
    struct spirv_module *module = NULL;
    uint32_t count;

    TYPE(SpvOpTypePointer, P_OUT, SpvStorageClassOutput, U32);
    TYPE(SpvOpVariable, P_OUT, OUT, SpvStorageClassOutput);
    accept_stripped();
    again();
    TYPE(SpvOpTypePointer, P_OUT, SpvStorageClassOutput, U32);
    TYPE(SpvOpVariable, P_OUT, OUT, SpvStorageClassOutput);
    CODE(&builder, SpvOpStore, OUT, U_1);
    const uint32_t *words = strip(&count);
    ck_assert_int_eq(spirv_read(&builder.arena, words, count, NULL, 0, &module), UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "storage class 3"));
}
END_TEST

/* A vertex shader with a capability, an input, an output, an image, a helper and a buffer of its own. */
static void add_vertex(void)
{
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityClipDistance);
    builder_add_text(&builder, PART_EXTENSION, SpvOpExtension, NULL, 0, "SPV_KHR_multiview");
    builder_add_text(&builder, PART_ENTRY, SpvOpEntryPoint,
                     (const uint32_t[]){SpvExecutionModelVertex, VERTEX}, 2, "main");
    ADD(&builder, PART_MODE, SpvOpExecutionMode, VERTEX, SpvExecutionModeXfb);
    ADD(&builder, PART_DECORATION, SpvOpDecorate, OUT, SpvDecorationXfbBuffer, 0);
    ADD(&builder, PART_DECORATION, SpvOpDecorate, SECOND, SpvDecorationDescriptorSet, 0);
    ADD(&builder, PART_DECORATION, SpvOpDecorate, SECOND, SpvDecorationBinding, 0);
    TYPE(SpvOpTypePointer, P_OUT, SpvStorageClassOutput, U32);
    TYPE(SpvOpVariable, P_OUT, OUT, SpvStorageClassOutput);
    TYPE(SpvOpTypeImage, IMAGE, F32, SpvDim1D, 0, 0, 0, 1, SpvImageFormatUnknown);
    TYPE(SpvOpTypePointer, P_IMAGE, SpvStorageClassUniformConstant, IMAGE);
    TYPE(SpvOpVariable, P_IMAGE, SAMPLED, SpvStorageClassUniformConstant);
    TYPE(SpvOpVariable, P_BLOCK, SECOND, SpvStorageClassStorageBuffer);
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
    builder.is_raw = true;
    CODE(&builder, SpvOpFunction, VOID, VERTEX, SpvFunctionControlMaskNone, FUNCTION);
    CODE(&builder, SpvOpLabel, VERTEX_LABEL);
    CODE(&builder, SpvOpLoad, IMAGE, LOADED, SAMPLED);
    CODE(&builder, SpvOpStore, OUT, U_1);
    CODE(&builder, SpvOpFunctionCall, VOID, builder_id(&builder), HELPER);
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
    CODE(&builder, SpvOpFunction, VOID, HELPER, SpvFunctionControlMaskNone, FUNCTION);
    CODE(&builder, SpvOpLabel, HELPER_LABEL);
    CODE(&builder, SpvOpArrayLength, U32, builder_id(&builder), SECOND, 0);
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
}

START_TEST(other_stages_go_with_all_that_only_they_use)
{
    struct spirv_reflection reflection;

    add_vertex();
    struct spirv_module *module = accept_stripped();
    ck_assert_uint_eq(module->entry_count, 1);
    ck_assert_uint_eq(module->entries[0].function, MAIN);
    ck_assert_uint_eq(module->function_count, 1);
    ck_assert_int_eq(module->ids[SECOND].kind, SPIRV_ID_NONE);
    ck_assert_int_eq(spirv_reflect(module, NULL, &reflection), TRM_OK);
    ck_assert_uint_eq(reflection.kernels[0].parameter_count, 2);
}
END_TEST

START_TEST(a_function_that_a_kernel_calls_too_stays)
{
    uint32_t called = builder_id(&builder);

    CODE(&builder, SpvOpFunctionCall, VOID, called, HELPER);
    add_vertex();
    struct spirv_module *module = NULL;
    uint32_t count;
    const uint32_t *words = strip(&count);
    /* The kernel uses two buffers at one binding now, which reflection refuses. */
    ck_assert_int_eq(spirv_read(&builder.arena, words, count, NULL, 0, &module), TRM_OK);
    ck_assert_uint_eq(module->function_count, 2);
    ck_assert_int_eq(module->ids[SECOND].kind, SPIRV_ID_VARIABLE);
}
END_TEST

START_TEST(a_module_without_kernels_is_refused)
{
    struct spirv_module *module = NULL;
    uint32_t count;
    uint32_t *words = builder_words(&builder, &count);

    for (uint32_t i = 5; i < count; i += words[i] >> 16)
        if ((words[i] & 0xffff) == SpvOpEntryPoint)
            words[i + 1] = SpvExecutionModelVertex;
    const uint32_t *same = words;
    ck_assert_int_eq(spirv_strip(&builder.arena, &same, &count), TRM_OK);
    ck_assert_ptr_eq(same, words);
    ck_assert_int_eq(spirv_read(&builder.arena, same, count, NULL, 0, &module), UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "not a compute shader"));
}
END_TEST

/* Each cut of the words and each wrong length is left to the reader. */
START_TEST(words_that_are_no_module_are_left_to_the_reader)
{
    uint32_t count;

    add_vertex();
    uint32_t *words = builder_words(&builder, &count);
    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t *cut = words;
        uint32_t length     = i;
        ck_assert_int_eq(spirv_strip(&builder.arena, &cut, &length), TRM_OK);
    }
    for (uint32_t i = 5; i < count; i++) {
        const uint32_t *wrong = words;
        uint32_t length = count, kept = words[i];
        words[i] = i % 2 == 0 ? 0 : words[i] ^ 0xffff0000u;
        ck_assert_int_eq(spirv_strip(&builder.arena, &wrong, &length), TRM_OK);
        words[i] = kept;
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: what no kernel uses");
    TCase *all   = tcase_create("strip");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, a_module_of_kernels_stays_as_it_is);
    tcase_add_test(all, pointers_and_multisampled_images_that_nothing_uses_are_removed);
    tcase_add_test(all, an_output_that_a_kernel_writes_stays_and_is_refused);
    tcase_add_test(all, other_stages_go_with_all_that_only_they_use);
    tcase_add_test(all, a_function_that_a_kernel_calls_too_stays);
    tcase_add_test(all, a_module_without_kernels_is_refused);
    tcase_add_test(all, words_that_are_no_module_are_left_to_the_reader);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
