/* Reading modules: header, order of sections, ids, functions, calls and the grammar.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/unit/compiler/spirv/spirv_builder.h"
#include "tests/unit/runner.h"

static struct builder builder;

static void open_builder(void)
{
    builder_begin(&builder);
}

static void close_builder(void)
{
    builder_end(&builder);
}

/* Starts a second module in the same test. */
static void again(void)
{
    builder_end(&builder);
    builder_begin(&builder);
}

static void again_raw(void)
{
    builder_end(&builder);
    builder_begin_raw(&builder);
}

#define INVALID TRM_ERROR_INVALID_ARGUMENT
#define UNSUPPORTED TRM_ERROR_UNSUPPORTED

/* ---- words --------------------------------------------------------------------------------- */

START_TEST(words_are_read_in_both_byte_orders)
{
    uint32_t count, got, *words, *read;

    words = builder_words(&builder, &count);
    ck_assert_int_eq(spirv_words(&builder.arena, words, count * 4, &read, &got), TRM_OK);
    ck_assert_uint_eq(got, count);
    ck_assert_int_eq(memcmp(read, words, count * 4), 0);
    for (uint32_t i = 0; i < count; i++)
        read[i] = __builtin_bswap32(words[i]);
    uint32_t *turned;
    ck_assert_int_eq(spirv_words(&builder.arena, read, count * 4, &turned, &got), TRM_OK);
    ck_assert_int_eq(memcmp(turned, words, count * 4), 0);
}
END_TEST

START_TEST(words_may_begin_at_any_byte)
{
    uint32_t count, got, *words, *read;
    char *bytes;

    words = builder_words(&builder, &count);
    bytes = base_arena_allocate(&builder.arena, count * 4 + 1, 1);
    memcpy(bytes + 1, words, count * 4);
    ck_assert_int_eq(spirv_words(&builder.arena, bytes + 1, count * 4, &read, &got), TRM_OK);
    ck_assert_int_eq(memcmp(read, words, count * 4), 0);
}
END_TEST

START_TEST(bytes_that_are_not_spirv_are_refused)
{
    uint32_t count, got, *words, *read;

    words = builder_words(&builder, &count);
    ck_assert_int_eq(spirv_words(&builder.arena, NULL, 0, &read, &got), INVALID);
    ck_assert_int_eq(spirv_words(&builder.arena, words, 16, &read, &got), INVALID);
    ck_assert_int_eq(spirv_words(&builder.arena, words, count * 4 - 1, &read, &got), INVALID);
    ck_assert_int_eq(spirv_words(&builder.arena, "#version 450 void main() {}", 24, &read, &got), INVALID);
}
END_TEST

/* Reads the module with one word of its header changed. */
static int32_t read_with(uint32_t index, uint32_t word)
{
    struct spirv_module *module;
    uint32_t count, *words;

    words        = builder_words(&builder, &count);
    words[index] = word;
    return spirv_read(&builder.arena, words, count, NULL, 0, &module);
}

START_TEST(the_header_says_version_bound_and_schema)
{
    ck_assert_int_eq(read_with(1, 0x00010000), TRM_OK);
    ck_assert_int_eq(read_with(1, 0x00010600), TRM_OK);
    ck_assert_int_eq(read_with(1, 0x00010700), UNSUPPORTED);
    ck_assert_int_eq(read_with(1, 0x00000900), INVALID);
    ck_assert_int_eq(read_with(3, 0), INVALID);
    ck_assert_int_eq(read_with(3, SPIRV_BOUND_MOST + 1), UNSUPPORTED);
    ck_assert_int_eq(read_with(3, 50), INVALID);
    ck_assert_int_eq(read_with(4, 1), INVALID);
}
END_TEST

START_TEST(a_module_says_its_version_bound_and_capabilities)
{
    struct spirv_module *module = builder_accept(&builder);

    ck_assert_uint_eq(module->version, 0x00010300);
    ck_assert_uint_eq(module->bound, builder.next);
    ck_assert_uint_eq(module->capability_count, 1);
    ck_assert_uint_eq(module->capabilities[0], SpvCapabilityShader);
    ck_assert_uint_eq(module->entry_count, 1);
    ck_assert_str_eq(module->entries[0].name, "main");
    ck_assert_uint_eq(module->entries[0].local_size[0], 4);
    ck_assert_uint_eq(module->function_count, 1);
}
END_TEST

