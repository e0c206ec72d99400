/* Reads the types of images and samplers, and checks their variables.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/image.h>

#include "compiler/spirv/reader.h"

/* What OpTypeImage's format stands for. */
struct format {
    uint32_t number; /* SpvImageFormat */
    int32_t format;  /* enum trm_format */
    uint32_t bytes;  /* of a texel */
    bool is_float;   /* a texel is read as floats, not as integers */
    bool is_extended;
};

static const struct format formats[] = {
    {SpvImageFormatUnknown, TRM_FORMAT_NONE, 0, false, false},
    {SpvImageFormatRgba32f, TRM_FORMAT_RGBA32_FLOAT, 16, true, false},
    {SpvImageFormatRgba16f, TRM_FORMAT_RGBA16_FLOAT, 8, true, false},
    {SpvImageFormatR32f, TRM_FORMAT_R32_FLOAT, 4, true, false},
    {SpvImageFormatRgba8, TRM_FORMAT_RGBA8_UNORM, 4, true, false},
    {SpvImageFormatRgba8Snorm, TRM_FORMAT_RGBA8_SNORM, 4, true, false},
    {SpvImageFormatRg32f, TRM_FORMAT_RG32_FLOAT, 8, true, true},
    {SpvImageFormatRg16f, TRM_FORMAT_RG16_FLOAT, 4, true, true},
    {SpvImageFormatR11fG11fB10f, TRM_FORMAT_RG11B10_FLOAT, 4, true, true},
    {SpvImageFormatR16f, TRM_FORMAT_R16_FLOAT, 2, true, true},
    {SpvImageFormatRgba16, TRM_FORMAT_RGBA16_UNORM, 8, true, true},
    {SpvImageFormatRgb10A2, TRM_FORMAT_RGB10A2_UNORM, 4, true, true},
    {SpvImageFormatRg16, TRM_FORMAT_RG16_UNORM, 4, true, true},
    {SpvImageFormatRg8, TRM_FORMAT_RG8_UNORM, 2, true, true},
    {SpvImageFormatR16, TRM_FORMAT_R16_UNORM, 2, true, true},
    {SpvImageFormatR8, TRM_FORMAT_R8_UNORM, 1, true, true},
    {SpvImageFormatRgba16Snorm, TRM_FORMAT_RGBA16_SNORM, 8, true, true},
    {SpvImageFormatRg16Snorm, TRM_FORMAT_RG16_SNORM, 4, true, true},
    {SpvImageFormatRg8Snorm, TRM_FORMAT_RG8_SNORM, 2, true, true},
    {SpvImageFormatR16Snorm, TRM_FORMAT_R16_SNORM, 2, true, true},
    {SpvImageFormatR8Snorm, TRM_FORMAT_R8_SNORM, 1, true, true},
    {SpvImageFormatRgba32i, TRM_FORMAT_RGBA32_SINT, 16, false, false},
    {SpvImageFormatRgba16i, TRM_FORMAT_RGBA16_SINT, 8, false, false},
    {SpvImageFormatRgba8i, TRM_FORMAT_RGBA8_SINT, 4, false, false},
    {SpvImageFormatR32i, TRM_FORMAT_R32_SINT, 4, false, false},
    {SpvImageFormatRg32i, TRM_FORMAT_RG32_SINT, 8, false, true},
    {SpvImageFormatRg16i, TRM_FORMAT_RG16_SINT, 4, false, true},
    {SpvImageFormatRg8i, TRM_FORMAT_RG8_SINT, 2, false, true},
    {SpvImageFormatR16i, TRM_FORMAT_R16_SINT, 2, false, true},
    {SpvImageFormatR8i, TRM_FORMAT_R8_SINT, 1, false, true},
    {SpvImageFormatRgba32ui, TRM_FORMAT_RGBA32_UINT, 16, false, false},
    {SpvImageFormatRgba16ui, TRM_FORMAT_RGBA16_UINT, 8, false, false},
    {SpvImageFormatRgba8ui, TRM_FORMAT_RGBA8_UINT, 4, false, false},
    {SpvImageFormatR32ui, TRM_FORMAT_R32_UINT, 4, false, false},
    {SpvImageFormatRgb10a2ui, TRM_FORMAT_RGB10A2_UINT, 4, false, true},
    {SpvImageFormatRg32ui, TRM_FORMAT_RG32_UINT, 8, false, true},
    {SpvImageFormatRg16ui, TRM_FORMAT_RG16_UINT, 4, false, true},
    {SpvImageFormatRg8ui, TRM_FORMAT_RG8_UINT, 2, false, true},
    {SpvImageFormatR16ui, TRM_FORMAT_R16_UINT, 2, false, true},
    {SpvImageFormatR8ui, TRM_FORMAT_R8_UINT, 1, false, true},
};

