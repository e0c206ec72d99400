/* Reads variables of the module and of functions.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/reader.h"

static void decorate(const struct spirv_reader *reader, uint32_t id, struct spirv_variable *variable)
{
    for (const struct spirv_decoration *d = spirv_decoration_first(reader, id); d != NULL;
         d                                = spirv_decoration_next(reader, d)) {
        if (d->member != SPIRV_WHOLE)
            continue;
        switch (d->kind) {
        case SpvDecorationBinding:
            variable->binding     = d->literal;
            variable->has_binding = true;
            break;
        case SpvDecorationDescriptorSet:
            variable->set = d->literal;
            break;
        case SpvDecorationNonWritable:
            variable->non_writable = true;
            break;
        case SpvDecorationNonReadable:
            variable->non_readable = true;
            break;
        case SpvDecorationRestrict:
            variable->is_restrict = true;
            break;
        case SpvDecorationAliased:
            variable->is_aliased = true;
            break;
        case SpvDecorationVolatile:
            variable->is_volatile = true;
            break;
        case SpvDecorationCoherent:
            variable->is_coherent = true;
            break;
        case SpvDecorationBuiltIn:
            variable->builtin = (int32_t)(d->literal & INT32_MAX);
            break;
        default:
            break;
        }
    }
}

/* A block is non-writable or non-readable if all its members are, and volatile or coherent if any member
 * is. */
static void inherit(const struct spirv_type *type, struct spirv_variable *variable)
{
    uint32_t writable = 0, readable = 0;

    if (type->kind != SPIRV_STRUCT || type->count == 0)
        return;
    for (uint32_t i = 0; i < type->count; i++) {
        writable += !type->members[i].non_writable;
        readable += !type->members[i].non_readable;
        variable->is_volatile |= type->members[i].is_volatile;
        variable->is_coherent |= type->members[i].is_coherent;
    }
    variable->non_writable |= writable == 0;
    variable->non_readable |= readable == 0;
}

static const char *name_of(const struct spirv_reader *reader, uint32_t id, const struct spirv_type *type)
{
    const char *name = reader->module->ids[id].name;

    if (name != NULL && name[0] != 0)
        return name;
    name = reader->module->ids[type->id].name;
    return name != NULL && name[0] != 0 ? name : "(unnamed)";
}

static int32_t check_buffer(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type,
                            const struct spirv_variable *variable)
{
    const char *name = name_of(reader, id, type);

    if (type->kind != SPIRV_STRUCT || !(type->is_block || type->is_buffer_block))
        return spirv_invalid(reader, "buffer \"%.100s\" is not a block", name);
    if (variable->storage == SpvStorageClassStorageBuffer && !type->is_block)
        return spirv_invalid(reader, "storage buffer \"%.100s\" is decorated BufferBlock", name);
    if (type->is_unsized && variable->storage == SpvStorageClassUniform && !type->is_buffer_block)
        return spirv_invalid(reader, "uniform buffer \"%.100s\" has no size", name);
    if (!variable->has_binding)
        return spirv_invalid(reader, "buffer \"%.100s\" has no binding", name);
    return spirv_check_layout(reader, type);
}

