/* Images and samplers (the prelude's image.inc and sample.inc).
 *
 * A storage image or texel buffer is a struct trm_texels, a sampled image a struct trm_texture, and a sampler
 * its state: constants of the kernel that have the variable's name. An element of an array of them is made of its
 * words where an instruction uses it. A texel is a struct trm_texel_f32 of its
 * own, from which the components of the result are taken.
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

struct image {
    const struct access *access;
    const struct spirv_image *type;
    const char *name;   /* of the image's variable, or of the constant that is the element of an array */
    const char *check;  /* the condition under which there is such an element; NULL: there is */
    const char *tag;    /* "f32": what a texel is read as */
    const char *state;  /* the sampler's */
    const char *format; /* "4, 9": the bytes of a texel and its format */
    const char *any;    /* "any_" when the format is known at run time only */
    struct spirv_image_operands operands;
    uint32_t coordinate;
};

/* Finds the name of an image. An element of an array is declared here. */
static int32_t name_image(struct emit *emit, const struct access *access, struct image *image)
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
static int32_t find_state(struct emit *emit, struct image *image)
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
static int32_t open_image(struct emit *emit, const struct spirv_instruction *op, struct image *image)
{
    const struct access *access = body_access(emit->body, op->operands[0]);

    if (access == NULL || access->variable == 0)
        return emit_fail(emit, "the image is not a variable");
    const struct spirv_type *type = type_behind(emit, access->variable);
    const struct spirv_type *only =
        type->kind == SPIRV_SAMPLED_IMAGE ? spirv_type(emit->module, type->element) : type;
    *image         = (struct image){.access     = access,
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

static uint32_t coordinates_of(const struct image *image)
{
    return image->type->dimensions + image->type->is_array;
}

/* The component of a value that may be a scalar. */
static uint32_t component_of(const struct emit *emit, uint32_t id, uint32_t component)
{
    return spirv_type_of(emit->module, id)->kind == SPIRV_VECTOR ? component : WHOLE;
}

/* ---- single texels */

/* Writes a component of the coordinate with its offset. */
static int32_t write_texel_coordinate(struct emit *emit, const struct image *image, uint32_t number)
{
    uint32_t offset    = number < image->type->dimensions ? image->operands.offset : 0;
    uint32_t component = component_of(emit, image->coordinate, number);
    int32_t status;

    if (offset == 0 && emit->language == TRM_LANGUAGE_C)
        return emit_index_part(emit, image->coordinate, component);
    if (offset == 0)
        return emit_signed(emit, image->coordinate, component);
    text_add(&emit->text, "(int32_t)(");
    status = emit_unsigned(emit, image->coordinate, component, false);
    text_add(&emit->text, " + ");
    if (status == TRM_OK)
        status = emit_unsigned(emit, offset, component_of(emit, offset, number), false);
    text_add(&emit->text, ")");
    return status;
}

/* Writes the place of the texel at the coordinate, in a struct trm_texels: "trm_at2(&s_a, 4, x, y)". */
static int32_t write_texel_place(struct emit *emit, const struct image *image, const char *texels,
                                 const char *bytes)
{
    uint32_t count = coordinates_of(image);
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

static const char *bytes_of(struct emit *emit, const struct image *image, const char *texels)
{
    return image->type->is_storage && image->type->texel_bytes != 0
               ? base_arena_format(emit->arena, "%u", image->type->texel_bytes)
               : base_arena_format(emit->arena, "%s.bytes", texels);
}

int32_t emit_texel_place(struct emit *emit, const struct access *access, const char **place,
                         const char **check)
{
    struct image image = {.access     = access,
                          .type       = type_behind(emit, access->variable)->image,
                          .coordinate = access->indices[access->count - 1]};
    int32_t status     = name_image(emit, access, &image);
    size_t length      = emit->text.length;

    if (status == TRM_OK)
        status = write_texel_place(emit, &image, image.name, bytes_of(emit, &image, image.name));
    *check = image.check;
    *place = emit_detach(emit, length);
    return status;
}

/* Writes the assignments of the result's components from the texel "trm_t12". */
static void take_texel(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t count = emit_components(emit, op->type);

    for (uint32_t i = 0; i < count; i++) {
        emit_begin(emit, op->result, count > 1 ? i : WHOLE);
        text_add(&emit->text, "trm_t%u.%c;\n", op->result, "xyzw"[i]);
    }
    emit_assigned(emit, op->result);
}

/* Begins the declaration of the texel: "const struct trm_texel_f32 trm_t12 = ". */
static void begin_texel(struct emit *emit, const struct spirv_instruction *op, const struct image *image)
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
static int32_t find_level(struct emit *emit, const struct spirv_instruction *op, const struct image *image,
                          uint32_t level, const char **texels)
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
static bool is_fresh(const struct emit *emit, const struct image *image)
{
    const struct spirv_variable *variable = emit->module->ids[image->access->variable].as.variable;

    return emit->language == TRM_LANGUAGE_CUDA && (variable->is_coherent || variable->is_volatile);
}

/* OpImageRead, OpImageFetch. */
static int32_t read_texel(struct emit *emit, const struct spirv_instruction *op, const struct image *image)
{
    bool is_texture    = !image->type->is_storage && image->type->type != TRM_IMAGE_BUFFER;
    const char *texels = image->name, *bytes;
    int32_t status     = TRM_OK;

    if (is_texture)
        status = find_level(emit, op, image, image->operands.lod, &texels);
    bytes = bytes_of(emit, image, texels);
    if (status != TRM_OK || texels == NULL || bytes == NULL)
        return status;
    begin_texel(emit, op, image);
    emit_part(emit, "read_%s%s", is_fresh(emit, image) ? "fresh_" : image->any, image->tag);
    text_add(&emit->text, "(");
    status = write_texel_place(emit, image, texels, bytes);
    if (is_texture)
        text_add(&emit->text, ", %s, %s.format);\n", bytes, texels);
    else
        text_add(&emit->text, ", %s);\n", image->format);
    take_texel(emit, op);
    return status;
}

/* Components that the value lacks are zeros. */
static int32_t write_texel(struct emit *emit, const struct spirv_instruction *op, const struct image *image)
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

/* ---- sampling */

/* Writes the components of a vector, or as many zeros as it lacks. */
static int32_t write_components(struct emit *emit, uint32_t id, uint32_t count, uint32_t all)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < all && status == TRM_OK; i++) {
        text_add(&emit->text, id != 0 && i < count ? ", " : ", 0");
        if (id != 0 && i < count)
            status = emit_value(emit, id, component_of(emit, id, i));
    }
    return status;
}

/* Writes ", u, v": the coordinate, which a projection divides by its last component. */
static int32_t write_place(struct emit *emit, const struct spirv_instruction *op, const struct image *image)
{
    bool is_projected =
        op->opcode == SpvOpImageSampleProjExplicitLod || op->opcode == SpvOpImageSampleProjImplicitLod;
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < coordinates_of(image) && status == TRM_OK; i++) {
        text_add(&emit->text, ", ");
        status = emit_value(emit, image->coordinate, component_of(emit, image->coordinate, i));
        if (!is_projected || status != TRM_OK)
            continue;
        text_add(&emit->text, " / ");
        status = emit_value(emit, image->coordinate, image->type->dimensions);
    }
    return status;
}