/* ---- the order of a module ----------------------------------------------------------------- */

START_TEST(an_instruction_may_not_be_longer_than_the_module)
{
    struct spirv_module *module;
    uint32_t count, *words;

    words            = builder_words(&builder, &count);
    words[count - 1] = 2u << 16 | SpvOpFunctionEnd;
    ck_assert_int_eq(spirv_read(&builder.arena, words, count, NULL, 0, &module), INVALID);
    words[count - 1] = SpvOpFunctionEnd;
    ck_assert_int_eq(spirv_read(&builder.arena, words, count, NULL, 0, &module), INVALID);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "a length of 0 words"));
}
END_TEST

START_TEST(sections_have_an_order)
{
    ADD(&builder, PART_TYPE, SpvOpCapability, SpvCapabilityInt8);
    builder_refuse(&builder, INVALID, "too late");
    again();
    CODE(&builder, SpvOpTypeVoid, builder_id(&builder));
    builder_refuse(&builder, INVALID, "too late");
}
END_TEST

START_TEST(the_error_names_an_unsupported_capability)
{
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityGeometry);
    builder_refuse(&builder, UNSUPPORTED, "Geometry");
    again();
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, 0xbeef);
    builder_refuse(&builder, UNSUPPORTED, "48879");
}
END_TEST

START_TEST(the_error_names_an_unsupported_extension)
{
    builder_add_text(&builder, PART_EXTENSION, SpvOpExtension, NULL, 0, "SPV_KHR_16bit_storage");
    builder_accept(&builder);
    again();
    builder_add_text(&builder, PART_EXTENSION, SpvOpExtension, NULL, 0, "SPV_KHR_ray_tracing");
    builder_refuse(&builder, UNSUPPORTED, "SPV_KHR_ray_tracing");
}
END_TEST

START_TEST(sets_of_instructions_are_glsl_or_ignored)
{
    enum {
        OP_FORWARD_EXTENDED = 4433 /* OpExtInstWithForwardRefsKHR */
    };
    uint32_t set = builder_id(&builder), result = builder_id(&builder);

    builder_add_text(&builder, PART_IMPORT, SpvOpExtInstImport, &set, 1, "NonSemantic.Anything");
    CODE(&builder, SpvOpExtInst, VOID, result, set, 77, 1, 2, 3);
    builder_accept(&builder);
    again();
    set    = builder_id(&builder);
    result = builder_id(&builder);
    builder_add_text(&builder, PART_IMPORT, SpvOpExtInstImport, &set, 1, "OpenCL.DebugInfo.100");
    CODE(&builder, SpvOpExtInst, VOID, result, set, 23, 1);
    builder_accept(&builder);
    again();
    set    = builder_id(&builder);
    result = builder_id(&builder);
    builder_add_text(&builder, PART_IMPORT, SpvOpExtInstImport, &set, 1, "NonSemantic.Anything");
    CODE(&builder, OP_FORWARD_EXTENDED, VOID, result, set, 77, result + 1);
    builder_accept(&builder);
    again();
    set = builder_id(&builder);
    builder_add_text(&builder, PART_IMPORT, SpvOpExtInstImport, &set, 1, "OpenCL.std");
    builder_refuse(&builder, UNSUPPORTED, "OpenCL.std");
}
END_TEST

START_TEST(the_memory_model_is_logical_and_simple_or_that_of_glsl_or_vulkan)
{
    builder.words[PART_MODEL][2] = SpvMemoryModelVulkan;
    builder_accept(&builder);
    again();
    builder.words[PART_MODEL][2] = SpvMemoryModelSimple;
    builder_accept(&builder);
    again();
    builder.words[PART_MODEL][2] = SpvMemoryModelOpenCL;
    builder_refuse(&builder, UNSUPPORTED, "memory model");
    again();
    builder.words[PART_MODEL][1] = SpvAddressingModelPhysical64;
    builder_refuse(&builder, UNSUPPORTED, "addressing model");
    again();
    builder.count[PART_MODEL] = 0;
    builder_refuse(&builder, INVALID, "memory model");
}
END_TEST

