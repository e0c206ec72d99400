/* SPDX-License-Identifier: MIT */
#include "compiler/lower/module.h"

#include <string.h>

#include "compiler/lower/group.h"
#include "compiler/lower/lower.h"

static bool is_type(uint32_t opcode)
{
    return (opcode >= SpvOpTypeVoid && opcode <= SpvOpTypeFunction) ||
           opcode == SPIRV_OpTypeCooperativeMatrixKHR || opcode == GROUP_OP_TYPE_LAYOUT ||
           opcode == GROUP_OP_TYPE_VIEW;
}

bool lower_is_preamble(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpNop:
    case SpvOpSourceContinued:
    case SpvOpSource:
    case SpvOpSourceExtension:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpString:
    case SpvOpExtension:
    case SpvOpExtInstImport:
    case SpvOpMemoryModel:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpCapability:
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpModuleProcessed:
    case SpvOpExecutionModeId:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        return true;
    default:
        return false;
    }
}

/* SPV_NV_cooperative_matrix2 and SPV_NV_tensor_addressing, which the reader does not know. */
static bool is_of_group(uint32_t opcode)
{
    return opcode == GROUP_OP_CONVERT || opcode == GROUP_OP_REDUCE || opcode == GROUP_OP_LOAD_TENSOR ||
           opcode == GROUP_OP_PER_ELEMENT || opcode == GROUP_OP_TRANSPOSE || group_is_layout_opcode(opcode);
}

uint32_t lower_result_word(uint32_t opcode)
{
    if (is_type(opcode))
        return 1;
    if (is_of_group(opcode))
        return 2;
    if ((opcode >= SpvOpConstantTrue && opcode <= SpvOpSpecConstantOp) || opcode == SpvOpUndef ||
        opcode == SpvOpVariable || opcode == SpvOpFunctionParameter)
        return 2;
    return spirv_has_type(opcode) ? 2 : 0;
}

static bool scan_one(struct lower_words *module, uint32_t position)
{
    const uint32_t *at = module->words + position;
    uint32_t word      = lower_result_word(lower_opcode(at));

    if (word == 0)
        return true;
    if (lower_length(at) <= word || at[word] >= module->bound || module->defined_at[at[word]] != 0)
        return false;
    module->defined_at[at[word]] = position;
    return true;
}

bool lower_scan(struct lower_words *module, struct base_arena *arena, const uint32_t *words, uint32_t count)
{
    *module = (struct lower_words){.arena = arena, .words = words, .count = count, .functions = count};
    if (count < LOWER_HEADER_WORDS || words[3] > SPIRV_BOUND_MOST)
        return false;
    module->bound      = words[3];
    module->defined_at = base_arena_allocate(arena, module->bound, sizeof(*module->defined_at));
    if (module->defined_at == NULL)
        return false;
    for (uint32_t i = LOWER_HEADER_WORDS; i < count; i += lower_length(words + i)) {
        uint32_t length = lower_length(words + i);
        if (length == 0 || length > count - i || !scan_one(module, i))
            return false;
        if (lower_opcode(words + i) == SpvOpFunction && module->functions == count)
            module->functions = i;
    }
    return true;
}

const uint32_t *lower_definition(const struct lower_words *module, uint32_t id, uint32_t opcode,
                                 uint32_t words)
{
    const uint32_t *at = id < module->bound ? module->words + module->defined_at[id] : module->words;

    return at != module->words && lower_opcode(at) == opcode && lower_length(at) >= words ? at : NULL;
}

uint32_t lower_type_of(const struct lower_words *module, uint32_t id)
{
    uint32_t position = id < module->bound ? module->defined_at[id] : 0;

    return position != 0 && !is_type(lower_opcode(module->words + position)) ? module->words[position + 1]
                                                                             : 0;
}

void lower_put_words(struct lower_writer *writer, const uint32_t *words, uint32_t count)
{
    memcpy(writer->words + writer->count, words, count * sizeof(*words));
    writer->count += count;
}

void lower_put(struct lower_writer *writer, uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    writer->words[writer->count++] = (count + 1) << SpvWordCountShift | opcode;
    lower_put_words(writer, operands, count);
}

/* The capabilities that only this room declares. */
static int32_t refuse_own(const uint32_t *words, uint32_t count)
{
    char name[32], opcode[32];

    for (uint32_t i = LOWER_HEADER_WORDS; i < count; i += lower_length(words + i)) {
        if (lower_length(words + i) == 0 || lower_length(words + i) > count - i ||
            lower_opcode(words + i) == SpvOpFunction)
            break;
        if (lower_opcode(words + i) == SpvOpCapability && lower_length(words + i) == 2 &&
            (words[i + 1] == SPIRV_CapabilityBufferAddresses ||
             words[i + 1] == SPIRV_CapabilityMatrixSubgroups))
            return base_fail(
                TRM_ERROR_UNSUPPORTED, "SPIR-V, word %u (%s): the capability %s is not supported", i,
                spirv_opcode_name(SpvOpCapability, opcode), spirv_capability_name(words[i + 1], name));
    }
    return TRM_OK;
}

int32_t lower_module(struct base_arena *arena, const uint32_t **words, uint32_t *count)
{
    int32_t status = refuse_own(*words, *count);
    if (status != TRM_OK)
        return status;
    lower_trinary(arena, words, count);
    lower_samples(arena, words, count);
    lower_group(arena, words, count);
    lower_bfloats(arena, words, count);
    status = spirv_strip(arena, words, count);
    if (status != TRM_OK)
        return status;
    lower_bindings(arena, words, *count);
    return arena->failed ? base_arena_fail(arena, "reading SPIR-V") : TRM_OK;
}
