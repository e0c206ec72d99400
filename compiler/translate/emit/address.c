/* Addresses of accesses to buffers and push constants: constant offsets and terms known at run time.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

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
        return emit->module->ids[variable].as.variable->is_shared_block;
    }
}

uint32_t emit_buffer_variable(const struct emit *emit, uint32_t variable)
{
    return emit->reflection.parameter_variables[emit->buffers[variable]];
}

const char *emit_buffer(struct emit *emit, uint32_t variable)
{
    uint32_t named_after                  = emit_buffer_variable(emit, variable);
    const struct trm_parameter *parameter = &emit->reflection.kernels[0].parameters[emit->buffers[variable]];
    const char *name                      = emit_name(emit, named_after);

    if (named_after == variable)
        return name;
    return base_arena_format(emit->arena, "((%s%s *)%s)",
                             parameter->access == TRM_ACCESS_READ ? "const " : "",
                             emit_buffer_type(emit, variable), name);
}

/* Must the accesses stay in order, and where they are? Compilers of CUDA C may assume that memory of
 * different scalar types is different memory. */
static bool is_volatile(const struct emit *emit, uint32_t id, const struct spirv_variable *variable)
{
    if (variable->is_volatile || emit->language != TRM_LANGUAGE_CUDA)
        return variable->is_volatile;
    if (variable->is_shared_block)
        return emit->is_shared_mixed;
    if (variable->is_memory)
        return variable->is_coherent;
    return variable->is_coherent || (variable->is_written && emit->is_mixed[emit->buffers[id]]);
}

const char *emit_buffer_type(struct emit *emit, uint32_t variable)
{
    const struct spirv_type *unit = variable < emit->mark_count ? emit->units[variable] : NULL;

    return unit == NULL ? "unsigned char" : emit_memory_type(unit);
}

/* The memory of all shared blocks, as a pointer to the type of this one. */
static const char *shared_block(struct emit *emit, uint32_t id)
{
    return base_arena_format(emit->arena, "((%s *)%s%s)", emit_buffer_type(emit, id),
                             emit->language == TRM_LANGUAGE_C ? "shared->" : "",
                             emit_name(emit, emit->module->ids[id].as.variable->view_of));
}

/* What a variable pointer points to: the first index of the access is the address. */
static int32_t begin_pointer(struct emit *emit, const struct access *access, struct emit_address *address)
{
    const struct spirv_variable *variable = emit->module->ids[access->variable].as.variable;
    size_t length                         = emit->text.length;
    uint32_t type                         = spirv_type(emit->module, variable->type)->element;

    text_add(&emit->text, "((unsigned char *)%s", emit->language == TRM_LANGUAGE_C ? "(uintptr_t)" : "");
    int32_t status = emit_value(emit, access->indices[0], WHOLE);
    text_add(&emit->text, ")");
    *address = (struct emit_address){
        .variable    = access->variable,
        .type        = spirv_type(emit->module, type)->element,
        .base        = emit_detach(emit, length),
        .is_volatile = is_volatile(emit, access->variable, variable),
        .is_physical = variable->is_physical && emit->language == TRM_LANGUAGE_C &&
                       (emit->flags & TRM_TRANSLATE_BOUNDS) != 0,
    };
    return status;
}

/* An element of an array of buffers. */
static int32_t begin_element(struct emit *emit, const struct access *access, struct emit_address *address)
{
    uint32_t id = access->variable;
    const char *number;

    int32_t status = emit_element_number(emit, access, &number);
    if (status != TRM_OK)
        return status;
    *address = (struct emit_address){
        .variable    = id,
        .type        = spirv_descriptor_of(emit->module, id)->id,
        .base        = emit_element_buffer(emit, id, number),
        .unit        = emit->units[id],
        .is_volatile = is_volatile(emit, id, emit->module->ids[id].as.variable),
    };
    if (emit->flags & TRM_TRANSLATE_BOUNDS)
        address->size = emit_element_size(emit, id, number);
    return TRM_OK;
}