START_TEST(entry_points_are_compute_shaders)
{
    builder.words[PART_ENTRY][1] = SpvExecutionModelVertex;
    builder_refuse(&builder, UNSUPPORTED, "not a compute shader");
    again();
    builder.count[PART_ENTRY] = 0;
    builder.count[PART_MODE]  = 0;
    builder_refuse(&builder, INVALID, "no entry point");
    again();
    builder.words[PART_ENTRY][2] = VOID;
    builder.words[PART_MODE][1]  = VOID;
    builder_refuse(&builder, INVALID, "not a function");
}
END_TEST

START_TEST(modes_that_would_change_results_are_refused)
{
    ADD(&builder, PART_MODE, SpvOpExecutionMode, MAIN, SpvExecutionModeSignedZeroInfNanPreserve, 32);
    builder_accept(&builder);
    again();
    ADD(&builder, PART_MODE, SpvOpExecutionMode, MAIN, SpvExecutionModeRoundingModeRTZ, 32);
    builder_refuse(&builder, UNSUPPORTED, "execution mode");
    again();
    ADD(&builder, PART_MODE, SpvOpExecutionMode, VOID, SpvExecutionModeSignedZeroInfNanPreserve, 32);
    builder_refuse(&builder, INVALID, "not an entry point");
}
END_TEST

START_TEST(work_groups_have_a_size)
{
    builder.words[PART_MODE][4] = 0;
    builder_refuse(&builder, INVALID, "size of its work-groups");
    again();
    builder.count[PART_MODE] = 0;
    builder_refuse(&builder, INVALID, "size of its work-groups");
    again();
    builder.words[PART_MODE][3] = builder.words[PART_MODE][4] = 1u << 16;
    builder_refuse(&builder, UNSUPPORTED, "work-items");
}
END_TEST

/* ---- ids ----------------------------------------------------------------------------------- */

START_TEST(an_id_is_defined_once)
{
    CODE(&builder, SpvOpIAdd, U32, VALUE(U32), VALUE(U32), VALUE(U32));
    builder_refuse(&builder, INVALID, "defined twice");
}
END_TEST

START_TEST(ids_are_below_the_bound)
{
    CODE(&builder, SpvOpIAdd, U32, 1u << 20, VALUE(U32), VALUE(U32));
    builder_refuse(&builder, INVALID, "is out of range");
    again();
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), 0, VALUE(U32));
    builder_refuse(&builder, INVALID, "id 0");
}
END_TEST

START_TEST(operands_are_values_that_were_defined_before)
{
    uint32_t first = builder_id(&builder), second = builder_id(&builder);

    CODE(&builder, SpvOpIAdd, U32, first, second, VALUE(U32));
    CODE(&builder, SpvOpIAdd, U32, second, VALUE(U32), VALUE(U32));
    builder_refuse(&builder, INVALID, "not a value");
    again();
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), U32, VALUE(U32));
    builder_refuse(&builder, INVALID, "not a value");
    again();
    CODE(&builder, SpvOpIAdd, VALUE(U32), builder_id(&builder), VALUE(U32), VALUE(U32));
    builder_refuse(&builder, INVALID, "not a type");
}
END_TEST

START_TEST(instructions_have_all_their_operands_and_no_more)
{
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), VALUE(U32));
    builder_refuse(&builder, INVALID, "wrong number");
    again();
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), VALUE(U32), VALUE(U32), VALUE(U32));
    builder_refuse(&builder, INVALID, "wrong number");
    again();
    CODE(&builder, SpvOpIAdd, U32);
    builder_refuse(&builder, INVALID, "too short");
}
END_TEST

START_TEST(messages_name_the_line_of_the_source)
{
    uint32_t file = builder_id(&builder);

    builder_add_text(&builder, PART_STRING, SpvOpString, &file, 1, "blur.comp");
    CODE(&builder, SpvOpLine, file, 42, 7);
    CODE(&builder, SpvOpEmitStreamVertex, U_1);
    builder_refuse(&builder, UNSUPPORTED, "OpEmitStreamVertex at blur.comp:42");
    again();
    CODE(&builder, SpvOpLine, VOID, 42, 7);
    builder_refuse(&builder, INVALID, "not a string");
}
END_TEST

