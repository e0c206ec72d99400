/* Expressions from patterns; op.h describes them.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The expression that is being written. */
struct pattern_writer {
    struct emit *emit;
    const struct spirv_instruction *op;
    uint32_t first, component;
    const struct spirv_type *result; /* scalar, or SPIRV_VOID */
};

const char *emit_tag(const struct spirv_type *scalar)
{
    if (scalar->kind == SPIRV_FLOAT)
        return scalar->width == 64 ? "f64" : "f32";
    if (scalar->kind == SPIRV_INT && scalar->width == 64)
        return scalar->is_signed ? "i64" : "u64";
    return scalar->kind == SPIRV_INT && !scalar->is_signed ? "u32" : "i32";
}

/* An unknown name is a defect of the translator: no compiler accepts the text. */
void emit_need(struct emit *emit, const char *name)
{
    if (!prelude_need(&emit->prelude, name))
        text_line(&emit->head, "#error trm_%s is not known", name);
}

void emit_part(struct emit *emit, const char *format, ...)
{
    char name[64];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name, sizeof(name), format, arguments);
    va_end(arguments);
    emit_need(emit, name);
    text_add(&emit->text, "trm_%s", name);
}

int32_t emit_operand(struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_type *type = spirv_type_of(emit->module, id);

    if (type->kind == SPIRV_COOPERATIVE)
        return emit_value(emit, id, component);
    return emit_value(emit, id, type->kind == SPIRV_VECTOR ? component : WHOLE);
}

/* The bits of a constant scalar, or of a component of a constant vector, extended as its type says. False for
 * other values. */
static bool constant_bits(const struct emit *emit, uint32_t id, uint32_t component, uint64_t *bits)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);

    if (constant != NULL && !constant->is_null &&
        spirv_type(emit->module, constant->type)->kind == SPIRV_VECTOR && component < constant->part_count)
        constant = spirv_constant(emit->module, constant->parts[component]);
    else if (constant != NULL && constant->part_count == 1) /* a cooperative matrix of equal elements */
        constant = spirv_constant(emit->module, constant->parts[0]);
    if (constant == NULL)
        return false;
    *bits = constant->is_null ? 0 : constant->bits;
    return true;
}

int32_t emit_unsigned(struct emit *emit, uint32_t id, uint32_t component, bool own_width)
{
    const struct spirv_type *type = emit_scalar_of(emit, id);
    uint32_t width                = type->width < 32 && !own_width ? 32 : type->width;
    uint64_t bits;

    if (type->kind == SPIRV_INT && constant_bits(emit, id, component, &bits)) {
        struct spirv_type as = *type;
        as.width             = width;
        as.is_signed         = false;
        emit_literal(emit, &as, bits, false);
        return TRM_OK;
    }
    if (type->kind != SPIRV_INT)
        text_add(&emit->text, "(uint32_t)");
    else if (type->is_signed || width != type->width)
        text_add(&emit->text, "(uint%u_t)", width);
    return emit_operand(emit, id, component);
}

int32_t emit_signed(struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_type *type = emit_scalar_of(emit, id);

    if (type->kind == SPIRV_INT && !type->is_signed)
        text_add(&emit->text, "(int%u_t)", type->width);
    return emit_operand(emit, id, component);
}

void emit_round(struct emit *emit, const struct spirv_type *scalar)
{
    if (scalar->kind == SPIRV_FLOAT && scalar->width == 16)
        emit_part(emit, "half");
    else if (scalar->kind == SPIRV_INT && (scalar->is_signed || scalar->width < 32))
        text_add(&emit->text, "(%sint%u_t)", scalar->is_signed ? "" : "u", scalar->width);
}

static void round_signed(struct emit *emit, const struct spirv_type *scalar)
{
    if (scalar->kind == SPIRV_INT && (!scalar->is_signed || scalar->width < 32))
        text_add(&emit->text, "(%sint%u_t)", scalar->is_signed ? "" : "u", scalar->width);
}

