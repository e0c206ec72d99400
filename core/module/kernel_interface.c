/* A backend's description of a kernel: compared with the shader's reflection, or copied.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/kernel_interface.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/image/image.h"
#include "core/object/object.h"

/* The format of texels, else what they are read as. */
static const char *texels_of(const struct trm_parameter *parameter)
{
    if (parameter->stride != TRM_FORMAT_NONE)
        return trm_format_name((int32_t)parameter->stride);
    return parameter->type != TRM_TYPE_NONE ? trm_type_name(parameter->type) : "texels";
}

/* "4 elements, each a buffer of f32". */
static const char *array_text(const struct trm_parameter *parameter, char text[CORE_PARAMETER_TEXT])
{
    struct trm_parameter element = *parameter;
    uint32_t count               = trm_parameter_count(parameter);
    char of[CORE_PARAMETER_TEXT];

    element.kind    = trm_parameter_element(parameter);
    const char *one = core_parameter_text(&element, of);
    if (count == 0)
        snprintf(text, CORE_PARAMETER_TEXT, "an array of 1 to %u elements, each %.60s", TRM_ARRAY_MOST, one);
    else
        snprintf(text, CORE_PARAMETER_TEXT, "an array of %" PRIu32 " element%s, each %.60s", count,
                 base_plural(count), one);
    return text;
}

const char *core_parameter_text(const struct trm_parameter *parameter, char text[CORE_PARAMETER_TEXT])
{
    if (trm_parameter_is_array(parameter))
        return array_text(parameter, text);
    switch (parameter->kind) {
    case TRM_PARAMETER_SCALAR:
        return trm_type_name(parameter->type);
    case TRM_PARAMETER_BLOCK:
        snprintf(text, CORE_PARAMETER_TEXT, "a block of %" PRIu32 " bytes", parameter->size);
        return text;
    case TRM_PARAMETER_BYTES:
        snprintf(text, CORE_PARAMETER_TEXT, "%" PRIu32 " bytes", parameter->size);
        return text;
    case TRM_PARAMETER_IMAGE:
        snprintf(text, CORE_PARAMETER_TEXT, "a storage image of %s", texels_of(parameter));
        return text;
    case TRM_PARAMETER_TEXTURE:
        snprintf(text, CORE_PARAMETER_TEXT, "a sampled image of %s without a sampler", texels_of(parameter));
        return text;
    case TRM_PARAMETER_SAMPLER:
        return "a sampler";
    case TRM_PARAMETER_SAMPLED_IMAGE:
        snprintf(text, CORE_PARAMETER_TEXT, "a sampled image of %s with a sampler", texels_of(parameter));
        return text;
    case TRM_PARAMETER_TEXELS:
        snprintf(text, CORE_PARAMETER_TEXT, "a texel buffer of %s", texels_of(parameter));
        return text;
    default:
        if (parameter->type == TRM_TYPE_NONE)
            return "a buffer";
        snprintf(text, CORE_PARAMETER_TEXT, "a buffer of %s", trm_type_name(parameter->type));
        return text;
    }
}

/* Native code that describes more parameters than this is refused. */
#define PARAMETERS_MOST 65536
#define NAME_BYTES 128

const char *core_parameter_name(const struct trm_parameter *parameter)
{
    return parameter->name != NULL ? parameter->name : "";
}

static bool is_image(const struct trm_parameter *parameter)
{
    return parameter->kind >= TRM_PARAMETER_IMAGE && parameter->kind <= TRM_PARAMETER_TEXELS;
}

static bool is_same_or_none(uint32_t one, uint32_t other)
{
    return one == other || one == 0 || other == 0;
}

/* Hand-written code need not give the type of a buffer's elements, nor an image's type and format. */
static bool is_same(const struct trm_parameter *one, const struct trm_parameter *other)
{
    if (one->kind != other->kind || strcmp(core_parameter_name(one), core_parameter_name(other)) != 0)
        return false;
    if (one->kind == TRM_PARAMETER_SCALAR)
        return one->type == other->type;
    if (one->kind == TRM_PARAMETER_BLOCK)
        return one->size == other->size;
    if (is_image(one) &&
        (!is_same_or_none(one->size, other->size) || !is_same_or_none(one->stride, other->stride)))
        return false;
    return one->type == other->type || one->type == TRM_TYPE_NONE || other->type == TRM_TYPE_NONE;
}

static int32_t match_parameters(const struct trm_kernel_info *reflected, const struct trm_kernel_desc *desc)
{
    char is[CORE_PARAMETER_TEXT], should[CORE_PARAMETER_TEXT];

    if (desc->parameter_count != reflected->parameter_count)
        return base_fail(TRM_ERROR_ABI,
                         "the code of kernel \"%s\" has %" PRIu32 " parameters, its shader has %" PRIu32,
                         reflected->name, desc->parameter_count, reflected->parameter_count);
    if (desc->parameter_count != 0 && desc->parameters == NULL)
        return base_fail(TRM_ERROR_ABI, "the parameters of kernel \"%s\" are missing", reflected->name);
    for (uint32_t i = 0; i < desc->parameter_count; i++) {
        const struct trm_parameter *one = &desc->parameters[i], *two = &reflected->parameters[i];
        if (!is_same(one, two))
            return base_fail(TRM_ERROR_ABI,
                             "parameter %" PRIu32
                             " of the code of kernel \"%s\" is \"%.100s\", %s; its shader has "
                             "\"%s\", %s",
                             i, reflected->name, core_parameter_name(one), core_parameter_text(one, is),
                             core_parameter_name(two), core_parameter_text(two, should));
    }
    return TRM_OK;
}

