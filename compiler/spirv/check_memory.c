/* Checks the types of loads, stores, access chains, atomics and barriers.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/check.h"

static const struct spirv_type *pointer_of(const struct spirv_module *module,
                                           const struct spirv_instruction *instruction, uint32_t index)
{
    const struct spirv_type *type = spirv_type_of(module, instruction->operands[index]);

    return type->kind == SPIRV_POINTER ? type : NULL;
}

/* The same for a pointer that can be loaded from and stored through: not to a texel, which only atomics
 * reach. */
static const struct spirv_type *memory_of(const struct spirv_module *module,
                                          const struct spirv_instruction *instruction, uint32_t index)
{
    const struct spirv_type *pointer = pointer_of(module, instruction, index);

    return pointer != NULL && pointer->storage != SpvStorageClassImage ? pointer : NULL;
}

static uint32_t type_of(const struct spirv_module *module, const struct spirv_instruction *instruction,
                        uint32_t index)
{
    return module->ids[instruction->operands[index]].type;
}

/* ---- loads and stores ---------------------------------------------------------------------- */

int32_t spirv_check_writable(const struct spirv_reader *reader, uint32_t pointer)
{
    const struct spirv_module *module = reader->module;
    const struct spirv_type *type     = spirv_type_of(module, pointer);
    uint32_t root                     = reader->definitions[pointer].root;

    if (type->storage == SpvStorageClassInput || type->storage == SpvStorageClassPushConstant ||
        type->storage == SpvStorageClassUniformConstant)
        return spirv_invalid(reader, "id %u points to memory that is only read", pointer);
    if (module->ids[root].kind != SPIRV_ID_VARIABLE || type->storage == SpvStorageClassFunction)
        return TRM_OK;
    const struct spirv_variable *variable = module->ids[root].as.variable;
    const struct spirv_type *block =
        spirv_descriptor(module, spirv_type(module, spirv_type(module, variable->type)->element));
    if (variable->non_writable || (variable->storage == SpvStorageClassUniform && block->is_block))
        return spirv_invalid(reader, "id %u points to \"%.100s\", which is only read", pointer,
                             module->ids[root].name);
    return TRM_OK;
}

static int32_t check_load(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_type *pointer = memory_of(reader->module, instruction, 0);

    if (pointer == NULL || pointer->element != instruction->type)
        return spirv_type_mismatch(reader);
    const struct spirv_type *type = spirv_type(reader->module, pointer->element);
    if (type->is_unsized)
        return spirv_invalid(reader, "a type without size cannot be loaded");
    if (!spirv_is_opaque(type) && spirv_is_opaque(spirv_descriptor(reader->module, type)))
        return spirv_unsupported(reader, "loading an array of images or samplers is not supported");
    return type->kind == SPIRV_POINTER
               ? spirv_check_variable_pointer(reader, type, TRM_ERROR_INVALID_ARGUMENT)
               : TRM_OK;
}

static int32_t check_store(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_type *pointer = memory_of(reader->module, instruction, 0);

    if (pointer == NULL || pointer->element != type_of(reader->module, instruction, 1))
        return spirv_type_mismatch(reader);
    return spirv_check_writable(reader, instruction->operands[0]);
}

static int32_t check_copy(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_type *to   = memory_of(reader->module, instruction, 0);
    const struct spirv_type *from = memory_of(reader->module, instruction, 1);

    if (to == NULL || from == NULL || to->element != from->element ||
        spirv_type(reader->module, to->element)->is_unsized)
        return spirv_type_mismatch(reader);
    return spirv_check_writable(reader, instruction->operands[0]);
}

/* ---- access chains ------------------------------------------------------------------------- */

/* The type of the part that an index selects; 0 if there is none. Indices of arrays are not checked: the
 * program must keep them in range. */
static uint32_t step_into(const struct spirv_module *module, const struct spirv_type *type, uint32_t index)
{
    const struct spirv_constant *constant = spirv_constant(module, index);
    uint32_t width                        = 0;
    struct shape shape                    = spirv_shape(module, module->ids[index].type);

    if (!spirv_is_scalar(shape, SPIRV_INT))
        return 0;
    switch (type->kind) {
    case SPIRV_STRUCT:
        return constant != NULL && shape.width == 32 && (uint32_t)constant->bits < type->count
                   ? type->members[(uint32_t)constant->bits].type
                   : 0;
    case SPIRV_VECTOR:
    case SPIRV_MATRIX:
        width = type->count;
        return constant == NULL || constant->bits < width ? type->element : 0;
    case SPIRV_ARRAY:
    case SPIRV_RUNTIME_ARRAY:
    case SPIRV_COOPERATIVE:
        return type->element;
    default:
        return 0;
    }
}

