/* Reads types and computes their sizes.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/spirv/reader.h"

static bool has_any(const struct spirv_reader *reader, const uint32_t *capabilities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (spirv_has_capability(reader, capabilities[i]))
            return true;
    return false;
}

/* Checks that the module declares a capability for numbers of this width. */
static int32_t check_width(const struct spirv_reader *reader, enum spirv_type_kind kind, uint32_t width)
{
    static const uint32_t bytes[]  = {SpvCapabilityInt8, SpvCapabilityStorageBuffer8BitAccess,
                                      SpvCapabilityUniformAndStorageBuffer8BitAccess,
                                      SpvCapabilityStoragePushConstant8};
    static const uint32_t halves[] = {SpvCapabilityStorageBuffer16BitAccess,
                                      SpvCapabilityUniformAndStorageBuffer16BitAccess,
                                      SpvCapabilityStoragePushConstant16};
    bool is_int                    = kind == SPIRV_INT;
    bool is_there;

    if (width == 32)
        return TRM_OK;
    if (width == 8 && is_int)
        is_there = has_any(reader, bytes, SPIRV_COUNT(bytes));
    else if (width == 16)
        is_there = has_any(reader, halves, SPIRV_COUNT(halves)) ||
                   spirv_has_capability(reader, is_int ? SpvCapabilityInt16 : SpvCapabilityFloat16);
    else if (width == 64)
        is_there = spirv_has_capability(reader, is_int ? SpvCapabilityInt64 : SpvCapabilityFloat64);
    else
        return spirv_unsupported(reader, "%s of %u bits are not supported", is_int ? "integers" : "floats",
                                 width);
    return is_there ? TRM_OK
                    : spirv_invalid(reader, "the module declares no capability for %s of %u bits",
                                    is_int ? "integers" : "floats", width);
}

static int32_t set_size(const struct spirv_reader *reader, struct spirv_type *type, uint64_t size,
                        uint64_t natural)
{
    if (size > SPIRV_SIZE_MOST || natural > SPIRV_SIZE_MOST)
        return spirv_unsupported(reader, "type %u has more than %u bytes", type->id, SPIRV_SIZE_MOST);
    type->size         = (uint32_t)size;
    type->natural_size = (uint32_t)natural;
    return TRM_OK;
}

/* ---- arrays of buffers, images and samplers ------------------------------------------------- */

const struct spirv_type *spirv_descriptor(const struct spirv_module *module, const struct spirv_type *type)
{
    while (type->kind == SPIRV_ARRAY || type->kind == SPIRV_RUNTIME_ARRAY)
        type = spirv_type(module, type->element);
    return type;
}

const struct spirv_type *spirv_descriptor_of(const struct spirv_module *module, uint32_t variable)
{
    return spirv_descriptor(module, spirv_type(module, spirv_type_of(module, variable)->element));
}

uint32_t spirv_descriptor_levels(const struct spirv_module *module, const struct spirv_type *type)
{
    uint32_t levels = 0;

    for (; type->kind == SPIRV_ARRAY || type->kind == SPIRV_RUNTIME_ARRAY; levels++)
        type = spirv_type(module, type->element);
    return levels;
}

/* Is it a block, an image or a sampler, or an array of them that can be the element of another array? */
static bool is_descriptor(const struct spirv_reader *reader, const struct spirv_type *type)
{
    const struct spirv_type *inner = spirv_descriptor(reader->module, type);

    for (; type != inner; type = spirv_type(reader->module, type->element))
        if (type->kind == SPIRV_RUNTIME_ARRAY)
            return false;
    return spirv_is_opaque(inner) || inner->is_block || inner->is_buffer_block;
}

/* ---- data ----------------------------------------------------------------------------------- */

/* Checks that values of the type can be in memory: not void, a function, an image or a pointer without an
 * address. */