/* Writes the level of detail; 0 where the shader leaves it to derivatives, which work-items do not have. */
static int32_t write_detail(struct emit *emit, const struct image *image)
{
    uint32_t dimensions = image->type->dimensions;
    int32_t status;

    if (image->operands.lod != 0)
        return emit_value(emit, image->operands.lod, WHOLE);
    if (image->operands.grad_x == 0) {
        text_add(&emit->text, "0.0f");
        return TRM_OK;
    }
    emit_part(emit, "gradients");
    text_add(&emit->text, "(&%s, %s", image->name, image->state);
    status = write_components(emit, image->operands.grad_x, dimensions, 3);
    if (status == TRM_OK)
        status = write_components(emit, image->operands.grad_y, dimensions, 3);
    text_add(&emit->text, ")");
    return status;
}

static int32_t write_offset(struct emit *emit, const struct image *image)
{
    uint32_t offset = image->operands.offset;
    int32_t status  = TRM_OK;

    for (uint32_t i = 0; i < image->type->dimensions && status == TRM_OK; i++) {
        text_add(&emit->text, offset != 0 ? ", " : ", 0");
        if (offset != 0)
            status = emit_signed(emit, offset, component_of(emit, offset, i));
    }
    return status;
}

/* Whether textures of this type are among those of emit_plain_format(). */
static bool may_be_plain(const struct emit *emit, const struct spirv_image *image, const char *tag)
{
    return emit->language == TRM_LANGUAGE_C && image->dimensions == 2 && !image->is_array &&
           image->type != TRM_IMAGE_BUFFER && strcmp(tag, "f32") == 0;
}

const char *emit_plain_format(struct emit *emit, uint32_t variable, const char *name)
{
    const struct spirv_type *type = type_behind(emit, variable);

    if (type->kind == SPIRV_SAMPLER) {
        emit_need(emit, "plain_state");
        return base_arena_format(emit->arena, "trm_plain_state(%s) ? trm_plain : 0", name);
    }
    if (type->image == NULL)
        return NULL;
    const struct spirv_type *only =
        type->kind == SPIRV_SAMPLED_IMAGE ? spirv_type(emit->module, type->element) : type;
    if (type->image->is_storage ||
        !may_be_plain(emit, type->image, emit_tag(spirv_type(emit->module, only->element))))
        return NULL;
    emit_need(emit, "plain_texture");
    if (type->kind != SPIRV_SAMPLED_IMAGE)
        return base_arena_format(emit->arena, "trm_plain & trm_plain_texture(&%s)", name);
    emit_need(emit, "plain_state");
    return base_arena_format(
        emit->arena, "trm_plain_state(%s.state) ? trm_plain & trm_plain_texture(&%s) : 0", name, name);
}

