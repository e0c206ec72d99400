/* C types, and the structs and constants of a module.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op_cooperative.h"

#include <stdio.h>

/* Bits of emit->marks. */
enum mark {
    MARK_TYPE     = 1,  /* there are values or variables of the type */
    MARK_CONSTANT = 2,  /* an instruction uses the constant */
    MARK_DECLARED = 4,  /* the constant was written */
    MARK_STORED   = 8,  /* there are variables of the vector type, which are structs */
    MARK_SIZED    = 16, /* the type can be that of a value */
};

const struct spirv_type *emit_scalar(const struct emit *emit, uint32_t type)
{
    const struct spirv_type *info = spirv_type(emit->module, type);

    while (info->kind == SPIRV_VECTOR || info->kind == SPIRV_MATRIX || info->kind == SPIRV_COOPERATIVE)
        info = spirv_type(emit->module, info->element);
    return info;
}

const struct spirv_type *emit_scalar_of(const struct emit *emit, uint32_t id)
{
    return emit_scalar(emit, emit->module->ids[id].type);
}

static const char *integer_name(const struct spirv_type *type)
{
    switch (type->width) {
    case 8:
        return type->is_signed ? "int8_t" : "uint8_t";
    case 16:
        return type->is_signed ? "int16_t" : "uint16_t";
    case 64:
        return type->is_signed ? "int64_t" : "uint64_t";
    default:
        return type->is_signed ? "int32_t" : "uint32_t";
    }
}

const char *emit_memory_type(const struct spirv_type *scalar)
{
    if (scalar->kind == SPIRV_BOOL)
        return "uint32_t";
    if (scalar->kind == SPIRV_INT)
        return integer_name(scalar);
    return scalar->width == 16 ? "uint16_t" : scalar->width == 64 ? "double" : "float";
}

const char *emit_type_name(struct emit *emit, uint32_t type)
{
    const struct spirv_type *info = spirv_type(emit->module, type);

    switch (info->kind) {
    case SPIRV_BOOL:
        return "int";
    case SPIRV_INT:
        return integer_name(info);
    case SPIRV_FLOAT:
        return info->width == 64 ? "double" : "float";
    case SPIRV_VECTOR:
        return emit_type_name(emit, info->element);
    case SPIRV_MATRIX:
        return base_arena_format(emit->arena, "struct mat%ux%u_%u", info->count,
                                 spirv_type(emit->module, info->element)->count, type);
    case SPIRV_ARRAY:
        return base_arena_format(emit->arena, "struct array_%u", type);
    case SPIRV_COOPERATIVE:
        return base_arena_format(emit->arena, "struct matrix_%u", type);
    case SPIRV_STRUCT:
        return base_arena_format(emit->arena, "struct %s", emit_name(emit, type));
    default:
        return "void";
    }
}

const char *emit_storage_type(struct emit *emit, uint32_t type)
{
    const struct spirv_type *info = spirv_type(emit->module, type);

    if (info->kind == SPIRV_VECTOR)
        return base_arena_format(emit->arena, "struct vec%u_%u", info->count, type);
    return emit_type_name(emit, type);
}

uint32_t emit_components(const struct emit *emit, uint32_t type)
{
    const struct spirv_type *info = spirv_type(emit->module, type);

    switch (info->kind) {
    case SPIRV_BOOL:
    case SPIRV_INT:
    case SPIRV_FLOAT:
        return 1;
    case SPIRV_VECTOR:
        return info->count;
    default:
        return 0;
    }
}

const char *emit_member(struct emit *emit, const struct spirv_type *type, uint32_t member)
{
    const char *name = type->members[member].name;
    char space[64];
    size_t length = 0;

    for (; name != NULL && name[length] != '\0' && length < sizeof(space) - 1; length++) {
        char letter = name[length];
        bool right  = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
                     (length != 0 && letter >= '0' && letter <= '9');
        space[length] = right ? letter : '_';
    }
    space[length] = '\0';
    return base_arena_format(emit->arena, "%s%s_%u", length == 0 ? "m" : "s_", space, member);
}

uint32_t emit_step(struct emit *emit, uint32_t type, uint32_t index)
{
    const struct spirv_type *info = spirv_type(emit->module, type);

    switch (info->kind) {
    case SPIRV_STRUCT:
        text_add(&emit->text, ".%s", emit_member(emit, info, index));
        return info->members[index].type;
    case SPIRV_MATRIX:
        text_add(&emit->text, ".m[%u]", index);
        return info->element;
    case SPIRV_VECTOR:
        text_add(&emit->text, "[%u]", index);
        return info->element;
    default:
        text_add(&emit->text, ".e[%u]", index);
        return info->element;
    }
}