static int32_t check_data(const struct spirv_reader *reader, uint32_t id)
{
    if (spirv_is_forward(reader, id))
        return TRM_OK;
    int32_t status = spirv_check_type_id(reader, id);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *inner = spirv_descriptor(reader->module, spirv_type(reader->module, id));
    switch (inner->kind) {
    case SPIRV_VOID:
    case SPIRV_FUNCTION:
        return spirv_invalid(reader, "type %u cannot be in memory", id);
    case SPIRV_POINTER:
        return spirv_is_address(inner)
                   ? TRM_OK
                   : spirv_unsupported(reader, "pointers in arrays and structs are not supported");
    case SPIRV_IMAGE:
    case SPIRV_SAMPLER:
    case SPIRV_SAMPLED_IMAGE:
        return spirv_unsupported(reader, "structs with images or samplers are not supported");
    default:
        return TRM_OK;
    }
}

static int32_t read_number(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    type->kind = reader->opcode == SpvOpTypeInt ? SPIRV_INT : SPIRV_FLOAT;
    if (words.length != (type->kind == SPIRV_INT ? 4u : 3u))
        return spirv_invalid(reader, "%u words are a wrong length for this instruction", words.length);
    if (type->kind == SPIRV_INT && words.word[3] > 1)
        return spirv_invalid(reader, "the signedness is %u instead of 0 or 1", words.word[3]);
    type->width             = words.word[2];
    type->is_signed         = type->kind == SPIRV_INT && words.word[3] == 1;
    type->natural_alignment = (uint8_t)(type->width / 8);
    int32_t status          = check_width(reader, type->kind, type->width);
    return status == TRM_OK ? set_size(reader, type, type->width / 8, type->width / 8) : status;
}

static int32_t read_vector(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    const struct spirv_module *module = reader->module;
    bool is_matrix                    = reader->opcode == SpvOpTypeMatrix;

    if (words.length != 4)
        return spirv_invalid(reader, "the instruction has %u words instead of 4", words.length);
    int32_t status = spirv_check_type_id(reader, words.word[2]);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *element = spirv_type(module, words.word[2]);
    if (is_matrix ? element->kind != SPIRV_VECTOR || spirv_type(module, element->element)->kind != SPIRV_FLOAT
                  : element->kind != SPIRV_BOOL && element->kind != SPIRV_INT && element->kind != SPIRV_FLOAT)
        return spirv_invalid(reader, "type %u cannot be the component of a vector or matrix", words.word[2]);
    if (words.word[3] < 2 || words.word[3] > 4)
        return spirv_unsupported(reader, "vectors and matrices of %u components are not supported",
                                 words.word[3]);
    type->kind              = is_matrix ? SPIRV_MATRIX : SPIRV_VECTOR;
    type->element           = words.word[2];
    type->count             = words.word[3];
    type->natural_alignment = element->natural_alignment;
    type->depth             = (uint8_t)(element->depth + 1);
    return set_size(reader, type, (uint64_t)element->size * type->count,
                    (uint64_t)element->natural_size * type->count);
}

static int32_t read_length(struct spirv_reader *reader, uint32_t id, struct spirv_type *type)
{
    int32_t status = spirv_check_constant_id(reader, id);

    if (status != TRM_OK)
        return status;
    const struct spirv_constant *constant = spirv_constant(reader->module, id);
    const struct spirv_type *kind         = spirv_type(reader->module, constant->type);
    if (kind->kind != SPIRV_INT)
        return spirv_invalid(reader, "the length of an array is not an integer");
    bool is_negative = kind->is_signed && constant->bits >> 63 != 0;
    type->length     = id;
    type->count      = 1;
    if ((constant->bits == 0 || is_negative) && constant->is_spec)
        return spirv_unfit(reader, TRM_ERROR_INVALID_ARGUMENT, "the length of an array is %s",
                           is_negative ? "negative" : "0");
    if (constant->bits == 0 || is_negative)
        return spirv_invalid(reader, "the length of an array is not positive");
    if (constant->bits > SPIRV_SIZE_MOST && constant->is_spec)
        return spirv_unfit(reader, TRM_ERROR_UNSUPPORTED, "an array has more than %u elements",
                           SPIRV_SIZE_MOST);
    if (constant->bits > SPIRV_SIZE_MOST)
        return spirv_unsupported(reader, "an array of more than %u elements is not supported",
                                 SPIRV_SIZE_MOST);
    type->count = (uint32_t)constant->bits;
    return TRM_OK;
}