START_TEST(lines_of_extended_debug_information_count_too)
{
    uint32_t set = builder_id(&builder), file = builder_id(&builder), source = builder_id(&builder);
    uint32_t result = builder_id(&builder);

    builder_add_text(&builder, PART_IMPORT, SpvOpExtInstImport, &set, 1, "NonSemantic.Shader.DebugInfo.100");
    builder_add_text(&builder, PART_STRING, SpvOpString, &file, 1, "blur.hlsl");
    ADD(&builder, PART_TYPE, SpvOpExtInst, VOID, source, set, 35, file);
    CODE(&builder, SpvOpExtInst, VOID, result, set, 103, source, U_3, U_3, U_1, U_1);
    CODE(&builder, SpvOpEmitStreamVertex, U_1);
    builder_refuse(&builder, UNSUPPORTED, "OpEmitStreamVertex at blur.hlsl:3");
}
END_TEST

START_TEST(control_characters_in_names_are_replaced)
{
    NAME(&builder, MAIN, "a\nb\x1b[1m");
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_str_eq(module->ids[MAIN].name, "a?b?[1m");
    ck_assert_str_eq(module->ids[U_1].name, "");
    again();
    ADD(&builder, PART_NAME, SpvOpName, MAIN, 0x61616161);
    builder_refuse(&builder, INVALID, "does not end");
}
END_TEST

/* ---- functions ----------------------------------------------------------------------------- */

/* Adds a function void() with this id that calls these functions. */
static void add_function(uint32_t id, const uint32_t *callees, uint32_t count)
{
    CODE(&builder, SpvOpFunction, VOID, id, SpvFunctionControlMaskNone, FUNCTION);
    CODE(&builder, SpvOpLabel, builder_id(&builder));
    for (uint32_t i = 0; i < count; i++)
        CODE(&builder, SpvOpFunctionCall, VOID, builder_id(&builder), callees[i]);
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
}

START_TEST(functions_are_listed_after_those_that_they_call)
{
    uint32_t first = 900, second = 901;

    builder.next = 1000;
    again_raw();
    builder.next = 1000;
    add_function(MAIN, (uint32_t[]){first, second}, 2);
    add_function(first, (uint32_t[]){second}, 1);
    CODE(&builder, SpvOpFunction, VOID, second, SpvFunctionControlMaskNone, FUNCTION);
    CODE(&builder, SpvOpLabel, builder_id(&builder));
    CODE(&builder, SpvOpControlBarrier, U_2, U_2, VALUE(U32));
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(module->function_count, 3);
    ck_assert_uint_eq(module->functions[0]->id, second);
    ck_assert_uint_eq(module->functions[1]->id, first);
    ck_assert_uint_eq(module->functions[2]->id, MAIN);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(module->functions[i]->has_barrier, 1);
}
END_TEST

START_TEST(functions_do_not_call_themselves)
{
    again_raw();
    builder.next = 1000;
    add_function(MAIN, (uint32_t[]){900}, 1);
    add_function(900, (uint32_t[]){901}, 1);
    add_function(901, (uint32_t[]){900}, 1);
    builder_refuse(&builder, INVALID, "calls itself");
}
END_TEST

START_TEST(the_nesting_of_calls_is_limited)
{
    again_raw();
    builder.next = 1000;
    add_function(MAIN, (uint32_t[]){900}, 1);
    for (uint32_t i = 0; i < SPIRV_DEPTH_MOST; i++)
        add_function(900 + i, (uint32_t[]){901 + i}, 1);
    add_function(900 + SPIRV_DEPTH_MOST, NULL, 0);
    builder_refuse(&builder, UNSUPPORTED, "nested deeper");
    again_raw();
    builder.next = 1000;
    for (uint32_t i = SPIRV_DEPTH_MOST; i-- > 0;)
        add_function(900 + i, (uint32_t[]){901 + i}, i + 1 < SPIRV_DEPTH_MOST);
    add_function(MAIN, (uint32_t[]){900}, 1);
    builder_refuse(&builder, UNSUPPORTED, "nested deeper");
}
END_TEST