void emit_open(struct emit *emit, uint32_t type)
{
    const char *name = emit_type_name(emit, type);

    if (emit->language == TRM_LANGUAGE_C)
        text_add(&emit->text, "(%s){", name);
    else
        text_add(&emit->text, "%s{", name + sizeof("struct ") - 1);
    if (spirv_type(emit->module, type)->kind != SPIRV_STRUCT)
        text_add(&emit->text, "{");
}

void emit_close(struct emit *emit, uint32_t type)
{
    text_add(&emit->text, spirv_type(emit->module, type)->kind != SPIRV_STRUCT ? "}}" : "}");
}

/* ---- the structs of a module */

/* Marks a type and its parts. The reader limits the depth of types. */
static void mark_type(struct emit *emit, uint32_t type)
{
    const struct spirv_type *info = spirv_type(emit->module, type);

    if (emit->marks[type] & MARK_TYPE)
        return;
    emit->marks[type] |= MARK_TYPE;
    switch (info->kind) {
    case SPIRV_VECTOR:
    case SPIRV_MATRIX:
    case SPIRV_ARRAY:
    case SPIRV_RUNTIME_ARRAY:
    case SPIRV_COOPERATIVE:
        mark_type(emit, info->element);
        break;
    case SPIRV_STRUCT:
        for (uint32_t i = 0; i < info->count; i++)
            mark_type(emit, info->members[i].type);
        break;
    default:
        break;
    }
}

static bool is_composite(const struct emit *emit, uint32_t type)
{
    enum spirv_type_kind kind = spirv_type(emit->module, type)->kind;

    return kind == SPIRV_MATRIX || kind == SPIRV_ARRAY || kind == SPIRV_STRUCT || kind == SPIRV_COOPERATIVE;
}

static void mark_id(struct emit *emit, uint32_t id)
{
    const struct spirv_id *info = &emit->module->ids[id];

    if (info->kind != SPIRV_ID_CONSTANT || info->type == 0 || !is_composite(emit, info->type))
        return;
    if (spirv_holds_matrix(emit->module, spirv_type(emit->module, info->type))) {
        mark_type(emit, info->type);
        return;
    }
    emit->marks[id] |= MARK_CONSTANT;
    mark_type(emit, info->type);
}

/* Variables other than buffers are declared with their type. */
static void mark_variable(struct emit *emit, uint32_t id)
{
    const struct spirv_variable *variable = emit->module->ids[id].as.variable;

    if (variable->storage == SpvStorageClassFunction || variable->storage == SpvStorageClassPrivate ||
        variable->storage == SpvStorageClassWorkgroup) {
        uint32_t type = spirv_type(emit->module, variable->type)->element;
        mark_type(emit, type);
        emit->marks[type] |= MARK_STORED;
    }
    if (variable->initializer != 0)
        mark_id(emit, variable->initializer);
}

static void mark_instruction(struct emit *emit, const struct spirv_instruction *op)
{
    if (op->opcode == SpvOpVariable) {
        mark_variable(emit, op->result);
        return;
    }
    if (op->type != 0)
        mark_type(emit, op->type);
    if (op->opcode == SpvOpCopyMemory) /* flattening makes a value of it */
        mark_type(emit, spirv_type_of(emit->module, op->operands[1])->element);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (spirv_operand_is_id(op, i) && op->operands[i] < emit->module->bound)
            mark_id(emit, op->operands[i]);
}

static void mark_function(struct emit *emit, const struct spirv_function *function)
{
    for (uint32_t i = 0; i < function->block_count; i++)
        for (uint32_t j = 0; j < function->blocks[i]->count; j++)
            mark_instruction(emit, &function->blocks[i]->instructions[j]);
}

/* Can the type be that of a value? Not if it contains an array without a length. Types come after their
 * parts, so one look at each is enough. */
static bool is_sized(const struct emit *emit, uint32_t type)
{
    const struct spirv_type *info = spirv_type(emit->module, type);

    switch (info->kind) {
    case SPIRV_BOOL:
    case SPIRV_INT:
    case SPIRV_FLOAT:
    case SPIRV_VECTOR:
    case SPIRV_MATRIX:
    case SPIRV_COOPERATIVE:
        return true;
    case SPIRV_ARRAY:
        return (emit->marks[info->element] & MARK_SIZED) != 0;
    case SPIRV_STRUCT:
        for (uint32_t i = 0; i < info->count; i++)
            if (!(emit->marks[info->members[i].type] & MARK_SIZED))
                return false;
        return true;
    default:
        return false;
    }
}

