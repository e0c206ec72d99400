/* Reflection: kernels, parameters, constants and shared memory.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/unit/compiler/spirv/spirv_fixture.h"

static struct spirv_reflection reflection;

#define TYPE(opcode, ...) ADD(&builder, PART_TYPE, opcode, __VA_ARGS__)
#define DECORATE(...) ADD(&builder, PART_DECORATION, SpvOpDecorate, __VA_ARGS__)
#define MEMBER(...) ADD(&builder, PART_DECORATION, SpvOpMemberDecorate, __VA_ARGS__)

enum {
    S = 901, /* a block */
    P,
    V,
    ARRAY,
};

static const struct trm_kernel_info *reflect(const char *name)
{
    struct spirv_module *module = builder_accept(&builder);
    int32_t status              = spirv_reflect(module, name, &reflection);

    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_uint_eq(reflection.kernel_count, 1);
    return &reflection.kernels[0];
}

static void bind(uint32_t variable, uint32_t set, uint32_t binding)
{
    DECORATE(variable, SpvDecorationDescriptorSet, set);
    DECORATE(variable, SpvDecorationBinding, binding);
}

/* Adds a block of push constants with these types and offsets. */
static void add_push_constants(const uint32_t *types, const uint32_t *offsets, uint32_t count)
{
    uint32_t words[10] = {S};

    DECORATE(S, SpvDecorationBlock);
    for (uint32_t i = 0; i < count; i++) {
        words[1 + i] = types[i];
        MEMBER(S, i, SpvDecorationOffset, offsets[i]);
    }
    builder_add(&builder, PART_TYPE, SpvOpTypeStruct, words, count + 1);
    TYPE(SpvOpTypePointer, P, SpvStorageClassPushConstant, S);
    TYPE(SpvOpVariable, P, V, SpvStorageClassPushConstant);
}

START_TEST(a_kernel_has_a_name_a_size_and_parameters)
{
    const struct trm_kernel_info *kernel = reflect("saxpy");

    ck_assert_uint_eq(kernel->struct_size, sizeof(*kernel));
    ck_assert_str_eq(kernel->name, "saxpy");
    ck_assert_uint_eq(kernel->group_size[0], 4);
    ck_assert_uint_eq(kernel->group_size[1], 2);
    ck_assert_uint_eq(kernel->group_size[2], 1);
    ck_assert_uint_eq(kernel->parameter_count, 2);
    ck_assert_uint_eq(kernel->shared_bytes, 0);
    ck_assert_str_eq(reflect(NULL)->name, "main");
}
END_TEST

START_TEST(only_main_gets_the_name_of_the_module)
{
    uint32_t *words = builder.words[PART_ENTRY];

    words[3] = 'o' | 't' << 8 | 'h' << 16 | (uint32_t)'r' << 24;
    ck_assert_str_eq(reflect("saxpy")->name, "othr");
}
END_TEST

START_TEST(buffers_have_an_element_type_and_a_binding)
{
    const struct trm_parameter *data = reflect(NULL)->parameters;

    ck_assert_int_eq(data->kind, TRM_PARAMETER_BUFFER);
    ck_assert_int_eq(data->type, TRM_TYPE_F32);
    ck_assert_uint_eq(data->components, 1);
    ck_assert_uint_eq(data->stride, 4);
    ck_assert_uint_eq(data->size, 0);
    ck_assert_uint_eq(data->access, TRM_ACCESS_READ | TRM_ACCESS_WRITE);
    ck_assert_uint_eq(data->set, 0);
    ck_assert_uint_eq(data->place, 0);
    ck_assert_int_eq(data[1].type, TRM_TYPE_U32);
    ck_assert_uint_eq(data[1].size, 4);
    ck_assert_uint_eq(data[1].stride, 0);
    ck_assert_uint_eq(data[1].place, 1);
    ck_assert_uint_eq(reflection.parameter_variables[0], VALUE(P_BLOCK));
}
END_TEST

START_TEST(a_buffer_has_the_name_of_its_instance_or_member_or_block)
{
    NAME(&builder, BLOCK, "Samples");
    ck_assert_str_eq(reflect(NULL)->parameters[0].name, "Samples");
    again();
    NAME(&builder, BLOCK, "Samples");
    MEMBER_NAME(&builder, BLOCK, 0, "x");
    ck_assert_str_eq(reflect(NULL)->parameters[0].name, "x");
    again();
    NAME(&builder, BLOCK, "Samples");
    MEMBER_NAME(&builder, BLOCK, 0, "x");
    NAME(&builder, VALUE(P_BLOCK), "input");
    ck_assert_str_eq(reflect(NULL)->parameters[0].name, "input");
    ck_assert_str_eq(reflect(NULL)->parameters[1].name, "");
}
END_TEST

