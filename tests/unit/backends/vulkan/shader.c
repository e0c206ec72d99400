/* Tests of how the vulkan backend rewrites SPIR-V for the driver, and of what a module needs.
 * SPDX-License-Identifier: MIT
 */
#include <spirv/unified1/spirv.h>

#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

#define OP(name, length) ((length) << 16 | SpvOp##name)
#define TEXT(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    MAIN = 1,
    OTHER,
    INPUT,
    OUTPUT,
    FACTORS,
    BLOCK,
    POINTER,
    UNIFORM,
    SILENT,
    OLD,
    BOUND
};

/* Two kernels; storage buffers at (1, 4) and (0, 2), a uniform buffer at (0, 7), and an old-style storage
 * buffer at (3, 0). Only the parts that are rewritten. */
static const uint32_t module_words[] = {
    SpvMagicNumber,
    0x00010000,
    0,
    BOUND,
    0,
    OP(Capability, 2),
    SpvCapabilityShader,
    OP(Extension, 7),
    TEXT('S', 'P', 'V', '_'),
    TEXT('G', 'O', 'O', 'G'),
    TEXT('L', 'E', '_', 'x'),
    0,
    0,
    0,
    OP(ExtInstImport, 6),
    SILENT,
    TEXT('N', 'o', 'n', 'S'),
    TEXT('e', 'm', 'a', 'n'),
    TEXT('t', 'i', 'c', '.'),
    0,
    OP(MemoryModel, 3),
    0,
    1,
    OP(EntryPoint, 5),
    SpvExecutionModelGLCompute,
    MAIN,
    TEXT('m', 'a', 'i', 'n'),
    0,
    OP(EntryPoint, 5),
    SpvExecutionModelGLCompute,
    OTHER,
    TEXT('m', 'o', 'r', 'e'),
    0,
    OP(Decorate, 4),
    OUTPUT,
    SpvDecorationDescriptorSet,
    1,
    OP(Decorate, 4),
    OUTPUT,
    SpvDecorationBinding,
    4,
    OP(Decorate, 4),
    INPUT,
    SpvDecorationBinding,
    2,
    OP(Decorate, 4),
    FACTORS,
    SpvDecorationBinding,
    7,
    OP(Decorate, 4),
    OLD,
    SpvDecorationDescriptorSet,
    3,
    OP(Decorate, 4),
    OLD,
    SpvDecorationBinding,
    0,
    OP(Decorate, 3),
    BLOCK,
    SpvDecorationBufferBlock,
    OP(DecorateString, 4),
    OUTPUT,
    SpvDecorationUserSemantic,
    TEXT('x', 0, 0, 0),
    OP(TypePointer, 4),
    POINTER,
    SpvStorageClassStorageBuffer,
    BLOCK,
    OP(TypePointer, 4),
    UNIFORM,
    SpvStorageClassUniform,
    BLOCK,
    OP(Variable, 4),
    POINTER,
    OUTPUT,
    SpvStorageClassStorageBuffer,
    OP(Variable, 4),
    POINTER,
    INPUT,
    SpvStorageClassStorageBuffer,
    OP(Variable, 4),
    UNIFORM,
    FACTORS,
    SpvStorageClassUniform,
    OP(Variable, 4),
    UNIFORM,
    OLD,
    SpvStorageClassUniform,
    OP(Function, 5),
    1,
    MAIN,
    0,
    1,
    OP(ExtInst, 5),
    1,
    99,
    SILENT,
    1,
    OP(FunctionEnd, 1),
};

static const struct trm_parameter parameters[] = {
    {.name = "input", .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_READ, .set = 0, .place = 2},
    {.name = "factors", .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_READ, .set = 0, .place = 7},
    {.name = "output", .kind = TRM_PARAMETER_BUFFER, .set = 1, .place = 4},
    {.name = "old", .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE, .set = 3},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4},
};

static const struct trm_kernel_info kernels[] = {
    {.name            = "first",
     .parameter_count = COUNT(parameters),
     .parameters      = parameters,
     .group_size      = {1, 1, 1}},
    {.name            = "second",
     .parameter_count = COUNT(parameters),
     .parameters      = parameters,
     .group_size      = {1, 1, 1}},
};

static struct trm_module_source source_of(const uint32_t *words, size_t count)
{
    return (struct trm_module_source){
        .format       = TRM_MODULE_SPIRV,
        .data         = words,
        .size         = count * sizeof(*words),
        .name         = "module",
        .kernels      = kernels,
        .kernel_count = COUNT(kernels),
    };
}