/* Checks the indices from operand `first` on. */
static int32_t check_indices(struct spirv_reader *reader, const struct spirv_instruction *instruction,
                             uint32_t first)
{
    const struct spirv_module *module = reader->module;
    const struct spirv_type *base     = pointer_of(module, instruction, 0);
    const struct spirv_type *result   = spirv_type(module, instruction->type);

    if (base == NULL || result->kind != SPIRV_POINTER || result->storage != base->storage)
        return spirv_type_mismatch(reader);
    uint32_t at = base->element;
    for (uint32_t i = first; i < instruction->operand_count; i++) {
        at = step_into(module, spirv_type(module, at), instruction->operands[i]);
        if (at == 0)
            return spirv_invalid(reader, "index %u does not select a part of its type", i - first);
    }
    return at == result->element ? TRM_OK : spirv_type_mismatch(reader);
}

/* ---- variable pointers --------------------------------------------------------------------- */

/* The base points to an element of an array, whose stride is that of the base's type; shared memory without
 * explicit layout has that of C. */
static int32_t check_pointer_chain(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_type *base = pointer_of(reader->module, instruction, 0);
    int32_t status                = base == NULL ? spirv_type_mismatch(reader) : TRM_OK;

    if (status == TRM_OK)
        status = spirv_check_variable_pointer(reader, base, TRM_ERROR_INVALID_ARGUMENT);
    if (status != TRM_OK)
        return status;
    if (!spirv_is_scalar(spirv_operand_shape(reader->module, instruction, 1), SPIRV_INT))
        return spirv_invalid(reader, "the element is not an integer");
    if (base->storage != SpvStorageClassWorkgroup && base->stride == 0)
        return spirv_invalid(reader, "pointer type %u has no ArrayStride", base->id);
    if (spirv_type(reader->module, base->element)->is_unsized && base->storage == SpvStorageClassWorkgroup)
        return spirv_invalid(reader, "pointer type %u points to a type without size", base->id);
    return check_indices(reader, instruction, 2);
}

static int32_t check_pointer_compare(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_type *one = pointer_of(reader->module, instruction, 0);
    struct shape result          = spirv_shape(reader->module, instruction->type);
    bool is_difference           = instruction->opcode == SpvOpPtrDiff;

    if (one == NULL || pointer_of(reader->module, instruction, 1) != one ||
        !spirv_is_scalar(result, is_difference ? SPIRV_INT : SPIRV_BOOL))
        return spirv_type_mismatch(reader);
    if (is_difference && one->storage != SpvStorageClassWorkgroup &&
        spirv_element_stride(reader->module, one) == 0)
        return spirv_unsupported(
            reader, "pointer type %u has no ArrayStride, and no array tells that of its elements", one->id);
    return spirv_check_variable_pointer(reader, one, TRM_ERROR_INVALID_ARGUMENT);
}

static int32_t check_length(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    const struct spirv_type *pointer  = pointer_of(module, instruction, 0);
    struct shape result               = spirv_shape(module, instruction->type);

    if (pointer == NULL || !spirv_is_scalar(result, SPIRV_INT) || result.width != 32)
        return spirv_type_mismatch(reader);
    if (spirv_is_address(pointer))
        return spirv_invalid(reader, "what an address points to has no length");
    const struct spirv_type *block = spirv_type(module, pointer->element);
    if (block->kind != SPIRV_STRUCT || instruction->operands[1] >= block->count ||
        spirv_type(module, block->members[instruction->operands[1]].type)->kind != SPIRV_RUNTIME_ARRAY)
        return spirv_invalid(reader, "member %u is not a runtime array", instruction->operands[1]);
    return TRM_OK;
}

/* ---- atomics ------------------------------------------------------------------------------- */

static bool is_shared(uint32_t storage)
{
    return storage == SpvStorageClassUniform || storage == SpvStorageClassStorageBuffer ||
           storage == SpvStorageClassPhysicalStorageBuffer || storage == SpvStorageClassWorkgroup ||
           storage == SpvStorageClassImage;
}