/* Checks an array of buffers, images or samplers. Its elements are numbered in one row. */
static int32_t check_array(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type)
{
    const struct spirv_module *module = reader->module;
    const char *name                  = name_of(reader, id, spirv_descriptor(module, type));
    uint64_t count                    = 1;
    bool is_spec                      = false;

    if (type->kind == SPIRV_RUNTIME_ARRAY && spirv_type(module, type->element)->kind == SPIRV_ARRAY)
        return spirv_unsupported(reader, "\"%.100s\" is an array without a length of arrays", name);
    if (type->kind == SPIRV_RUNTIME_ARRAY)
        return spirv_has_capability(reader, SpvCapabilityRuntimeDescriptorArray)
                   ? TRM_OK
                   : spirv_invalid(reader,
                                   "\"%.100s\" is an array without a length, and the capability "
                                   "RuntimeDescriptorArray is not declared",
                                   name);
    for (; type->kind == SPIRV_ARRAY && count <= SPIRV_ELEMENTS_MOST;
         type = spirv_type(module, type->element)) {
        count *= type->count;
        is_spec |= spirv_constant(module, type->length)->is_spec;
    }
    if (count <= SPIRV_ELEMENTS_MOST)
        return TRM_OK;
    if (is_spec)
        return spirv_unfit(reader, TRM_ERROR_UNSUPPORTED, "\"%.100s\" is an array of more than %u elements",
                           name, SPIRV_ELEMENTS_MOST);
    return spirv_unsupported(reader, "\"%.100s\" is an array of more than %u elements", name,
                             SPIRV_ELEMENTS_MOST);
}

static int32_t check_input(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type,
                           const struct spirv_variable *variable)
{
    const struct spirv_type *scalar = type;

    if (type->kind == SPIRV_VECTOR)
        scalar = spirv_type(reader->module, type->element);
    if (scalar->kind != SPIRV_INT || scalar->width != 32)
        return spirv_unsupported(reader, "inputs of type %u are not supported", type->id);
    uint32_t count = type->kind == SPIRV_VECTOR ? type->count : 1;
    switch (variable->builtin) {
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInGlobalInvocationId:
        return count == 3 ? TRM_OK
                          : spirv_invalid(reader, "built-in %d is not a vector of three", variable->builtin);
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return count == 4 ? TRM_OK
                          : spirv_invalid(reader, "built-in %d is not a vector of four", variable->builtin);
    case SpvBuiltInLocalInvocationIndex:
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInDeviceIndex:
        return count == 1 ? TRM_OK : spirv_invalid(reader, "built-in %d is not a scalar", variable->builtin);
    case -1:
        return spirv_invalid(reader, "input \"%.100s\" is not a built-in", name_of(reader, id, type));
    default:
        return spirv_unsupported(reader, "built-in %d is not supported", variable->builtin);
    }
}

/* A block in shared memory has the layout that its decorations say; other shared variables have none. */
static int32_t check_shared(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type,
                            struct spirv_variable *variable)
{
    if (type->is_unsized)
        return spirv_invalid(reader, "variable \"%.100s\" has no size", name_of(reader, id, type));
    if (type->kind != SPIRV_STRUCT || !type->is_block)
        return TRM_OK;
    if (!spirv_has_capability(reader, SpvCapabilityWorkgroupMemoryExplicitLayoutKHR))
        return spirv_invalid(reader,
                             "shared variable \"%.100s\" is a block, and the capability "
                             "WorkgroupMemoryExplicitLayoutKHR is not declared",
                             name_of(reader, id, type));
    inherit(type, variable);
    variable->is_shared_block = true;
    return spirv_check_layout(reader, type);
}

static int32_t check_storage(struct spirv_reader *reader, uint32_t id, const struct spirv_type *type,
                             struct spirv_variable *variable)
{
    const struct spirv_type *descriptor = spirv_descriptor(reader->module, type);
    int32_t status;

    switch (variable->storage) {
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
        inherit(descriptor, variable);
        status = check_array(reader, id, type);
        return status == TRM_OK ? check_buffer(reader, id, descriptor, variable) : status;
    case SpvStorageClassUniformConstant:
        status = check_array(reader, id, type);
        return status == TRM_OK ? spirv_check_opaque(reader, id, descriptor, variable) : status;
    case SpvStorageClassImage:
        return spirv_invalid(reader, "a variable cannot point to a texel");
    case SpvStorageClassPhysicalStorageBuffer:
        return spirv_invalid(reader, "a variable cannot be what an address points to");
    case SpvStorageClassPushConstant:
        if (type->kind != SPIRV_STRUCT || !type->is_block || type->is_unsized)
            return spirv_invalid(reader, "push constants are not a block of known size");
        return spirv_check_layout(reader, type);
    case SpvStorageClassInput:
        return check_input(reader, id, type, variable);
    case SpvStorageClassWorkgroup:
        return check_shared(reader, id, type, variable);
    default:
        if (type->is_unsized)
            return spirv_invalid(reader, "variable \"%.100s\" has no size", name_of(reader, id, type));
        return TRM_OK;
    }
}