static const struct format *find_format(uint32_t number)
{
    for (uint32_t i = 0; i < SPIRV_COUNT(formats); i++)
        if (formats[i].number == number)
            return &formats[i];
    return NULL;
}

/* ---- types --------------------------------------------------------------------------------- */

/* The words of an OpTypeImage. */
enum {
    WORD_TEXEL = 2,
    WORD_DIMENSION,
    WORD_DEPTH,
    WORD_ARRAYED,
    WORD_MULTISAMPLED,
    WORD_SAMPLED,
    WORD_FORMAT,
    WORDS_LEAST,
};

#define SAMPLED 1u
#define STORAGE 2u

/* What is not supported about a type; NULL: nothing. */
static const char *refusal_of(const uint32_t *words)
{
    switch (words[WORD_DIMENSION]) {
    case SpvDim1D:
    case SpvDim2D:
    case SpvDim3D:
    case SpvDimBuffer:
    case SpvDimCube:
        break;
    case SpvDimSubpassData:
        return "input attachments";
    default:
        return "images of this dimension";
    }
    if (words[WORD_MULTISAMPLED] != 0) /* others are arrays by now (compiler/lower) */
        return words[WORD_ARRAYED] != 0 ? "arrays of multisampled images" : "multisampled images";
    if (words[WORD_SAMPLED] != SAMPLED && words[WORD_SAMPLED] != STORAGE)
        return "images that may be both sampled and written";
    return find_format(words[WORD_FORMAT]) == NULL ? "images of this format" : NULL;
}

bool spirv_is_image_supported(const uint32_t *words, uint32_t length)
{
    return length == WORDS_LEAST && refusal_of(words) == NULL;
}

/* The capability that images of a dimension need; 0: none. */
static uint32_t capability_of(const struct spirv_image *image)
{
    switch (image->type) {
    case TRM_IMAGE_1D:
    case TRM_IMAGE_1D_ARRAY:
        return image->is_storage ? SpvCapabilityImage1D : SpvCapabilitySampled1D;
    case TRM_IMAGE_BUFFER:
        return image->is_storage ? SpvCapabilityImageBuffer : SpvCapabilitySampledBuffer;
    case TRM_IMAGE_CUBE_ARRAY:
        return image->is_storage ? SpvCapabilityImageCubeArray : SpvCapabilitySampledCubeArray;
    default:
        return 0;
    }
}

static int32_t check_capability(const struct spirv_reader *reader, uint32_t capability)
{
    char name[32];

    if (capability == 0 || spirv_has_capability(reader, capability))
        return TRM_OK;
    return spirv_invalid(reader, "the capability %s is not declared",
                         spirv_capability_name(capability, name));
}

/* Each capability of storage images implies that of sampled ones. */
static int32_t check_image(const struct spirv_reader *reader, const struct spirv_image *image,
                           const struct format *format)
{
    uint32_t capability = capability_of(image);

    if ((capability == SpvCapabilitySampled1D && spirv_has_capability(reader, SpvCapabilityImage1D)) ||
        (capability == SpvCapabilitySampledCubeArray &&
         spirv_has_capability(reader, SpvCapabilityImageCubeArray)) ||
        (capability == SpvCapabilitySampledBuffer && spirv_has_capability(reader, SpvCapabilityImageBuffer)))
        capability = 0;
    int32_t status = check_capability(reader, capability);
    if (status == TRM_OK && format->is_extended && image->is_storage)
        status = check_capability(reader, SpvCapabilityStorageImageExtendedFormats);
    return status;
}

