/* Whether a backend's kernel matches its shader's reflection.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/kernel_interface.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

const char *core_parameter_text(const struct trm_parameter *parameter, char text[CORE_PARAMETER_TEXT])
{
    switch (parameter->kind) {
    case TRM_PARAMETER_SCALAR:
        return trm_type_name(parameter->type);
    case TRM_PARAMETER_BLOCK:
        snprintf(text, CORE_PARAMETER_TEXT, "a block of %" PRIu32 " bytes", parameter->size);
        return text;
    case TRM_PARAMETER_BYTES:
        snprintf(text, CORE_PARAMETER_TEXT, "%" PRIu32 " bytes", parameter->size);
        return text;
    default:
        if (parameter->type == TRM_TYPE_NONE)
            return "a buffer";
        snprintf(text, CORE_PARAMETER_TEXT, "a buffer of %s", trm_type_name(parameter->type));
        return text;
    }
}

static const char *name_of(const struct trm_parameter *parameter)
{
    return parameter->name != NULL ? parameter->name : "";
}

/* Hand-written code need not give the type of a buffer's elements. */
static bool is_same(const struct trm_parameter *one, const struct trm_parameter *other)
{
    if (one->kind != other->kind || strcmp(name_of(one), name_of(other)) != 0)
        return false;
    if (one->kind == TRM_PARAMETER_SCALAR)
        return one->type == other->type;
    if (one->kind == TRM_PARAMETER_BLOCK)
        return one->size == other->size;
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
                             " of the code of kernel \"%s\" is \"%s\", %s; its shader has "
                             "\"%s\", %s",
                             i, reflected->name, name_of(one), core_parameter_text(one, is), name_of(two),
                             core_parameter_text(two, should));
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
