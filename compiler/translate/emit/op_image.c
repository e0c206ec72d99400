/* Images and samplers (the prelude's image.inc; op_sample.c has what reads through samplers).
 *
 * A storage image or texel buffer is a struct trm_texels, a sampled image a struct trm_texture, and a sampler
 * its state: constants of the kernel that have the variable's name. An element of an array of them is made of
 * its words where an instruction uses it. A texel is a struct trm_texel_f32 of its own, from which the
 * components of the result are taken.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/image.h>

#include "compiler/translate/emit/op.h"

static const struct spirv_type *type_behind(const struct emit *emit, uint32_t variable)
{
    return spirv_descriptor_of(emit->module, variable);
}

/* ---- parameters */

const char *emit_opaque_type(struct emit *emit, uint32_t variable)
{
    const struct spirv_type *type = type_behind(emit, variable);

    emit_need(emit, "image_words");
    if (type->kind == SPIRV_SAMPLER)
        return "uint32_t";
    if (type->image->is_storage || type->image->type == TRM_IMAGE_BUFFER)
        return "struct trm_texels";
    return "struct trm_texture";
}

const char *emit_opaque_value(struct emit *emit, uint32_t variable, const char *words)
{
    const struct spirv_type *type = type_behind(emit, variable);
    const char *function          = "texture_of";

    if (type->kind == SPIRV_SAMPLER)
        return base_arena_format(emit->arena, "(uint32_t)%s.state", words);
    if (type->image->type == TRM_IMAGE_BUFFER)
        function = "texels_of_span";
    else if (type->image->is_storage)
        function = "texels_of_image";
    emit_need(emit, function);
    return base_arena_format(emit->arena, "trm_%s(%s)", function, words);
}

/* ---- the operands of an instruction */

/* Finds the name of an image. An element of an array is declared here. */
static int32_t name_image(struct emit *emit, const struct access *access, struct emit_image *image)
{
    const char *words;

    if (emit_levels(emit, access->variable) == 0) {
        image->name = emit_name(emit, access->variable);
        return TRM_OK;
    }
    image->name    = base_arena_format(emit->arena, "trm_image_%u", emit->element_count++);
    int32_t status = emit_element_words(emit, access, &words, &image->check);
    if (status != TRM_OK)
        return status;
    const char *type  = emit_opaque_type(emit, access->variable);
    const char *value = emit_opaque_value(emit, access->variable, words);
    if (image->name != NULL && value != NULL)
        text_line(&emit->text, "const %s %s = %s;", type, image->name, value);
    return TRM_OK;
}

/* The state of the sampler that the image's instruction uses. */
static int32_t find_state(struct emit *emit, struct emit_image *image)
{
    const struct access *access  = image->access;
    const struct access selected = {.variable = access->sampler,
                                    .count    = access->sampler_count,
                                    .indices  = access->indices + access->count - access->sampler_count};
    const char *words, *check;

    if (access->sampler == 0) {
        image->state = base_arena_format(emit->arena, "%s.state", image->name);
        return TRM_OK;
    }
    if (emit_levels(emit, access->sampler) == 0) {
        image->state = emit_name(emit, access->sampler);
        return TRM_OK;
    }
    int32_t status = emit_element_words(emit, &selected, &words, &check);
    if (status == TRM_OK) {
        emit_opaque_type(emit, access->sampler); /* notes that it is needed */
        image->state = emit_opaque_value(emit, access->sampler, words);
    }
    return status;
}

/* Takes the instruction apart. */
static int32_t open_image(struct emit *emit, const struct spirv_instruction *op, struct emit_image *image)
{
    const struct access *access = body_access(emit->body, op->operands[0]);

    if (access == NULL || access->variable == 0)
        return emit_fail(emit, "the image is not a variable");
    const struct spirv_type *type = type_behind(emit, access->variable);
    const struct spirv_type *only =
        type->kind == SPIRV_SAMPLED_IMAGE ? spirv_type(emit->module, type->element) : type;
    *image         = (struct emit_image){.access     = access,
                                         .type       = type->image,
                                         .tag        = emit_tag(spirv_type(emit->module, only->element)),
                                         .operands   = spirv_image_operands(op),
                                         .coordinate = op->operand_count > 1 ? op->operands[1] : 0};
    bool is_fixed  = type->image->is_storage && type->image->format != TRM_FORMAT_NONE;
    int32_t status = name_image(emit, access, image);
    if (status == TRM_OK)
        status = find_state(emit, image);
    image->any = is_fixed ? "" : "any_";
    if (is_fixed)
        image->format =
            base_arena_format(emit->arena, "%u, %d", type->image->texel_bytes, type->image->format);
    else
        image->format = base_arena_format(emit->arena, "%s.bytes, %s.format", image->name, image->name);
    return status;
}

