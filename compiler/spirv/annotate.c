/* Reads names and decorations. They precede the ids that they apply to, so the reader stores them by id until
 * it reads the definition.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/reader.h"

#define GROUPED_MOST 16u /* decorations for each word of the module */

/* The supported decorations. The reader checks and then drops those that are not kept: they do not change the
 * result of a compute kernel. */
static const struct {
    uint16_t decoration;
    uint8_t literals;
    bool is_kept;
} known[] = {
    {SpvDecorationRelaxedPrecision, 0, true},
    {SpvDecorationSpecId, 1, true},
    {SpvDecorationBlock, 0, true},
    {SpvDecorationBufferBlock, 0, true},
    {SpvDecorationRowMajor, 0, true},
    {SpvDecorationColMajor, 0, true},
    {SpvDecorationArrayStride, 1, true},
    {SpvDecorationMatrixStride, 1, true},
    {SpvDecorationGLSLShared, 0, false},
    {SpvDecorationGLSLPacked, 0, false},
    {SpvDecorationBuiltIn, 1, true},
    {SpvDecorationNoPerspective, 0, false},
    {SpvDecorationFlat, 0, false},
    {SpvDecorationInvariant, 0, false},
    {SpvDecorationRestrict, 0, true},
    {SpvDecorationAliased, 0, true},
    {SpvDecorationVolatile, 0, true},
    {SpvDecorationCoherent, 0, true},
    {SpvDecorationNonWritable, 0, true},
    {SpvDecorationNonReadable, 0, true},
    {SpvDecorationUniform, 0, false},
    {SpvDecorationUniformId, 1, false},
    {SpvDecorationLocation, 1, false},
    {SpvDecorationComponent, 1, false},
    {SpvDecorationBinding, 1, true},
    {SpvDecorationDescriptorSet, 1, true},
    {SpvDecorationOffset, 1, true},
    {SpvDecorationFPRoundingMode, 1, true},
    {SpvDecorationNoContraction, 0, true},
    {SpvDecorationAlignment, 1, false},
    {SpvDecorationNoSignedWrap, 0, false},
    {SpvDecorationNoUnsignedWrap, 0, false},
    {SpvDecorationNonUniform, 0, false},
    {SpvDecorationRestrictPointer, 0, false},
    {SpvDecorationAliasedPointer, 0, false},
    {SpvDecorationCounterBuffer, 1, false},
};

static int32_t add_decoration(struct spirv_reader *reader, uint32_t id, struct spirv_decoration decoration)
{
    if (!base_arena_grow(reader->arena, &reader->decorations, reader->decoration_count,
                         &reader->decoration_capacity, sizeof(*reader->decorations)))
        return spirv_invalid(reader, "out of memory");
    decoration.id                                   = id;
    decoration.next                                 = reader->first_decoration[id];
    decoration.at                                   = reader->at;
    reader->decorations[reader->decoration_count++] = decoration;
    reader->first_decoration[id]                    = reader->decoration_count;
    return TRM_OK;
}

/* The name of the id in word 1 that begins at a word of the instruction. */
static int32_t find_name(struct spirv_reader *reader, struct spirv_words words, uint32_t first,
                         const char **name)
{
    uint32_t used;

    if (words.length <= first)
        return spirv_invalid(reader, "the instruction is too short");
    int32_t status = spirv_check_id(reader, words.word[1]);
    if (status != TRM_OK)
        return status;
    *name = spirv_text(reader, words, first, &used);
    return *name != NULL ? TRM_OK : spirv_invalid(reader, "the name does not end within the instruction");
}

static int32_t read_name(struct spirv_reader *reader, struct spirv_words words)
{
    const char *name = NULL;

    int32_t status = find_name(reader, words, 2, &name);
    if (status == TRM_OK)
        reader->module->ids[words.word[1]].name = name;
    return status;
}

static int32_t read_member_name(struct spirv_reader *reader, struct spirv_words words)
{
    const char *name = NULL;

    int32_t status = find_name(reader, words, 3, &name);
    if (status != TRM_OK)
        return status;
    return add_decoration(
        reader, words.word[1],
        (struct spirv_decoration){.member = words.word[2], .kind = SPIRV_MEMBER_NAME, .name = name});
}

/* Stores a decoration that any kind of id can have in the id itself. False: not such a decoration. */
static bool set_id_flag(struct spirv_reader *reader, uint32_t id, uint32_t decoration)
{
    if (decoration == SpvDecorationNoContraction)
        reader->module->ids[id].no_contraction = true;
    else if (decoration == SpvDecorationRelaxedPrecision)
        reader->module->ids[id].relaxed = true;
    else
        return false;
    return true;
}

