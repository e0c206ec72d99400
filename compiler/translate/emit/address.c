/* Addresses of accesses to buffers and push constants: constant offsets and terms known at run time.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

static uint32_t size_of(const struct spirv_type *scalar)
{
    return scalar->kind == SPIRV_BOOL ? 4 : scalar->width / 8;
}

bool emit_has_layout(const struct emit *emit, uint32_t variable)
{
    switch (emit->module->ids[variable].as.variable->storage) {
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassPushConstant:
        return true;
    default:
        return false;
    }
}

const char *emit_buffer_type(struct emit *emit, uint32_t variable)
{
    const struct spirv_type *unit = variable < emit->mark_count ? emit->units[variable] : NULL;

    return unit == NULL ? "unsigned char" : emit_memory_type(unit);
}

static int32_t begin(struct emit *emit, uint32_t id, struct emit_address *address)
{
    const struct spirv_variable *variable = emit->module->ids[id].as.variable;
    uint32_t type                         = spirv_type(emit->module, variable->type)->element;

    *address = (struct emit_address){.variable = id, .type = type};
    if (spirv_type(emit->module, type)->kind != SPIRV_STRUCT)
        return emit_fail(emit, "the variable is an array of blocks");
    if (variable->storage == SpvStorageClassPushConstant)
        return TRM_OK; /* the first step says which argument it is */
    address->base = emit_name(emit, id);
    address->unit = id < emit->mark_count ? emit->units[id] : NULL;
    address->is_volatile =
        variable->is_volatile || (variable->is_coherent && emit->language == TRM_LANGUAGE_CUDA);
    if (emit->flags & TRM_TRANSLATE_BOUNDS)
        address->size = base_arena_format(emit->arena, "%s_size", address->base);
    return TRM_OK;
}

/* Adds index × stride to the address. */
static int32_t add(struct emit *emit, struct emit_address *address, uint32_t index,
                   const struct emit_term *term, uint64_t stride)
{
    if (term == NULL) {
        address->offset += index * stride;
        return TRM_OK;
    }
    if (address->term_count == EMIT_TERMS)
        return emit_fail(emit, "too many indices");
    address->terms[address->term_count]       = *term;
    address->terms[address->term_count].scale = stride;
    address->term_count++;
    return TRM_OK;
}

static int32_t step_member(struct emit *emit, struct emit_address *address, const struct spirv_type *type,
                           uint32_t index)
{
    const struct spirv_member *member = &type->members[index];

    address->type = member->type;
    if (address->base == NULL) {
        address->base =
            base_arena_format(emit->arena, "%s%s", emit->target->arguments, emit_parameter(emit, index));
        address->is_scalar_argument = emit_components(emit, member->type) == 1;
    } else {
        address->offset += member->offset;
    }
    address->matrix_stride = member->matrix_stride;
    address->row_major     = member->row_major;
    return TRM_OK;
}

int32_t emit_locate_step(struct emit *emit, struct emit_address *address, uint32_t index,
                         const struct emit_term *term)
{
    const struct spirv_type *type = spirv_type(emit->module, address->type);
    uint64_t stride               = type->stride;

    switch (type->kind) {
    case SPIRV_STRUCT:
        return step_member(emit, address, type, index);
    case SPIRV_MATRIX:
        stride = address->matrix_stride;
        if (address->row_major) {
            stride                    = size_of(emit_scalar(emit, address->type));
            address->component_stride = address->matrix_stride;
        }
        break;
    case SPIRV_VECTOR:
        stride = address->component_stride != 0 ? address->component_stride
                                                : size_of(spirv_type(emit->module, type->element));
        break;
    case SPIRV_ARRAY:
    case SPIRV_RUNTIME_ARRAY:
        if (stride == 0)
            return emit_fail(emit, "an array has no stride");
        break;
    default:
        return emit_fail(emit, "an index into a type without parts");
    }
    address->type = type->element;
    return add(emit, address, index, term, stride);
}

int32_t emit_locate(struct emit *emit, const struct access *access, struct emit_address *address)
{
    int32_t status = begin(emit, access->variable, address);

    for (uint32_t i = 0; i < access->count && status == TRM_OK; i++) {
        const struct spirv_constant *constant = spirv_constant(emit->module, access->indices[i]);
        struct emit_term term                 = {.id = access->indices[i]};
        int64_t index                         = constant == NULL ? 0 : (int64_t)constant->bits;
        /* A constant may be out of range only as the index of an array; such an access is the shader's own
         * error. */
        status = emit_locate_step(emit, address, (uint32_t)index,
                                  constant == NULL || index < 0 || index > UINT32_MAX ? &term : NULL);
    }
    return status;
}

/* ---- text */