static int32_t check_float_atomic(const struct spirv_reader *reader, uint32_t opcode, uint32_t width)
{
    bool is_add         = opcode == SpvOpAtomicFAddEXT;
    uint32_t capability = 0;
    char name[32];

    if (width == 32)
        capability = is_add ? SpvCapabilityAtomicFloat32AddEXT : SpvCapabilityAtomicFloat32MinMaxEXT;
    else if (width == 64)
        capability = is_add ? SpvCapabilityAtomicFloat64AddEXT : SpvCapabilityAtomicFloat64MinMaxEXT;
    else
        return spirv_unsupported(reader, "atomics on floats of %u bits are not supported", width);
    return spirv_has_capability(reader, capability)
               ? TRM_OK
               : spirv_invalid(reader, "the capability %s is not declared",
                               spirv_capability_name(capability, name));
}

/* The pointee and all values have one type. The first operands are the pointer, the scope and one or two
 * memory semantics. */
static int32_t check_atomic(struct spirv_reader *reader, enum spirv_rule rule,
                            const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    const struct spirv_type *pointer  = pointer_of(module, instruction, 0);
    uint32_t first                    = rule == RULE_ATOMIC_COMPARE ? 4 : 3;

    if (pointer == NULL)
        return spirv_type_mismatch(reader);
    struct shape shape = spirv_shape(module, pointer->element);
    bool is_float      = spirv_is_scalar(shape, SPIRV_FLOAT);
    bool is_int        = spirv_is_scalar(shape, SPIRV_INT);
    if (rule == RULE_ATOMIC_FLOAT
            ? !is_float
            : !is_int && (!is_float || rule == RULE_ATOMIC_INT || rule == RULE_ATOMIC_COMPARE))
        return spirv_type_mismatch(reader);
    if (instruction->type != 0 && instruction->type != pointer->element)
        return spirv_type_mismatch(reader);
    for (uint32_t i = 1; i < first; i++)
        if (!spirv_is_scalar(spirv_operand_shape(module, instruction, i), SPIRV_INT))
            return spirv_type_mismatch(reader);
    for (uint32_t i = first; i < instruction->operand_count; i++)
        if (type_of(module, instruction, i) != pointer->element)
            return spirv_type_mismatch(reader);
    if (!is_shared(pointer->storage))
        return spirv_unsupported(reader, "atomics in storage class %u are not supported", pointer->storage);
    if (shape.width != 32 && shape.width != 64)
        return spirv_unsupported(reader, "atomics on %u bits are not supported", shape.width);
    if (is_int && shape.width == 64 && !spirv_has_capability(reader, SpvCapabilityInt64Atomics))
        return spirv_invalid(reader, "the capability Int64Atomics is not declared");
    int32_t status =
        rule == RULE_ATOMIC_FLOAT ? check_float_atomic(reader, instruction->opcode, shape.width) : TRM_OK;
    if (status != TRM_OK || rule == RULE_ATOMIC_LOAD)
        return status;
    return spirv_check_writable(reader, instruction->operands[0]);
}

static int32_t check_barrier(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;

    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (!spirv_is_scalar(spirv_operand_shape(module, instruction, i), SPIRV_INT))
            return spirv_type_mismatch(reader);
    if (instruction->opcode != SpvOpControlBarrier)
        return TRM_OK;
    uint64_t scope = spirv_constant(module, instruction->operands[0])->bits;
    if (scope != SpvScopeWorkgroup && scope != SpvScopeSubgroup)
        return spirv_unsupported(reader, "barriers of scope %llu are not supported",
                                 (unsigned long long)scope);
    return TRM_OK;
}

int32_t spirv_check_memory(struct spirv_reader *reader, enum spirv_rule rule,
                           const struct spirv_instruction *instruction)
{
    switch (rule) {
    case RULE_VARIABLE:
        return reader->block->index == 0
                   ? TRM_OK
                   : spirv_invalid(reader, "a variable must be in the first block of its function");
    case RULE_LOAD:
        return check_load(reader, instruction);
    case RULE_STORE:
        return check_store(reader, instruction);
    case RULE_COPY_MEMORY:
        return check_copy(reader, instruction);
    case RULE_CHAIN:
        return check_indices(reader, instruction, 1);
    case RULE_POINTER_CHAIN:
        return check_pointer_chain(reader, instruction);
    case RULE_POINTER_COMPARE:
        return check_pointer_compare(reader, instruction);
    case RULE_LENGTH:
        return check_length(reader, instruction);
    case RULE_BARRIER:
        return check_barrier(reader, instruction);
    default:
        return check_atomic(reader, rule, instruction);
    }
}