/* Those of a single texel: the last one of a cube is a layer. */
static uint32_t texel_coordinates_of(const struct emit_image *image)
{
    return image->type->is_cube ? 3 : emit_coordinates(image);
}

/* ---- single texels */

/* Writes a component of the coordinate with its offset. */
static int32_t write_texel_coordinate(struct emit *emit, const struct emit_image *image, uint32_t number)
{
    uint32_t offset    = number < image->type->dimensions ? image->operands.offset : 0;
    uint32_t component = emit_component(emit, image->coordinate, number);
    int32_t status;

    if (offset == 0 && emit->language == TRM_LANGUAGE_C)
        return emit_index_part(emit, image->coordinate, component);
    if (offset == 0)
        return emit_signed(emit, image->coordinate, component);
    text_add(&emit->text, "(int32_t)(");
    status = emit_unsigned(emit, image->coordinate, component, false);
    text_add(&emit->text, " + ");
    if (status == TRM_OK)
        status = emit_unsigned(emit, offset, emit_component(emit, offset, number), false);
    text_add(&emit->text, ")");
    return status;
}

/* Writes the place of the texel at the coordinate, in a struct trm_texels: "trm_at2(&s_a, 4, x, y)". */
static int32_t write_texel_place(struct emit *emit, const struct emit_image *image, const char *texels,
                                 const char *bytes)
{
    uint32_t count = texel_coordinates_of(image);
    int32_t status = TRM_OK;

    emit_part(emit, count == 2 && image->type->is_array ? "at%ua" : "at%u",
              count == 2 && image->type->is_array ? 1 : count);
    text_add(&emit->text, "(&%s, %s", texels, bytes);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, ", ");
        status = write_texel_coordinate(emit, image, i);
    }
    text_add(&emit->text, ")");
    return status;
}

static const char *bytes_of(struct emit *emit, const struct emit_image *image, const char *texels)
{
    return image->type->is_storage && image->type->texel_bytes != 0
               ? base_arena_format(emit->arena, "%u", image->type->texel_bytes)
               : base_arena_format(emit->arena, "%s.bytes", texels);
}

int32_t emit_texel_place(struct emit *emit, const struct access *access, const char **place,
                         const char **check)
{
    struct emit_image image = {.access     = access,
                               .type       = type_behind(emit, access->variable)->image,
                               .coordinate = access->indices[access->count - 1]};
    int32_t status          = name_image(emit, access, &image);
    size_t length           = emit->text.length;

    if (status == TRM_OK)
        status = write_texel_place(emit, &image, image.name, bytes_of(emit, &image, image.name));
    *check = image.check;
    *place = emit_detach(emit, length);
    return status;
}

void emit_take_texel(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t count = emit_components(emit, op->type);

    for (uint32_t i = 0; i < count; i++) {
        emit_begin(emit, op->result, count > 1 ? i : WHOLE);
        text_add(&emit->text, "trm_t%u.%c;\n", op->result, "xyzw"[i]);
    }
    emit_assigned(emit, op->result);
}

void emit_begin_texel(struct emit *emit, const struct spirv_instruction *op, const struct emit_image *image)
{
    text_begin_line(&emit->text);
    text_add(&emit->text, "const struct ");
    emit_part(emit, "texel_%s", image->tag);
    text_add(&emit->text, " trm_t%u = ", op->result);
}

static bool is_zero(const struct emit *emit, uint32_t id)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);

    return constant != NULL && constant->bits == 0;
}

/* The struct trm_texels from which a fetch reads: that of the first level, or one that is declared here. */
static int32_t find_level(struct emit *emit, const struct spirv_instruction *op,
                          const struct emit_image *image, uint32_t level, const char **texels)
{
    int32_t status;

    *texels = base_arena_format(emit->arena, "%s.base", image->name);
    if (level == 0 || is_zero(emit, level))
        return TRM_OK;
    *texels = base_arena_format(emit->arena, "trm_level%u", op->result);
    text_begin_line(&emit->text);
    text_add(&emit->text, "const struct trm_texels %s = ", *texels == NULL ? "" : *texels);
    emit_part(emit, "texture_level");
    text_add(&emit->text, "(&%s, ", image->name);
    status = emit_unsigned(emit, level, WHOLE, false);
    text_add(&emit->text, ");\n");
    return status;
}

