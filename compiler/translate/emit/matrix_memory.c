/* Cooperative matrices in buffers and in shared memory: an element at a time, at
 *
 *     pointer + row * stride + column        of a matrix that lies by rows
 *     pointer + column * stride + row        by columns
 *
 * where the stride counts elements of the pointer's type, which may be wider than the matrix's.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/flow.h"
#include "compiler/translate/emit/op_cooperative.h"

#include <string.h>

/* Where the elements are. */
struct matrix_place {
    struct emit_address address;
    /* Halves in shared memory that has no layout are floats there: the address is that of floats. */
    bool is_wide_half;
};

static bool is_half(const struct spirv_type *type)
{
    return type->kind == SPIRV_FLOAT && type->width == 16;
}

/* Adds the check that the element is inside of the array in shared memory that the pointer points into. */
static int32_t check_shared(struct emit *emit, const struct access *access, const char *major,
                            const char *minor, uint32_t ratio, const char **check)
{
    const struct spirv_type *array =
        spirv_type(emit->module, spirv_type_of(emit->module, access->variable)->element);
    size_t length = emit->text.length;

    if (!(emit->flags & TRM_TRANSLATE_BOUNDS) || access->count == 0)
        return TRM_OK;
    for (uint32_t i = 0; i + 1 < access->count; i++)
        array = spirv_type(emit->module,
                           array->kind == SPIRV_STRUCT
                               ? array->members[spirv_constant(emit->module, access->indices[i])->bits].type
                               : array->element);
    if (array->kind != SPIRV_ARRAY)
        return TRM_OK;
    if (*check != NULL)
        text_add(&emit->text, "%s && ", *check);
    emit_begin_check(emit, "within", emit_add_site(emit, emit_what(emit, access, access->count - 1)));
    int32_t status = emit_index(emit, access->indices[access->count - 1]);
    text_add(&emit->text, " + %s * trm_stride + %s / %u, %u)", major, minor, ratio, array->count);
    *check = emit_detach(emit, length);
    return status;
}

/* The type in shared memory, as which a pointer there is used. */
static int32_t begin_shared(struct emit *emit, const struct access *access,
                            const struct spirv_type *component, struct matrix_place *place)
{
    const struct spirv_type *pointee = spirv_type(emit->module, access->type);
    const struct spirv_type *scalar  = emit_scalar(emit, access->type);

    if (is_half(scalar) && !is_half(component))
        return emit_fail(emit, "the shared memory holds halves and the matrix does not");
    place->is_wide_half = is_half(scalar);
    text_begin_line(&emit->text);
    text_add(&emit->text, "unsigned char *const trm_at = (unsigned char *)%s",
             pointee->kind == SPIRV_VECTOR ? "(" : "&(");
    int32_t status = emit_path(emit, access, WHOLE);
    text_add(&emit->text, ");\n");
    place->address = (struct emit_address){.variable = access->variable, .base = "trm_at"};
    if (status == TRM_OK)
        status = emit_check_path(emit, access, &place->address.check);
    return status;
}

static bool is_same_memory(const struct spirv_type *one, const struct spirv_type *other)
{
    return one->kind == other->kind && one->width == other->width;
}

/* In a buffer, or in a shared block. */
static int32_t begin_layout(struct emit *emit, const struct access *access,
                            const struct spirv_type *component, bool is_store, struct matrix_place *place)
{
    struct emit_address *address = &place->address;
    int32_t status               = emit_locate(emit, access, address);

    if (status != TRM_OK)
        return status;
    if (address->unit != NULL && !is_same_memory(address->unit, component)) {
        address->base = base_arena_format(emit->arena, "((%sunsigned char *)%s)", is_store ? "" : "const ",
                                          address->base);
        address->unit = NULL;
    }
    return TRM_OK;
}

/* Finds the place of the element in row trm_r and column trm_c. */
static int32_t locate(struct emit *emit, const struct spirv_matrix_access *of, const struct spirv_type *type,
                      bool is_store, struct matrix_place *place)
{
    const struct access *access        = body_access(emit->body, of->pointer);
    const struct spirv_type *component = spirv_type(emit->module, type->element);
    const char *major                  = of->is_column_major ? "trm_c" : "trm_r";
    const char *minor                  = of->is_column_major ? "trm_r" : "trm_c";
    int32_t status;

    *place = (struct matrix_place){.is_wide_half = false};
    if (access == NULL || access->variable == 0)
        return emit_fail(emit, "the pointer is not a path into a variable");
    text_begin_line(&emit->text);
    text_add(&emit->text, "const int64_t trm_stride = ");
    status = emit_index(emit, of->stride);
    text_add(&emit->text, ";\n");
    if (status != TRM_OK)
        return status;
    status =
        emit_has_layout(emit, access->variable) || emit->module->ids[access->variable].as.variable->is_memory
            ? begin_layout(emit, access, component, is_store, place)
            : begin_shared(emit, access, component, place);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *pointee = spirv_type(emit->module, access->type);
    uint32_t count                   = pointee->kind == SPIRV_VECTOR ? pointee->count : 1;
    uint32_t bytes                   = place->is_wide_half ? 4 : component->width / 8;
    uint32_t unit                    = place->is_wide_half ? 4 : emit_scalar(emit, access->type)->width / 8;
    if (place->address.term_count + 2 > EMIT_TERMS)
        return emit_fail(emit, "too many indices");
    place->address.terms[place->address.term_count++] = (struct emit_term){
        .text = base_arena_format(emit->arena, "(%s * trm_stride)", major), .scale = (uint64_t)count * unit};
    place->address.terms[place->address.term_count++] = (struct emit_term){.text = minor, .scale = bytes};
    place->address.type                               = component->id;
    if (place->address.base != NULL && strcmp(place->address.base, "trm_at") == 0)
        status = check_shared(emit, access, major, minor, count * unit > bytes ? count * unit / bytes : 1,
                              &place->address.check);
    place->address.is_volatile |= of->is_volatile;
    return status;
}