static int32_t set_array_size(struct spirv_reader *reader, struct spirv_type *type,
                              const struct spirv_type *element)
{
    uint64_t stride  = type->stride != 0 ? type->stride : element->size;
    uint64_t size    = (type->count - 1) * stride + element->size;
    uint64_t natural = (uint64_t)type->count * element->natural_size;

    if ((size > SPIRV_SIZE_MOST || natural > SPIRV_SIZE_MOST) &&
        spirv_constant(reader->module, type->length)->is_spec) {
        type->count = 1;
        int32_t status =
            spirv_unfit(reader, TRM_ERROR_UNSUPPORTED, "an array has more than %u bytes", SPIRV_SIZE_MOST);
        return status == TRM_OK ? set_size(reader, type, element->size, element->natural_size) : status;
    }
    return set_size(reader, type, size, natural);
}

static int32_t read_array(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    bool is_runtime = reader->opcode == SpvOpTypeRuntimeArray;

    if (words.length != (is_runtime ? 3u : 4u))
        return spirv_invalid(reader, "%u words are a wrong length for this instruction", words.length);
    bool is_forward = spirv_is_forward(reader, words.word[2]);
    int32_t status  = is_forward ? TRM_OK : spirv_check_type_id(reader, words.word[2]);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *element = spirv_type(reader->module, words.word[2]);
    if (!is_forward && !is_descriptor(reader, element))
        status = check_data(reader, words.word[2]);
    if (status != TRM_OK)
        return status;
    if (is_runtime && spirv_holds_matrix(reader->module, element))
        return spirv_invalid(reader, "an array of cooperative matrices has no length");
    if (element->is_unsized && !is_descriptor(reader, element))
        return spirv_invalid(reader, "elements of type %u have no size", words.word[2]);
    type->kind              = is_runtime ? SPIRV_RUNTIME_ARRAY : SPIRV_ARRAY;
    type->element           = words.word[2];
    type->natural_alignment = element->natural_alignment;
    type->depth             = (uint8_t)(element->depth + 1);
    type->is_unsized        = is_runtime || element->is_unsized;
    if (!is_runtime)
        status = read_length(reader, words.word[3], type);
    if (status != TRM_OK)
        return status;
    for (const struct spirv_decoration *d = spirv_decoration_first(reader, type->id); d != NULL;
         d                                = spirv_decoration_next(reader, d))
        if (d->member == SPIRV_WHOLE && d->kind == SpvDecorationArrayStride)
            type->stride = d->literal;
    if (is_runtime)
        return set_size(reader, type, 0, 0);
    return set_array_size(reader, type, element);
}

static void decorate_member(struct spirv_member *member, const struct spirv_decoration *decoration)
{
    switch (decoration->kind) {
    case SPIRV_MEMBER_NAME:
        member->name = decoration->name;
        break;
    case SpvDecorationOffset:
        member->offset     = decoration->literal;
        member->has_offset = true;
        break;
    case SpvDecorationMatrixStride:
        member->matrix_stride = decoration->literal;
        break;
    case SpvDecorationRowMajor:
        member->row_major = true;
        break;
    case SpvDecorationNonWritable:
        member->non_writable = true;
        break;
    case SpvDecorationNonReadable:
        member->non_readable = true;
        break;
    case SpvDecorationVolatile:
        member->is_volatile = true;
        break;
    case SpvDecorationCoherent:
        member->is_coherent = true;
        break;
    case SpvDecorationBuiltIn:
        member->builtin = (int32_t)(decoration->literal & INT32_MAX);
        break;
    default:
        break;
    }
}