static int32_t begin(struct emit *emit, const struct access *access, struct emit_address *address)
{
    uint32_t id                           = access->variable;
    const struct spirv_variable *variable = emit->module->ids[id].as.variable;
    uint32_t type                         = spirv_type(emit->module, variable->type)->element;

    if (emit_levels(emit, id) != 0)
        return begin_element(emit, access, address);
    *address = (struct emit_address){.variable = id, .type = type};
    if (spirv_type(emit->module, type)->kind != SPIRV_STRUCT)
        return emit_fail(emit, "the variable is an array of blocks");
    if (variable->storage == SpvStorageClassPushConstant)
        return TRM_OK; /* the first step says which argument it is */
    address->base        = variable->is_shared_block ? shared_block(emit, id) : emit_buffer(emit, id);
    address->unit        = emit->units[id];
    address->is_volatile = is_volatile(emit, id, variable);
    if (!variable->is_shared_block && emit->flags & TRM_TRANSLATE_BOUNDS)
        address->size =
            base_arena_format(emit->arena, "%s_size", emit_name(emit, emit_buffer_variable(emit, id)));
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

/* Notes the step into the array without a length. Nothing but the offset of a member comes before it. */
static void note_elements(struct emit_address *address, uint32_t index, const struct emit_term *term,
                          uint64_t stride)
{
    address->elements = (struct emit_elements){
        .stride = stride,
        .offset = address->offset,
        .number = term == NULL ? index : 0,
        .term   = term == NULL ? 0 : address->term_count + 1,
    };
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
        if (type->kind == SPIRV_RUNTIME_ARRAY)
            note_elements(address, index, term, stride);
        break;
    default:
        return emit_fail(emit, "an index into a type without parts");
    }
    address->type = type->element;
    return add(emit, address, index, term, stride);
}

/* The site of the check that an access lies inside of its buffer. The sentence names the array without a
 * length, if the access is in one, and otherwise the bytes of the buffer. */
static uint32_t site_of_buffer(struct emit *emit, const struct access *access)
{
    uint32_t first = emit_levels(emit, access->variable), level = first;
    uint32_t type = first != 0 ? spirv_descriptor_of(emit->module, access->variable)->id
                               : spirv_type_of(emit->module, access->variable)->element;

    for (; level < access->count && spirv_type(emit->module, type)->kind == SPIRV_STRUCT; level++)
        type = spirv_type(emit->module, type)
                   ->members[spirv_constant(emit->module, access->indices[level])->bits]
                   .type;
    if (level < access->count && spirv_type(emit->module, type)->kind == SPIRV_RUNTIME_ARRAY)
        return emit_add_site(emit, emit_what(emit, access, level));
    const char *bytes = base_arena_format(emit->arena, "the bytes of %s", emit_what(emit, access, first));
    return emit_add_site(emit, bytes == NULL ? "" : bytes);
}

/* The site of the check that an address lies inside of a buffer that lives. */
static uint32_t site_of_address(struct emit *emit, uint32_t variable)
{
    const char *what = base_arena_format(emit->arena, "the bytes of a buffer, through the address of a '%s'",
                                         emit->module->ids[variable].name);

    return emit_add_site(emit, what == NULL ? "" : what);
}

