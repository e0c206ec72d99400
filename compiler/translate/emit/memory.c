/* Loads and stores, of any type and in any storage.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

#include <string.h>

/* A larger array is copied by a loop. */
#define UNROLLED 4u

const char *emit_detach(struct emit *emit, size_t length)
{
    const char *taken = base_arena_text(
        emit->arena, emit->text.bytes == NULL ? "" : emit->text.bytes + length, emit->text.length - length);

    emit->text.length = length;
    if (emit->text.bytes != NULL)
        emit->text.bytes[length] = '\0';
    return taken == NULL ? "" : taken;
}

/* ---- C variables */

/* Writes what a variable pointer points to. A vector is an array of components there, for it may lie in an
 * array or struct, where it is not aligned as the struct of a vector is. */
static int32_t write_memory_root(struct emit *emit, uint32_t type, uint32_t address)
{
    bool is_vector = spirv_type(emit->module, type)->kind == SPIRV_VECTOR;

    text_add(&emit->text, "(%s(%s *)%s", is_vector ? "" : "*", emit_type_name(emit, type),
             emit->language == TRM_LANGUAGE_C ? "(uintptr_t)" : "");
    int32_t status = emit_value(emit, address, WHOLE);
    text_add(&emit->text, ")");
    return status;
}

int32_t emit_path(struct emit *emit, const struct access *access, uint32_t component)
{
    const struct spirv_variable *variable = emit->module->ids[access->variable].as.variable;
    uint32_t type                         = spirv_type(emit->module, variable->type)->element;
    int32_t status                        = TRM_OK;

    if (variable->is_memory) {
        type   = spirv_type(emit->module, type)->element;
        status = write_memory_root(emit, type, access->indices[0]);
    } else {
        emit_root(emit, access->variable);
        if (spirv_type(emit->module, type)->kind == SPIRV_VECTOR)
            text_add(&emit->text, ".v");
    }
    for (uint32_t i = variable->is_memory; i < access->count && status == TRM_OK; i++) {
        const struct spirv_constant *constant = spirv_constant(emit->module, access->indices[i]);
        enum spirv_type_kind kind             = spirv_type(emit->module, type)->kind;
        if (constant != NULL) {
            type = emit_step(emit, type, (uint32_t)constant->bits);
            continue;
        }
        text_add(&emit->text, kind == SPIRV_MATRIX ? ".m[" : kind == SPIRV_VECTOR ? "[" : ".e[");
        status = emit->language == TRM_LANGUAGE_C ? emit_index(emit, access->indices[i])
                                                  : emit_value(emit, access->indices[i], WHOLE);
        text_add(&emit->text, "]");
        type = spirv_type(emit->module, type)->element;
    }
    if (component != WHOLE)
        text_add(&emit->text, "[%u]", component);
    return status;
}

/* The built-in that an access reads: a variable of its own or a member of the block of built-ins. */
static int32_t builtin_of(const struct emit *emit, const struct access *access, uint32_t *first)
{
    const struct spirv_variable *variable = emit->module->ids[access->variable].as.variable;
    const struct spirv_type *type =
        spirv_type(emit->module, spirv_type(emit->module, variable->type)->element);

    *first = 0;
    if (type->kind != SPIRV_STRUCT || access->count == 0)
        return variable->builtin;
    *first = 1;
    return type->members[(uint32_t)spirv_constant(emit->module, access->indices[0])->bits].builtin;
}

/* Writes one component of an input. */
static int32_t write_builtin(struct emit *emit, const struct spirv_type *scalar, int32_t builtin,
                             uint32_t component)
{
    if (scalar->kind != SPIRV_INT || scalar->is_signed || scalar->width != 32)
        text_add(&emit->text, "(%s)", emit_type_name(emit, scalar->id));
    return emit->target->builtin(emit, builtin, component)
               ? TRM_OK
               : emit_fail(emit, "the target does not have this built-in");
}

/* Writes a component of an input whose number is known at run time. */
static int32_t pick_builtin(struct emit *emit, const struct spirv_type *scalar, int32_t builtin,
                            uint32_t index, uint32_t count)
{
    int32_t status;

    if (scalar->is_signed)
        text_add(&emit->text, "(int32_t)");
    emit_part(emit, "pick%u_u32", count);
    text_add(&emit->text, "(");
    status = emit_unsigned(emit, index, WHOLE, true);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, ", ");
        if (!emit->target->builtin(emit, builtin, i))
            status = emit_fail(emit, "the target does not have this built-in");
    }
    text_add(&emit->text, ")");
    return status;
}