static int32_t write_term(struct emit *emit, const struct emit_term *term)
{
    if (term->text != NULL) {
        text_add(&emit->text, "%s", term->text);
        return TRM_OK;
    }
    if (emit_scalar_of(emit, term->id)->width == 32 && spirv_constant(emit->module, term->id) == NULL)
        return emit_index(emit, term->id);
    text_add(&emit->text, "(int64_t)");
    return emit_value(emit, term->id, WHOLE);
}

/* Writes the offset in units of `size` bytes, as a sum without parentheses. Every offset is a multiple. */
static int32_t write_offset(struct emit *emit, const struct emit_address *address, uint32_t size)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < address->term_count && status == TRM_OK; i++) {
        uint64_t scale = address->terms[i].scale / size;
        text_add(&emit->text, i == 0 ? "" : " + ");
        if (scale != 1)
            text_add(&emit->text, "%llu * ", (unsigned long long)scale);
        status = write_term(emit, &address->terms[i]);
    }
    if (address->offset != 0 || address->term_count == 0)
        text_add(&emit->text, "%s%llu%s", address->term_count == 0 ? "" : " + ",
                 (unsigned long long)(address->offset / size),
                 address->offset / size > INT32_MAX ? "ll" : "");
    return status;
}

int32_t emit_scalar_at(struct emit *emit, const struct emit_address *address, bool is_read)
{
    const char *type      = emit_memory_type(spirv_type(emit->module, address->type));
    const char *qualifier = base_arena_format(emit->arena, "%s%s", address->is_volatile ? "volatile " : "",
                                              is_read ? "const " : "");
    int32_t status;

    if (address->is_scalar_argument) {
        text_add(&emit->text, "%s", address->base);
        return TRM_OK;
    }
    if (address->unit != NULL) {
        if (address->is_volatile)
            text_add(&emit->text, "((%s%s *)%s)[", qualifier, type, address->base);
        else
            text_add(&emit->text, "%s[", address->base);
        status = write_offset(emit, address, size_of(address->unit));
        text_add(&emit->text, "]");
        return status;
    }
    text_add(&emit->text, "%s*(%s%s *)(%s", is_read ? "(" : "", qualifier, type, address->base);
    status = TRM_OK;
    if (address->term_count != 0 || address->offset != 0) {
        text_add(&emit->text, " + ");
        status = write_offset(emit, address, 1);
    }
    text_add(&emit->text, is_read ? "))" : ")");
    return status;
}

int32_t emit_inside(struct emit *emit, const struct emit_address *address)
{
    int32_t status;

    emit_part(emit, "inside");
    text_add(&emit->text, "(");
    status = write_offset(emit, address, 1);
    text_add(&emit->text, ", %u, %s)", size_of(spirv_type(emit->module, address->type)), address->size);
    return status;
}

int32_t emit_read(struct emit *emit, const struct emit_address *address)
{
    const struct spirv_type *scalar = spirv_type(emit->module, address->type);
    bool is_half                    = scalar->kind == SPIRV_FLOAT && scalar->width == 16;
    int32_t status                  = TRM_OK;

    if (address->size != NULL) {
        text_add(&emit->text, "(");
        status = emit_inside(emit, address);
        text_add(&emit->text, " ? ");
    }
    if (is_half)
        emit_part(emit, "half_of");
    text_add(&emit->text, is_half ? "(" : scalar->kind == SPIRV_BOOL ? "(0 != " : "");
    if (status == TRM_OK)
        status = emit_scalar_at(emit, address, true);
    text_add(&emit->text, is_half || scalar->kind == SPIRV_BOOL ? ")" : "");
    if (address->size != NULL)
        text_add(&emit->text, " : (%s, 0))", EMIT_BOUNDS_FAILED);
    return status;
}

int32_t emit_begin_write(struct emit *emit, const struct emit_address *address)
{
    const struct spirv_type *scalar = spirv_type(emit->module, address->type);
    int32_t status                  = TRM_OK;

    text_begin_line(&emit->text);
    if (address->size != NULL) {
        text_add(&emit->text, "if (");
        status = emit_inside(emit, address);
        text_add(&emit->text, ") ");
    }
    if (status == TRM_OK)
        status = emit_scalar_at(emit, address, false);
    text_add(&emit->text, " = ");
    if (scalar->kind == SPIRV_FLOAT && scalar->width == 16) {
        emit_part(emit, "half_bits");
        text_add(&emit->text, "(");
    } else if (scalar->kind == SPIRV_BOOL) {
        text_add(&emit->text, "(uint32_t)(");
    }
    return status;
}

void emit_end_write(struct emit *emit, const struct emit_address *address)
{
    const struct spirv_type *scalar = spirv_type(emit->module, address->type);

    text_add(&emit->text,
             (scalar->kind == SPIRV_FLOAT && scalar->width == 16) || scalar->kind == SPIRV_BOOL ? ");" : ";");
    if (address->size != NULL)
        text_add(&emit->text, " else %s;", EMIT_BOUNDS_FAILED);
    text_add(&emit->text, "\n");
}