START_TEST(access_comes_from_the_buffer_or_all_its_members)
{
    DECORATE(VALUE(P_BLOCK), SpvDecorationNonWritable);
    MEMBER(BLOCK_U, 0, SpvDecorationNonReadable);
    const struct trm_parameter *parameters = reflect(NULL)->parameters;
    ck_assert_uint_eq(parameters[0].access, TRM_ACCESS_READ);
    ck_assert_uint_eq(parameters[1].access, TRM_ACCESS_WRITE);
}
END_TEST

START_TEST(buffers_come_in_the_order_of_set_and_binding)
{
    TYPE(SpvOpVariable, P_BLOCK_U, 950, SpvStorageClassStorageBuffer);
    TYPE(SpvOpVariable, P_BLOCK_U, 951, SpvStorageClassStorageBuffer);
    bind(950, 1, 0);
    bind(951, 0, 7);
    const struct trm_kernel_info *kernel = reflect(NULL);
    ck_assert_uint_eq(kernel->parameter_count, 4);
    ck_assert_uint_eq(kernel->parameters[2].place, 7);
    ck_assert_uint_eq(kernel->parameters[3].set, 1);
    ck_assert_uint_eq(reflection.parameter_variables[2], 951);
    ck_assert_uint_eq(reflection.parameter_variables[3], 950);
}
END_TEST

/* A block of one runtime array of elements with this stride; returns the variable. */
static uint32_t add_view(uint32_t element, uint32_t stride, uint32_t set, uint32_t binding, const char *name)
{
    uint32_t array = builder_id(&builder), block = builder_id(&builder), pointer = builder_id(&builder);
    uint32_t variable = builder_id(&builder);

    DECORATE(array, SpvDecorationArrayStride, stride);
    DECORATE(block, SpvDecorationBlock);
    MEMBER(block, 0, SpvDecorationOffset, 0);
    TYPE(SpvOpTypeRuntimeArray, array, element);
    TYPE(SpvOpTypeStruct, block, array);
    TYPE(SpvOpTypePointer, pointer, SpvStorageClassStorageBuffer, block);
    TYPE(SpvOpVariable, pointer, variable, SpvStorageClassStorageBuffer);
    NAME(&builder, variable, name);
    bind(variable, set, binding);
    return variable;
}

START_TEST(buffers_with_one_binding_are_one_parameter_of_the_widest_type)
{
    uint32_t first = add_view(V4, 16, 0, 0, "wide"), second = add_view(U32, 16, 0, 0, "sparse");

    NAME(&builder, VALUE(P_BLOCK), "narrow");
    const struct trm_kernel_info *kernel = reflect(NULL);
    ck_assert_uint_eq(kernel->parameter_count, 2);
    ck_assert_str_eq(kernel->parameters[0].name, "wide");
    ck_assert_int_eq(kernel->parameters[0].type, TRM_TYPE_F32);
    ck_assert_uint_eq(kernel->parameters[0].components, 4);
    ck_assert_uint_eq(kernel->parameters[0].stride, 16);
    ck_assert_uint_eq(kernel->parameters[1].place, 1);
    ck_assert_uint_eq(reflection.parameter_variables[0], first);
    ck_assert_uint_eq(reflection.view_count, 2);
    ck_assert_uint_eq(reflection.views[0].variable, second);
    ck_assert_str_eq(reflection.views[0].info.view.name, "sparse");
    ck_assert_int_eq(reflection.views[0].info.view.type, TRM_TYPE_U32);
    ck_assert_uint_eq(reflection.views[1].variable, VALUE(P_BLOCK));
    ck_assert_uint_eq(reflection.views[1].info.parameter, 0);
    ck_assert_uint_eq(reflection.views[1].info.struct_size, sizeof(struct trm_view_info));
    ck_assert_int_eq(reflection.views[1].info.view.kind, TRM_PARAMETER_BUFFER);
    ck_assert_uint_eq(reflection.views[1].info.view.stride, 4);
}
END_TEST