/* Writes "float name[3]": a vector is an array of its components. */
static void write_member(struct emit *emit, uint32_t type, const char *name, const char *dimensions)
{
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s %s%s", emit_type_name(emit, type), name, dimensions);
    if (spirv_type(emit->module, type)->kind == SPIRV_VECTOR)
        text_add(&emit->text, "[%u]", spirv_type(emit->module, type)->count);
    text_add(&emit->text, ";");
}

/* Writes the head of a struct. In CUDA vectors that can be read whole are aligned for that. */
static void write_head(struct emit *emit, uint32_t type)
{
    const struct spirv_type *info = spirv_type(emit->module, type);
    const char *name              = emit_storage_type(emit, type);
    uint32_t bytes                = 0;

    if (info->kind == SPIRV_VECTOR && emit->language == TRM_LANGUAGE_CUDA)
        bytes = info->count * spirv_type(emit->module, info->element)->width / 8;
    if (bytes == 8 || bytes == 16)
        text_line(&emit->text, "struct alignas(%u) %s {", bytes, name + sizeof("struct ") - 1);
    else
        text_line(&emit->text, "%s {", name);
}

static void write_struct(struct emit *emit, uint32_t type)
{
    const struct spirv_type *info = spirv_type(emit->module, type);
    char dimensions[16];

    if (info->kind == SPIRV_COOPERATIVE) {
        emit_matrix_struct(emit, type);
        return;
    }
    snprintf(dimensions, sizeof(dimensions), "[%u]", info->count);
    write_head(emit, type);
    if (info->kind == SPIRV_STRUCT)
        for (uint32_t i = 0; i < info->count; i++)
            write_member(emit, info->members[i].type, emit_member(emit, info, i), "");
    else
        write_member(emit, info->element,
                     info->kind == SPIRV_ARRAY    ? "e"
                     : info->kind == SPIRV_MATRIX ? "m"
                                                  : "v",
                     dimensions);
    if (info->kind == SPIRV_STRUCT && info->count == 0)
        text_line(&emit->text, "char nothing;");
    text_close(&emit->text, "};");
    text_add(&emit->text, "\n");
}

/* Writes a composite constant, as a table that kernels index. */
static int32_t write_constant(struct emit *emit, uint32_t id)
{
    int32_t status;

    text_begin_line(&emit->text);
    text_add(&emit->text, "%s %s %s __attribute__((unused)) = ",
             emit->language == TRM_LANGUAGE_C ? "static const" : "static __constant__ const",
             emit_type_name(emit, emit->module->ids[id].type), emit_name(emit, id));
    status = emit_constant_braces(emit, id);
    text_add(&emit->text, ";\n\n");
    emit->marks[id] |= MARK_DECLARED;
    return status;
}

bool emit_is_declared(const struct emit *emit, uint32_t constant)
{
    return constant < emit->mark_count && (emit->marks[constant] & MARK_DECLARED) != 0;
}

int32_t emit_types(struct emit *emit)
{
    struct spirv_module *module = emit->module;

    emit->marks      = base_arena_allocate(emit->arena, module->bound, 1);
    emit->mark_count = emit->marks == NULL ? 0 : module->bound;
    if (emit->marks == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    if (emit_matrices(emit) != TRM_OK)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < module->variable_count; i++)
        mark_variable(emit, module->variables[i]);
    for (uint32_t i = 0; i < module->function_count; i++)
        mark_function(emit, module->functions[i]);
    for (uint32_t i = 0; i < module->type_count; i++) {
        uint32_t type = module->types[i];
        if (is_sized(emit, type))
            emit->marks[type] |= MARK_SIZED;
        if (((emit->marks[type] & MARK_TYPE) && is_composite(emit, type) &&
             (emit->marks[type] & MARK_SIZED)) ||
            ((emit->marks[type] & MARK_STORED) && spirv_type(module, type)->kind == SPIRV_VECTOR))
            write_struct(emit, type);
    }
    for (uint32_t id = 1; id < emit->mark_count; id++) {
        int32_t status = (emit->marks[id] & MARK_CONSTANT) ? write_constant(emit, id) : TRM_OK;
        if (status != TRM_OK)
            return status;
    }
    return emit_units(emit);
}