static uint32_t operand_of(const struct pattern_writer *writer, char digit)
{
    uint32_t index = writer->first + (uint32_t)(digit - '0');

    return index < writer->op->operand_count ? writer->op->operands[index] : 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The scalar type that a letter refers to: of the operand whose digit follows, or of the result. */
static const struct spirv_type *type_at(const struct pattern_writer *writer, const char **pattern)
{
    if (!is_digit(**pattern))
        return writer->result;
    return emit_scalar_of(writer->emit, operand_of(writer, *(*pattern)++));
}

static uint32_t computed_width(const struct spirv_type *type)
{
    return type->width == 64 ? 64 : 32;
}

/* Expands a letter that names no operand; `pattern` is behind the letter. */
static void write_word(const struct pattern_writer *writer, char letter, const char **pattern, char *space,
                       size_t size)
{
    const struct spirv_type *type =
        letter == 'W' || letter == 'B' || letter == 't' ? writer->result : type_at(writer, pattern);

    switch (letter) {
    case 'W':
    case 'w':
        snprintf(space, size, "%u", computed_width(type));
        break;
    case 'B':
    case 'b':
        snprintf(space, size, "%u", type->width);
        break;
    case 'h':
        snprintf(space, size, "%u", computed_width(type) - 1);
        break;
    case 'n':
        snprintf(space, size, "%s", type->width == 64 ? "f64" : "f32");
        break;
    case 'm':
        snprintf(space, size, "%s", type->width == 64 ? "" : "f");
        break;
    case 'v':
        snprintf(space, size, "%s", emit_tag(type));
        break;
    default:
        snprintf(space, size, "%s", emit_type_name(writer->emit, type->id));
        break;
    }
}

/* Writes the name of a part of the prelude; `pattern` is behind the '@'. */
static void write_part(const struct pattern_writer *writer, const char **pattern)
{
    char name[64];
    size_t length = 0;

    for (; length < sizeof(name) - 16; (*pattern)++) {
        char c = **pattern;
        if ((c >= 'a' && c <= 'z') || c == '_' || is_digit(c)) {
            name[length++] = c;
        } else if (c == '$') {
            char letter = *++*pattern;
            ++*pattern;
            name[length] = '\0';
            write_word(writer, letter, pattern, name + length, sizeof(name) - length);
            length += strlen(name + length);
            --*pattern;
        } else {
            break;
        }
    }
    name[length] = '\0';
    emit_part(writer->emit, "%s", name);
}

static bool same_types(const struct pattern_writer *writer)
{
    const struct spirv_type *a = emit_scalar_of(writer->emit, operand_of(writer, '0'));
    const struct spirv_type *b = emit_scalar_of(writer->emit, operand_of(writer, '1'));

    return a->width == b->width && a->is_signed == b->is_signed;
}

/* Writes the item whose letter is behind a dollar sign. */
static int32_t write_item(const struct pattern_writer *writer, const char **pattern)
{
    struct emit *emit = writer->emit;
    char letter       = *(*pattern)++;
    char space[64];

    if (is_digit(letter))
        return emit_operand(emit, operand_of(writer, letter), writer->component);
    switch (letter) {
    case '$':
        text_add(&emit->text, "$");
        return TRM_OK;
    case 'u':
        return emit_unsigned(emit, operand_of(writer, *(*pattern)++), writer->component, false);
    case 'U':
        return emit_unsigned(emit, operand_of(writer, *(*pattern)++), writer->component, true);
    case 's':
        return emit_signed(emit, operand_of(writer, *(*pattern)++), writer->component);
    case 'q':
        if (same_types(writer))
            return emit_operand(emit, operand_of(writer, *(*pattern)++), writer->component);
        return emit_unsigned(emit, operand_of(writer, *(*pattern)++), writer->component, true);
    case 'r':
        emit_round(emit, writer->result);
        return TRM_OK;
    case 'S':
        round_signed(emit, writer->result);
        return TRM_OK;
    default:
        write_word(writer, letter, pattern, space, sizeof(space));
        text_add(&emit->text, "%s", space);
        return TRM_OK;
    }
}

int32_t emit_pattern(struct emit *emit, const struct spirv_instruction *op, uint32_t first,
                     uint32_t component, const char *pattern)
{
    static const struct spirv_type none = {.kind = SPIRV_VOID};
    struct pattern_writer writer        = {emit, op, first, component,
                                    op->type == 0 ? &none : emit_scalar(emit, op->type)};
    int32_t status                      = TRM_OK;

    while (*pattern != '\0' && status == TRM_OK) {
        size_t plain = strcspn(pattern, "$@");
        text_add_bytes(&emit->text, pattern, plain);
        pattern += plain;
        if (*pattern == '$') {
            pattern++;
            status = write_item(&writer, &pattern);
        } else if (*pattern == '@') {
            pattern++;
            write_part(&writer, &pattern);
        }
    }
    return status;
}
