/* Reads functions block by block. Checks the words of each instruction against the grammar, then the types
 * (spirv_check_types()). Labels, phis and dominance are checked at the end of the function
 * (spirv_check_flow()), calls at the end of the module (spirv_finish_functions()).
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/spirv/reader.h"

/* ---- functions and blocks ------------------------------------------------------------------ */

static int32_t begin_function(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_module *module = reader->module;

    if (reader->function != NULL)
        return spirv_invalid(reader, "the previous function has not ended");
    if (words.length != 5)
        return spirv_invalid(reader, "the instruction has %u words instead of 5", words.length);
    int32_t status = spirv_check_type_id(reader, words.word[4]);
    if (status == TRM_OK)
        status = spirv_check_type_id(reader, words.word[1]);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *type = spirv_type(module, words.word[4]);
    if (type->kind != SPIRV_FUNCTION || type->element != words.word[1])
        return spirv_invalid(reader, "the type is not a function type with that result");
    struct spirv_function *function = base_arena_allocate(reader->arena, 1, sizeof(*function));
    uint32_t *parameters            = base_arena_allocate(reader->arena, type->count, sizeof(*parameters));
    if (function == NULL || parameters == NULL)
        return spirv_invalid(reader, "out of memory");
    status = spirv_define(reader, words.word[2], SPIRV_ID_FUNCTION, 0);
    if (status != TRM_OK)
        return status;
    *function                             = (struct spirv_function){.id              = words.word[2],
                                                                    .type            = type->id,
                                                                    .result          = type->element,
                                                                    .parameters      = parameters,
                                                                    .parameter_count = type->count,
                                                                    .file            = reader->file,
                                                                    .line            = reader->line};
    module->ids[function->id].as.function = function;
    reader->function                      = function;
    reader->parameters                    = parameters;
    reader->parameters_read               = 0;
    reader->cross_use_count               = 0;
    return TRM_OK;
}

static int32_t read_parameter(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_function *function = reader->function;

    if (words.length != 3)
        return spirv_invalid(reader, "the instruction has %u words instead of 3", words.length);
    if (function->block_count != 0 || reader->block != NULL ||
        reader->parameters_read == function->parameter_count)
        return spirv_invalid(reader, "the function has no parameter here");
    uint32_t type = spirv_type(reader->module, function->type)->parameters[reader->parameters_read];
    if (words.word[1] != type)
        return spirv_invalid(reader, "the type differs from the parameter in the function's type");
    int32_t status = spirv_define(reader, words.word[2], SPIRV_ID_PARAMETER, type);
    if (status != TRM_OK)
        return status;
    reader->definitions[words.word[2]] =
        (struct spirv_definition){.function = reader->module->function_count + 1, .root = words.word[2]};
    reader->parameters[reader->parameters_read++] = words.word[2];
    return TRM_OK;
}

static int32_t begin_block(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_function *function = reader->function;

    if (reader->block != NULL)
        return spirv_invalid(reader, "the previous block has not ended");
    if (words.length != 2)
        return spirv_invalid(reader, "the instruction has %u words instead of 2", words.length);
    if (reader->parameters_read != function->parameter_count)
        return spirv_invalid(reader, "the function has %u parameters but its type has %u",
                             reader->parameters_read, function->parameter_count);
    struct spirv_block *block = base_arena_allocate(reader->arena, 1, sizeof(*block));
    if (block == NULL || !base_arena_grow(reader->arena, &function->blocks, function->block_count,
                                          &function->block_capacity, sizeof(struct spirv_block *)))
        return spirv_invalid(reader, "out of memory");
    int32_t status = spirv_define(reader, words.word[1], SPIRV_ID_BLOCK, 0);
    if (status != TRM_OK)
        return status;
    *block = (struct spirv_block){.label = words.word[1], .index = function->block_count};
    function->blocks[function->block_count++]  = block;
    reader->module->ids[block->label].as.block = block;
    reader->definitions[block->label] =
        (struct spirv_definition){.function = reader->module->function_count + 1, .block = block->index};
    reader->block             = block;
    reader->instruction_count = 0;
    return TRM_OK;
}

