/* Checks the types of instructions on images and samplers.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/image.h>

#include "compiler/spirv/check.h"

/* Image operands that say how memory is ordered or how integers are extended: they change no type. */
#define ANYWHERE                                                                     \
    (SpvImageOperandsMakeTexelAvailableMask | SpvImageOperandsMakeTexelVisibleMask | \
     SpvImageOperandsNonPrivateTexelMask | SpvImageOperandsVolatileTexelMask |       \
     SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask | SpvImageOperandsNontemporalMask)

static const struct spirv_type *operand_type(const struct spirv_reader *reader,
                                             const struct spirv_instruction *instruction, uint32_t index)
{
    return spirv_type_of(reader->module, instruction->operands[index]);
}

/* The image that operand 0 is; NULL when it has another kind. */
static const struct spirv_image *image_of(const struct spirv_reader *reader,
                                          const struct spirv_instruction *instruction,
                                          enum spirv_type_kind kind)
{
    const struct spirv_type *type = operand_type(reader, instruction, 0);

    return type->kind == kind ? type->image : NULL;
}

/* The type of a texel's component. */
static struct shape texel_of(const struct spirv_reader *reader, const struct spirv_type *type)
{
    if (type->kind == SPIRV_SAMPLED_IMAGE)
        type = spirv_type(reader->module, type->element);
    return spirv_shape(reader->module, type->element);
}

/* Whether it is a scalar or vector of this kind, of 32 bits and at least so many components. */
static bool is_vector(struct shape shape, enum spirv_type_kind kind, uint32_t count)
{
    return shape.kind == kind && shape.width == 32 && shape.count >= count;
}

static bool is_operand_vector(const struct spirv_reader *reader, uint32_t id, enum spirv_type_kind kind,
                              uint32_t count)
{
    return is_vector(spirv_shape(reader->module, reader->module->ids[id].type), kind, count);
}

/* The components of a coordinate, with the layer. */
static uint32_t coordinates_of(const struct spirv_image *image)
{
    return image->dimensions + image->is_array;
}

/* The same of single texels: a cube's layer is its face, or six times the cube and the face. */
static uint32_t texel_coordinates_of(const struct spirv_image *image)
{
    return image->is_cube ? 3 : coordinates_of(image);
}

static int32_t need_capability(const struct spirv_reader *reader, uint32_t capability)
{
    char name[32];

    if (spirv_has_capability(reader, capability))
        return TRM_OK;
    return spirv_invalid(reader, "the capability %s is not declared",
                         spirv_capability_name(capability, name));
}

/* ---- image operands ------------------------------------------------------------------------ */

/* An array of four constant vectors of two integers. */
static bool is_offsets(const struct spirv_reader *reader, uint32_t id)
{
    const struct spirv_module *module     = reader->module;
    const struct spirv_constant *constant = spirv_constant(module, id);
    const struct spirv_type *type         = spirv_type_of(module, id);

    if (constant == NULL || type->kind != SPIRV_ARRAY || type->count != 4)
        return false;
    struct shape element = spirv_shape(module, type->element);
    return is_vector(element, SPIRV_INT, 2) && element.count == 2;
}

static int32_t check_offsets(const struct spirv_reader *reader, const struct spirv_image *image,
                             const struct spirv_image_operands *operands)
{
    const struct spirv_module *module = reader->module;

    if (image->is_cube && (operands->offset != 0 || operands->offsets != 0))
        return spirv_invalid(reader, "a cube map has no offsets");
    if (operands->offset != 0) {
        struct shape offset = spirv_shape(module, module->ids[operands->offset].type);
        if (!is_vector(offset, SPIRV_INT, image->dimensions) || offset.count != image->dimensions)
            return spirv_type_mismatch(reader);
        if ((operands->mask & SpvImageOperandsConstOffsetMask) != 0 &&
            spirv_constant(module, operands->offset) == NULL)
            return spirv_invalid(reader, "the ConstOffset is not a constant");
    }
    if (operands->offsets != 0 && !is_offsets(reader, operands->offsets))
        return spirv_type_mismatch(reader);
    if ((operands->mask & (SpvImageOperandsOffsetMask | SpvImageOperandsConstOffsetsMask)) != 0)
        return need_capability(reader, SpvCapabilityImageGatherExtended);
    return TRM_OK;
}