static int32_t decorate_struct(struct spirv_reader *reader, struct spirv_type *type)
{
    for (const struct spirv_decoration *d = spirv_decoration_first(reader, type->id); d != NULL;
         d                                = spirv_decoration_next(reader, d)) {
        if (d->member != SPIRV_WHOLE) {
            if (d->member >= type->count)
                return spirv_invalid(reader,
                                     "member %u of struct %u has a decoration, but the struct has %u members",
                                     d->member, type->id, type->count);
            if ((d->kind == SpvDecorationOffset || d->kind == SpvDecorationMatrixStride) &&
                d->literal > SPIRV_SIZE_MOST)
                return spirv_unsupported(reader, "an offset or stride of %u bytes is not supported",
                                         d->literal);
            decorate_member(&type->members[d->member], d);
        }
        type->is_block |= d->member == SPIRV_WHOLE && d->kind == SpvDecorationBlock;
        type->is_buffer_block |= d->member == SPIRV_WHOLE && d->kind == SpvDecorationBufferBlock;
    }
    return TRM_OK;
}

/* Computes the sizes of a struct. A member without Offset follows the previous member. */
static int32_t lay_out(struct spirv_reader *reader, struct spirv_type *type)
{
    uint64_t size = 0, natural = 0;

    for (uint32_t i = 0; i < type->count; i++) {
        const struct spirv_member *member = &type->members[i];
        const struct spirv_type *inner    = spirv_type(reader->module, member->type);
        uint64_t alignment                = inner->natural_alignment;
        uint64_t begin                    = member->has_offset ? member->offset : size;
        uint64_t end =
            begin + spirv_layout_size(reader->module, inner, member->matrix_stride, member->row_major);
        if (end > size)
            size = end;
        natural = (natural + alignment - 1) / alignment * alignment + inner->natural_size;
        if (type->natural_alignment < alignment)
            type->natural_alignment = (uint8_t)alignment;
        if (size > SPIRV_SIZE_MOST || natural > SPIRV_SIZE_MOST)
            break;
    }
    if (natural == 0 && !type->is_unsized)
        natural = 1;
    uint64_t alignment = type->natural_alignment;
    return set_size(reader, type, size, (natural + alignment - 1) / alignment * alignment);
}

static int32_t read_struct(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    type->kind              = SPIRV_STRUCT;
    type->count             = words.length - 2;
    type->natural_alignment = 1;
    type->members           = base_arena_allocate(reader->arena, type->count, sizeof(*type->members));
    if (type->members == NULL)
        return spirv_invalid(reader, "out of memory");
    for (uint32_t i = 0; i < type->count; i++) {
        uint32_t id    = words.word[2 + i];
        int32_t status = check_data(reader, id);
        if (status != TRM_OK)
            return status;
        const struct spirv_type *member = spirv_type(reader->module, id);
        if (spirv_holds_matrix(reader->module, member))
            return spirv_unsupported(reader, "structs with cooperative matrices are not supported");
        if (member->is_unsized && (member->kind != SPIRV_RUNTIME_ARRAY || i + 1 != type->count ||
                                   spirv_type(reader->module, member->element)->is_unsized))
            return spirv_invalid(reader, "member %u has no size but is not the last", i);
        type->is_unsized |= member->is_unsized;
        if (member->depth >= type->depth)
            type->depth = (uint8_t)(member->depth + 1);
        type->members[i] = (struct spirv_member){.type = id, .name = "", .builtin = -1};
    }
    int32_t status = decorate_struct(reader, type);
    return status == TRM_OK ? lay_out(reader, type) : status;
}

bool spirv_is_storage_supported(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassUniformConstant:
    case SpvStorageClassInput:
    case SpvStorageClassUniform:
    case SpvStorageClassWorkgroup:
    case SpvStorageClassPrivate:
    case SpvStorageClassFunction:
    case SpvStorageClassPushConstant:
    case SpvStorageClassImage:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassPhysicalStorageBuffer:
        return true;
    default:
        return false;
    }
}

