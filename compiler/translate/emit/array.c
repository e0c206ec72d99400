/* Arrays of buffers, images and samplers: the element that an access selects.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

const char *emit_table_type(struct emit *emit, const char *type, uint32_t count)
{
    emit_need(emit, "table");
    return base_arena_format(emit->arena, "TRM_TABLE trm_table<%s, %u>", type, count);
}

uint32_t emit_levels(const struct emit *emit, uint32_t variable)
{
    const struct spirv_variable *info = emit->module->ids[variable].as.variable;

    if (info->is_memory ||
        (info->storage != SpvStorageClassUniform && info->storage != SpvStorageClassStorageBuffer &&
         info->storage != SpvStorageClassUniformConstant))
        return 0;
    return spirv_descriptor_levels(emit->module,
                                   spirv_type(emit->module, spirv_type(emit->module, info->type)->element));
}

const char *emit_element_count(struct emit *emit, uint32_t parameter)
{
    uint32_t count = trm_parameter_count(&emit->reflection.kernels[0].parameters[parameter]);

    if (count != 0)
        return base_arena_format(emit->arena, "%u", count);
    return base_arena_format(emit->arena, "%strm_count_%u", emit->target->arguments, parameter);
}

static int32_t write_index(struct emit *emit, uint32_t id)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);

    if (constant != NULL) {
        text_add(&emit->text, "%llu", (unsigned long long)constant->bits);
        return TRM_OK;
    }
    if (emit_scalar_of(emit, id)->width == 32)
        return emit_index(emit, id);
    text_add(&emit->text, "(int64_t)");
    return emit_value(emit, id, WHOLE);
}

int32_t emit_element_number(struct emit *emit, const struct access *access, const char **number)
{
    const struct spirv_type *type =
        spirv_type(emit->module, spirv_type_of(emit->module, access->variable)->element);
    uint32_t levels = emit_levels(emit, access->variable);
    size_t length   = emit->text.length;
    int32_t status  = TRM_OK;

    *number = "0";
    if (access->count < levels)
        return emit_fail(emit, "the pointer is to an array of buffers or images");
    for (uint32_t i = 1; i < levels; i++)
        text_add(&emit->text, "(");
    for (uint32_t i = 0; i < levels && status == TRM_OK; i++) {
        if (i != 0)
            text_add(&emit->text, ") * %u + ", type->count);
        status = write_index(emit, access->indices[i]);
        type   = spirv_type(emit->module, type->element);
    }
    *number = emit_detach(emit, length);
    return status;
}

const char *emit_entry(struct emit *emit, uint32_t variable, const char *number)
{
    return base_arena_format(emit->arena, emit->language == TRM_LANGUAGE_C ? "%s[%s]" : "%s.at[%s]",
                             emit_name(emit, emit_buffer_variable(emit, variable)), number);
}

const char *emit_element_buffer(struct emit *emit, uint32_t variable, const char *number)
{
    const struct trm_parameter *parameter = &emit->reflection.kernels[0].parameters[emit->buffers[variable]];

    return base_arena_format(emit->arena, "((%s%s *)%s%s)",
                             parameter->access == TRM_ACCESS_READ ? "const " : "",
                             emit_buffer_type(emit, variable), emit_entry(emit, variable, number),
                             emit->language == TRM_LANGUAGE_C ? ".data" : "");
}

const char *emit_element_size(struct emit *emit, uint32_t variable, const char *number)
{
    if (emit->language == TRM_LANGUAGE_C)
        return base_arena_format(emit->arena, "%s.size", emit_entry(emit, variable, number));
    return base_arena_format(emit->arena, "%s_size.at[%s]",
                             emit_name(emit, emit_buffer_variable(emit, variable)), number);
}

int32_t emit_element_words(struct emit *emit, const struct access *access, const char **words,
                           const char **check)
{
    struct access element = {.variable = access->variable,
                             .count    = emit_levels(emit, access->variable),
                             .indices  = access->indices};
    const char *number;
    int32_t status = access->count < element.count ? emit_fail(emit, "the image is an array of images")
                                                   : emit_check_path(emit, &element, check);

    if (status == TRM_OK)
        status = emit_element_number(emit, &element, &number);
    if (status != TRM_OK)
        return status;
    if (*check != NULL)
        number = base_arena_format(emit->arena, "(%s) ? %s : 0", *check, number);
    *words = emit_entry(emit, access->variable, number);
    return TRM_OK;
}