/* Copies the instructions into the block and points the ids of their results to them. */
static int32_t end_block(struct spirv_reader *reader)
{
    struct spirv_module *module = reader->module;
    struct spirv_block *block   = reader->block;
    uint32_t count              = reader->instruction_count;
    size_t bytes                = count * sizeof(*block->instructions);

    block->instructions = base_arena_allocate(reader->arena, count, sizeof(*block->instructions));
    if (block->instructions == NULL)
        return spirv_invalid(reader, "out of memory");
    memcpy(block->instructions, reader->instructions, bytes);
    block->count = block->capacity = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t result = block->instructions[i].result;
        if (result != 0 && module->ids[result].kind == SPIRV_ID_VALUE)
            module->ids[result].as.instruction = &block->instructions[i];
    }
    reader->block = NULL;
    reader->file = reader->line = 0;
    return TRM_OK;
}

static int32_t end_function(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_module *module     = reader->module;
    struct spirv_function *function = reader->function;

    if (words.length != 1)
        return spirv_invalid(reader, "the instruction has %u words instead of 1", words.length);
    if (reader->block != NULL)
        return spirv_invalid(reader, "the last block has not ended");
    if (function->block_count == 0)
        return spirv_invalid(reader, "the function has no blocks");
    int32_t status = spirv_check_flow(reader, function);
    if (status != TRM_OK)
        return status;
    if (!base_arena_grow(reader->arena, &module->functions, module->function_count,
                         &reader->function_capacity, sizeof(struct spirv_function *)))
        return spirv_invalid(reader, "out of memory");
    module->functions[module->function_count++] = function;
    reader->function                            = NULL;
    return TRM_OK;
}

/* ---- merges -------------------------------------------------------------------------------- */