/* Images and samplers are in UniformConstant, and nothing else is. Variables of functions and work-items may
 * hold a variable pointer. */
static int32_t check_pointee(struct spirv_reader *reader, const struct spirv_type *pointer)
{
    if (spirv_is_forward(reader, pointer->element))
        return TRM_OK;
    int32_t status = spirv_check_type_id(reader, pointer->element);
    if (status != TRM_OK)
        return status;
    const struct spirv_type *type = spirv_type(reader->module, pointer->element);
    if (pointer->storage == SpvStorageClassUniformConstant)
        return spirv_is_opaque(spirv_descriptor(reader->module, type))
                   ? TRM_OK
                   : spirv_unsupported(reader, "type %u in storage class 0 is no image or sampler",
                                       pointer->element);
    if (spirv_holds_matrix(reader->module, type) && pointer->storage != SpvStorageClassFunction &&
        pointer->storage != SpvStorageClassPrivate)
        return spirv_invalid(reader, "a cooperative matrix is in memory of storage class %u",
                             pointer->storage);
    if (type->kind != SPIRV_POINTER || spirv_is_address(type))
        return check_data(reader, pointer->element);
    if (pointer->storage != SpvStorageClassFunction && pointer->storage != SpvStorageClassPrivate)
        return spirv_unsupported(reader, "pointers in storage class %u are not supported", pointer->storage);
    return spirv_check_variable_pointer(reader, type, TRM_ERROR_UNSUPPORTED);
}

static int32_t read_pointer(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    if (words.length != 4)
        return spirv_invalid(reader, "the instruction has %u words instead of 4", words.length);
    if (!spirv_is_storage_supported(words.word[2]))
        return spirv_unsupported(reader, "storage class %u is not supported", words.word[2]);
    type->kind              = SPIRV_POINTER;
    type->storage           = words.word[2];
    type->element           = words.word[3];
    type->natural_alignment = 8;
    int32_t status          = check_pointee(reader, type);
    if (status != TRM_OK)
        return status;
    for (const struct spirv_decoration *d = spirv_decoration_first(reader, type->id); d != NULL;
         d                                = spirv_decoration_next(reader, d))
        if (d->member == SPIRV_WHOLE && d->kind == SpvDecorationArrayStride)
            type->stride = d->literal;
    if (type->stride > SPIRV_SIZE_MOST)
        return spirv_unsupported(reader, "ArrayStride %u of type %u is too large", type->stride, type->id);
    if (type->storage == SpvStorageClassPhysicalStorageBuffer) {
        if (!reader->has_addresses)
            return spirv_invalid(reader, "the addressing model is not PhysicalStorageBuffer64");
        type->depth = 1; /* a number in memory; what it points to is no part of it */
        status      = spirv_check_pointee(reader, spirv_type(reader->module, type->element));
        return status == TRM_OK ? set_size(reader, type, 8, 8) : status;
    }
    type->depth = (uint8_t)(spirv_type(reader->module, type->element)->depth + 1);
    return set_size(reader, type, 8, 8);
}

/* Parameters are values or pointers; the result is a value or void. */
static int32_t read_function_type(struct spirv_reader *reader, struct spirv_words words,
                                  struct spirv_type *type)
{
    const struct spirv_module *module = reader->module;

