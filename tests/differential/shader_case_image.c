/* Reads what a shader's comments say about images, texel buffers and samplers.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/image.h>

#include "tests/differential/shader_case_inside.h"

/* The number of a word in a list; -1 when it is not there. */
static int32_t find(const char *const *list, int32_t count, const char *word)
{
    for (int32_t i = 0; i < count; i++)
        if (strcmp(list[i], word) == 0)
            return i;
    return -1;
}

#define FIND(list, word) find(list, (int32_t)(sizeof(list) / sizeof((list)[0])), word)

static int parse_format(const char *name, int32_t *format)
{
    for (*format = 1; trm_format_size(*format) != 0; ++*format)
        if (strcmp(trm_format_name(*format), name) == 0)
            return 1;
    return 0;
}

/* The elements of a texel: floats of 16 and 32 bits as such, others as their bits. */
static void add_fields(struct case_buffer *buffer)
{
    static const struct {
        int32_t first, last;
        uint32_t bytes;
        const char *element;
    } kinds[] = {
        {TRM_FORMAT_R8_UNORM, TRM_FORMAT_RGBA8_SINT, 1, "u8"},
        {TRM_FORMAT_R32_FLOAT, TRM_FORMAT_R32_FLOAT, 4, "f32"},
        {TRM_FORMAT_RG32_FLOAT, TRM_FORMAT_RG32_FLOAT, 4, "f32"},
        {TRM_FORMAT_RGBA32_FLOAT, TRM_FORMAT_RGBA32_FLOAT, 4, "f32"},
        {TRM_FORMAT_R16_FLOAT, TRM_FORMAT_R16_FLOAT, 2, "f16"},
        {TRM_FORMAT_RG16_FLOAT, TRM_FORMAT_RG16_FLOAT, 2, "f16"},
        {TRM_FORMAT_RGBA16_FLOAT, TRM_FORMAT_RGBA16_FLOAT, 2, "f16"},
        {TRM_FORMAT_R16_UNORM, TRM_FORMAT_RGBA16_FLOAT, 2, "u16"},
        {TRM_FORMAT_R32_UINT, TRM_FORMAT_RG11B10_FLOAT, 4, "u32"},
    };
    int32_t format = buffer->image.format;
    uint32_t i     = 0;

    while (format < kinds[i].first || format > kinds[i].last)
        i++;
    buffer->record_size = trm_format_size(format);
    for (uint32_t k = 0; k < buffer->record_size / kinds[i].bytes; k++)
        buffer->fields[buffer->field_count++] = element_type(kinds[i].element, strlen(kinds[i].element));
}

static uint32_t half(uint32_t size, uint32_t level)
{
    return size >> level != 0 ? size >> level : 1;
}

static void count_texels(struct case_buffer *buffer)
{
    const struct run_image *image = &buffer->image;

    for (uint32_t i = 0; i < image->levels; i++)
        buffer->records +=
            half(image->width, i) * half(image->height, i) * half(image->depth, i) * image->layers;
}

/* image inout 6 rgba8 2d 16 8 1 1 … */
int shader_case_image(struct shader_case *shader, char **words, uint32_t count)
{
    static const char *const types[] = {"",         "1d", "2d",   "3d",        "1d-array",
                                        "2d-array", "",   "cube", "cube-array"};
    struct case_buffer *buffer       = count >= 9 ? shader_case_add(shader, words[1]) : NULL;
    if (!buffer)
        return 0;
    struct run_image *image = &buffer->image;
    image->type             = FIND(types, words[4]);
    image->layers = image->depth = 1;
    uint32_t *third              = image->type == TRM_IMAGE_3D ? &image->depth : &image->layers;
    if (!shader_case_place(words[2], &buffer->set, &buffer->binding) ||
        !parse_format(words[3], &image->format) || image->type <= 0 ||
        !shader_case_number(words[5], &image->width) || !shader_case_number(words[6], &image->height) ||
        !shader_case_number(words[7], third) || !shader_case_number(words[8], &image->levels))
        return 0;
    add_fields(buffer);
    count_texels(buffer);
    return buffer->records != 0 && shader_case_details(buffer, words + 9, count - 9);
}

/* texels in 7 r32f 64 … */
int shader_case_texels(struct shader_case *shader, char **words, uint32_t count)
{
    struct case_buffer *buffer = count >= 5 ? shader_case_add(shader, words[1]) : NULL;
    if (!buffer)
        return 0;
    buffer->image.type = TRM_IMAGE_BUFFER;
    if (!shader_case_place(words[2], &buffer->set, &buffer->binding) ||
        !parse_format(words[3], &buffer->image.format) || !shader_case_number(words[4], &buffer->records))
        return 0;
    add_fields(buffer);
    return buffer->records != 0 && shader_case_details(buffer, words + 5, count - 5);
}

/* sampler 6 linear nearest repeat … */
int shader_case_sampler(struct shader_case *shader, char **words, uint32_t count)
{
    static const char *const filters[]  = {"nearest", "linear"};
    static const char *const modes[]    = {"clamp", "repeat", "mirror", "border"};
    static const char *const borders[]  = {"transparent", "black", "white"};
    static const char *const compares[] = {"none",    "never",     "less",          "equal", "less-equal",
                                           "greater", "not-equal", "greater-equal", "always"};
    if (shader->sampler_count == CASE_SAMPLERS || count < 5)
        return 0;
    struct run_sampler *sampler = &shader->samplers[shader->sampler_count++];
    sampler->filter             = FIND(filters, words[2]);
    sampler->mip_filter         = FIND(filters, words[3]);
    sampler->address            = FIND(modes, words[4]);
    for (uint32_t i = 5; i < count; i++) {
        int32_t compare = FIND(compares, words[i]);
        if (strcmp(words[i], "texels") == 0)
            sampler->texels = 1;
        else if (compare >= 0)
            sampler->compare = compare;
        else
            sampler->border = FIND(borders, words[i]);
    }
    return shader_case_place(words[1], &sampler->set, &sampler->binding) && sampler->filter >= 0 &&
           sampler->mip_filter >= 0 && sampler->address >= 0 && sampler->border >= 0;
}