static struct vulkan_shader rewritten(uint32_t version)
{
    static uint32_t words[COUNT(module_words)];
    struct vulkan_shader shader = {0};
    memcpy(words, module_words, sizeof(words));
    words[1]                        = version;
    struct trm_module_source source = source_of(words, COUNT(words));
    ck_assert_int_eq(vulkan_shader_create(&fake.instance, &source, &shader), TRM_OK);
    return shader;
}

/* Number of instructions that begin with these words. */
static uint32_t count_of(const struct vulkan_shader *shader, const uint32_t *begin, uint32_t length)
{
    uint32_t found = 0;
    for (uint64_t at = 5; at < shader->count; at += shader->words[at] >> 16) {
        ck_assert_uint_ne(shader->words[at] >> 16, 0);
        found += memcmp(&shader->words[at], begin, length * sizeof(*begin)) == 0;
    }
    return found;
}

#define FOUND(...) \
    count_of(&shader, (const uint32_t[]){__VA_ARGS__}, (uint32_t)COUNT(((const uint32_t[]){__VA_ARGS__})))

START_TEST(buffers_are_numbered_in_the_order_of_the_parameters)
{
    static const uint32_t ids[] = {INPUT, FACTORS, OUTPUT, OLD};
    struct vulkan_shader shader = rewritten(0x00010300);
    for (uint32_t i = 0; i < COUNT(ids); i++) {
        ck_assert_uint_eq(FOUND(OP(Decorate, 4), ids[i], SpvDecorationBinding, i), 1);
        ck_assert_uint_eq(FOUND(OP(Decorate, 4), ids[i], SpvDecorationBinding), 1);
        ck_assert_uint_eq(FOUND(OP(Decorate, 4), ids[i], SpvDecorationDescriptorSet, 0), 1);
        ck_assert_uint_eq(FOUND(OP(Decorate, 4), ids[i], SpvDecorationDescriptorSet), 1);
    }
    vulkan_shader_release(&fake.instance, &shader);
}
END_TEST

START_TEST(variables_of_one_binding_get_one_number_and_are_aliased)
{
    static uint32_t words[COUNT(module_words)];
    struct vulkan_shader shader = {0};
    memcpy(words, module_words, sizeof(words));
    words[1] = 0x00010300;
    for (size_t i = 0; i + 4 < COUNT(words); i++) /* the last buffer moves to the place of the first */
        if (words[i] == OP(Decorate, 4) && words[i + 1] == OLD)
            words[i + 3] = words[i + 2] == SpvDecorationBinding ? 2 : 0;
    struct trm_kernel_info few[]    = {kernels[0], kernels[1]};
    struct trm_module_source source = source_of(words, COUNT(words));
    few[0].parameter_count = few[1].parameter_count = 3;
    source.kernels                                  = few;
    ck_assert_int_eq(vulkan_shader_create(&fake.instance, &source, &shader), TRM_OK);
    ck_assert_uint_eq(FOUND(OP(Decorate, 4), INPUT, SpvDecorationBinding, 0), 1);
    ck_assert_uint_eq(FOUND(OP(Decorate, 4), OLD, SpvDecorationBinding, 0), 1);
    ck_assert_uint_eq(FOUND(OP(Decorate, 4), OUTPUT, SpvDecorationBinding, 2), 1);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), INPUT, SpvDecorationAliased), 1);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), OLD, SpvDecorationAliased), 1);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), OUTPUT, SpvDecorationAliased), 0);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), FACTORS, SpvDecorationAliased), 0);
    vulkan_shader_release(&fake.instance, &shader);
}
END_TEST

START_TEST(uniform_buffers_become_storage_buffers_and_only_they_are_marked_as_read_only)
{
    struct vulkan_shader shader = rewritten(0x00010300);
    ck_assert_uint_eq(FOUND(OP(TypePointer, 4), UNIFORM, SpvStorageClassStorageBuffer, BLOCK), 1);
    ck_assert_uint_eq(FOUND(OP(Variable, 4), UNIFORM, FACTORS, SpvStorageClassStorageBuffer), 1);
    ck_assert_uint_eq(FOUND(OP(Variable, 4), UNIFORM, OLD, SpvStorageClassStorageBuffer), 1);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), BLOCK, SpvDecorationBlock), 1);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), BLOCK, SpvDecorationBufferBlock), 0);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), FACTORS, SpvDecorationNonWritable), 1);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), OLD, SpvDecorationNonWritable), 0);
    ck_assert_uint_eq(FOUND(OP(Decorate, 3), INPUT, SpvDecorationNonWritable), 0);
    vulkan_shader_release(&fake.instance, &shader);
}
END_TEST

