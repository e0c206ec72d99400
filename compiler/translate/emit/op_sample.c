/* Reading images through a sampler (the prelude's sample.inc, cube.inc and depth.inc).
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/image.h>

#include "compiler/translate/emit/op.h"

/* Writes the components of a vector, or as many zeros as it lacks. */
static int32_t write_components(struct emit *emit, uint32_t id, uint32_t count, uint32_t all)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < all && status == TRM_OK; i++) {
        text_add(&emit->text, id != 0 && i < count ? ", " : ", 0");
        if (id != 0 && i < count)
            status = emit_value(emit, id, emit_component(emit, id, i));
    }
    return status;
}

static bool is_projected(uint32_t opcode)
{
    return opcode == SpvOpImageSampleProjExplicitLod || opcode == SpvOpImageSampleProjImplicitLod ||
           opcode == SpvOpImageSampleProjDrefExplicitLod || opcode == SpvOpImageSampleProjDrefImplicitLod;
}

/* Writes a value, which a projection divides by the last component of the coordinate. */
static int32_t write_projected(struct emit *emit, const struct spirv_instruction *op,
                               const struct emit_image *image, uint32_t id, uint32_t component)
{
    int32_t status = emit_value(emit, id, component);

    if (!is_projected(op->opcode) || status != TRM_OK)
        return status;
    text_add(&emit->text, " / ");
    return emit_value(emit, image->coordinate, image->type->dimensions);
}

/* Writes ", u, v": the coordinate. */
static int32_t write_place(struct emit *emit, const struct spirv_instruction *op,
                           const struct emit_image *image)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < emit_coordinates(image) && status == TRM_OK; i++) {
        text_add(&emit->text, ", ");
        status =
            write_projected(emit, op, image, image->coordinate, emit_component(emit, image->coordinate, i));
    }
    return status;
}

/* Writes the level of detail; 0 where the shader leaves it to derivatives, which work-items do not have. */
static int32_t write_detail(struct emit *emit, const struct emit_image *image)
{
    uint32_t dimensions = image->type->dimensions;
    int32_t status      = TRM_OK;

    if (image->operands.lod != 0)
        return emit_value(emit, image->operands.lod, WHOLE);
    if (image->operands.grad_x == 0) {
        text_add(&emit->text, "0.0f");
        return TRM_OK;
    }
    emit_part(emit, image->type->is_cube ? "cube_gradients" : "gradients");
    text_add(&emit->text, "(&%s", image->name);
    if (image->type->is_cube)
        status = write_components(emit, image->coordinate, 3, 3);
    else
        text_add(&emit->text, ", %s", image->state);
    if (status == TRM_OK)
        status = write_components(emit, image->operands.grad_x, dimensions, 3);
    if (status == TRM_OK)
        status = write_components(emit, image->operands.grad_y, dimensions, 3);
    text_add(&emit->text, ")");
    return status;
}