static int32_t load_input(struct emit *emit, const struct spirv_instruction *op, const struct access *access)
{
    const struct spirv_type *scalar = emit_scalar(emit, op->type);
    uint32_t first, count = emit_components(emit, op->type);
    int32_t builtin = builtin_of(emit, access, &first);
    int32_t status  = TRM_OK;

    if (builtin < 0 || count == 0)
        return emit_fail(emit, "the input is not a built-in");
    if (access->count > first) {
        const struct spirv_constant *constant = spirv_constant(emit->module, access->indices[first]);
        const char *check;
        status = emit_check_path(emit, access, &check);
        emit_begin(emit, op->result, WHOLE);
        emit_begin_checked(emit, check);
        if (constant != NULL)
            status = write_builtin(emit, scalar, builtin, (uint32_t)constant->bits);
        else if (status == TRM_OK)
            status = pick_builtin(emit, scalar, builtin, access->indices[first], 3);
        emit_end_checked(emit, check, op->type);
        text_add(&emit->text, ";\n");
    } else {
        for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
            emit_begin(emit, op->result, count == 1 ? WHOLE : i);
            status = write_builtin(emit, scalar, builtin, i);
            text_add(&emit->text, ";\n");
        }
    }
    emit_assigned(emit, op->result);
    return status;
}

/* ---- whole matrices, arrays and structs by layout */

/* A copy between a C value (`path`) and memory (`address`). */
struct copy {
    struct emit *emit;
    bool is_store;
    uint32_t depth; /* how many loops are around */
};

static int32_t copy_any(struct copy *copy, const struct emit_address *address, const char *path);

static int32_t copy_scalar(struct copy *copy, const struct emit_address *address, const char *path)
{
    struct emit *emit = copy->emit;
    int32_t status;

    if (copy->is_store) {
        status = emit_begin_write(emit, address);
        text_add(&emit->text, "%s", path);
        emit_end_write(emit, address);
        return status;
    }
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s = ", path);
    status = emit_read(emit, address);
    text_add(&emit->text, ";\n");
    return status;
}

/* Copies part `index`. */
static int32_t copy_part(struct copy *copy, const struct emit_address *address, const char *path,
                         uint32_t index)
{
    struct emit *emit         = copy->emit;
    struct emit_address inner = *address;
    size_t length             = emit->text.length;
    int32_t status            = emit_locate_step(emit, &inner, index, NULL);

    text_add(&emit->text, "%s", path);
    emit_step(emit, address->type, index);
    path = emit_detach(emit, length);
    return status == TRM_OK ? copy_any(copy, &inner, path) : status;
}

static int32_t copy_loop(struct copy *copy, const struct emit_address *address, const char *path,
                         uint32_t count)
{
    struct emit *emit         = copy->emit;
    const char *index         = base_arena_format(emit->arena, "trm_i%u", copy->depth);
    struct emit_term term     = {.text = index};
    struct emit_address inner = *address;
    int32_t status            = emit_locate_step(emit, &inner, 0, &term);

    text_line(&emit->text, "for (int64_t %s = 0; %s < %u; %s++) {", index, index, count, index);
    copy->depth++;
    if (status == TRM_OK)
        status = copy_any(copy, &inner, base_arena_format(emit->arena, "%s.e[%s]", path, index));
    copy->depth--;
    text_close(&emit->text, "}");
    return status;
}

static int32_t copy_any(struct copy *copy, const struct emit_address *address, const char *path)
{
    struct emit *emit             = copy->emit;
    const struct spirv_type *type = spirv_type(emit->module, address->type);
    int32_t status                = TRM_OK;

    if (emit->arena->failed)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    if (emit_components(emit, address->type) == 1)
        return copy_scalar(copy, address, path);
    if (type->kind == SPIRV_ARRAY && type->count > UNROLLED)
        return copy_loop(copy, address, path, type->count);
    if (type->kind == SPIRV_RUNTIME_ARRAY)
        return emit_fail(emit, "an array has no length");
    for (uint32_t i = 0; i < type->count && status == TRM_OK; i++)
        status = copy_part(copy, address, path, i);
    return status;
}

static int32_t load_whole(struct emit *emit, const struct spirv_instruction *op,
                          const struct emit_address *address)
{
    struct copy copy = {.emit = emit};
    const char *name = base_arena_format(emit->arena, "%s_new", emit_name(emit, op->result));
    int32_t status;

    text_begin_line(&emit->text);
    text_add(&emit->text, "%s %s;\n", emit_type_name(emit, op->type), name);
    status = copy_any(&copy, address, name);
    emit_begin(emit, op->result, WHOLE);
    text_add(&emit->text, "%s;\n", name);
    emit_assigned(emit, op->result);
    return status;
}