/* Checks the mask against the operands that the instruction may have, and the types of offsets. */
static int32_t check_operands(const struct spirv_reader *reader, const struct spirv_image *image,
                              const struct spirv_image_operands *operands, uint32_t allowed)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } refused[] = {
        {SpvImageOperandsBiasMask, "a bias of the level of detail"},
        {SpvImageOperandsMinLodMask, "a least level of detail"},
        {SpvImageOperandsSampleMask, "the sample of a multisampled image"},
        {SpvImageOperandsOffsetsMask, "offsets known at run time"},
    };

    for (uint32_t i = 0; i < SPIRV_COUNT(refused); i++)
        if ((operands->mask & refused[i].bit) != 0)
            return spirv_unsupported(reader, "%s is not supported", refused[i].name);
    if ((operands->mask & ~(allowed | ANYWHERE)) != 0)
        return spirv_invalid(reader, "the image operands 0x%x do not belong to this instruction",
                             operands->mask);
    return check_offsets(reader, image, operands);
}

/* ---- reading through a sampler ------------------------------------------------------------- */

static bool is_explicit(uint32_t opcode)
{
    return opcode == SpvOpImageSampleExplicitLod || opcode == SpvOpImageSampleProjExplicitLod ||
           opcode == SpvOpImageSampleDrefExplicitLod || opcode == SpvOpImageSampleProjDrefExplicitLod;
}

static bool is_projected(uint32_t opcode)
{
    return opcode == SpvOpImageSampleProjExplicitLod || opcode == SpvOpImageSampleProjImplicitLod ||
           opcode == SpvOpImageSampleProjDrefExplicitLod || opcode == SpvOpImageSampleProjDrefImplicitLod;
}

/* The result of sampling, fetching and gathering: four components of a texel. */
static bool has_texel(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    struct shape texel = texel_of(reader, operand_type(reader, instruction, 0));

    texel.count = 4;
    return spirv_is_like(spirv_shape(reader->module, instruction->type), texel);
}

static int32_t check_detail(const struct spirv_reader *reader, const struct spirv_image *image,
                            const struct spirv_image_operands *operands)
{
    bool has_lod = operands->lod != 0, has_gradients = operands->grad_x != 0;

    if (has_lod && has_gradients)
        return spirv_invalid(reader, "the instruction has both a level of detail and gradients");
    if (has_lod && (!is_operand_vector(reader, operands->lod, SPIRV_FLOAT, 1) ||
                    spirv_type_of(reader->module, operands->lod)->kind == SPIRV_VECTOR))
        return spirv_type_mismatch(reader);
    if (has_gradients && (!is_operand_vector(reader, operands->grad_x, SPIRV_FLOAT, image->dimensions) ||
                          !is_operand_vector(reader, operands->grad_y, SPIRV_FLOAT, image->dimensions)))
        return spirv_type_mismatch(reader);
    return TRM_OK;
}

/* The coordinate and the operands of an instruction that samples. */
static int32_t check_sampling(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_image *image      = image_of(reader, instruction, SPIRV_SAMPLED_IMAGE);
    struct spirv_image_operands operands = spirv_image_operands(instruction);
    uint32_t allowed                     = SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask;
    bool explicit                        = is_explicit(instruction->opcode);

    if (image == NULL || image->type == TRM_IMAGE_BUFFER ||
        !is_operand_vector(reader, instruction->operands[1], SPIRV_FLOAT,
                           coordinates_of(image) + is_projected(instruction->opcode)))
        return spirv_type_mismatch(reader);
    if ((image->is_array || image->is_cube) && is_projected(instruction->opcode))
        return spirv_invalid(reader, "an image with layers cannot be projected");
    if (explicit)
        allowed |= SpvImageOperandsLodMask | SpvImageOperandsGradMask;
    if (explicit && operands.lod == 0 && operands.grad_x == 0)
        return spirv_invalid(reader, "the instruction has neither a level of detail nor gradients");
    int32_t status = check_operands(reader, image, &operands, allowed);
    return status == TRM_OK ? check_detail(reader, image, &operands) : status;
}

