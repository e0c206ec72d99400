/* Reads debug information: lines and strings for messages. Ignores the rest.
 * SPDX-License-Identifier: MIT
 */
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

#include "compiler/spirv/reader.h"

static int32_t read_string(struct spirv_reader *reader, struct spirv_words words)
{
    uint32_t used;

    if (words.length < 3)
        return spirv_invalid(reader, "the instruction is too short");
    int32_t status = spirv_define(reader, words.word[1], SPIRV_ID_STRING, 0);
    if (status != TRM_OK)
        return status;
    const char *text = spirv_text(reader, words, 2, &used);
    if (text == NULL)
        return spirv_invalid(reader, "the string does not end within the instruction");
    reader->module->ids[words.word[1]].text = text;
    return TRM_OK;
}

static int32_t read_line(struct spirv_reader *reader, struct spirv_words words)
{
    if (words.length != 4)
        return spirv_invalid(reader, "the instruction has %u words instead of 4", words.length);
    int32_t status = spirv_check_id(reader, words.word[1]);
    if (status != TRM_OK)
        return status;
    if (reader->module->ids[words.word[1]].kind != SPIRV_ID_STRING)
        return spirv_invalid(reader, "id %u is not a string", words.word[1]);
    reader->file = words.word[1];
    reader->line = words.word[2];
    return TRM_OK;
}

/* Reads DebugSource and DebugLine of NonSemantic.Shader.DebugInfo.100. Ignores those whose operands are not
 * defined. */
static void read_debug_info(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_module *module = reader->module;
    uint32_t bound              = reader->bound;

    if (words.word[4] == NonSemanticShaderDebugInfo100DebugSource && words.length >= 6) {
        if (reader->source_files == NULL)
            reader->source_files = base_arena_allocate(reader->arena, bound, sizeof(uint32_t));
        if (reader->source_files != NULL && words.word[5] < bound &&
            module->ids[words.word[5]].kind == SPIRV_ID_STRING)
            reader->source_files[words.word[2]] = words.word[5];
    } else if (words.word[4] == NonSemanticShaderDebugInfo100DebugLine && words.length >= 7) {
        uint32_t source = words.word[5], line = words.word[6];
        if (reader->source_files == NULL || source >= bound || line >= bound ||
            reader->source_files[source] == 0 || module->ids[line].kind != SPIRV_ID_CONSTANT)
            return;
        reader->file = reader->source_files[source];
        reader->line = (uint32_t)module->ids[line].as.constant->bits;
    } else if (words.word[4] == NonSemanticShaderDebugInfo100DebugNoLine) {
        reader->file = reader->line = 0;
    }
}

/* Reads an OpExtInst of a non-semantic set. Only other such instructions can use its id, so the id gets no
 * kind. */
static int32_t read_extended(struct spirv_reader *reader, struct spirv_words words)
{
    if (words.length < 5)
        return spirv_invalid(reader, "the instruction is too short");
    int32_t status = spirv_check_id(reader, words.word[2]);
    if (status == TRM_OK)
        status = spirv_check_id(reader, words.word[3]);
    if (status != TRM_OK)
        return status;
    const struct spirv_id *set = &reader->module->ids[words.word[3]];
    if (set->kind != SPIRV_ID_EXTENDED)
        return spirv_invalid(reader, "id %u is not a set of extended instructions", words.word[3]);
    if (set->set != SPIRV_SET_IGNORED)
        return spirv_invalid(reader, "an instruction of GLSL.std.450 is outside of a function");
    if (reader->module->ids[words.word[2]].kind != SPIRV_ID_NONE)
        return spirv_invalid(reader, "id %u is defined twice", words.word[2]);
    read_debug_info(reader, words);
    return TRM_OK;
}

int32_t spirv_read_ignored(struct spirv_reader *reader, struct spirv_words words)
{
    switch (words.word[0] & 0xffff) {
    case SpvOpString:
        return read_string(reader, words);
    case SpvOpLine:
        return read_line(reader, words);
    case SpvOpNoLine:
        reader->file = reader->line = 0;
        return TRM_OK;
    case SpvOpExtInst:
    case SPIRV_OP_FORWARD_EXTENDED:
        return read_extended(reader, words);
    default:
        return TRM_OK;
    }
}
