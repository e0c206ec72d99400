/* Text that both languages have in common.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/targets/common.h"

#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool target_mentions(const struct text *text, const char *word)
{
    size_t length = strlen(word);

    if (text->length == 0)
        return false;
    const char *from = text->bytes, *end = text->bytes + text->length;
    while ((size_t)(end - from) >= length) {
        const char *found = memmem(from, (size_t)(end - from), word, length);
        if (found == NULL)
            return false;
        if ((found == text->bytes || !is_word(found[-1])) &&
            (found + length == end || !is_word(found[length])))
            return true;
        from = found + 1;
    }
    return false;
}

const struct trm_kernel_info *target_kernel_info(const struct emit *emit)
{
    return &emit->reflection.kernels[emit->kernel];
}

const char *target_scalar_type(int32_t type)
{
    switch (type) {
    case TRM_TYPE_U8:
        return "uint8_t";
    case TRM_TYPE_I8:
        return "int8_t";
    case TRM_TYPE_U16:
    case TRM_TYPE_F16:
        return "uint16_t";
    case TRM_TYPE_I16:
        return "int16_t";
    case TRM_TYPE_I32:
        return "int32_t";
    case TRM_TYPE_F32:
        return "float";
    case TRM_TYPE_U64:
        return "uint64_t";
    case TRM_TYPE_I64:
        return "int64_t";
    case TRM_TYPE_F64:
        return "double";
    default:
        return "uint32_t";
    }
}

uint32_t target_entries(const struct trm_parameter *parameter)
{
    uint32_t count = trm_parameter_count(parameter);

    return count != 0 ? count : TRM_ARRAY_MOST;
}

const char *target_brackets(struct emit *emit, const struct trm_parameter *parameter)
{
    return trm_parameter_is_array(parameter)
               ? base_arena_format(emit->arena, "[%u]", target_entries(parameter))
               : "";
}

uint32_t target_scalars(struct emit *emit)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);
    const char *align                    = emit->language == TRM_LANGUAGE_C ? "_Alignas(16)" : "alignas(16)";
    uint32_t count                       = 0;

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        if (trm_parameter_count(&kernel->parameters[i]) != 0)
            continue;
        text_line(&emit->text, "uint64_t trm_count_%u;", i);
        count++;
    }
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        if (parameter->kind == TRM_PARAMETER_SCALAR)
            text_line(&emit->text, "%s %s;", target_scalar_type(parameter->type), emit->fields[i]);
        else if (parameter->kind == TRM_PARAMETER_BLOCK)
            text_line(&emit->text, "%s unsigned char %s[%u];", align, emit->fields[i], parameter->size);
        count += emit_is_member(parameter);
    }
    return count;
}

void target_open_image(struct emit *emit, const struct text *body, uint32_t parameter, const char *words)
{
    uint32_t id      = emit->reflection.parameter_variables[parameter];
    const char *type = emit_opaque_type(emit, id), *name = emit_name(emit, id);

    if (words == NULL || !target_mentions(body, name))
        return;
    const char *value = emit_opaque_value(emit, id, words);
    if (value != NULL)
        text_line(&emit->text, "const %s %s = %s;", type, name, value);
}

void target_string(struct text *text, const char *string)
{
    text_add(text, "\"");
    for (; *string != '\0'; string++) {
        unsigned char c = (unsigned char)*string;
        if (c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?' && c != '*')
            text_add_bytes(text, string, 1);
        else
            text_add(text, "\\%03o", c);
    }
    text_add(text, "\"");
}

/* A table without rows is not allowed. */
void target_write_sites(struct emit *emit, const char *storage)
{
    text_line(&emit->head, "%s struct trm_site {", storage);
    text_line(&emit->head, "const char *what, *where;");
    emit->head.indent--;
    text_line(&emit->head, "} trm_sites[] = {");
    for (uint32_t i = 0; i < emit->site_count; i++) {
        text_begin_line(&emit->head);
        text_add(&emit->head, "{");
        target_string(&emit->head, emit->sites[i].what);
        text_add(&emit->head, ", ");
        target_string(&emit->head, emit->sites[i].where);
        text_add(&emit->head, "},\n");
    }
    text_line(&emit->head, "{\"\", \"\"},");
    text_close(&emit->head, "};");
    text_add(&emit->head, "\n");
}