static int32_t check_sample(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_image *image = image_of(reader, instruction, SPIRV_SAMPLED_IMAGE);

    if (image == NULL || !has_texel(reader, instruction))
        return spirv_type_mismatch(reader);
    return check_sampling(reader, instruction);
}

/* Whether the image has depths, floats, and the third operand is one to compare with. */
static bool is_compared(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_image *image = image_of(reader, instruction, SPIRV_SAMPLED_IMAGE);

    return image != NULL && texel_of(reader, operand_type(reader, instruction, 0)).kind == SPIRV_FLOAT &&
           is_operand_vector(reader, instruction->operands[2], SPIRV_FLOAT, 1) &&
           operand_type(reader, instruction, 2)->kind != SPIRV_VECTOR;
}

static int32_t check_compare(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    struct shape result = spirv_shape(reader->module, instruction->type);

    if (!is_compared(reader, instruction) || !spirv_is_scalar(result, SPIRV_FLOAT) || result.width != 32)
        return spirv_type_mismatch(reader);
    if (image_of(reader, instruction, SPIRV_SAMPLED_IMAGE)->type == TRM_IMAGE_3D)
        return spirv_invalid(reader, "a 3D image cannot be compared with a depth");
    return check_sampling(reader, instruction);
}

#define GATHER_OPERANDS \
    (SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask | SpvImageOperandsConstOffsetsMask)

/* The result, the coordinate and the operands of an instruction that gathers. */
static int32_t check_gathering(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_image *image      = image_of(reader, instruction, SPIRV_SAMPLED_IMAGE);
    struct spirv_image_operands operands = spirv_image_operands(instruction);

    if (image == NULL || !has_texel(reader, instruction) ||
        !is_operand_vector(reader, instruction->operands[1], SPIRV_FLOAT, coordinates_of(image)))
        return spirv_type_mismatch(reader);
    if (image->type != TRM_IMAGE_2D && image->type != TRM_IMAGE_2D_ARRAY && !image->is_cube)
        return spirv_invalid(reader, "an image of this dimension cannot be gathered from");
    return check_operands(reader, image, &operands, GATHER_OPERANDS);
}

static int32_t check_gather_depth(const struct spirv_reader *reader,
                                  const struct spirv_instruction *instruction)
{
    return is_compared(reader, instruction) ? check_gathering(reader, instruction)
                                            : spirv_type_mismatch(reader);
}

static int32_t check_gather(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_constant *component = spirv_constant(reader->module, instruction->operands[2]);

    if (!spirv_is_scalar(spirv_operand_shape(reader->module, instruction, 2), SPIRV_INT))
        return spirv_type_mismatch(reader);
    if (component == NULL || component->bits > 3)
        return spirv_invalid(reader, "the component to gather is not a constant from 0 to 3");
    return check_gathering(reader, instruction);
}

/* Whether two types of images differ at most in what is ignored: whether the texels are depths. */
static bool is_same_image(const struct spirv_type *one, const struct spirv_type *other)
{
    const struct spirv_image *a = one->image, *b = other->image;

    return one->kind == SPIRV_IMAGE && other->kind == SPIRV_IMAGE && one->element == other->element &&
           a->type == b->type && a->format == b->format && a->is_storage == b->is_storage;
}