START_TEST(a_buffer_needs_what_its_views_need_together)
{
    uint32_t view = add_view(V4, 16, 0, 1, "view");

    DECORATE(view, SpvDecorationNonWritable);
    MEMBER(BLOCK_U, 0, SpvDecorationNonReadable);
    const struct trm_kernel_info *kernel = reflect(NULL);
    ck_assert_uint_eq(kernel->parameter_count, 2);
    ck_assert_str_eq(kernel->parameters[1].name, "view");
    ck_assert_uint_eq(kernel->parameters[1].access, TRM_ACCESS_READ | TRM_ACCESS_WRITE);
    ck_assert_uint_eq(kernel->parameters[1].size, 4);
    ck_assert_uint_eq(reflection.view_count, 1);
    ck_assert_uint_eq(reflection.views[0].info.parameter, 1);
    ck_assert_uint_eq(reflection.views[0].info.view.access, TRM_ACCESS_WRITE);
    ck_assert_uint_eq(reflection.views[0].info.view.size, 4);
}
END_TEST

START_TEST(views_are_written_volatile_and_coherent_together_and_never_restrict)
{
    uint32_t view = add_view(V4, 16, 0, 0, "view"), other = add_view(V4, 16, 0, 7, "other");

    DECORATE(view, SpvDecorationNonWritable);
    DECORATE(view, SpvDecorationRestrict);
    DECORATE(view, SpvDecorationVolatile);
    DECORATE(VALUE(P_BLOCK), SpvDecorationCoherent);
    DECORATE(other, SpvDecorationNonWritable);
    DECORATE(other, SpvDecorationRestrict);
    const struct spirv_module *module = builder_accept(&builder);
    const struct spirv_variable *one  = module->ids[view].as.variable;
    const struct spirv_variable *two  = module->ids[VALUE(P_BLOCK)].as.variable;
    ck_assert(one->has_views && one->is_written && one->is_volatile && one->is_coherent);
    ck_assert(two->has_views && two->is_written && two->is_volatile && two->is_coherent);
    ck_assert(!one->is_restrict && one->non_writable && !two->non_writable);
    ck_assert_uint_eq(one->view_of, two->view_of);
    one = module->ids[other].as.variable;
    ck_assert(!one->has_views && !one->is_written && !one->is_volatile && one->is_restrict);
    ck_assert_uint_eq(one->view_of, other);
}
END_TEST

START_TEST(buffer_blocks_and_uniform_buffers_are_buffers)
{
    DECORATE(S, SpvDecorationBufferBlock);
    MEMBER(S, 0, SpvDecorationOffset, 0);
    TYPE(SpvOpTypeStruct, S, RUNTIME);
    TYPE(SpvOpTypePointer, P, SpvStorageClassUniform, S);
    TYPE(SpvOpVariable, P, V, SpvStorageClassUniform);
    bind(V, 0, 2);
    TYPE(SpvOpTypePointer, 950, SpvStorageClassUniform, BLOCK_U);
    TYPE(SpvOpVariable, 950, 951, SpvStorageClassUniform);
    bind(951, 0, 3);
    const struct trm_kernel_info *kernel = reflect(NULL);
    ck_assert_uint_eq(kernel->parameter_count, 4);
    ck_assert_uint_eq(kernel->parameters[2].access, TRM_ACCESS_READ | TRM_ACCESS_WRITE);
    ck_assert_int_eq(kernel->parameters[2].type, TRM_TYPE_F32);
    ck_assert_uint_eq(kernel->parameters[3].access, TRM_ACCESS_READ);
    ck_assert_uint_eq(kernel->parameters[3].size, 4);
}
END_TEST

START_TEST(a_buffer_of_several_members_has_no_type_of_its_own)
{
    DECORATE(S, SpvDecorationBlock);
    MEMBER(S, 0, SpvDecorationOffset, 0);
    MEMBER(S, 1, SpvDecorationOffset, 8);
    TYPE(SpvOpTypeStruct, S, U32, RUNTIME);
    TYPE(SpvOpTypePointer, P, SpvStorageClassStorageBuffer, S);
    TYPE(SpvOpVariable, P, V, SpvStorageClassStorageBuffer);
    bind(V, 0, 2);
    const struct trm_parameter *parameter = &reflect(NULL)->parameters[2];
    ck_assert_int_eq(parameter->type, TRM_TYPE_NONE);
    ck_assert_uint_eq(parameter->stride, 0);
    ck_assert_uint_eq(parameter->size, 8);
}
END_TEST