static int32_t read_merge(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_block *block = reader->block;
    bool is_loop              = reader->opcode == SpvOpLoopMerge;

    if (words.length < (is_loop ? 4u : 3u) || (!is_loop && words.length != 3))
        return spirv_invalid(reader, "%u words are a wrong length for this instruction", words.length);
    if (block->merge != 0)
        return spirv_invalid(reader, "the block has two merges");
    block->merge       = reader->opcode;
    block->merge_block = words.word[1];
    int32_t status     = spirv_check_id(reader, words.word[1]);
    if (status == TRM_OK && is_loop) {
        status                = spirv_check_id(reader, words.word[2]);
        block->continue_block = words.word[2];
        block->unroll         = words.word[3];
    }
    return status;
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Records a use in another block than the definition, for spirv_check_flow() to check dominance. The first
 * block dominates all others. */
static int32_t record_use(struct spirv_reader *reader, uint32_t id)
{
    const struct spirv_definition *definition = &reader->definitions[id];
    uint32_t here                             = reader->block->index;

    if (definition->function == 0 || definition->block == 0 || definition->block == here)
        return TRM_OK;
    if (reader->cross_use_count != 0) {
        const struct spirv_cross_use *last = &reader->cross_uses[reader->cross_use_count - 1];
        if (last->from == definition->block && last->to == here)
            return TRM_OK;
    }
    if (!base_arena_grow(reader->arena, &reader->cross_uses, reader->cross_use_count,
                         &reader->cross_use_capacity, sizeof(*reader->cross_uses)))
        return spirv_invalid(reader, "out of memory");
    reader->cross_uses[reader->cross_use_count++] =
        (struct spirv_cross_use){definition->block, here, reader->at};
    return TRM_OK;
}

static int32_t check_value(struct spirv_reader *reader, uint32_t id)
{
    int32_t status = spirv_check_value_id(reader, id);

    return status == TRM_OK && id < reader->bound ? record_use(reader, id) : status;
}

static int32_t check_operand(struct spirv_reader *reader, char letter, uint32_t word)
{
    int32_t status;

    switch (letter) {
    case 'v':
        return check_value(reader, word);
    case 'c':
        return spirv_check_constant_id(reader, word);
    case 'l': /* the kind is checked at the end of the function */
    case 'f':
        return spirv_check_id(reader, word);
    case 'x':
        status = spirv_check_id(reader, word);
        if (status == TRM_OK && reader->module->ids[word].kind != SPIRV_ID_EXTENDED)
            return spirv_invalid(reader, "id %u is not a set of extended instructions", word);
        return status;
    case '!':
        return spirv_invalid(reader, "the instruction has the wrong number of operands");
    default:
        return TRM_OK;
    }
}

/* The values of a phi may be defined later. */
static int32_t check_phi(struct spirv_reader *reader, const struct spirv_instruction *phi)
{
    int32_t status = TRM_OK;

    if (phi->operand_count == 0 || phi->operand_count % 2 != 0)
        return spirv_invalid(reader, "the instruction has the wrong number of operands");
    if (reader->instruction_count != 0 &&
        reader->instructions[reader->instruction_count - 1].opcode != SpvOpPhi)
        return spirv_invalid(reader, "a phi must be at the beginning of its block");
    for (uint32_t i = 0; i < phi->operand_count && status == TRM_OK; i++)
        status = spirv_check_id(reader, phi->operands[i]);
    return status;
}

static int32_t check_operands(struct spirv_reader *reader, const struct spirv_grammar *grammar,
                              const struct spirv_instruction *instruction)
{
    struct spirv_operand_walk walk;

    if (grammar->rule == RULE_PHI)
        return check_phi(reader, instruction);
    spirv_walk_begin(&walk, grammar, instruction->operands, instruction->operand_count);
    for (;;) {
        uint32_t index = walk.index;
        char letter    = spirv_walk_next(&walk);
        if (letter == 0 || letter == 's')
            return TRM_OK;
        int32_t status = check_operand(reader, letter, letter != '!' ? instruction->operands[index] : 0);
        if (status != TRM_OK)
            return status;
    }
}

static int32_t add(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    if (!base_arena_grow(reader->arena, &reader->instructions, reader->instruction_count,
                         &reader->instruction_capacity, sizeof(*reader->instructions)))
        return spirv_invalid(reader, "out of memory");
    reader->instructions[reader->instruction_count++] = *instruction;
    return TRM_OK;
}

static int32_t record_call(struct spirv_reader *reader, const struct spirv_instruction *call)
{
    if (!base_arena_grow(reader->arena, &reader->calls, reader->call_count, &reader->call_capacity,
                         sizeof(*reader->calls)))
        return spirv_invalid(reader, "out of memory");
    reader->calls[reader->call_count++] =
        (struct spirv_call){reader->function, call->operands, call->operand_count, call->type, reader->at};
    return TRM_OK;
}

static int32_t define_result(struct spirv_reader *reader, struct spirv_words words,
                             const struct spirv_instruction *instruction)
{
    int32_t status;

    if (instruction->opcode == SpvOpVariable)
        status = spirv_read_variable(reader, words);
    else
        status = spirv_define(reader, instruction->result, SPIRV_ID_VALUE, instruction->type);
    if (status != TRM_OK)
        return status;
    struct spirv_definition *definition = &reader->definitions[instruction->result];
    *definition  = (struct spirv_definition){.function = reader->module->function_count + 1,
                                             .block    = reader->block->index,
                                             .root     = instruction->result};
    bool is_path = instruction->opcode == SpvOpAccessChain ||
                   instruction->opcode == SpvOpInBoundsAccessChain ||
                   instruction->opcode == SpvOpPtrAccessChain || instruction->opcode == SpvOpCopyObject ||
                   instruction->opcode == SpvOpImageTexelPointer;
    if (is_path || (instruction->operand_count != 0 && instruction->type != 0 &&
                    spirv_is_opaque(spirv_type(reader->module, instruction->type))))
        definition->root = reader->definitions[instruction->operands[0]].root;
    return TRM_OK;
}

static int32_t read_instruction(struct spirv_reader *reader, struct spirv_words words)
{
    const struct spirv_grammar *grammar = spirv_grammar(reader->opcode);
    char name[32];

    if (grammar == NULL)
        return spirv_unsupported(reader, "this instruction is not supported");
    if (grammar->needs != 0 && !spirv_has_capability(reader, grammar->needs) &&
        !(grammar->needs == SpvCapabilityGroupNonUniformArithmetic &&
          spirv_has_capability(reader, SpvCapabilityGroupNonUniformClustered)))
        return spirv_invalid(reader, "the capability %s is not declared",
                             spirv_capability_name(grammar->needs, name));
    uint32_t first = 1u + grammar->has_type + grammar->has_result;
    if (words.length < first)
        return spirv_invalid(reader, "the instruction is too short");
    struct spirv_instruction instruction = {.opcode        = (uint16_t)reader->opcode,
                                            .operand_count = (uint16_t)(words.length - first),
                                            .operands      = reader->copy + reader->at + first,
                                            .file          = reader->file,
                                            .line          = reader->line};
    int32_t status                       = TRM_OK;
    if (grammar->has_type) {
        instruction.type   = words.word[1];
        instruction.result = words.word[2];
        status             = spirv_check_type_id(reader, instruction.type);
    }
    if (status == TRM_OK)
        status = check_operands(reader, grammar, &instruction);
    if (status == TRM_OK)
        status = spirv_check_types(reader, grammar, &instruction);
    if (status == TRM_OK && grammar->has_result)
        status = define_result(reader, words, &instruction);
    if (status == TRM_OK && grammar->rule == RULE_CALL)
        status = record_call(reader, &instruction);
    if (status == TRM_OK)
        status = add(reader, &instruction);
    if (status == TRM_OK && reader->opcode == SpvOpControlBarrier)
        reader->function->has_barrier = true;
    return status == TRM_OK && grammar->is_terminator ? end_block(reader) : status;
}

/* OpNop, line information, and instructions of non-semantic sets. */
static bool is_ignored(const struct spirv_reader *reader, struct spirv_words words)
{
    switch (reader->opcode) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
        return true;
    case SpvOpExtInst:
    case SPIRV_OP_FORWARD_EXTENDED:
        return words.length >= 5 && words.word[3] != 0 && words.word[3] < reader->bound &&
               reader->module->ids[words.word[3]].kind == SPIRV_ID_EXTENDED &&
               reader->module->ids[words.word[3]].set == SPIRV_SET_IGNORED;
    default:
        return false;
    }
}