/* The image and the sampler become a sampled image of this image's type. */
static int32_t check_sampled_image(const struct spirv_reader *reader,
                                   const struct spirv_instruction *instruction)
{
    const struct spirv_type *result = spirv_type(reader->module, instruction->type);

    return result->kind == SPIRV_SAMPLED_IMAGE && result->image->type != TRM_IMAGE_BUFFER &&
                   is_same_image(spirv_type(reader->module, result->element),
                                 operand_type(reader, instruction, 0)) &&
                   operand_type(reader, instruction, 1)->kind == SPIRV_SAMPLER
               ? TRM_OK
               : spirv_type_mismatch(reader);
}

static int32_t check_image(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_type *sampled = operand_type(reader, instruction, 0);

    return sampled->kind == SPIRV_SAMPLED_IMAGE && sampled->element == instruction->type
               ? TRM_OK
               : spirv_type_mismatch(reader);
}

/* ---- single texels ------------------------------------------------------------------------- */

static int32_t check_fetch(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_image *image      = image_of(reader, instruction, SPIRV_IMAGE);
    struct spirv_image_operands operands = spirv_image_operands(instruction);
    uint32_t allowed                     = SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask;

    if (image == NULL || image->is_storage || !has_texel(reader, instruction) ||
        !is_operand_vector(reader, instruction->operands[1], SPIRV_INT, coordinates_of(image)))
        return spirv_type_mismatch(reader);
    if (image->is_cube)
        return spirv_invalid(reader, "texels of a cube map cannot be fetched");
    if (operands.lod != 0 && (!is_operand_vector(reader, operands.lod, SPIRV_INT, 1) ||
                              spirv_type_of(reader->module, operands.lod)->kind == SPIRV_VECTOR))
        return spirv_type_mismatch(reader);
    if (image->type != TRM_IMAGE_BUFFER)
        allowed |= SpvImageOperandsLodMask;
    return check_operands(reader, image, &operands, allowed);
}

/* The variable of a storage image; NULL: it is a parameter of the function. */
static const struct spirv_variable *variable_of(const struct spirv_reader *reader, uint32_t image)
{
    uint32_t root = reader->definitions[image].root;

    return reader->module->ids[root].kind == SPIRV_ID_VARIABLE ? reader->module->ids[root].as.variable : NULL;
}

static int32_t check_access(const struct spirv_reader *reader, const struct spirv_image *image,
                            const struct spirv_instruction *instruction)
{
    const struct spirv_variable *variable = variable_of(reader, instruction->operands[0]);
    bool is_write                         = instruction->opcode == SpvOpImageWrite;

    if (is_write && variable != NULL && variable->non_writable)
        return spirv_invalid(reader, "the image \"%.100s\" is only read",
                             reader->module->ids[reader->definitions[instruction->operands[0]].root].name);
    if (image->format != TRM_FORMAT_NONE)
        return TRM_OK;
    return need_capability(reader, is_write ? SpvCapabilityStorageImageWriteWithoutFormat
                                            : SpvCapabilityStorageImageReadWithoutFormat);
}

static int32_t check_storage(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_image *image      = image_of(reader, instruction, SPIRV_IMAGE);
    struct spirv_image_operands operands = spirv_image_operands(instruction);
    bool is_write                        = instruction->opcode == SpvOpImageWrite;

    if (image == NULL || !image->is_storage ||
        !is_operand_vector(reader, instruction->operands[1], SPIRV_INT, texel_coordinates_of(image)))
        return spirv_type_mismatch(reader);
    struct shape texel = texel_of(reader, operand_type(reader, instruction, 0));
    struct shape value = is_write ? spirv_operand_shape(reader->module, instruction, 2)
                                  : spirv_shape(reader->module, instruction->type);
    texel.count        = value.count;
    if (!spirv_is_like(value, texel))
        return spirv_type_mismatch(reader);
    int32_t status = check_operands(reader, image, &operands, 0);
    return status == TRM_OK ? check_access(reader, image, instruction) : status;
}

