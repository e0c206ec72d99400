/* Names and decorations. They come before what they are said of, so they are kept by id until that is read.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/reader.h"

/* The decorations that compute kernels may have; those that are kept, and those that change nothing here. */
static const struct {
    uint16_t decoration;
    uint8_t literals;
    uint8_t is_kept;
} known[] = {
    {SpvDecorationRelaxedPrecision, 0, 1},
    {SpvDecorationSpecId, 1, 1},
    {SpvDecorationBlock, 0, 1},
    {SpvDecorationBufferBlock, 0, 1},
    {SpvDecorationRowMajor, 0, 1},
    {SpvDecorationColMajor, 0, 1},
    {SpvDecorationArrayStride, 1, 1},
    {SpvDecorationMatrixStride, 1, 1},
    {SpvDecorationGLSLShared, 0, 0},
    {SpvDecorationGLSLPacked, 0, 0},
    {SpvDecorationBuiltIn, 1, 1},
    {SpvDecorationNoPerspective, 0, 0},
    {SpvDecorationFlat, 0, 0},
    {SpvDecorationInvariant, 0, 0},
    {SpvDecorationRestrict, 0, 1},
    {SpvDecorationAliased, 0, 1},
    {SpvDecorationVolatile, 0, 1},
    {SpvDecorationCoherent, 0, 1},
    {SpvDecorationNonWritable, 0, 1},
    {SpvDecorationNonReadable, 0, 1},
    {SpvDecorationUniform, 0, 0},
    {SpvDecorationUniformId, 1, 0},
    {SpvDecorationLocation, 1, 0},
    {SpvDecorationComponent, 1, 0},
    {SpvDecorationBinding, 1, 1},
    {SpvDecorationDescriptorSet, 1, 1},
    {SpvDecorationOffset, 1, 1},
    {SpvDecorationFPRoundingMode, 1, 1},
    {SpvDecorationNoContraction, 0, 1},
    {SpvDecorationAlignment, 1, 0},
    {SpvDecorationNoSignedWrap, 0, 0},
    {SpvDecorationNoUnsignedWrap, 0, 0},
    {SpvDecorationNonUniform, 0, 0},
    {SpvDecorationRestrictPointer, 0, 0},
    {SpvDecorationAliasedPointer, 0, 0},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static int32_t keep(struct spirv_reader *reader, uint32_t id, struct spirv_decoration decoration)
{
    if (!base_arena_grow(reader->arena, &reader->decorations, reader->decoration_count,
                         &reader->decoration_capacity, sizeof(*reader->decorations)))
        return spirv_invalid(reader, "no memory");
    decoration.id                                   = id;
    decoration.next                                 = reader->first_decoration[id];
    decoration.at                                   = reader->at;
    reader->decorations[reader->decoration_count++] = decoration;
    reader->first_decoration[id]                    = reader->decoration_count;
    return TRM_OK;
}

static int32_t read_name(struct spirv_reader *reader, struct spirv_words words)
{
    uint32_t used;

    if (words.length < 3)
        return spirv_invalid(reader, "it is too short");
    int32_t status = spirv_id_in_range(reader, words.word[1]);
    if (status != TRM_OK)
        return status;
    const char *name = spirv_text(reader, words, 2, &used);
    if (name == NULL)
        return spirv_invalid(reader, "the name does not end");
    reader->module->ids[words.word[1]].name = name;
    return TRM_OK;
}

static int32_t read_member_name(struct spirv_reader *reader, struct spirv_words words)
{
    uint32_t used;

    if (words.length < 4)
        return spirv_invalid(reader, "it is too short");
    int32_t status = spirv_id_in_range(reader, words.word[1]);
    if (status != TRM_OK)
        return status;
    const char *name = spirv_text(reader, words, 3, &used);
    if (name == NULL)
        return spirv_invalid(reader, "the name does not end");
    return keep(reader, words.word[1],
                (struct spirv_decoration){.member = words.word[2], .kind = SPIRV_MEMBER_NAME, .name = name});
}

/* What is said at once of any kind of id. */
static int32_t note(struct spirv_reader *reader, uint32_t id, uint32_t decoration)
{
    if (decoration == SpvDecorationNoContraction)
        reader->module->ids[id].no_contraction = 1;
    else if (decoration == SpvDecorationRelaxedPrecision)
        reader->module->ids[id].relaxed = 1;
    else
        return 0;
    return 1;
}

static int32_t decorate(struct spirv_reader *reader, struct spirv_words words, uint32_t member,
                        uint32_t index)
{
    if (words.length <= index)
        return spirv_invalid(reader, "it is too short");
    uint32_t id = words.word[1], kind = words.word[index];
    int32_t status = spirv_id_in_range(reader, id);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < COUNT(known); i++) {
        if (known[i].decoration != kind)
            continue;
        if (words.length != index + 1 + known[i].literals)
            return spirv_invalid(reader, "decoration %u takes %u words and has %u", kind, known[i].literals,
                                 words.length - index - 1);
        uint32_t literal = known[i].literals != 0 ? words.word[index + 1] : 0;
        if (kind == SpvDecorationFPRoundingMode && literal != SpvFPRoundingModeRTE)
            return spirv_unsupported(reader, "rounding mode %u of a conversion", literal);
        if (!known[i].is_kept || (member == SPIRV_WHOLE && note(reader, id, kind)))
            return TRM_OK;
        return keep(reader, id,
                    (struct spirv_decoration){.member = member, .kind = kind, .literal = literal});
    }
    return spirv_unsupported(reader, "decoration %u", kind);
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
            return spirv_invalid(reader, "there is no such member");
        return decorate(reader, words, words.word[2], 3);
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        return TRM_OK; /* names for semantics of other languages */
    default:
        return spirv_unsupported(reader, "groups of decorations");
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