START_TEST(calls_fit_their_function)
{
    uint32_t type = builder_id(&builder), id = builder_id(&builder), label = builder_id(&builder);
    uint32_t parameter = builder_id(&builder);

    for (uint32_t round = 0; round < 4; round++) {
        again();
        builder.next += 4;
        ADD(&builder, PART_TYPE, SpvOpTypeFunction, type, F32, U32);
        if (round == 0)
            CODE(&builder, SpvOpFunctionCall, F32, builder_id(&builder), id, U_1);
        else if (round == 1)
            CODE(&builder, SpvOpFunctionCall, F32, builder_id(&builder), id, F_1);
        else if (round == 2)
            CODE(&builder, SpvOpFunctionCall, U32, builder_id(&builder), id, U_1);
        else
            CODE(&builder, SpvOpFunctionCall, F32, builder_id(&builder), id);
        CODE0(&builder, SpvOpReturn);
        CODE0(&builder, SpvOpFunctionEnd);
        CODE(&builder, SpvOpFunction, F32, id, SpvFunctionControlMaskNone, type);
        CODE(&builder, SpvOpFunctionParameter, U32, parameter);
        CODE(&builder, SpvOpLabel, label);
        CODE(&builder, SpvOpReturnValue, F_1);
        CODE0(&builder, SpvOpFunctionEnd);
        builder.is_raw = true;
        if (round == 0)
            builder_accept(&builder);
        else
            builder_refuse(&builder, INVALID, "OpFunctionCall");
    }
}
END_TEST

START_TEST(parameters_are_those_of_the_functions_type)
{
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
    CODE(&builder, SpvOpFunction, VOID, builder_id(&builder), SpvFunctionControlMaskNone, FUNCTION);
    CODE(&builder, SpvOpFunctionParameter, U32, builder_id(&builder));
    builder.is_raw = true;
    builder_refuse(&builder, INVALID, "no parameter here");
    again();
    CODE(&builder, SpvOpReturnValue, U_1);
    builder_refuse(&builder, INVALID, "another type than the function's result");
}
END_TEST

START_TEST(values_of_other_functions_are_not_visible)
{
    uint32_t value = builder_id(&builder);

    CODE(&builder, SpvOpIAdd, U32, value, U_1, U_1);
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
    CODE(&builder, SpvOpFunction, VOID, builder_id(&builder), SpvFunctionControlMaskNone, FUNCTION);
    CODE(&builder, SpvOpLabel, builder_id(&builder));
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), value, U_1);
    builder.is_raw = true;
    builder_refuse(&builder, INVALID, "another function");
}
END_TEST

START_TEST(functions_and_blocks_end)
{
    builder.is_raw = true;
    builder_refuse(&builder, INVALID, "not ended");
    again();
    CODE0(&builder, SpvOpFunctionEnd);
    builder.is_raw = true;
    builder_refuse(&builder, INVALID, "not ended");
    again();
    CODE(&builder, SpvOpLabel, builder_id(&builder));
    builder_refuse(&builder, INVALID, "not ended");
    again();
    CODE0(&builder, SpvOpReturn);
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), U_1, U_1);
    builder_refuse(&builder, INVALID, "in no block");
}
END_TEST

START_TEST(new_ids_follow_those_of_the_module)
{
    struct spirv_module *module = builder_accept(&builder);
    uint32_t bound              = module->bound;

    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(spirv_new_id(module, F32), bound + i);
    ck_assert_uint_eq(module->bound, bound + 1000);
    ck_assert_int_eq(module->ids[bound + 999].kind, SPIRV_ID_VALUE);
    ck_assert_uint_eq(module->ids[bound + 999].type, F32);
    ck_assert_int_eq(module->ids[VALUE(U32)].kind, SPIRV_ID_CONSTANT);
}
END_TEST

/* ---- the grammar --------------------------------------------------------------------------- */

START_TEST(names_of_instructions_and_capabilities_are_known)
{
    char space[32];

    ck_assert_str_eq(spirv_opcode_name(SpvOpIAdd, space), "OpIAdd");
    ck_assert_str_eq(spirv_opcode_name(SpvOpAtomicFAddEXT, space), "OpAtomicFAddEXT");
    ck_assert_str_eq(spirv_opcode_name(54321, space), "OpUnknown(54321)");
    ck_assert_str_eq(spirv_capability_name(SpvCapabilityShader, space), "Shader");
    ck_assert_str_eq(spirv_capability_name(54321, space), "Capability(54321)");
}
END_TEST