static int32_t write_offset(struct emit *emit, const struct emit_image *image)
{
    uint32_t offset = image->operands.offset;
    int32_t status  = TRM_OK;

    for (uint32_t i = 0; i < image->type->dimensions && !image->type->is_cube && status == TRM_OK; i++) {
        text_add(&emit->text, offset != 0 ? ", " : ", 0");
        if (offset != 0)
            status = emit_signed(emit, offset, emit_component(emit, offset, i));
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
    const struct spirv_type *type = spirv_descriptor_of(emit->module, variable);

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

/* The shape of an image in the names of functions: "2", "2a", "_cube". */
static const char *shape_of(struct emit *emit, const struct spirv_image *image)
{
    if (image->is_cube)
        return image->is_array ? "_cubea" : "_cube";
    return base_arena_format(emit->arena, "%u%s", image->dimensions, image->is_array ? "a" : "");
}

/* The arguments of a sample behind the image: the level of detail, the coordinate, the offset. */
static int32_t end_sample(struct emit *emit, const struct spirv_instruction *op,
                          const struct emit_image *image)
{
    int32_t status = write_detail(emit, image);
    if (status == TRM_OK)
        status = write_place(emit, op, image);
    if (status == TRM_OK)
        status = write_offset(emit, image);
    text_add(&emit->text, ");\n");
    return status;
}

static int32_t sample(struct emit *emit, const struct spirv_instruction *op, const struct emit_image *image)
{
    emit_begin_texel(emit, op, image);
    if (may_be_plain(emit, image->type, image->tag) && !is_element(emit, image->access)) {
        emit_need(emit, "plain_kernel");
        emit_part(emit, "plain2_f32");
        text_add(&emit->text, "(trm_plain, &%s, %s, ", image->name, image->state);
    } else {
        const char *shape = shape_of(emit, image->type);
        emit_part(emit, "sample%s_%s", shape != NULL ? shape : "", image->tag);
        text_add(&emit->text, "(&%s, %s, ", image->name, image->state);
    }
    int32_t status = end_sample(emit, op, image);
    emit_take_texel(emit, op);
    return status;
}

/* A sample that is compared with a depth, the instruction's third operand. */
static int32_t compare(struct emit *emit, const struct spirv_instruction *op, const struct emit_image *image)
{
    const char *shape = shape_of(emit, image->type);

    emit_begin(emit, op->result, WHOLE);
    emit_part(emit, "depth%s", shape != NULL ? shape : "");
    text_add(&emit->text, "(&%s, %s, ", image->name, image->state);
    int32_t status = write_projected(emit, op, image, op->operands[2], WHOLE);
    text_add(&emit->text, ", ");
    if (status == TRM_OK)
        status = end_sample(emit, op, image);
    emit_assigned(emit, op->result);
    return status;
}

/* ---- gathers */

/* Writes the function and what comes before the coordinate: the channel, or the depth to compare with. */
static int32_t begin_gather(struct emit *emit, const struct spirv_instruction *op,
                            const struct emit_image *image)
{
    const char *cube = image->type->is_cube ? "cube_" : "";

    if (op->opcode == SpvOpImageDrefGather) {
        emit_part(emit, "gather_%sdepth", cube);
        text_add(&emit->text, "(&%s, %s, ", image->name, image->state);
        return emit_value(emit, op->operands[2], WHOLE);
    }
    emit_part(emit, "gather_%s%s", cube, image->tag);
    text_add(&emit->text, "(&%s, ", image->name);
    if (!image->type->is_cube)
        text_add(&emit->text, "%s, ", image->state);
    text_add(&emit->text, "%u", (uint32_t)spirv_constant(emit->module, op->operands[2])->bits);
    return TRM_OK;
}

/* Writes one call of a function that gathers. */
static int32_t write_gather(struct emit *emit, const struct spirv_instruction *op,
                            const struct emit_image *image, uint32_t offset)
{
    uint32_t dimensions     = image->type->dimensions;
    struct emit_image moved = *image;
    int32_t status          = begin_gather(emit, op, image);

    moved.operands.offset = offset;
    if (status == TRM_OK)
        status = write_components(emit, image->coordinate, dimensions, dimensions);
    text_add(&emit->text, ", ");
    if (!image->type->is_array) {
        text_add(&emit->text, "0");
    } else if (status == TRM_OK) {
        emit_part(emit, image->type->is_cube ? "cube_first" : "layer_of");
        text_add(&emit->text, "(&%s, ", image->name);
        status = emit_value(emit, image->coordinate, dimensions);
        text_add(&emit->text, ")");
    }
    if (status == TRM_OK)
        status = write_offset(emit, &moved);
    text_add(&emit->text, ")");
    return status;
}

/* With four offsets each of them selects the texel that is the last of a gather. */
static int32_t gather(struct emit *emit, const struct spirv_instruction *op, const struct emit_image *image)
{
    const struct spirv_constant *offsets =
        image->operands.offsets != 0 ? spirv_constant(emit->module, image->operands.offsets) : NULL;
    int32_t status = TRM_OK;

    emit_begin_texel(emit, op, image);
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
    emit_take_texel(emit, op);
    return status;
}

int32_t emit_sample(struct emit *emit, const struct spirv_instruction *op, const struct emit_image *image)
{
    switch (op->opcode) {
    case SpvOpImageGather:
    case SpvOpImageDrefGather:
        return gather(emit, op, image);
    case SpvOpImageSampleDrefImplicitLod:
    case SpvOpImageSampleDrefExplicitLod:
    case SpvOpImageSampleProjDrefImplicitLod:
    case SpvOpImageSampleProjDrefExplicitLod:
        return compare(emit, op, image);
    default:
        return sample(emit, op, image);
    }
}