/* ---- loads and stores */

static int32_t load_layout(struct emit *emit, const struct spirv_instruction *op, const struct access *access)
{
    struct emit_address address;
    uint32_t count = emit_components(emit, op->type);
    int32_t status = emit_locate(emit, access, &address);

    if (op->operand_count > 1 && (op->operands[1] & SpvMemoryAccessVolatileMask))
        address.is_volatile = true;
    if (status != TRM_OK || count == 0)
        return status != TRM_OK ? status : load_whole(emit, op, &address);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        struct emit_address scalar = address;
        if (count > 1)
            status = emit_locate_step(emit, &scalar, i, NULL);
        emit_begin(emit, op->result, count > 1 ? i : WHOLE);
        if (status == TRM_OK)
            status = emit_read(emit, &scalar);
        text_add(&emit->text, ";\n");
    }
    emit_assigned(emit, op->result);
    return status;
}

int32_t emit_load(struct emit *emit, const struct spirv_instruction *op)
{
    const struct access *access = body_access(emit->body, op->operands[0]);
    uint32_t count              = emit_components(emit, op->type);
    const char *check           = NULL;
    int32_t status;

    if (!emit_is_used(emit, op->result))
        return TRM_OK;
    if (access == NULL || access->variable == 0)
        return emit_fail(emit, "the pointer is not a path into a variable");
    if (emit->module->ids[access->variable].as.variable->storage == SpvStorageClassInput)
        return load_input(emit, op, access);
    if (emit_has_layout(emit, access->variable))
        return load_layout(emit, op, access);
    status = emit_check_path(emit, access, &check);
    for (uint32_t i = 0; i < (count < 2 ? 1 : count) && status == TRM_OK; i++) {
        emit_begin(emit, op->result, count < 2 ? WHOLE : i);
        emit_begin_checked(emit, check);
        status = emit_path(emit, access, count < 2 ? WHOLE : i);
        emit_end_checked(emit, check, op->type);
        text_add(&emit->text, ";\n");
    }
    emit_assigned(emit, op->result);
    return status;
}

/* The value to store: an id, or C variables that begin with a name. */
struct source {
    uint32_t id;
    const char *name;
};

static int32_t write_source(struct emit *emit, const struct source *source, uint32_t component)
{
    if (source->name == NULL)
        return emit_value(emit, source->id, component);
    text_add(&emit->text, "%s", source->name);
    if (component != WHOLE)
        text_add(&emit->text, "_%c", "xyzw"[component & 3]);
    return TRM_OK;
}

static int32_t store_whole(struct emit *emit, const struct emit_address *address, uint32_t value)
{
    struct copy copy = {.emit = emit, .is_store = true};
    size_t length    = emit->text.length;
    int32_t status   = emit_value(emit, value, WHOLE);
    const char *path = emit_detach(emit, length);

    return status == TRM_OK ? copy_any(&copy, address, path) : status;
}

/* A store to a half rounds its value, so the rounding of a value that is only "trm_half(…)" is removed. */
static void drop_rounding(struct emit *emit, size_t length)
{
    static const char call[] = "trm_half(";
    size_t begin             = length + sizeof(call) - 1;
    uint32_t depth           = 1;

    if (emit->text.length <= begin || memcmp(emit->text.bytes + length, call, sizeof(call) - 1) != 0 ||
        length == 0 || emit->text.bytes[length - 1] != '(')
        return;
    for (size_t i = begin; i < emit->text.length; i++) {
        depth += emit->text.bytes[i] == '(';
        depth -= emit->text.bytes[i] == ')';
        if (depth == 0 && i + 1 != emit->text.length)
            return;
    }
    emit->text.length -= sizeof(call) - 1 + 1;
    memmove(emit->text.bytes + length, emit->text.bytes + begin, emit->text.length - length);
    emit->text.bytes[emit->text.length] = '\0';
}

static int32_t store_layout(struct emit *emit, const struct access *access, const struct source *source,
                            bool is_volatile)
{
    struct emit_address address;
    uint32_t count = emit_components(emit, access->type);
    int32_t status = emit_locate(emit, access, &address);

    address.is_volatile |= is_volatile;
    if (status != TRM_OK || count == 0)
        return status != TRM_OK ? status : store_whole(emit, &address, source->id);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        struct emit_address scalar = address;
        if (count > 1)
            status = emit_locate_step(emit, &scalar, i, NULL);
        if (status == TRM_OK)
            status = emit_begin_write(emit, &scalar);
        size_t length = emit->text.length;
        if (status == TRM_OK)
            status = write_source(emit, source, count > 1 ? i : WHOLE);
        drop_rounding(emit, length);
        emit_end_write(emit, &scalar);
    }
    return status;
}