/* CUDA's loads may be from a cache that is not coherent; in C memory always is. */
static bool is_fresh(const struct emit *emit, const struct emit_image *image)
{
    const struct spirv_variable *variable = emit->module->ids[image->access->variable].as.variable;

    return emit->language == TRM_LANGUAGE_CUDA && (variable->is_coherent || variable->is_volatile);
}

/* OpImageRead, OpImageFetch. */
static int32_t read_texel(struct emit *emit, const struct spirv_instruction *op,
                          const struct emit_image *image)
{
    bool is_texture    = !image->type->is_storage && image->type->type != TRM_IMAGE_BUFFER;
    const char *texels = image->name, *bytes;
    int32_t status     = TRM_OK;

    if (is_texture)
        status = find_level(emit, op, image, image->operands.lod, &texels);
    bytes = bytes_of(emit, image, texels);
    if (status != TRM_OK || texels == NULL || bytes == NULL)
        return status;
    emit_begin_texel(emit, op, image);
    emit_part(emit, "read_%s%s", is_fresh(emit, image) ? "fresh_" : image->any, image->tag);
    text_add(&emit->text, "(");
    status = write_texel_place(emit, image, texels, bytes);
    if (is_texture)
        text_add(&emit->text, ", %s, %s.format);\n", bytes, texels);
    else
        text_add(&emit->text, ", %s);\n", image->format);
    emit_take_texel(emit, op);
    return status;
}

/* Components that the value lacks are zeros. */
static int32_t write_texel(struct emit *emit, const struct spirv_instruction *op,
                           const struct emit_image *image)
{
    uint32_t value = op->operands[2], count = emit_components(emit, emit->module->ids[value].type);
    int32_t status;

    text_begin_line(&emit->text);
    if (image->check != NULL)
        text_add(&emit->text, "if (%s) ", image->check);
    emit_part(emit, "write_%s%s", image->any, image->tag);
    text_add(&emit->text, "(");
    status = write_texel_place(emit, image, image->name, bytes_of(emit, image, image->name));
    text_add(&emit->text, ", %s", image->format);
    for (uint32_t i = 0; i < 4 && status == TRM_OK; i++) {
        text_add(&emit->text, i < count ? ", " : ", 0");
        if (i < count)
            status = emit_operand(emit, value, count > 1 ? i : WHOLE);
    }
    text_add(&emit->text, ");\n");
    return status;
}

/* ---- queries */

static int32_t query_size(struct emit *emit, const struct spirv_instruction *op,
                          const struct emit_image *image)
{
    uint32_t count     = emit_coordinates(image) - image->type->is_cube;
    const char *texels = image->name;
    int32_t status     = TRM_OK;

    if (op->opcode == SpvOpImageQuerySizeLod)
        status = find_level(emit, op, image, op->operands[1], &texels);
    for (uint32_t i = 0; i < count && texels != NULL && status == TRM_OK; i++) {
        bool is_depth = i == 2 || i == image->type->dimensions; /* or layers */
        emit_begin(emit, op->result, count > 1 ? i : WHOLE);
        text_add(&emit->text, "(%s)%s%s.%s%s;\n", emit_type_name(emit, op->type),
                 is_depth && image->type->is_cube ? "(" : "", texels,
                 is_depth ? "depth"
                 : i == 1 ? "height"
                          : "width",
                 is_depth && image->type->is_cube ? " / 6u)" : "");
    }
    emit_assigned(emit, op->result);
    return status;
}

static int32_t query_levels(struct emit *emit, const struct spirv_instruction *op,
                            const struct emit_image *image)
{
    emit_begin(emit, op->result, WHOLE);
    text_add(&emit->text, "(%s)%s.levels;\n", emit_type_name(emit, op->type), image->name);
    emit_assigned(emit, op->result);
    return TRM_OK;
}

int32_t emit_image(struct emit *emit, const struct spirv_instruction *op)
{
    struct emit_image image = {.access = NULL};

    if (op->result != 0 && !emit_is_used(emit, op->result))
        return TRM_OK;
    int32_t status = open_image(emit, op, &image);
    if (status != TRM_OK || image.type == NULL)
        return status;
    switch (op->opcode) {
    case SpvOpImageRead:
    case SpvOpImageFetch:
        return read_texel(emit, op, &image);
    case SpvOpImageWrite:
        return write_texel(emit, op, &image);
    case SpvOpImageQuerySizeLod:
    case SpvOpImageQuerySize:
        return query_size(emit, op, &image);
    case SpvOpImageQueryLevels:
        return query_levels(emit, op, &image);
    default:
        return emit_sample(emit, op, &image);
    }
}