/* Sets the texel's type: float or integer of 32 bits, as the format has it. */
static int32_t read_texel(const struct spirv_reader *reader, uint32_t id, const struct format *format,
                          struct spirv_type *type)
{
    int32_t status = spirv_check_type_id(reader, id);

    if (status != TRM_OK)
        return status;
    const struct spirv_type *texel = spirv_type(reader->module, id);
    if ((texel->kind != SPIRV_FLOAT && texel->kind != SPIRV_INT) || texel->width != 32)
        return spirv_unsupported(reader, "texels of another type than float, int or uint are not supported");
    if (format->format != TRM_FORMAT_NONE && format->is_float != (texel->kind == SPIRV_FLOAT))
        return spirv_invalid(reader, "the format of the image does not have texels of type %u", id);
    type->element = id;
    return TRM_OK;
}

static uint32_t dimensions_of(uint32_t dimension)
{
    switch (dimension) {
    case SpvDim2D:
        return 2;
    case SpvDim3D:
    case SpvDimCube:
        return 3;
    default:
        return 1;
    }
}

static int32_t image_type_of(uint32_t dimension, bool is_array)
{
    switch (dimension) {
    case SpvDim1D:
        return is_array ? TRM_IMAGE_1D_ARRAY : TRM_IMAGE_1D;
    case SpvDim2D:
        return is_array ? TRM_IMAGE_2D_ARRAY : TRM_IMAGE_2D;
    case SpvDim3D:
        return TRM_IMAGE_3D;
    case SpvDimCube:
        return is_array ? TRM_IMAGE_CUBE_ARRAY : TRM_IMAGE_CUBE;
    default:
        return TRM_IMAGE_BUFFER;
    }
}

/* ---- the variable of a type that is not supported ----------------------------------------- */

#define KIN_MOST 8 /* types that are made of the image's */

/* Is this an array of, an image with a sampler of, or a pointer to one of these types? */
static bool is_made_of(const uint32_t *instruction, uint32_t length, const uint32_t *kin, uint32_t count)
{
    uint32_t opcode = instruction[0] & 0xffff;
    uint32_t at     = opcode == SpvOpTypePointer ? 3 : 2;
    bool is_maker   = opcode == SpvOpTypePointer || opcode == SpvOpTypeArray ||
                    opcode == SpvOpTypeRuntimeArray || opcode == SpvOpTypeSampledImage;

    for (uint32_t i = 0; is_maker && at < length && i < count; i++)
        if (instruction[at] == kin[i])
            return true;
    return false;
}

static bool is_one_of(uint32_t id, const uint32_t *kin, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (kin[i] == id)
            return true;
    return false;
}

/* The first variable behind the current instruction whose type is made of the current one; 0: none. Nothing
 * of it has been checked. */
static uint32_t find_variable(const struct spirv_reader *reader, uint32_t type)
{
    uint32_t kin[KIN_MOST] = {type}, count = 1, length;

    for (uint32_t at = reader->at; at < reader->count; at += length) {
        const uint32_t *instruction = &reader->words[at];
        length                      = instruction[0] >> 16;
        if (length == 0 || length > reader->count - at)
            return 0;
        if (length >= 4 && (instruction[0] & 0xffff) == SpvOpVariable &&
            is_one_of(instruction[1], kin, count))
            return instruction[2] < reader->bound ? instruction[2] : 0;
        if (count < KIN_MOST && is_made_of(instruction, length, kin, count))
            kin[count++] = instruction[1];
    }
    return 0;
}

static uint32_t decoration_of(const struct spirv_reader *reader, uint32_t id, uint32_t kind)
{
    for (uint32_t i = reader->first_decoration[id]; i != 0; i = reader->decorations[i - 1].next)
        if (reader->decorations[i - 1].kind == kind && reader->decorations[i - 1].member == SPIRV_WHOLE)
            return reader->decorations[i - 1].literal;
    return 0;
}