int32_t emit_locate(struct emit *emit, const struct access *access, struct emit_address *address)
{
    bool is_pointer = emit->module->ids[access->variable].as.variable->is_memory;
    uint32_t first  = is_pointer ? 1 : emit_levels(emit, access->variable);
    int32_t status  = is_pointer ? begin_pointer(emit, access, address) : begin(emit, access, address);

    if (status == TRM_OK)
        status = emit_check_path(emit, access, &address->check);
    if (status == TRM_OK && address->size != NULL)
        address->site = site_of_buffer(emit, access);
    if (status == TRM_OK && address->is_physical)
        address->site = site_of_address(emit, access->variable);
    for (uint32_t i = first; i < access->count && status == TRM_OK; i++) {
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

/* Writes the terms inside of an element: their sum and the bytes of the scalar, which is where it ends. */
static int32_t write_rest(struct emit *emit, const struct emit_address *address)
{
    const struct emit_elements *elements = &address->elements;
    uint64_t bytes                       = size_of(spirv_type(emit->module, address->type));
    uint64_t offset = address->offset - elements->offset - elements->number * elements->stride;
    int32_t status  = TRM_OK;

    for (uint32_t i = 0; i < address->term_count && status == TRM_OK; i++) {
        if (elements->stride != 0 && i + 1 == elements->term)
            continue;
        text_add(&emit->text, "%llu * ", (unsigned long long)address->terms[i].scale);
        status = write_term(emit, &address->terms[i]);
        text_add(&emit->text, " + ");
    }
    offset += bytes;
    text_add(&emit->text, "%llu", (unsigned long long)offset);
    return status;
}

/* Writes "trm_reaches(index, stride, offset of the elements, end within one element, size)"; elements of an
 * access that is in no array without a length are bytes. */
static int32_t write_reaches(struct emit *emit, const struct emit_address *address)
{
    const struct emit_elements *elements = &address->elements;
    int32_t status                       = TRM_OK;

    emit_begin_check(emit, "reaches", address->site);
    if (elements->stride == 0) {
        status = write_offset(emit, address, 1);
        text_add(&emit->text, ", 1, 0, %u, %s)", size_of(spirv_type(emit->module, address->type)),
                 address->size);
        return status;
    }
    if (elements->term != 0)
        status = write_term(emit, &address->terms[elements->term - 1]);
    else
        text_add(&emit->text, "%llu", (unsigned long long)elements->number);
    text_add(&emit->text, ", %llu, %llu, ", (unsigned long long)elements->stride,
             (unsigned long long)elements->offset);
    if (status == TRM_OK)
        status = write_rest(emit, address);
    text_add(&emit->text, ", %s)", address->size);
    return status;
}

/* Writes the address of the scalar, and its bytes. */
static int32_t write_bytes(struct emit *emit, const struct emit_address *address)
{
    int32_t status = TRM_OK;

    text_add(&emit->text, "(uint64_t)(uintptr_t)(%s", address->base);
    if (address->term_count != 0 || address->offset != 0) {
        text_add(&emit->text, " + ");
        status = write_offset(emit, address, 1);
    }
    text_add(&emit->text, "), %u", size_of(spirv_type(emit->module, address->type)));
    return status;
}

/* Writes "trm_lives(address of the scalar, its bytes)". Where the module takes addresses of elements of its
 * buffers, the address may also lie in one of the launch's. */
static int32_t write_lives(struct emit *emit, const struct emit_address *address)
{
    bool is_either = emit->module->takes_addresses;
    int32_t status = TRM_OK;

    if (is_either) {
        text_add(&emit->text, "(");
        emit_part(emit, "holds");
        text_add(&emit->text, "(");
        status = write_bytes(emit, address);
        text_add(&emit->text, ", (const struct trm_cpu_buffer *)(const void *)&arguments, %" PRIu32 ") || ",
                 emit_argument_buffers(emit));
    }
    emit_begin_check(emit, "lives", address->site);
    if (status == TRM_OK)
        status = write_bytes(emit, address);
    text_add(&emit->text, is_either ? "))" : ")");
    return status;
}

int32_t emit_inside(struct emit *emit, const struct emit_address *address)
{
    if (address->check != NULL)
        text_add(&emit->text, "%s%s", address->check,
                 address->size != NULL || address->is_physical ? " && " : "");
    if (address->is_physical)
        return write_lives(emit, address);
    return address->size != NULL ? write_reaches(emit, address) : TRM_OK;
}

int32_t emit_read(struct emit *emit, const struct emit_address *address)
{
    const struct spirv_type *scalar = spirv_type(emit->module, address->type);
    bool is_half                    = scalar->kind == SPIRV_FLOAT && scalar->width == 16;
    int32_t status                  = TRM_OK;

    if (emit_is_checked(address)) {
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
    if (emit_is_checked(address))
        text_add(&emit->text, " : 0)");
    return status;
}

int32_t emit_begin_write(struct emit *emit, const struct emit_address *address)
{
    const struct spirv_type *scalar = spirv_type(emit->module, address->type);
    int32_t status                  = TRM_OK;

    text_begin_line(&emit->text);
    if (emit_is_checked(address)) {
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
    text_add(&emit->text, "\n");
}

/* Does the layout of what is at the address depend on the member that holds it? A matrix's does, and that of
 * a column of one that lies by rows. */
static bool depends_on_member(const struct emit *emit, const struct emit_address *address)
{
    const struct spirv_type *type = spirv_type(emit->module, address->type);

    if (type->kind == SPIRV_VECTOR && address->component_stride != 0)
        return true;
    if (emit->module->ids[address->variable].as.variable->is_shared_block)
        return emit_components(emit, address->type) == 0;
    while (type->kind == SPIRV_ARRAY || type->kind == SPIRV_RUNTIME_ARRAY)
        type = spirv_type(emit->module, type->element);
    return type->kind == SPIRV_MATRIX;
}

int32_t emit_pointer(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct access *access = body_access(emit->body, op->operands[0]);
    const char *cast            = emit->language == TRM_LANGUAGE_C ? "(uint64_t)(uintptr_t)" : "(uint64_t)";
    struct emit_address address;
    int32_t status;

    (void)component;
    if (!emit_has_layout(emit, access->variable)) {
        text_add(&emit->text, "(%s&", cast);
        status = emit_path(emit, access, WHOLE);
        text_add(&emit->text, ")");
        return status;
    }
    status = emit_locate(emit, access, &address);
    if (status == TRM_OK && depends_on_member(emit, &address))
        return emit_fail(emit, "the type at a pointer that is chosen at run time has no layout of its own");
    text_add(&emit->text, "(%s((const unsigned char *)%s", cast, address.base);
    if (status == TRM_OK && (address.term_count != 0 || address.offset != 0)) {
        text_add(&emit->text, " + ");
        status = write_offset(emit, &address, 1);
    }
    text_add(&emit->text, "))");
    return status;
}