START_TEST(instructions_for_tools_are_dropped)
{
    struct vulkan_shader shader = rewritten(0x00010300);
    ck_assert_uint_eq(FOUND(OP(Extension, 7)), 0);
    ck_assert_uint_eq(FOUND(OP(ExtInstImport, 6)), 0);
    ck_assert_uint_eq(FOUND(OP(ExtInst, 5)), 0);
    ck_assert_uint_eq(FOUND(OP(DecorateString, 4)), 0);
    ck_assert_uint_eq(FOUND(OP(Function, 5)), 1);
    ck_assert_uint_eq(FOUND(OP(FunctionEnd, 1)), 1);
    vulkan_shader_release(&fake.instance, &shader);
}
END_TEST

START_TEST(an_old_module_declares_the_storage_buffer_extension)
{
    const uint32_t length       = sizeof("SPV_KHR_storage_buffer_storage_class") / 4 + 2;
    struct vulkan_shader shader = rewritten(0x00010000);
    ck_assert_uint_eq(FOUND(OP(Extension, length), TEXT('S', 'P', 'V', '_'), TEXT('K', 'H', 'R', '_')), 1);
    ck_assert_uint_eq(shader.words[5], OP(Capability, 2));
    ck_assert_uint_eq(shader.words[7], OP(Extension, length));
    ck_assert_str_eq((const char *)&shader.words[8], "SPV_KHR_storage_buffer_storage_class");
    vulkan_shader_release(&fake.instance, &shader);
    shader = rewritten(0x00010300);
    ck_assert_uint_eq(FOUND(OP(Extension, length)), 0);
    vulkan_shader_release(&fake.instance, &shader);
}
END_TEST

START_TEST(entry_points_are_found_by_their_number)
{
    struct vulkan_shader shader = rewritten(0x00010300);
    ck_assert_str_eq(vulkan_shader_entry(&shader, 0), "main");
    ck_assert_str_eq(vulkan_shader_entry(&shader, 1), "more");
    ck_assert_ptr_null(vulkan_shader_entry(&shader, 2));
    vulkan_shader_release(&fake.instance, &shader);
}
END_TEST

/* ---- what a module needs ------- */

static int32_t check_words(const uint32_t *words, size_t count)
{
    struct trm_module_source source = source_of(words, count);
    return vulkan_capabilities_check(&fake.device, &source);
}

static int32_t check_capability(uint32_t capability)
{
    const uint32_t words[] = {SpvMagicNumber, 0x00010300, 0, 1, 0, OP(Capability, 2), capability};
    return check_words(words, COUNT(words));
}

#define FEATURE(capability, member)                                            \
    {                                                                          \
        SpvCapability##capability, #capability, &fake.physical.features.member \
    }

static const struct {
    uint32_t capability;
    const char *name;
    VkBool32 *feature;
} feature_of[] = {
    FEATURE(Float64, core.features.shaderFloat64),
    FEATURE(Int64, core.features.shaderInt64),
    FEATURE(Int16, core.features.shaderInt16),
    FEATURE(Int8, float16_int8.shaderInt8),
    FEATURE(Float16, float16_int8.shaderFloat16),
    FEATURE(StorageBuffer16BitAccess, storage16.storageBuffer16BitAccess),
    FEATURE(UniformAndStorageBuffer16BitAccess, storage16.uniformAndStorageBuffer16BitAccess),
    FEATURE(StoragePushConstant16, storage16.storagePushConstant16),
    FEATURE(StorageBuffer8BitAccess, storage8.storageBuffer8BitAccess),
    FEATURE(UniformAndStorageBuffer8BitAccess, storage8.uniformAndStorageBuffer8BitAccess),
    FEATURE(StoragePushConstant8, storage8.storagePushConstant8),
    FEATURE(Int64Atomics, atomic_int64.shaderBufferInt64Atomics),
    FEATURE(Int64Atomics, atomic_int64.shaderSharedInt64Atomics),
    FEATURE(AtomicFloat32AddEXT, atomic_float.shaderBufferFloat32AtomicAdd),
    FEATURE(AtomicFloat64AddEXT, atomic_float.shaderSharedFloat64AtomicAdd),
    FEATURE(AtomicFloat32MinMaxEXT, atomic_float2.shaderBufferFloat32AtomicMinMax),
    FEATURE(AtomicFloat64MinMaxEXT, atomic_float2.shaderBufferFloat64AtomicMinMax),
    FEATURE(VulkanMemoryModel, memory_model.vulkanMemoryModel),
    FEATURE(VulkanMemoryModelDeviceScope, memory_model.vulkanMemoryModelDeviceScope),
    FEATURE(DotProduct, dot_product.shaderIntegerDotProduct),
    FEATURE(DotProductInput4x8Bit, dot_product.shaderIntegerDotProduct),
};

START_TEST(a_missing_capability_is_named)
{
    ck_assert_int_eq(check_capability(feature_of[_i].capability), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, feature_of[_i].name));
    ck_assert_ptr_nonnull(strstr(fake.sentence, "'module'"));
    ck_assert_ptr_nonnull(strstr(fake.sentence, "Fake"));
}
END_TEST