static uint32_t at_least_one(uint32_t size)
{
    return size == 0 ? 1 : size;
}

static int32_t match_group_size(const struct trm_kernel_info *reflected, const struct trm_kernel_desc *desc)
{
    const uint32_t *is = desc->group_size, *should = reflected->group_size;

    for (uint32_t i = 0; i < 3; i++)
        if (at_least_one(is[i]) != at_least_one(should[i]))
            return base_fail(TRM_ERROR_ABI,
                             "the code of kernel \"%s\" has groups of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                             ", its shader of %" PRIu32 " x %" PRIu32 " x %" PRIu32,
                             reflected->name, is[0], is[1], is[2], should[0], should[1], should[2]);
    return TRM_OK;
}

int32_t core_kernel_interface_match(const struct trm_kernel_info *reflected, struct trm_kernel_desc *desc)
{
    if (desc->parameters != NULL || desc->parameter_count != 0) {
        int32_t status = match_parameters(reflected, desc);
        if (status == TRM_OK)
            status = match_group_size(reflected, desc);
        if (status != TRM_OK)
            return status;
    } else {
        desc->shared_bytes = reflected->shared_bytes;
    }
    desc->parameter_count = reflected->parameter_count;
    desc->parameters      = reflected->parameters;
    memcpy(desc->group_size, reflected->group_size, sizeof(desc->group_size));
    return TRM_OK;
}

/* ---- native code ---------------------------------------------------------------------------- */

/* A texel's type, the image's type and the format are known, or not given. */
static bool is_image_described(const struct trm_parameter *parameter)
{
    int32_t type = parameter->type;

    return (type == TRM_TYPE_NONE || type == TRM_TYPE_F32 || type == TRM_TYPE_I32 || type == TRM_TYPE_U32) &&
           parameter->size <= TRM_IMAGE_BUFFER &&
           (parameter->stride == TRM_FORMAT_NONE || core_format_is_known((int32_t)parameter->stride));
}

static int32_t check_parameter(const struct trm_parameter *parameter, uint32_t index, const char *name)
{
    int32_t kind = parameter->kind;

    if ((kind == TRM_PARAMETER_SCALAR && trm_type_size(parameter->type) == 0) ||
        ((kind == TRM_PARAMETER_BLOCK || kind == TRM_PARAMETER_BYTES) && parameter->size == 0) ||
        (is_image(parameter) && !is_image_described(parameter)) || kind < TRM_PARAMETER_BUFFER ||
        kind > TRM_PARAMETER_TEXELS)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "parameter %" PRIu32
                         " of kernel \"%s\" is neither a buffer nor a scalar with a type nor a block with a "
                         "size nor an image, sampler or texel buffer",
                         index, name);
    return TRM_OK;
}

static int32_t copy_parameter(struct trm_parameter *to, char *text, const struct trm_parameter *from,
                              uint32_t index, const char *name)
{
    *to = *from;
    if (to->name != NULL) {
        memcpy(text, to->name, strnlen(to->name, NAME_BYTES));
        if (text[NAME_BYTES - 1] != '\0')
            return base_fail(TRM_ERROR_ABI,
                             "the name of parameter %" PRIu32
                             " of kernel \"%s\" does not end within %d bytes",
                             index, name, NAME_BYTES);
        to->name = text;
    }
    return check_parameter(to, index, name);
}

int32_t core_kernel_interface_copy(const struct core_context *context, struct trm_kernel_desc *desc,
                                   const char *name, size_t *size)
{
    const struct trm_parameter *theirs = desc->parameters;
    uint32_t count                     = desc->parameter_count;
    int32_t status                     = TRM_OK;

    *size = 0;
    if (count == 0)
        return TRM_OK;
    if (theirs == NULL)
        return base_fail(TRM_ERROR_ABI, "the parameters of kernel \"%s\" are missing", name);
    if (count > PARAMETERS_MOST)
        return base_fail(TRM_ERROR_ABI, "kernel \"%s\" has %" PRIu32 " parameters, more than %d", name, count,
                         PARAMETERS_MOST);
    size_t bytes               = count * (sizeof(*theirs) + NAME_BYTES);
    struct trm_parameter *ours = core_allocate(context, bytes);
    if (ours == NULL)
        return base_fail_memory("creating a kernel");
    char *names = (char *)(ours + count);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++)
        status = copy_parameter(&ours[i], names + (size_t)i * NAME_BYTES, &theirs[i], i, name);
    if (status != TRM_OK) {
        core_free(context, ours, bytes);
        return status;
    }
    desc->parameters = ours;
    *size            = bytes;
    return TRM_OK;
}