/* The element as a float in shared memory. */
static int32_t write_wide_half(struct emit *emit, const struct matrix_place *place)
{
    const struct emit_address *address = &place->address;

    text_add(&emit->text, "*(float *)(%s + %llu * %s + %llu * %s)", address->base,
             (unsigned long long)address->terms[0].scale, address->terms[0].text,
             (unsigned long long)address->terms[1].scale, address->terms[1].text);
    return TRM_OK;
}

/* Begins the loops over the elements that the work-item holds; the element's number is trm_i. */
static void begin_loops(struct emit *emit, const struct spirv_type *type)
{
    if (emit->language == TRM_LANGUAGE_C) {
        text_line(&emit->text, "for (int64_t trm_r = 0; trm_r < %u; trm_r++) {", type->matrix->rows);
        text_line(&emit->text, "for (int64_t trm_c = 0; trm_c < %u; trm_c++) {", type->matrix->columns);
        text_line(&emit->text, "const int64_t trm_i = trm_r * %u + trm_c;", type->matrix->columns);
        return;
    }
    const char *name = emit_type_name(emit, type->id) + sizeof("struct ") - 1;
    text_add(&emit->text, "#pragma unroll\n");
    text_line(&emit->text, "for (int trm_i = 0; trm_i < %u; trm_i++) {", type->count);
    text_line(&emit->text, "const int64_t trm_r = %s::row(trm_i), trm_c = %s::column(trm_i);", name, name);
}

static void end_loops(struct emit *emit)
{
    text_close(&emit->text, "}");
    if (emit->language == TRM_LANGUAGE_C)
        text_close(&emit->text, "}");
}

/* Are halves copied as bits, without conversion to floats and back? */
static bool has_bits(const struct emit *emit, const struct spirv_type *type, const struct matrix_place *place)
{
    return emit->language == TRM_LANGUAGE_CUDA && is_half(spirv_type(emit->module, type->element)) &&
           !place->is_wide_half && !emit_is_checked(&place->address);
}

int32_t emit_matrix_load(struct emit *emit, const struct spirv_instruction *op)
{
    const struct spirv_type *type = spirv_type(emit->module, op->type);
    struct spirv_matrix_access of = spirv_matrix_access(emit->module, op);
    struct matrix_place place;
    int32_t status = locate(emit, &of, type, false, &place);

    if (status != TRM_OK)
        return status;
    begin_loops(emit, type);
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s.e[trm_i]%s = ", emit_name(emit, op->result),
             has_bits(emit, type, &place) ? ".bits" : "");
    if (has_bits(emit, type, &place)) {
        status = emit_scalar_at(emit, &place.address, true);
    } else if (place.is_wide_half) {
        emit_begin_checked(emit, place.address.check);
        status = write_wide_half(emit, &place);
        emit_end_checked(emit, place.address.check, type->element);
    } else {
        status = emit_read(emit, &place.address);
    }
    text_add(&emit->text, ";\n");
    end_loops(emit);
    return status;
}

int32_t emit_matrix_store(struct emit *emit, const struct spirv_instruction *op)
{
    struct spirv_matrix_access of = spirv_matrix_access(emit->module, op);
    const struct spirv_type *type = spirv_type_of(emit->module, of.object);
    struct matrix_place place;
    int32_t status = locate(emit, &of, type, true, &place);

    if (status != TRM_OK)
        return status;
    bool is_bits = has_bits(emit, type, &place) && spirv_constant(emit->module, of.object) == NULL;
    begin_loops(emit, type);
    if (place.is_wide_half) {
        text_begin_line(&emit->text);
        if (place.address.check != NULL)
            text_add(&emit->text, "if (%s) ", place.address.check);
        status = write_wide_half(emit, &place);
        text_add(&emit->text, " = ");
    } else if (is_bits) {
        text_begin_line(&emit->text);
        status = emit_scalar_at(emit, &place.address, false);
        text_add(&emit->text, " = ");
    } else {
        status = emit_begin_write(emit, &place.address);
    }
    if (status == TRM_OK)
        status = emit_value(emit, of.object, ELEMENT);
    if (place.is_wide_half || is_bits)
        text_add(&emit->text, is_bits ? ".bits;\n" : ";\n");
    else
        emit_end_write(emit, &place.address);
    end_loops(emit);
    return status;
}