static int32_t is_id(uint32_t opcode, uint32_t count, uint32_t index)
{
    uint32_t operands[8]                 = {0, SpvMemoryAccessMakePointerVisibleMask, 0};
    struct spirv_instruction instruction = {
        .opcode = (uint16_t)opcode, .operand_count = (uint16_t)count, .operands = operands};

    return spirv_operand_is_id(&instruction, index);
}

START_TEST(operands_are_ids_or_literals)
{
    ck_assert(is_id(SpvOpIAdd, 2, 0) && is_id(SpvOpIAdd, 2, 1) && !is_id(SpvOpIAdd, 2, 2));
    ck_assert(is_id(SpvOpCompositeExtract, 3, 0) && !is_id(SpvOpCompositeExtract, 3, 2));
    ck_assert(is_id(SpvOpVectorShuffle, 4, 1) && !is_id(SpvOpVectorShuffle, 4, 3));
    ck_assert(is_id(SpvOpLoad, 3, 0) && !is_id(SpvOpLoad, 3, 1) && is_id(SpvOpLoad, 3, 2));
    ck_assert(is_id(SpvOpPhi, 4, 3) && is_id(SpvOpSwitch, 4, 1) && !is_id(SpvOpSwitch, 4, 2));
    ck_assert(is_id(SpvOpExtInst, 4, 0) && !is_id(SpvOpExtInst, 4, 1) && is_id(SpvOpExtInst, 4, 3));
    ck_assert(is_id(SpvOpBranchConditional, 5, 2) && !is_id(SpvOpBranchConditional, 5, 3));
    ck_assert(is_id(SpvOpGroupNonUniformIAdd, 4, 3) && !is_id(SpvOpGroupNonUniformIAdd, 4, 1));
    ck_assert(!is_id(SpvOpVariable, 2, 0) && is_id(SpvOpVariable, 2, 1));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: reading");
    TCase *all   = tcase_create("reading");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, words_are_read_in_both_byte_orders);
    tcase_add_test(all, words_may_begin_at_any_byte);
    tcase_add_test(all, bytes_that_are_not_spirv_are_refused);
    tcase_add_test(all, the_header_says_version_bound_and_schema);
    tcase_add_test(all, a_module_says_its_version_bound_and_capabilities);
    tcase_add_test(all, an_instruction_may_not_be_longer_than_the_module);
    tcase_add_test(all, sections_have_an_order);
    tcase_add_test(all, the_error_names_an_unsupported_capability);
    tcase_add_test(all, the_error_names_an_unsupported_extension);
    tcase_add_test(all, sets_of_instructions_are_glsl_or_ignored);
    tcase_add_test(all, the_memory_model_is_logical_and_simple_or_that_of_glsl_or_vulkan);
    tcase_add_test(all, entry_points_are_compute_shaders);
    tcase_add_test(all, modes_that_would_change_results_are_refused);
    tcase_add_test(all, work_groups_have_a_size);
    tcase_add_test(all, an_id_is_defined_once);
    tcase_add_test(all, ids_are_below_the_bound);
    tcase_add_test(all, operands_are_values_that_were_defined_before);
    tcase_add_test(all, instructions_have_all_their_operands_and_no_more);
    tcase_add_test(all, messages_name_the_line_of_the_source);
    tcase_add_test(all, lines_of_extended_debug_information_count_too);
    tcase_add_test(all, control_characters_in_names_are_replaced);
    tcase_add_test(all, functions_are_listed_after_those_that_they_call);
    tcase_add_test(all, functions_do_not_call_themselves);
    tcase_add_test(all, the_nesting_of_calls_is_limited);
    tcase_add_test(all, calls_fit_their_function);
    tcase_add_test(all, parameters_are_those_of_the_functions_type);
    tcase_add_test(all, values_of_other_functions_are_not_visible);
    tcase_add_test(all, functions_and_blocks_end);
    tcase_add_test(all, new_ids_follow_those_of_the_module);
    tcase_add_test(all, names_of_instructions_and_capabilities_are_known);
    tcase_add_test(all, operands_are_ids_or_literals);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