static int32_t refuse(const struct spirv_reader *reader, uint32_t type, const char *what)
{
    uint32_t variable = find_variable(reader, type);
    const char *name  = variable != 0 ? reader->module->ids[variable].name : NULL;

    if (variable == 0)
        return spirv_unsupported(reader, "%s are not supported", what);
    return spirv_unsupported(
        reader, "%s are not supported: the variable \"%.100s\" (set %u, binding %u) is one", what,
        name != NULL ? name : "", decoration_of(reader, variable, SpvDecorationDescriptorSet),
        decoration_of(reader, variable, SpvDecorationBinding));
}

static int32_t read_image(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    if (words.length != WORDS_LEAST)
        return spirv_invalid(reader, "the instruction has %u words instead of %u", words.length, WORDS_LEAST);
    uint32_t dimension  = words.word[WORD_DIMENSION];
    bool is_array       = words.word[WORD_ARRAYED] != 0;
    const char *refusal = refusal_of(words.word);
    if (refusal != NULL)
        return refuse(reader, words.word[1], refusal);
    if (is_array && (dimension == SpvDim3D || dimension == SpvDimBuffer))
        return spirv_invalid(reader, "images of this dimension have no layers");
    const struct format *format = find_format(words.word[WORD_FORMAT]);
    int32_t status              = read_texel(reader, words.word[WORD_TEXEL], format, type);
    if (status != TRM_OK)
        return status;
    struct spirv_image *image = base_arena_allocate(reader->arena, 1, sizeof(*image));
    if (image == NULL)
        return spirv_invalid(reader, "out of memory");
    *image      = (struct spirv_image){.type        = image_type_of(dimension, is_array),
                                       .format      = format->format,
                                       .texel_bytes = format->bytes,
                                       .dimensions  = dimensions_of(dimension),
                                       .is_array    = is_array,
                                       .is_cube     = dimension == SpvDimCube,
                                       .is_depth    = words.word[WORD_DEPTH] == 1,
                                       .is_storage  = words.word[WORD_SAMPLED] == STORAGE};
    type->kind  = SPIRV_IMAGE;
    type->image = image;
    return check_image(reader, image, format);
}

/* A texel buffer may be one too, although it cannot be sampled: that is how GLSL's samplerBuffer looks. */
static int32_t read_sampled_image(struct spirv_reader *reader, struct spirv_words words,
                                  struct spirv_type *type)
{
    if (words.length != 3)
        return spirv_invalid(reader, "the instruction has %u words instead of 3", words.length);
    int32_t status = spirv_check_type_id(reader, words.word[2]);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *image = spirv_type(reader->module, words.word[2]);
    if (image->kind != SPIRV_IMAGE || image->image->is_storage)
        return spirv_invalid(reader, "type %u is not an image that can be sampled", words.word[2]);
    type->kind    = SPIRV_SAMPLED_IMAGE;
    type->element = image->id;
    type->image   = image->image;
    return TRM_OK;
}

int32_t spirv_read_opaque(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    type->natural_alignment = 1;
    if (reader->opcode == SpvOpTypeImage)
        return read_image(reader, words, type);
    if (reader->opcode == SpvOpTypeSampledImage)
        return read_sampled_image(reader, words, type);
    if (words.length != 2)
        return spirv_invalid(reader, "the instruction has %u words instead of 2", words.length);
    type->kind = SPIRV_SAMPLER;
    return TRM_OK;
}

/* ---- variables ----------------------------------------------------------------------------- */

int32_t spirv_check_opaque(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type,
                           const struct spirv_variable *variable)
{
    const char *name = reader->module->ids[id].name;

    if (variable->has_binding)
        return TRM_OK;
    return spirv_invalid(reader, "%s \"%.100s\" has no binding",
                         type->kind == SPIRV_SAMPLER ? "sampler" : "image", name == NULL ? "" : name);
}
