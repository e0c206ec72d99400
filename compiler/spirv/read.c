/* Reads a module: the header, and then the instructions in the order of sections that SPIR-V requires.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "compiler/spirv/reader.h"

#define HEADER_WORDS 5u
#define MATCH_BUDGET 1000000u
#define VERSION_MOST 0x00010600u

/* The sections of a module in their required order. */
enum section {
    SECTION_ANYWHERE = 0,
    SECTION_CAPABILITY,
    SECTION_EXTENSION,
    SECTION_IMPORT,
    SECTION_MEMORY_MODEL,
    SECTION_ENTRY,
    SECTION_MODE,
    SECTION_DEBUG,
    SECTION_ANNOTATION,
    SECTION_TYPES,
    SECTION_FUNCTIONS,
};

static enum section section_of(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
        return SECTION_ANYWHERE;
    case SpvOpCapability:
        return SECTION_CAPABILITY;
    case SpvOpExtension:
        return SECTION_EXTENSION;
    case SpvOpExtInstImport:
        return SECTION_IMPORT;
    case SpvOpMemoryModel:
        return SECTION_MEMORY_MODEL;
    case SpvOpEntryPoint:
        return SECTION_ENTRY;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return SECTION_MODE;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpModuleProcessed:
        return SECTION_DEBUG;
    case SpvOpDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorate:
    case SpvOpMemberDecorateString:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
        return SECTION_ANNOTATION;
    default:
        if (opcode >= SpvOpTypeVoid && opcode <= SpvOpTypeForwardPointer)
            return SECTION_TYPES;
        if (opcode >= SpvOpConstantTrue && opcode <= SpvOpSpecConstantOp)
            return SECTION_TYPES;
        if (opcode == SpvOpTypeCooperativeMatrixNV || opcode == SPIRV_OpTypeCooperativeMatrixKHR)
            return SECTION_TYPES;
        return SECTION_FUNCTIONS;
    }
}

/* Variables, OpUndef and OpExtInst may stand before functions and inside them. */
static enum section section_here(const struct spirv_reader *reader)
{
    switch (reader->opcode) {
    case SpvOpVariable:
    case SpvOpUndef:
    case SpvOpExtInst:
    case SPIRV_OP_FORWARD_EXTENDED:
        return reader->section == SECTION_FUNCTIONS ? SECTION_FUNCTIONS : SECTION_TYPES;
    default:
        return section_of(reader->opcode);
    }
}

static int32_t read_type_section(struct spirv_reader *reader, struct spirv_words words)
{
    switch (reader->opcode) {
    case SpvOpVariable:
        return spirv_read_variable(reader, words);
    case SpvOpExtInst:
    case SPIRV_OP_FORWARD_EXTENDED:
        return spirv_read_ignored(reader, words);
    case SpvOpUndef:
        return spirv_read_constant(reader, words);
    default:
        return reader->opcode >= SpvOpConstantTrue && reader->opcode <= SpvOpSpecConstantOp
                   ? spirv_read_constant(reader, words)
                   : spirv_read_type(reader, words);
    }
}

static int32_t read_instruction(struct spirv_reader *reader, struct spirv_words words)
{
    enum section section = section_here(reader);
    int32_t status       = TRM_OK;

    if (section == SECTION_ANYWHERE)
        return reader->section == SECTION_FUNCTIONS ? spirv_read_function(reader, words)
                                                    : spirv_read_ignored(reader, words);
    if (section < reader->section)
        return spirv_invalid(reader, "the instruction comes too late in the module");
    if (section >= SECTION_DEBUG && !reader->has_memory_model)
        return spirv_invalid(reader, "the module has no memory model");
    if (section >= SECTION_TYPES && reader->specialisation_ids == NULL)
        status = spirv_match_specialisations(reader);
    if (status != TRM_OK)
        return status;
    if (section == SECTION_FUNCTIONS && reader->section != SECTION_FUNCTIONS)
        status = spirv_check_forwards(reader);
    if (status != TRM_OK)
        return status;
    reader->section = section;
    switch (section) {
    case SECTION_FUNCTIONS:
        return spirv_read_function(reader, words);
    case SECTION_TYPES:
        return read_type_section(reader, words);
    case SECTION_ANNOTATION:
        return spirv_read_annotation(reader, words);
    case SECTION_DEBUG:
        if (reader->opcode == SpvOpName || reader->opcode == SpvOpMemberName)
            return spirv_read_annotation(reader, words);
        return spirv_read_ignored(reader, words);
    default:
        return spirv_read_preamble(reader, words);
    }
}

