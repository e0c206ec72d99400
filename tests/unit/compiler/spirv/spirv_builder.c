/* Builds small SPIR-V modules for tests.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/spirv/spirv_builder.h"

#include <string.h>

#include "base/allocate.h"

void builder_add(struct builder *builder, enum builder_part part, uint32_t opcode, const uint32_t *operands,
                 uint32_t count)
{
    uint32_t *to = builder->words[part] + builder->count[part];

    ck_assert_uint_le(builder->count[part] + count + 1, BUILDER_WORDS);
    to[0] = (count + 1) << 16 | opcode;
    if (count != 0)
        memcpy(to + 1, operands, count * sizeof(*to));
    builder->count[part] += count + 1;
}

void builder_add_text(struct builder *builder, enum builder_part part, uint32_t opcode,
                      const uint32_t *operands, uint32_t count, const char *text)
{
    uint32_t words[256] = {0};
    size_t length       = strlen(text);
    uint32_t text_words = (uint32_t)(length / 4 + 1);

    ck_assert_uint_le(count + text_words, 256);
    if (count != 0)
        memcpy(words, operands, count * sizeof(*words));
    for (size_t i = 0; i < length; i++)
        words[count + i / 4] |= (uint32_t)(unsigned char)text[i] << i % 4 * 8;
    builder_add(builder, part, opcode, words, count + text_words);
}

uint32_t builder_id(struct builder *builder)
{
    return builder->next++;
}

static void add_numbers(struct builder *b)
{
    ADD(b, PART_TYPE, SpvOpTypeVoid, VOID);
    ADD(b, PART_TYPE, SpvOpTypeFunction, FUNCTION, VOID);
    ADD(b, PART_TYPE, SpvOpTypeBool, BOOL);
    ADD(b, PART_TYPE, SpvOpTypeVector, BOOL2, BOOL, 2);
    ADD(b, PART_TYPE, SpvOpTypeInt, U32, 32, 0);
    ADD(b, PART_TYPE, SpvOpTypeVector, U2, U32, 2);
    ADD(b, PART_TYPE, SpvOpTypeVector, U3, U32, 3);
    ADD(b, PART_TYPE, SpvOpTypeVector, U4, U32, 4);
    ADD(b, PART_TYPE, SpvOpTypeInt, I32, 32, 1);
    ADD(b, PART_TYPE, SpvOpTypeVector, I2, I32, 2);
    ADD(b, PART_TYPE, SpvOpTypeFloat, F32, 32);
    ADD(b, PART_TYPE, SpvOpTypeVector, V2, F32, 2);
    ADD(b, PART_TYPE, SpvOpTypeVector, V3, F32, 3);
    ADD(b, PART_TYPE, SpvOpTypeVector, V4, F32, 4);
    ADD(b, PART_TYPE, SpvOpTypeMatrix, M2, V2, 2);
    ADD(b, PART_TYPE, SpvOpTypeMatrix, M2X3, V3, 2);
    ADD(b, PART_TYPE, SpvOpTypeMatrix, M3X2, V2, 3);
    ADD(b, PART_TYPE, SpvOpConstant, U32, U_1, 1);
    ADD(b, PART_TYPE, SpvOpConstant, U32, U_2, 2);
    ADD(b, PART_TYPE, SpvOpConstant, U32, U_3, 3);
    ADD(b, PART_TYPE, SpvOpConstant, U32, U_4, 4);
    ADD(b, PART_TYPE, SpvOpConstant, I32, I_MINUS_1, UINT32_MAX);
    ADD(b, PART_TYPE, SpvOpConstant, F32, F_1, 0x3f800000);
    ADD(b, PART_TYPE, SpvOpConstantTrue, BOOL, TRUE_BOOL);
}

static void add_composites(struct builder *b)
{
    ADD(b, PART_TYPE, SpvOpTypeStruct, UU, U32, U32);
    ADD(b, PART_TYPE, SpvOpTypeStruct, FF, F32, F32);
    ADD(b, PART_TYPE, SpvOpTypeStruct, FI, F32, I32);
    ADD(b, PART_TYPE, SpvOpTypeArray, FLOATS, F32, U_4);
    ADD(b, PART_TYPE, SpvOpTypeStruct, NESTED, FLOATS, V4);
    ADD(b, PART_DECORATION, SpvOpDecorate, RUNTIME, SpvDecorationArrayStride, 4);
    ADD(b, PART_TYPE, SpvOpTypeRuntimeArray, RUNTIME, F32);
    ADD(b, PART_DECORATION, SpvOpDecorate, BLOCK, SpvDecorationBlock);
    ADD(b, PART_DECORATION, SpvOpMemberDecorate, BLOCK, 0, SpvDecorationOffset, 0);
    ADD(b, PART_TYPE, SpvOpTypeStruct, BLOCK, RUNTIME);
    ADD(b, PART_DECORATION, SpvOpDecorate, BLOCK_U, SpvDecorationBlock);
    ADD(b, PART_DECORATION, SpvOpMemberDecorate, BLOCK_U, 0, SpvDecorationOffset, 0);
    ADD(b, PART_TYPE, SpvOpTypeStruct, BLOCK_U, U32);
}

static void add_pointers(struct builder *b)
{
    ADD(b, PART_TYPE, SpvOpTypePointer, P_BLOCK, SpvStorageClassStorageBuffer, BLOCK);
    ADD(b, PART_TYPE, SpvOpTypePointer, P_ELEMENT, SpvStorageClassStorageBuffer, F32);
    ADD(b, PART_TYPE, SpvOpTypePointer, P_BLOCK_U, SpvStorageClassStorageBuffer, BLOCK_U);
    ADD(b, PART_TYPE, SpvOpTypePointer, P_WORD, SpvStorageClassStorageBuffer, U32);
    ADD(b, PART_TYPE, SpvOpTypePointer, P_F32, SpvStorageClassFunction, F32);
    ADD(b, PART_TYPE, SpvOpTypePointer, P_I32, SpvStorageClassFunction, I32);
    ADD(b, PART_TYPE, SpvOpTypePointer, P_U32, SpvStorageClassFunction, U32);
    ADD(b, PART_TYPE, SpvOpTypePointer, P_V4, SpvStorageClassFunction, V4);
    ADD(b, PART_TYPE, SpvOpTypePointer, P_NESTED, SpvStorageClassFunction, NESTED);
    ADD(b, PART_DECORATION, SpvOpDecorate, VALUE(P_BLOCK), SpvDecorationDescriptorSet, 0);
    ADD(b, PART_DECORATION, SpvOpDecorate, VALUE(P_BLOCK), SpvDecorationBinding, 0);
    ADD(b, PART_TYPE, SpvOpVariable, P_BLOCK, VALUE(P_BLOCK), SpvStorageClassStorageBuffer);
    ADD(b, PART_DECORATION, SpvOpDecorate, VALUE(P_BLOCK_U), SpvDecorationDescriptorSet, 0);
    ADD(b, PART_DECORATION, SpvOpDecorate, VALUE(P_BLOCK_U), SpvDecorationBinding, 1);
    ADD(b, PART_TYPE, SpvOpVariable, P_BLOCK_U, VALUE(P_BLOCK_U), SpvStorageClassStorageBuffer);
}

static void add_values(struct builder *b)
{
    for (uint32_t type = BOOL; type <= NESTED; type++)
        ADD(b, PART_TYPE, SpvOpConstantNull, type, VALUE(type));
}

static void begin(struct builder *b)
{
    memset(b, 0, sizeof(*b));
    b->version = 0x00010300;
    b->next    = FIRST_FREE;
    base_arena_init(&b->arena, &base_system_allocator);
    ADD(b, PART_CAPABILITY, SpvOpCapability, SpvCapabilityShader);
    builder_add_text(b, PART_IMPORT, SpvOpExtInstImport, (const uint32_t[]){GLSL}, 1, "GLSL.std.450");
    ADD(b, PART_MODEL, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    builder_add_text(b, PART_ENTRY, SpvOpEntryPoint, (const uint32_t[]){SpvExecutionModelGLCompute, MAIN}, 2,
                     "main");
    ADD(b, PART_MODE, SpvOpExecutionMode, MAIN, SpvExecutionModeLocalSize, 4, 2, 1);
    add_numbers(b);
    add_composites(b);
    add_pointers(b);
    add_values(b);
}

void builder_begin_raw(struct builder *b)
{
    begin(b);
    b->is_raw = true;
}

void builder_begin(struct builder *b)
{
    begin(b);
    CODE(b, SpvOpFunction, VOID, MAIN, SpvFunctionControlMaskNone, FUNCTION);
    CODE(b, SpvOpLabel, MAIN_LABEL);
    for (uint32_t type = P_F32; type < TYPES_END; type++)
        CODE(b, SpvOpVariable, type, VALUE(type), SpvStorageClassFunction);
    CODE(b, SpvOpAccessChain, P_ELEMENT, VALUE(P_ELEMENT), VALUE(P_BLOCK), VALUE(U32), U_1);
    CODE(b, SpvOpAccessChain, P_WORD, VALUE(P_WORD), VALUE(P_BLOCK_U), VALUE(U32));
}

void builder_end(struct builder *builder)
{
    base_arena_fini(&builder->arena);
}

uint32_t *builder_words(struct builder *builder, uint32_t *count)
{
    uint32_t total = 5;

    if (!builder->is_raw) {
        CODE0(builder, SpvOpReturn);
        CODE0(builder, SpvOpFunctionEnd);
        builder->is_raw = true;
    }
    for (uint32_t part = 0; part < PART_COUNT; part++)
        total += builder->count[part];
    uint32_t *words = base_arena_allocate(&builder->arena, total, sizeof(*words));
    ck_assert_ptr_nonnull(words);
    words[0]    = SpvMagicNumber;
    words[1]    = builder->version;
    words[3]    = builder->next;
    uint32_t at = 5;
    for (uint32_t part = 0; part < PART_COUNT; part++) {
        memcpy(words + at, builder->words[part], builder->count[part] * sizeof(*words));
        at += builder->count[part];
    }
    *count = total;
    return words;
}

int32_t builder_read(struct builder *builder, const struct trm_constant *constants, uint32_t count,
                     struct spirv_module **module)
{
    uint32_t word_count;
    uint32_t *words = builder_words(builder, &word_count);

    *module = NULL;
    return spirv_read(&builder->arena, words, word_count, constants, count, module);
}

struct spirv_module *builder_accept(struct builder *builder)
{
    struct spirv_module *module;
    int32_t status = builder_read(builder, NULL, 0, &module);

    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    return module;
}

void builder_refuse(struct builder *builder, int32_t expected, const char *part)
{
    struct spirv_module *module;
    int32_t status = builder_read(builder, NULL, 0, &module);

    ck_assert_msg(status == expected, "%s instead of %s (%s)", trm_status_name(status),
                  trm_status_name(expected), status != TRM_OK ? trm_last_error().sentence : "");
    ck_assert_msg(strstr(trm_last_error().sentence, part) != NULL, "\"%s\" does not have \"%s\"",
                  trm_last_error().sentence, part);
}