START_TEST(elements_may_be_vectors_and_matrices)
{
    DECORATE(ARRAY, SpvDecorationArrayStride, 32);
    TYPE(SpvOpTypeRuntimeArray, ARRAY, M2X3);
    DECORATE(S, SpvDecorationBlock);
    MEMBER(S, 0, SpvDecorationOffset, 0);
    MEMBER(S, 0, SpvDecorationMatrixStride, 16);
    TYPE(SpvOpTypeStruct, S, ARRAY);
    TYPE(SpvOpTypePointer, P, SpvStorageClassStorageBuffer, S);
    TYPE(SpvOpVariable, P, V, SpvStorageClassStorageBuffer);
    bind(V, 0, 2);
    const struct trm_parameter *parameter = &reflect(NULL)->parameters[2];
    ck_assert_int_eq(parameter->type, TRM_TYPE_F32);
    ck_assert_uint_eq(parameter->components, 6);
    ck_assert_uint_eq(parameter->stride, 32);
}
END_TEST

START_TEST(push_constants_are_parameters_in_the_order_of_their_offsets)
{
    add_push_constants((uint32_t[]){F32, I32, V4}, (uint32_t[]){20, 16, 0}, 3);
    MEMBER_NAME(&builder, S, 0, "scale");
    MEMBER_NAME(&builder, S, 1, "count");
    const struct trm_kernel_info *kernel = reflect(NULL);
    ck_assert_uint_eq(kernel->parameter_count, 5);
    const struct trm_parameter *vector = &kernel->parameters[2];
    ck_assert_int_eq(vector->kind, TRM_PARAMETER_BLOCK);
    ck_assert_int_eq(vector->type, TRM_TYPE_F32);
    ck_assert_uint_eq(vector->components, 4);
    ck_assert_uint_eq(vector->size, 16);
    ck_assert_str_eq(kernel->parameters[3].name, "count");
    ck_assert_int_eq(kernel->parameters[3].kind, TRM_PARAMETER_SCALAR);
    ck_assert_int_eq(kernel->parameters[3].type, TRM_TYPE_I32);
    ck_assert_uint_eq(kernel->parameters[3].place, 16);
    ck_assert_uint_eq(kernel->parameters[3].size, 4);
    ck_assert_str_eq(kernel->parameters[4].name, "scale");
    ck_assert_uint_eq(reflection.parameter_members[4], 0);
    ck_assert_uint_eq(reflection.parameter_variables[4], V);
}
END_TEST

START_TEST(structs_among_push_constants_are_blocks_without_a_type)
{
    MEMBER(FI, 0, SpvDecorationOffset, 0);
    MEMBER(FI, 1, SpvDecorationOffset, 8);
    add_push_constants((uint32_t[]){FI}, (uint32_t[]){4}, 1);
    const struct trm_parameter *parameter = &reflect(NULL)->parameters[2];
    ck_assert_int_eq(parameter->kind, TRM_PARAMETER_BLOCK);
    ck_assert_int_eq(parameter->type, TRM_TYPE_NONE);
    ck_assert_uint_eq(parameter->size, 12);
    ck_assert_uint_eq(parameter->place, 4);
}
END_TEST

START_TEST(there_is_one_block_of_push_constants)
{
    add_push_constants((uint32_t[]){U32}, (uint32_t[]){0}, 1);
    TYPE(SpvOpVariable, P, 950, SpvStorageClassPushConstant);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "second block of push constants");
}
END_TEST

START_TEST(shared_memory_is_counted_as_c_lays_it_out)
{
    TYPE(SpvOpTypePointer, 950, SpvStorageClassWorkgroup, NESTED);
    TYPE(SpvOpTypePointer, 951, SpvStorageClassWorkgroup, U32);
    TYPE(SpvOpVariable, 951, 952, SpvStorageClassWorkgroup);
    TYPE(SpvOpVariable, 950, 953, SpvStorageClassWorkgroup);
    ck_assert_uint_eq(reflect(NULL)->shared_bytes, 4 + 32);
}
END_TEST

/* ---- members ------------------------------------------------------------------------------- */