static int32_t read_all(struct spirv_reader *reader)
{
    for (reader->at = HEADER_WORDS; reader->at < reader->count;) {
        struct spirv_words words = {reader->words + reader->at, reader->words[reader->at] >> 16};
        reader->opcode           = words.word[0] & 0xffff;
        if (words.length == 0 || words.length > reader->count - reader->at)
            return spirv_invalid(reader, "a length of %u words is 0 or goes beyond the end of the module",
                                 words.length);
        int32_t status = read_instruction(reader, words);
        if (status != TRM_OK)
            return status;
        reader->at += words.length;
    }
    return TRM_OK;
}

static int32_t read_header(struct spirv_reader *reader)
{
    const uint32_t *words = reader->words;

    if (reader->count < HEADER_WORDS || words[0] != SpvMagicNumber)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "not SPIR-V: the header is missing");
    if (words[1] < 0x00010000 || (words[1] & 0xff0000ff) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "not SPIR-V: the version is 0x%08x", words[1]);
    if (words[1] > VERSION_MOST)
        return base_fail(TRM_ERROR_UNSUPPORTED, "SPIR-V %u.%u is not supported: it is newer than 1.6",
                         words[1] >> 16 & 0xff, words[1] >> 8 & 0xff);
    if (words[3] == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "SPIR-V, word 3: the bound of ids is 0");
    if (words[3] > SPIRV_BOUND_MOST)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "SPIR-V, word 3: a module of more than %u ids is not supported", SPIRV_BOUND_MOST);
    if (words[4] != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "SPIR-V, word 4: the schema is %u instead of 0",
                         words[4]);
    return TRM_OK;
}

static int32_t prepare(struct spirv_reader *reader)
{
    struct base_arena *arena    = reader->arena;
    struct spirv_module *module = base_arena_allocate(arena, 1, sizeof(*module));
    uint32_t bound              = reader->words[3];

    if (module == NULL)
        return base_arena_fail(arena, "reading SPIR-V");
    module->arena            = arena;
    module->version          = reader->words[1];
    module->bound            = bound;
    module->id_capacity      = bound;
    module->ids              = base_arena_allocate(arena, bound, sizeof(*module->ids));
    reader->module           = module;
    reader->bound            = bound;
    reader->match_budget     = MATCH_BUDGET;
    reader->copy             = base_arena_allocate(arena, reader->count, sizeof(*reader->copy));
    reader->definitions      = base_arena_allocate(arena, bound, sizeof(*reader->definitions));
    reader->first_decoration = base_arena_allocate(arena, bound, sizeof(*reader->first_decoration));
    if (arena->failed)
        return base_arena_fail(arena, "reading SPIR-V");
    memcpy(reader->copy, reader->words, reader->count * sizeof(*reader->copy));
    return TRM_OK;
}

int32_t spirv_read(struct base_arena *arena, const uint32_t *words, uint32_t count,
                   const struct trm_constant *constants, uint32_t constant_count,
                   struct spirv_module **module)
{
    struct spirv_reader reader = {.arena                = arena,
                                  .words                = words,
                                  .count                = count,
                                  .specialisations      = constants,
                                  .specialisation_count = constant_count};
    int32_t status             = read_header(&reader);

    if (status == TRM_OK)
        status = prepare(&reader);
    if (status == TRM_OK)
        status = read_all(&reader);
    if (status == TRM_OK)
        status = spirv_link_views(&reader);
    if (status == TRM_OK)
        status = spirv_finish_functions(&reader);
    if (status == TRM_OK)
        status = spirv_finish_entries(&reader);
    if (status == TRM_OK)
        status = spirv_lower_addresses(&reader);
    if (status == TRM_OK && arena->failed)
        status = base_arena_fail(arena, "reading SPIR-V");
    if (status != TRM_OK)
        return status;
    reader.module->capabilities     = reader.capabilities;
    reader.module->capability_count = reader.capability_count;
    *module                         = reader.module;
    return TRM_OK;
}