START_TEST(a_supported_capability_is_accepted)
{
    *feature_of[_i].feature = VK_TRUE;
    ck_assert_int_eq(check_capability(feature_of[_i].capability), TRM_OK);
    ck_assert_int_eq(check_capability(SpvCapabilityShader), TRM_OK);
}
END_TEST

START_TEST(subgroup_operations_are_checked_one_by_one)
{
    fake.physical.subgroup.supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT;
    ck_assert_int_eq(check_capability(SpvCapabilityGroupNonUniformVote), TRM_ERROR_UNSUPPORTED);
    fake.physical.subgroup.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    ck_assert_int_eq(check_capability(SpvCapabilityGroupNonUniformVote), TRM_OK);
    ck_assert_int_eq(check_capability(SpvCapabilityGroupNonUniformQuad), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "GroupNonUniformQuad"));
}
END_TEST

START_TEST(float_controls_are_checked_by_width)
{
    uint32_t words[] = {
        SpvMagicNumber, 0x00010300, 0, 1, 0, OP(ExecutionMode, 4), MAIN, SpvExecutionModeDenormPreserve, 32};
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_OK);
    words[8] = 16;
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "shaderDenormPreserveFloat16"));
    words[8]              = 32;
    fake.physical.version = VK_API_VERSION_1_1;
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(group_sizes_by_id_need_the_device)
{
    const uint32_t words[] = {
        SpvMagicNumber,
        0x00010600,
        0,
        1,
        0,
        OP(ExecutionModeId, 6),
        MAIN,
        SpvExecutionModeLocalSizeId,
        2,
        3,
        4,
    };
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "maintenance4"));
    fake.physical.features.maintenance4.maintenance4 = VK_TRUE;
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_OK);
}
END_TEST

/* What the library's own capabilities stand for, after it made matrices of work-groups arrays. */
START_TEST(functions_that_decode_matrices_and_subgroups_beside_them_are_refused)
{
    ck_assert_int_eq(check_capability(65500), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "a function that decodes elements of matrices"));
    ck_assert_int_eq(check_capability(65501), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "operations of subgroups beside matrices"));
}
END_TEST

START_TEST(zero_initialized_shared_memory_needs_the_device)
{
    const uint32_t words[] = {
        SpvMagicNumber, 0x00010300, 0, 1, 0, OP(Variable, 5), POINTER, INPUT, SpvStorageClassWorkgroup, 9,
    };
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_ERROR_UNSUPPORTED);
    fake.physical.features.zero_workgroup.shaderZeroInitializeWorkgroupMemory = VK_TRUE;
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_OK);
}
END_TEST

START_TEST(newer_spirv_than_the_device_knows_is_refused)
{
    uint32_t words[]      = {SpvMagicNumber, 0x00010400, 0, 1, 0};
    fake.physical.version = VK_API_VERSION_1_1;
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "SPIR-V 1.4"));
    fake.physical.version = VK_API_VERSION_1_2;
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_OK);
    words[1] = 0x00010600;
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_ERROR_UNSUPPORTED);
    fake.physical.version = VK_API_VERSION_1_3;
    ck_assert_int_eq(check_words(words, COUNT(words)), TRM_OK);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("vulkan shaders");
    TCase *group = tcase_create("shaders");
    suite_add_tcase(suite, group);
    tcase_add_checked_fixture(group, fake_setup, fake_teardown);
    tcase_add_test(group, buffers_are_numbered_in_the_order_of_the_parameters);
    tcase_add_test(group, variables_of_one_binding_get_one_number_and_are_aliased);
    tcase_add_test(group, uniform_buffers_become_storage_buffers_and_only_they_are_marked_as_read_only);
    tcase_add_test(group, instructions_for_tools_are_dropped);
    tcase_add_test(group, an_old_module_declares_the_storage_buffer_extension);
    tcase_add_test(group, entry_points_are_found_by_their_number);
    tcase_add_loop_test(group, a_missing_capability_is_named, 0, COUNT(feature_of));
    tcase_add_loop_test(group, a_supported_capability_is_accepted, 0, COUNT(feature_of));
    tcase_add_test(group, subgroup_operations_are_checked_one_by_one);
    tcase_add_test(group, float_controls_are_checked_by_width);
    tcase_add_test(group, group_sizes_by_id_need_the_device);
    tcase_add_test(group, functions_that_decode_matrices_and_subgroups_beside_them_are_refused);
    tcase_add_test(group, zero_initialized_shared_memory_needs_the_device);
    tcase_add_test(group, newer_spirv_than_the_device_knows_is_refused);
    return suite;
}

UNIT_SUITE(make_suite)