static const struct trm_member_info *member(uint32_t of, uint32_t index)
{
    const struct trm_member_info *whole = &reflection.members[of];

    ck_assert_uint_lt(of, reflection.member_count);
    ck_assert_uint_lt(index, whole->member_count);
    ck_assert_uint_le(whole->first_member + whole->member_count, reflection.member_count);
    return &reflection.members[whole->first_member + index];
}

static uint32_t index_of(const struct trm_member_info *info)
{
    return (uint32_t)(info - reflection.members);
}

/* A buffer with a block S of two members, decorated but for the details of these. */
static void add_block(uint32_t first, uint32_t second, uint32_t offset)
{
    DECORATE(S, SpvDecorationBlock);
    MEMBER(S, 0, SpvDecorationOffset, 0);
    MEMBER(S, 1, SpvDecorationOffset, offset);
    TYPE(SpvOpTypeStruct, S, first, second);
    TYPE(SpvOpTypePointer, P, SpvStorageClassStorageBuffer, S);
    TYPE(SpvOpVariable, P, V, SpvStorageClassStorageBuffer);
    bind(V, 0, 2);
}

START_TEST(the_members_of_a_block_have_names_types_and_offsets)
{
    add_block(V3, RUNTIME, 12);
    NAME(&builder, V, "points");
    MEMBER_NAME(&builder, S, 0, "centre");
    MEMBER_NAME(&builder, S, 1, "weights");
    reflect(NULL);
    ck_assert_str_eq(reflection.members[2].name, "points");
    ck_assert_int_eq(reflection.members[2].type, TRM_TYPE_NONE);
    ck_assert_uint_eq(reflection.members[2].member_count, 2);
    ck_assert_uint_eq(reflection.members[2].size, 12);
    const struct trm_member_info *centre = member(2, 0), *weights = member(2, 1);
    ck_assert_uint_eq(centre->struct_size, sizeof(*centre));
    ck_assert_str_eq(centre->name, "centre");
    ck_assert_int_eq(centre->type, TRM_TYPE_F32);
    ck_assert_uint_eq(centre->components, 3);
    ck_assert_uint_eq(centre->columns, 0);
    ck_assert_uint_eq(centre->size, 12);
    ck_assert_uint_eq(centre->count, 1);
    ck_assert_uint_eq(centre->array_stride, 0);
    ck_assert_str_eq(weights->name, "weights");
    ck_assert_uint_eq(weights->offset, 12);
    ck_assert_uint_eq(weights->count, 0);
    ck_assert_uint_eq(weights->array_stride, 4);
    ck_assert_uint_eq(weights->components, 1);
    ck_assert_uint_eq(weights->member_count, 0);
}
END_TEST

START_TEST(arrays_in_arrays_are_members_of_each_other)
{
    enum {
        INNER = 950,
        OUTER
    };

    DECORATE(INNER, SpvDecorationArrayStride, 32);
    DECORATE(OUTER, SpvDecorationArrayStride, 128);
    TYPE(SpvOpTypeArray, INNER, M2X3, U_2);
    TYPE(SpvOpTypeArray, OUTER, INNER, U_3);
    MEMBER(S, 1, SpvDecorationMatrixStride, 16);
    add_block(U32, OUTER, 16);
    reflect(NULL);
    const struct trm_member_info *outer = member(2, 1), *inner = member(index_of(outer), 0);
    ck_assert_int_eq(outer->type, TRM_TYPE_NONE);
    ck_assert_uint_eq(outer->count, 3);
    ck_assert_uint_eq(outer->array_stride, 128);
    ck_assert_uint_eq(outer->member_count, 1);
    ck_assert_str_eq(inner->name, "");
    ck_assert_int_eq(inner->type, TRM_TYPE_F32);
    ck_assert_uint_eq(inner->offset, 0);
    ck_assert_uint_eq(inner->count, 2);
    ck_assert_uint_eq(inner->array_stride, 32);
    ck_assert_uint_eq(inner->columns, 2);
    ck_assert_uint_eq(inner->components, 6);
    ck_assert_uint_eq(inner->matrix_stride, 16);
    ck_assert_uint_eq(inner->is_row_major, 0);
    ck_assert_uint_eq(inner->size, 28);
}
END_TEST