/* A pointer to a texel, for an atomic: of a format with one channel of 32 bits. */
static int32_t check_texel_pointer(const struct spirv_reader *reader,
                                   const struct spirv_instruction *instruction)
{
    const struct spirv_module *module   = reader->module;
    const struct spirv_type *pointer    = operand_type(reader, instruction, 0);
    const struct spirv_type *result     = spirv_type(module, instruction->type);
    const struct spirv_constant *sample = spirv_constant(module, instruction->operands[2]);

    if (pointer->kind != SPIRV_POINTER || result->kind != SPIRV_POINTER ||
        result->storage != SpvStorageClassImage)
        return spirv_type_mismatch(reader);
    const struct spirv_type *type = spirv_type(module, pointer->element);
    if (type->kind != SPIRV_IMAGE || !type->image->is_storage || type->element != result->element ||
        !is_operand_vector(reader, instruction->operands[1], SPIRV_INT, texel_coordinates_of(type->image)))
        return spirv_type_mismatch(reader);
    if (sample == NULL || sample->bits != 0)
        return spirv_invalid(reader, "the sample is not 0");
    switch (type->image->format) {
    case TRM_FORMAT_R32_UINT:
    case TRM_FORMAT_R32_SINT:
    case TRM_FORMAT_R32_FLOAT:
        return TRM_OK;
    default:
        return spirv_invalid(reader, "atomics need an image of format r32ui, r32i or r32f");
    }
}

/* ---- queries ------------------------------------------------------------------------------- */

static int32_t check_size(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_image *image = image_of(reader, instruction, SPIRV_IMAGE);
    bool has_level                  = instruction->opcode == SpvOpImageQuerySizeLod;
    struct shape result             = spirv_shape(reader->module, instruction->type);

    if (image == NULL || result.kind != SPIRV_INT || result.width != 32 ||
        result.count != coordinates_of(image) - image->is_cube)
        return spirv_type_mismatch(reader);
    bool has_levels = !image->is_storage && image->type != TRM_IMAGE_BUFFER;
    if (has_level != has_levels)
        return spirv_invalid(reader, "images of this type %s a level of detail",
                             has_levels ? "are asked with" : "do not have");
    return !has_level || (spirv_is_scalar(spirv_operand_shape(reader->module, instruction, 1), SPIRV_INT) &&
                          is_operand_vector(reader, instruction->operands[1], SPIRV_INT, 1))
               ? TRM_OK
               : spirv_type_mismatch(reader);
}

static int32_t check_levels(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_image *image = image_of(reader, instruction, SPIRV_IMAGE);
    struct shape result             = spirv_shape(reader->module, instruction->type);

    return image != NULL && !image->is_storage && image->type != TRM_IMAGE_BUFFER &&
                   spirv_is_scalar(result, SPIRV_INT) && result.width == 32
               ? TRM_OK
               : spirv_type_mismatch(reader);
}

int32_t spirv_check_image(struct spirv_reader *reader, enum spirv_rule rule,
                          const struct spirv_instruction *instruction)
{
    switch (rule) {
    case RULE_SAMPLED_IMAGE:
        return check_sampled_image(reader, instruction);
    case RULE_IMAGE:
        return check_image(reader, instruction);
    case RULE_SAMPLE:
        return check_sample(reader, instruction);
    case RULE_FETCH:
        return check_fetch(reader, instruction);
    case RULE_GATHER:
        return check_gather(reader, instruction);
    case RULE_COMPARE_DEPTH:
        return check_compare(reader, instruction);
    case RULE_GATHER_DEPTH:
        return check_gather_depth(reader, instruction);
    case RULE_READ_TEXEL:
    case RULE_WRITE_TEXEL:
        return check_storage(reader, instruction);
    case RULE_IMAGE_SIZE:
        return check_size(reader, instruction);
    case RULE_IMAGE_LEVELS:
        return check_levels(reader, instruction);
    default: /* RULE_TEXEL_POINTER */
        return check_texel_pointer(reader, instruction);
    }
}