/* Elements of arrays are chosen at run time, and are not looked at before. */
static bool is_element(const struct emit *emit, const struct access *access)
{
    return emit_levels(emit, access->variable) != 0 ||
           (access->sampler != 0 && emit_levels(emit, access->sampler) != 0);
}

static int32_t sample(struct emit *emit, const struct spirv_instruction *op, const struct image *image)
{
    int32_t status;

    begin_texel(emit, op, image);
    if (may_be_plain(emit, image->type, image->tag) && !is_element(emit, image->access)) {
        emit_need(emit, "plain_kernel");
        emit_part(emit, "plain2_f32");
        text_add(&emit->text, "(trm_plain, &%s, %s, ", image->name, image->state);
    } else {
        emit_part(emit, "sample%u%s_%s", image->type->dimensions, image->type->is_array ? "a" : "",
                  image->tag);
        text_add(&emit->text, "(&%s, %s, ", image->name, image->state);
    }
    status = write_detail(emit, image);
    if (status == TRM_OK)
        status = write_place(emit, op, image);
    if (status == TRM_OK)
        status = write_offset(emit, image);
    text_add(&emit->text, ");\n");
    take_texel(emit, op);
    return status;
}

/* Writes one call of trm_gather. */
static int32_t write_gather(struct emit *emit, const struct spirv_instruction *op, const struct image *image,
                            uint32_t offset)
{
    struct image moved = *image;
    int32_t status;

    moved.operands.offset = offset;
    emit_part(emit, "gather_%s", image->tag);
    text_add(&emit->text, "(&%s, %s, %u", image->name, image->state,
             (uint32_t)spirv_constant(emit->module, op->operands[2])->bits);
    status = write_components(emit, image->coordinate, 2, 2);
    text_add(&emit->text, ", ");
    if (!image->type->is_array) {
        text_add(&emit->text, "0");
    } else if (status == TRM_OK) {
        emit_part(emit, "layer_of");
        text_add(&emit->text, "(&%s, ", image->name);
        status = emit_value(emit, image->coordinate, 2);
        text_add(&emit->text, ")");
    }
    if (status == TRM_OK)
        status = write_offset(emit, &moved);
    text_add(&emit->text, ")");
    return status;
}

/* With four offsets each of them selects the texel that is the last of a gather. */
static int32_t gather(struct emit *emit, const struct spirv_instruction *op, const struct image *image)
{
    const struct spirv_constant *offsets =
        image->operands.offsets != 0 ? spirv_constant(emit->module, image->operands.offsets) : NULL;
    int32_t status = TRM_OK;

    begin_texel(emit, op, image);
    if (offsets == NULL || offsets->part_count != 4) {
        status = write_gather(emit, op, image, image->operands.offset);
    } else {
        text_add(&emit->text, "{");
        for (uint32_t i = 0; i < 4 && status == TRM_OK; i++) {
            text_add(&emit->text, i == 0 ? "" : ", ");
            status = write_gather(emit, op, image, offsets->parts[i]);
            text_add(&emit->text, ".w");
        }
        text_add(&emit->text, "}");
    }
    text_add(&emit->text, ";\n");
    take_texel(emit, op);
    return status;
}

/* ---- queries */

static int32_t query_size(struct emit *emit, const struct spirv_instruction *op, const struct image *image)
{
    uint32_t count     = coordinates_of(image);
    const char *texels = image->name;
    int32_t status     = TRM_OK;

    if (op->opcode == SpvOpImageQuerySizeLod)
        status = find_level(emit, op, image, op->operands[1], &texels);
    for (uint32_t i = 0; i < count && texels != NULL && status == TRM_OK; i++) {
        bool is_depth = i == 2 || i == image->type->dimensions; /* or layers */
        emit_begin(emit, op->result, count > 1 ? i : WHOLE);
        text_add(&emit->text, "(%s)%s.%s;\n", emit_type_name(emit, op->type), texels,
                 is_depth ? "depth"
                 : i == 1 ? "height"
                          : "width");
    }
    emit_assigned(emit, op->result);
    return status;
}

static int32_t query_levels(struct emit *emit, const struct spirv_instruction *op, const struct image *image)
{
    emit_begin(emit, op->result, WHOLE);
    text_add(&emit->text, "(%s)%s.levels;\n", emit_type_name(emit, op->type), image->name);
    emit_assigned(emit, op->result);
    return TRM_OK;
}

int32_t emit_image(struct emit *emit, const struct spirv_instruction *op)
{
    struct image image = {.access = NULL};

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
    case SpvOpImageGather:
        return gather(emit, op, &image);
    case SpvOpImageQuerySizeLod:
    case SpvOpImageQuerySize:
        return query_size(emit, op, &image);
    case SpvOpImageQueryLevels:
        return query_levels(emit, op, &image);
    default:
        return sample(emit, op, &image);
    }
}