START_TEST(a_matrix_may_lie_by_rows)
{
    MEMBER(S, 1, SpvDecorationMatrixStride, 8);
    MEMBER(S, 1, SpvDecorationRowMajor);
    add_block(U32, M2X3, 8);
    reflect(NULL);
    const struct trm_member_info *matrix = member(2, 1);
    ck_assert_uint_eq(matrix->is_row_major, 1);
    ck_assert_uint_eq(matrix->matrix_stride, 8);
    ck_assert_uint_eq(matrix->columns, 2);
    ck_assert_uint_eq(matrix->size, 24);
}
END_TEST

START_TEST(a_struct_that_is_used_twice_is_described_once)
{
    MEMBER(FI, 0, SpvDecorationOffset, 0);
    MEMBER(FI, 1, SpvDecorationOffset, 4);
    MEMBER_NAME(&builder, FI, 1, "number");
    add_block(FI, FI, 16);
    reflect(NULL);
    const struct trm_member_info *one = member(2, 0), *two = member(2, 1);
    ck_assert_uint_eq(one->first_member, two->first_member);
    ck_assert_uint_eq(two->offset, 16);
    ck_assert_int_eq(member(index_of(two), 1)->type, TRM_TYPE_I32);
    ck_assert_uint_eq(member(index_of(two), 1)->offset, 4);
    ck_assert_str_eq(member(index_of(two), 1)->name, "number");
}
END_TEST

/* 20 structs, each of which has the one before it twice: 2^20 floats. */
START_TEST(the_list_does_not_grow_with_the_nesting_of_types)
{
    uint32_t inner = FF, size = 8;

    MEMBER(FF, 0, SpvDecorationOffset, 0);
    MEMBER(FF, 1, SpvDecorationOffset, 4);
    for (uint32_t i = 0; i < 20; i++, size *= 2) {
        uint32_t outer = builder_id(&builder);

        MEMBER(outer, 0, SpvDecorationOffset, 0);
        MEMBER(outer, 1, SpvDecorationOffset, size);
        TYPE(SpvOpTypeStruct, outer, inner, inner);
        inner = outer;
    }
    add_block(inner, U32, size);
    reflect(NULL);
    ck_assert_uint_lt(reflection.member_count, 60);
}
END_TEST

START_TEST(push_constants_and_views_are_parts_with_members_too)
{
    MEMBER(FI, 0, SpvDecorationOffset, 0);
    MEMBER(FI, 1, SpvDecorationOffset, 8);
    add_push_constants((uint32_t[]){V4, FI}, (uint32_t[]){16, 0}, 2);
    MEMBER_NAME(&builder, S, 0, "colour");
    add_view(V4, 16, 0, 0, "wide");
    NAME(&builder, VALUE(P_BLOCK), "narrow");
    const struct trm_kernel_info *kernel = reflect(NULL);
    ck_assert_uint_eq(kernel->parameter_count, 4);
    ck_assert_uint_eq(reflection.members[2].member_count, 2);
    ck_assert_uint_eq(member(2, 1)->offset, 8);
    ck_assert_str_eq(reflection.members[3].name, "colour");
    ck_assert_uint_eq(reflection.members[3].components, 4);
    ck_assert_uint_eq(reflection.members[3].offset, 0);
    ck_assert_uint_eq(reflection.view_count, 1);
    ck_assert_str_eq(reflection.members[4].name, "narrow");
    ck_assert_uint_eq(member(4, 0)->array_stride, 4);
}
END_TEST

/* ---- the size of work-groups --------------------------------------------------------------- */

START_TEST(the_size_of_a_group_may_be_constants)
{
    struct spirv_module *module;
    struct trm_constant given = trm_constant_u32(NULL, 16);

    given.id = 3;
    DECORATE(950, SpvDecorationSpecId, 3);
    TYPE(SpvOpSpecConstant, U32, 950, 64);
    builder.count[PART_MODE] = 0;
    ADD(&builder, PART_MODE, SpvOpExecutionModeId, MAIN, SpvExecutionModeLocalSizeId, 950, U_2, U_1);
    ck_assert_uint_eq(reflect(NULL)->group_size[0], 64);
    ck_assert_int_eq(builder_read(&builder, &given, 1, &module), TRM_OK);
    ck_assert_uint_eq(module->entries[0].local_size[0], 16);
    ck_assert_uint_eq(module->entries[0].local_size[1], 2);
    again();
    builder.count[PART_MODE] = 0;
    ADD(&builder, PART_MODE, SpvOpExecutionModeId, MAIN, SpvExecutionModeLocalSizeId, F_1, U_2, U_1);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "not an integer");
}
END_TEST