/* SPIR-V allows one block of push constants for each entry point. This reader allows one for the module. */
static int32_t list_variable(struct spirv_reader *reader, uint32_t id, const struct spirv_variable *variable)
{
    struct spirv_module *module = reader->module;

    if (variable->storage == SpvStorageClassPushConstant) {
        if (reader->push_constants != 0)
            return spirv_unsupported(reader, "a second block of push constants is not supported");
        reader->push_constants = id;
    }
    if (!base_arena_grow(reader->arena, &module->variables, module->variable_count,
                         &reader->variable_capacity, sizeof(*module->variables)))
        return spirv_invalid(reader, "out of memory");
    module->variables[module->variable_count++] = id;
    return TRM_OK;
}

static int32_t read_initializer(struct spirv_reader *reader, struct spirv_words words,
                                const struct spirv_type *type, struct spirv_variable *variable)
{
    if (words.length == 4)
        return TRM_OK;
    int32_t status = spirv_check_constant_id(reader, words.word[4]);
    if (status != TRM_OK)
        return status;
    if (spirv_constant(reader->module, words.word[4])->type != type->id)
        return spirv_invalid(reader, "the initializer has another type than the variable");
    if (variable->storage == SpvStorageClassWorkgroup) {
        if (!spirv_constant(reader->module, words.word[4])->is_null)
            return spirv_invalid(reader, "the initializer of shared memory is not null");
    } else if (variable->storage != SpvStorageClassPrivate && variable->storage != SpvStorageClassFunction) {
        return spirv_invalid(reader, "a variable of storage class %u cannot have an initializer",
                             variable->storage);
    }
    variable->initializer = words.word[4];
    return TRM_OK;
}

int32_t spirv_read_variable(struct spirv_reader *reader, struct spirv_words words)
{
    const struct spirv_module *module = reader->module;

    if (words.length != 4 && words.length != 5)
        return spirv_invalid(reader, "the instruction has %u words instead of 4 or 5", words.length);
    int32_t status = spirv_check_type_id(reader, words.word[1]);
    if (status == TRM_OK)
        status = spirv_check_id(reader, words.word[2]);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *pointer = spirv_type(module, words.word[1]);
    if (pointer->kind != SPIRV_POINTER || pointer->storage != words.word[3])
        return spirv_invalid(reader, "the type is not a pointer to storage class %u", words.word[3]);
    bool is_local = words.word[3] == SpvStorageClassFunction;
    if (is_local != (reader->function != NULL))
        return spirv_invalid(reader, "a variable of storage class %u is in the wrong place", words.word[3]);
    struct spirv_variable *variable = base_arena_allocate(reader->arena, 1, sizeof(*variable));
    if (variable == NULL)
        return spirv_invalid(reader, "out of memory");
    *variable = (struct spirv_variable){.type = pointer->id, .storage = pointer->storage, .builtin = -1};
    const struct spirv_type *type = spirv_type(module, pointer->element);
    decorate(reader, words.word[2], variable);
    status = read_initializer(reader, words, type, variable);
    if (status == TRM_OK)
        status = check_storage(reader, words.word[2], type, variable);
    if (status == TRM_OK)
        status = spirv_define(reader, words.word[2], SPIRV_ID_VARIABLE, pointer->id);
    if (status != TRM_OK)
        return status;
    module->ids[words.word[2]].as.variable  = variable;
    reader->definitions[words.word[2]].root = words.word[2];
    return is_local ? TRM_OK : list_variable(reader, words.word[2], variable);
}