static int32_t read_in_block(struct spirv_reader *reader, struct spirv_words words)
{
    if (reader->block == NULL)
        return spirv_invalid(reader, "the instruction is in no block");
    if (reader->block->merge != 0 && reader->opcode != SpvOpBranch &&
        reader->opcode != SpvOpBranchConditional && reader->opcode != SpvOpSwitch)
        return spirv_invalid(reader, "only branches may follow a merge instruction");
    switch (reader->opcode) {
    case SpvOpUndef:
        return spirv_read_constant(reader, words);
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
        return read_merge(reader, words);
    default:
        return read_instruction(reader, words);
    }
}

int32_t spirv_read_function(struct spirv_reader *reader, struct spirv_words words)
{
    if (is_ignored(reader, words))
        return spirv_read_ignored(reader, words);
    if (reader->opcode == SpvOpFunction)
        return begin_function(reader, words);
    if (reader->function == NULL)
        return spirv_invalid(reader, "the instruction is outside of a function, after the first one");
    switch (reader->opcode) {
    case SpvOpFunctionParameter:
        return read_parameter(reader, words);
    case SpvOpLabel:
        return begin_block(reader, words);
    case SpvOpFunctionEnd:
        return end_function(reader, words);
    default:
        return read_in_block(reader, words);
    }
}