START_TEST(the_built_in_size_of_a_group_wins)
{
    struct spirv_module *module;
    struct trm_constant given = trm_constant_u32(NULL, 16);

    given.id = 3;
    DECORATE(950, SpvDecorationSpecId, 3);
    DECORATE(951, SpvDecorationBuiltIn, SpvBuiltInWorkgroupSize);
    TYPE(SpvOpSpecConstant, U32, 950, 64);
    TYPE(SpvOpSpecConstantComposite, U3, 951, 950, U_2, U_3);
    ck_assert_uint_eq(reflect(NULL)->group_size[0], 64);
    ck_assert_uint_eq(reflect(NULL)->group_size[2], 3);
    ck_assert_int_eq(builder_read(&builder, &given, 1, &module), TRM_OK);
    ck_assert_uint_eq(module->entries[0].local_size[0], 16);
    again();
    DECORATE(951, SpvDecorationBuiltIn, SpvBuiltInWorkgroupSize);
    TYPE(SpvOpConstantComposite, U2, 951, U_2, U_3);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "not a vector of three");
}
END_TEST

/* ---- constants ----------------------------------------------------------------------------- */

START_TEST(constants_tell_number_name_type_and_default)
{
    DECORATE(950, SpvDecorationSpecId, 3);
    DECORATE(951, SpvDecorationSpecId, 1);
    DECORATE(952, SpvDecorationSpecId, 3);
    NAME(&builder, 952, "offset");
    TYPE(SpvOpSpecConstant, I32, 950, UINT32_MAX);
    TYPE(SpvOpSpecConstantTrue, BOOL, 951);
    TYPE(SpvOpSpecConstant, I32, 952, UINT32_MAX);
    reflect(NULL);
    ck_assert_uint_eq(reflection.constant_count, 2);
    ck_assert_uint_eq(reflection.constants[0].id, 1);
    ck_assert_int_eq(reflection.constants[0].type, TRM_TYPE_U32);
    ck_assert_uint_eq(reflection.constants[0].default_bits, 1);
    ck_assert_str_eq(reflection.constants[1].name, "offset");
    ck_assert_int_eq(reflection.constants[1].type, TRM_TYPE_I32);
    ck_assert_uint_eq(reflection.constants[1].default_bits, 0xffffffff);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: reflection");
    TCase *all   = tcase_create("reflection");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, a_kernel_has_a_name_a_size_and_parameters);
    tcase_add_test(all, only_main_gets_the_name_of_the_module);
    tcase_add_test(all, buffers_have_an_element_type_and_a_binding);
    tcase_add_test(all, a_buffer_has_the_name_of_its_instance_or_member_or_block);
    tcase_add_test(all, access_comes_from_the_buffer_or_all_its_members);
    tcase_add_test(all, buffers_come_in_the_order_of_set_and_binding);
    tcase_add_test(all, buffers_with_one_binding_are_one_parameter_of_the_widest_type);
    tcase_add_test(all, a_buffer_needs_what_its_views_need_together);
    tcase_add_test(all, views_are_written_volatile_and_coherent_together_and_never_restrict);
    tcase_add_test(all, buffer_blocks_and_uniform_buffers_are_buffers);
    tcase_add_test(all, a_buffer_of_several_members_has_no_type_of_its_own);
    tcase_add_test(all, elements_may_be_vectors_and_matrices);
    tcase_add_test(all, push_constants_are_parameters_in_the_order_of_their_offsets);
    tcase_add_test(all, structs_among_push_constants_are_blocks_without_a_type);
    tcase_add_test(all, there_is_one_block_of_push_constants);
    tcase_add_test(all, shared_memory_is_counted_as_c_lays_it_out);
    tcase_add_test(all, the_members_of_a_block_have_names_types_and_offsets);
    tcase_add_test(all, arrays_in_arrays_are_members_of_each_other);
    tcase_add_test(all, a_matrix_may_lie_by_rows);
    tcase_add_test(all, a_struct_that_is_used_twice_is_described_once);
    tcase_add_test(all, the_list_does_not_grow_with_the_nesting_of_types);
    tcase_add_test(all, push_constants_and_views_are_parts_with_members_too);
    tcase_add_test(all, the_size_of_a_group_may_be_constants);
    tcase_add_test(all, the_built_in_size_of_a_group_wins);
    tcase_add_test(all, constants_tell_number_name_type_and_default);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