static int32_t decorate(struct spirv_reader *reader, struct spirv_words words, uint32_t member,
                        uint32_t index)
{
    if (words.length <= index)
        return spirv_invalid(reader, "the instruction is too short");
    uint32_t id = words.word[1], kind = words.word[index];
    int32_t status = spirv_check_id(reader, id);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < SPIRV_COUNT(known); i++) {
        if (known[i].decoration != kind)
            continue;
        if (words.length != index + 1 + known[i].literals)
            return spirv_invalid(reader, "decoration %u takes %u words but has %u", kind, known[i].literals,
                                 words.length - index - 1);
        uint32_t literal = known[i].literals != 0 ? words.word[index + 1] : 0;
        if (kind == SpvDecorationFPRoundingMode && literal != SpvFPRoundingModeRTE)
            return spirv_unsupported(reader, "rounding mode %u of a conversion is not supported; only RTE is",
                                     literal);
        if (!known[i].is_kept || (member == SPIRV_WHOLE && set_id_flag(reader, id, kind)))
            return TRM_OK;
        return add_decoration(reader, id,
                              (struct spirv_decoration){.member = member, .kind = kind, .literal = literal});
    }
    return spirv_unsupported(reader, "decoration %u is not supported", kind);
}

/* Gives a target the decorations of a group, which precede it. A member's flags are not kept. */
static int32_t decorate_target(struct spirv_reader *reader, uint32_t group, uint32_t target, uint32_t member)
{
    struct spirv_id *info = NULL;
    int32_t status        = spirv_check_id(reader, target);

    if (status != TRM_OK)
        return status;
    info = &reader->module->ids[target];
    if (member == SPIRV_WHOLE) {
        info->no_contraction |= reader->module->ids[group].no_contraction;
        info->relaxed |= reader->module->ids[group].relaxed;
    }
    if (reader->decoration_count / GROUPED_MOST > reader->count)
        return spirv_unsupported(reader, "groups make too many decorations");
    for (uint32_t at = reader->first_decoration[group]; at != 0 && status == TRM_OK;) {
        struct spirv_decoration copy = reader->decorations[at - 1];
        at                           = copy.next;
        copy.member                  = member;
        status                       = add_decoration(reader, target, copy);
    }
    return status;
}

static int32_t read_group(struct spirv_reader *reader, struct spirv_words words)
{
    uint32_t step = reader->opcode == SpvOpGroupMemberDecorate ? 2 : 1;

    if (words.length < 2 || (words.length - 2) % step != 0)
        return spirv_invalid(reader, "%u words are a wrong length for this instruction", words.length);
    uint32_t group = words.word[1];
    int32_t status = spirv_check_id(reader, group);
    if (status == TRM_OK && reader->module->ids[group].kind != SPIRV_ID_DECORATIONS)
        return spirv_invalid(reader, "id %u is not a group of decorations", group);
    for (uint32_t i = 2; i < words.length && status == TRM_OK; i += step) {
        uint32_t member = step == 2 ? words.word[i + 1] : SPIRV_WHOLE;
        if (words.word[i] == group || (step == 2 && member == SPIRV_WHOLE))
            return spirv_invalid(reader, "the instruction names no valid target");
        status = decorate_target(reader, group, words.word[i], member);
    }
    return status;
}

static int32_t define_group(struct spirv_reader *reader, struct spirv_words words)
{
    if (words.length != 2)
        return spirv_invalid(reader, "the instruction has %u words instead of 2", words.length);
    return spirv_define(reader, words.word[1], SPIRV_ID_DECORATIONS, 0);
}

int32_t spirv_read_annotation(struct spirv_reader *reader, struct spirv_words words)
{
    switch (words.word[0] & 0xffff) {
    case SpvOpName:
        return read_name(reader, words);
    case SpvOpMemberName:
        return read_member_name(reader, words);
    case SpvOpDecorate:
    case SpvOpDecorateId:
        return decorate(reader, words, SPIRV_WHOLE, 2);
    case SpvOpMemberDecorate:
        if (words.length < 3 || words.word[2] == SPIRV_WHOLE)
            return spirv_invalid(reader, "the instruction names no valid member");
        return decorate(reader, words, words.word[2], 3);
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        return TRM_OK; /* names of HLSL semantics */
    case SpvOpDecorationGroup:
        return define_group(reader, words);
    default: /* OpGroupDecorate, OpGroupMemberDecorate */
        return read_group(reader, words);
    }
}

const struct spirv_decoration *spirv_decoration_first(const struct spirv_reader *reader, uint32_t id)
{
    uint32_t index = reader->first_decoration[id];

    return index != 0 ? &reader->decorations[index - 1] : NULL;
}

const struct spirv_decoration *spirv_decoration_next(const struct spirv_reader *reader,
                                                     const struct spirv_decoration *decoration)
{
    return decoration->next != 0 ? &reader->decorations[decoration->next - 1] : NULL;
}