    if (words.length < 3)
        return spirv_invalid(reader, "the instruction is too short");
    uint32_t count       = words.length - 3;
    uint32_t *parameters = base_arena_allocate(reader->arena, count, sizeof(*parameters));
    if (parameters == NULL)
        return spirv_invalid(reader, "out of memory");
    for (uint32_t i = 2; i < words.length; i++) {
        int32_t status = spirv_check_type_id(reader, words.word[i]);
        if (status != TRM_OK)
            return status;
        const struct spirv_type *part = spirv_type(module, words.word[i]);
        if (part->kind == SPIRV_FUNCTION || part->is_unsized || (i > 2 && part->kind == SPIRV_VOID))
            return spirv_invalid(reader, "type %u cannot be that of a parameter or result", words.word[i]);
        if (i == 2 && spirv_is_opaque(part))
            return spirv_unsupported(reader, "functions that return images are not supported");
        if (i == 2 && part->kind == SPIRV_POINTER)
            status = spirv_check_variable_pointer(reader, part, TRM_ERROR_UNSUPPORTED);
        if (status != TRM_OK)
            return status;
    }
    memcpy(parameters, words.word + 3, count * sizeof(*parameters));
    type->kind       = SPIRV_FUNCTION;
    type->element    = words.word[2];
    type->count      = count;
    type->parameters = parameters;
    return TRM_OK;
}

static int32_t read_plain(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    if (words.length != 2)
        return spirv_invalid(reader, "the instruction has %u words instead of 2", words.length);
    type->kind              = reader->opcode == SpvOpTypeVoid ? SPIRV_VOID : SPIRV_BOOL;
    type->natural_alignment = 4;
    return set_size(reader, type, 0, type->kind == SPIRV_BOOL ? 4 : 0);
}

static int32_t read_kind(struct spirv_reader *reader, struct spirv_words words, struct spirv_type *type)
{
    switch (reader->opcode) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
        return read_plain(reader, words, type);
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return read_number(reader, words, type);
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        return read_vector(reader, words, type);
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        return read_array(reader, words, type);
    case SpvOpTypeStruct:
        return read_struct(reader, words, type);
    case SpvOpTypePointer:
        return read_pointer(reader, words, type);
    case SpvOpTypeFunction:
        return read_function_type(reader, words, type);
    case SpvOpTypeImage:
    case SpvOpTypeSampler:
    case SpvOpTypeSampledImage:
        return spirv_read_opaque(reader, words, type);
    case SpvOpTypeCooperativeMatrixNV:
    case SPIRV_OpTypeCooperativeMatrixKHR:
        return spirv_read_matrix(reader, words, type);
    default:
        return spirv_unsupported(reader, "this type is not supported");
    }
}

int32_t spirv_read_type(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_module *module = reader->module;

    if (words.length < 2)
        return spirv_invalid(reader, "the instruction is too short");
    if (reader->opcode == SpvOpTypeForwardPointer)
        return spirv_read_forward(reader, words);
    struct spirv_type *type = base_arena_allocate(reader->arena, 1, sizeof(*type));
    if (type == NULL || !base_arena_grow(reader->arena, &module->types, module->type_count,
                                         &reader->type_capacity, sizeof(*module->types)))
        return spirv_invalid(reader, "out of memory");
    int32_t status = spirv_check_id(reader, words.word[1]);
    if (status != TRM_OK)
        return status;
    type->id    = words.word[1];
    type->depth = 1;
    status      = read_kind(reader, words, type);
    if (status == TRM_OK && type->depth > SPIRV_DEPTH_MOST)
        status = spirv_unsupported(reader, "types are nested deeper than %u", SPIRV_DEPTH_MOST);
    if (status == TRM_OK && spirv_is_forward(reader, type->id) && spirv_is_address(type))
        reader->forward_count--;
    else if (status == TRM_OK)
        status = spirv_define(reader, type->id, SPIRV_ID_TYPE, 0);
    if (status != TRM_OK)
        return status;
    module->ids[type->id].as.type_info  = type;
    module->types[module->type_count++] = type->id;
    return TRM_OK;
}

uint32_t spirv_part_count(const struct spirv_type *type)
{
    switch (type->kind) {
    case SPIRV_VECTOR:
    case SPIRV_MATRIX:
    case SPIRV_ARRAY:
    case SPIRV_STRUCT:
    case SPIRV_COOPERATIVE:
        return type->count;
    default:
        return 0;
    }
}

uint32_t spirv_part_type(const struct spirv_type *type, uint32_t index)
{
    return type->kind == SPIRV_STRUCT ? type->members[index].type : type->element;
}