static int32_t store(struct emit *emit, uint32_t pointer, const struct source *source, bool is_volatile)
{
    const struct access *access = body_access(emit->body, pointer);
    const char *check           = NULL;
    int32_t status;

    if (access == NULL || access->variable == 0)
        return emit_fail(emit, "the pointer is not a path into a variable");
    if (emit_has_layout(emit, access->variable))
        return store_layout(emit, access, source, is_volatile);
    uint32_t count = emit_components(emit, access->type);
    status         = emit_check_path(emit, access, &check);
    for (uint32_t i = 0; i < (count < 2 ? 1 : count) && status == TRM_OK; i++) {
        text_begin_line(&emit->text);
        if (check != NULL)
            text_add(&emit->text, "if (%s) ", check);
        status = emit_path(emit, access, count < 2 ? WHOLE : i);
        text_add(&emit->text, " = ");
        if (status == TRM_OK)
            status = write_source(emit, source, count < 2 ? WHOLE : i);
        text_add(&emit->text, ";\n");
    }
    return status;
}

int32_t emit_store(struct emit *emit, const struct spirv_instruction *op)
{
    struct source source = {.id = op->operands[1]};

    return store(emit, op->operands[0], &source,
                 op->operand_count > 2 && (op->operands[2] & SpvMemoryAccessVolatileMask) != 0);
}

int32_t emit_store_names(struct emit *emit, uint32_t pointer, const char *name)
{
    struct source source = {.name = name};

    return store(emit, pointer, &source, false);
}

int32_t emit_array_length(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct access *access = body_access(emit->body, op->operands[0]);
    struct emit_address address;
    int32_t status;

    (void)component;
    if (access == NULL || access->variable == 0)
        return emit_fail(emit, "the pointer is not a path into a variable");
    if (emit->module->ids[access->variable].as.variable->is_memory)
        return emit_fail(emit, "the buffer is chosen at run time");
    status = emit_locate(emit, access, &address);
    if (status == TRM_OK)
        status = emit_locate_step(emit, &address, op->operands[1], NULL);
    if (status != TRM_OK)
        return status;
    const char *size;
    if (emit_levels(emit, access->variable) != 0) {
        const char *number;
        status = emit_element_number(emit, access, &number);
        size   = status == TRM_OK ? emit_element_size(emit, access->variable, number) : NULL;
    } else {
        size = base_arena_format(emit->arena, "%s_size",
                                 emit_name(emit, emit_buffer_variable(emit, access->variable)));
    }
    emit_begin_checked(emit, address.check);
    emit_part(emit, "length");
    text_add(&emit->text, "(%s, %llu, %u)", size == NULL ? "" : size, (unsigned long long)address.offset,
             spirv_type(emit->module, address.type)->stride);
    emit_end_checked(emit, address.check, op->type);
    return status;
}

int32_t emit_variable(struct emit *emit, uint32_t id)
{
    const struct spirv_variable *variable = emit->module->ids[id].as.variable;
    uint32_t type                         = spirv_type(emit->module, variable->type)->element;
    bool is_vector                        = spirv_type(emit->module, type)->kind == SPIRV_VECTOR;
    bool is_c                             = emit->language == TRM_LANGUAGE_C;
    bool is_kept   = id < emit->body->value_count && emit->body->values[id].place == PLACE_SPILLED;
    int32_t status = TRM_OK;

    if (is_kept && variable->initializer == 0)
        return TRM_OK;
    text_begin_line(&emit->text);
    if (is_kept) {
        emit_root(emit, id);
        text_add(&emit->text, " = %s%s", is_c ? "(" : "", is_c ? emit_storage_type(emit, type) : "");
        text_add(&emit->text, is_c ? ")" : "");
    } else if (variable->storage == SpvStorageClassWorkgroup) {
        text_add(&emit->text, "%s%s %s;\n", is_c ? "" : "__shared__ ", emit_storage_type(emit, type),
                 emit_name(emit, id));
        return TRM_OK;
    } else {
        text_add(&emit->text, "%s %s", emit_storage_type(emit, type), emit_name(emit, id));
        if (variable->initializer != 0)
            text_add(&emit->text, " = ");
    }
    if (variable->initializer != 0) {
        text_add(&emit->text, is_vector ? "{" : "");
        status = emit_constant_braces(emit, variable->initializer);
        text_add(&emit->text, is_vector ? "}" : "");
    }
    text_add(&emit->text, ";\n");
    return status;
}
