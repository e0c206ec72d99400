/* Where the elements of matrices of work-groups are in memory.
 *
 * A pointer is the element of an array in a variable; the elements that follow it are accessed through the
 * same variable, or through a second one of the same binding when they have another type. Where a function
 * decodes elements, and through physical pointers, they are reached by their address.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

#define NESTING_MOST 16u

static uint32_t put(struct group *group, uint32_t opcode, uint32_t type, uint32_t a, uint32_t b)
{
    const uint32_t words[] = {type, group_id(group), a, b};

    group_put(group, &group->code, opcode, words, b != 0 ? 4 : 3);
    return words[1];
}

/* The words that the types have at least whose operands are read here. */
static uint32_t least_words(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypePointer:
        return 4;
    case SpvOpTypeFloat:
    case SpvOpTypeRuntimeArray:
        return 3;
    default:
        return 2;
    }
}

static const uint32_t *definition(const struct group *group, uint32_t id)
{
    const struct lower_words *module = &group->module;

    if (id >= module->bound || module->defined_at[id] == 0)
        return NULL;
    const uint32_t *at = module->words + module->defined_at[id];
    return lower_length(at) >= least_words(lower_opcode(at)) ? at : NULL;
}

/* ---- layouts of types ---------------------------------------------------------------------- */

/* The number of a decoration of a type, or of a member; 0: none. */
static uint32_t decoration(struct group *group, uint32_t id, uint32_t member, uint32_t kind)
{
    const struct lower_words *module = &group->module;
    bool is_member                   = member != UINT32_MAX;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (!group_step(group, 1) || !lower_is_preamble(lower_opcode(at)))
            break;
        if (lower_opcode(at) != (is_member ? SpvOpMemberDecorate : SpvOpDecorate) ||
            lower_length(at) != (is_member ? 5u : 4u) || at[1] != id)
            continue;
        if (is_member && at[2] == member && at[3] == kind)
            return at[4];
        if (!is_member && at[2] == kind)
            return at[3];
    }
    return 0;
}

static uint32_t size_of(struct group *group, uint32_t type, uint32_t depth, uint32_t *alignment);

/* A size rounded up to the alignment. */
static uint32_t rounded(struct group *group, uint32_t size, uint32_t alignment)
{
    if (alignment <= 1)
        return size;
    uint32_t sum = group_fold(group, SpvOpIAdd, size, group_constant(group, alignment - 1));
    return group_fold(group, SpvOpIMul, group_fold(group, SpvOpUDiv, sum, group_constant(group, alignment)),
                      group_constant(group, alignment));
}

static uint32_t size_of_struct(struct group *group, const uint32_t *at, uint32_t depth, uint32_t *alignment)
{
    uint32_t last = 0, end = 0;

    for (uint32_t i = 2; i < lower_length(at); i++) {
        uint32_t offset = decoration(group, at[1], i - 2, SpvDecorationOffset);
        uint32_t size   = size_of(group, at[i], depth + 1, alignment);
        if (size == 0)
            return 0;
        if (i == 2 || offset >= last) {
            last = offset;
            end  = group_fold(group, SpvOpIAdd, group_constant(group, offset), size);
        }
    }
    return end == 0 ? group_constant(group, 0) : rounded(group, end, *alignment);
}

static uint32_t length_of_array(const struct group *group, const uint32_t *at)
{
    const uint32_t *length = definition(group, at[3]);

    return length != NULL && lower_opcode(length) >= SpvOpConstant &&
                   lower_opcode(length) <= SpvOpSpecConstantOp && length[1] == group->uint_type
               ? at[3]
               : 0;
}

/* Also finds the largest scalar. 0: unknown. */
static uint32_t size_of(struct group *group, uint32_t type, uint32_t depth, uint32_t *alignment)
{
    const uint32_t *at = definition(group, type);
    uint32_t number = 0, part = 1, stride = 0;

    if (!group_step(group, 1) || at == NULL || depth > NESTING_MOST)
        return 0;
    switch (lower_opcode(at)) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        number     = at[2] / 8;
        *alignment = *alignment > number ? *alignment : number;
        return group_constant(group, number);
    case SpvOpTypePointer:
        *alignment = 8;
        return group_constant(group, 8);
    case SpvOpTypeVector:
        part = size_of(group, at[2], depth + 1, alignment);
        return part != 0 ? group_fold(group, SpvOpIMul, part, group_constant(group, at[3])) : 0;
    case SpvOpTypeArray:
        stride = decoration(group, type, UINT32_MAX, SpvDecorationArrayStride);
        part   = size_of(group, at[2], depth + 1, alignment);
        if (part == 0 || stride == 0 || (group_plain(group, at[3], &number) && number == 0))
            return 0;
        if (group_plain(group, at[3], &number))
            return group_constant(group, stride * number);
        return length_of_array(group, at) != 0
                   ? group_fold(group, SpvOpIMul, at[3], group_constant(group, stride))
                   : 0;
    case SpvOpTypeRuntimeArray:
        return size_of(group, at[2], depth + 1, alignment) != 0 ? group_constant(group, 0) : 0;
    case SpvOpTypeStruct:
        return size_of_struct(group, at, depth, alignment);
    default:
        return 0;
    }
}

uint32_t group_size(struct group *group, uint32_t type)
{
    uint32_t alignment = 1;

    return group->has_decoration_groups ? 0 : size_of(group, type, 0, &alignment);
}

/* ---- pointers ------------------------------------------------------------------------------ */

/* The bits of the mask that loads and stores of elements keep, and the scope. */
static void read_memory(struct group *group, const uint32_t *memory, uint32_t count,
                        struct group_place *place)
{
    uint32_t used = 1, mask = count != 0 ? memory[0] : 0;
    const uint32_t scopes = SpvMemoryAccessMakePointerAvailableMask | SpvMemoryAccessMakePointerVisibleMask;

    used += (mask & SpvMemoryAccessAlignedMask) != 0;
    if ((mask & scopes) != 0) {
        if (used >= count) {
            group->failed = true;
            return;
        }
        place->scope = memory[used];
    }
    place->mask = mask & (scopes | SpvMemoryAccessVolatileMask | SpvMemoryAccessNonPrivatePointerMask);
}

/* Follows the indices of a chain but the last one. The type of the array, or 0; adds up the bytes. */
static uint32_t follow(struct group *group, const uint32_t *chain, uint32_t type, uint64_t *offset)
{
    for (uint32_t i = 4; i + 1 < lower_length(chain) && group_step(group, 1); i++) {
        const uint32_t *at = definition(group, type);
        uint32_t index     = 0;
        if (at == NULL || !group_plain(group, chain[i], &index))
            return 0;
        if (lower_opcode(at) == SpvOpTypeStruct && index < lower_length(at) - 2u) {
            *offset += decoration(group, type, index, SpvDecorationOffset);
            type = at[2 + index];
        } else if (lower_opcode(at) == SpvOpTypeArray || lower_opcode(at) == SpvOpTypeRuntimeArray) {
            *offset += (uint64_t)index * decoration(group, type, UINT32_MAX, SpvDecorationArrayStride);
            type = at[2];
        } else {
            return 0;
        }
    }
    return type;
}

static uint32_t last_index(struct group *group, const uint32_t *chain)
{
    uint32_t id = chain[lower_length(chain) - 1], type = lower_type_of(&group->module, id);

    return type == group->uint_type ? id : put(group, SpvOpBitcast, group->uint_type, id, 0);
}

/* Copies the instructions about `from`, with `to` in its place: decorations but Restrict, or names. */
static void copy_about(struct group *group, struct group_words *out, uint32_t opcode, uint32_t from,
                       uint32_t to)
{
    const struct lower_words *module = &group->module;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (!group_step(group, 1) || !lower_is_preamble(lower_opcode(at)))
            break;
        if (lower_opcode(at) != opcode || lower_length(at) < 3 || at[1] != from ||
            (opcode == SpvOpDecorate && at[2] == SpvDecorationRestrict) ||
            (opcode == SpvOpMemberName && at[2] != 0))
            continue;
        uint32_t begin = out->count;
        group_copy(group, out, at, lower_length(at));
        if (!group->failed)
            out->at[begin + 1] = to;
    }
}

/* Decorates the member of a view as the struct: what all members have, or any. */
static void copy_member(struct group *group, const uint32_t *type, uint32_t block)
{
    static const struct {
        uint32_t kind;
        bool is_of_any;
    } rules[]                           = {{SpvDecorationNonWritable, false},
                                           {SpvDecorationNonReadable, false},
                                           {SpvDecorationCoherent, true},
                                           {SpvDecorationVolatile, true}};
    const struct lower_words *module    = &group->module;
    uint32_t counts[SPIRV_COUNT(rules)] = {0};

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (!group_step(group, 1) || !lower_is_preamble(lower_opcode(at)))
            break;
        for (uint32_t k = 0; k < SPIRV_COUNT(rules); k++)
            counts[k] += lower_opcode(at) == SpvOpMemberDecorate && lower_length(at) == 4 &&
                         at[1] == type[1] && at[3] == rules[k].kind;
    }
    for (uint32_t k = 0; k < SPIRV_COUNT(rules); k++)
        if (counts[k] != 0 && (rules[k].is_of_any || counts[k] >= lower_length(type) - 2u))
            GROUP_PUT(group, &group->annotations, SpvOpMemberDecorate, block, 0, rules[k].kind);
}

/* A second variable of the binding: an array of the matrix's elements. `type` is the first one's struct. */
static uint32_t view_of(struct group *group, uint32_t variable, const uint32_t *type,
                        const struct group_type *matrix)
{
    const uint32_t key[] = {SpvOpVariable, variable, matrix->component};
    uint32_t id          = group_find(group, &group->known, key, 3);

    if (id != 0)
        return id;
    uint32_t array = group_id(group), block = group_id(group);
    id = group_id(group);
    GROUP_PUT(group, &group->globals, SpvOpTypeRuntimeArray, array, matrix->component);
    GROUP_PUT(group, &group->globals, SpvOpTypeStruct, block, array);
    GROUP_PUT(group, &group->globals, SpvOpVariable,
              group_pointer(group, SpvStorageClassStorageBuffer, block), id, SpvStorageClassStorageBuffer);
    GROUP_PUT(group, &group->annotations, SpvOpDecorate, array, SpvDecorationArrayStride, matrix->width / 8);
    GROUP_PUT(group, &group->annotations, SpvOpMemberDecorate, block, 0, SpvDecorationOffset, 0);
    GROUP_PUT(group, &group->annotations, SpvOpDecorate, block, SpvDecorationBlock);
    copy_about(group, &group->annotations, SpvOpDecorate, variable, id);
    copy_about(group, &group->names, SpvOpName, variable, id);
    copy_about(group, &group->names, SpvOpMemberName, type[1], block);
    copy_member(group, type, block);
    group_copy(group, &group->interface, &id, 1);
    group_add(group, &group->known, key, 3, id);
    if (matrix->width < 32)
        group->has_narrow_view[matrix->width == 16] = true;
    return id;
}

/* The elements have another type than the matrix. */
static void find_view(struct group *group, const uint32_t *chain, uint32_t array, uint64_t offset,
                      const struct group_type *matrix, struct group_place *place)
{
    uint32_t stride         = decoration(group, array, UINT32_MAX, SpvDecorationArrayStride);
    const uint32_t *pointer = definition(group, lower_type_of(&group->module, chain[3]));
    const uint32_t *type    = lower_definition(&group->module, pointer[3], SpvOpTypeStruct, 2);
    uint32_t bytes          = matrix->width / 8;

    if (place->storage != SpvStorageClassStorageBuffer || stride == 0 || offset > UINT32_MAX ||
        group->has_decoration_groups || type == NULL) {
        group->failed = true;
        return;
    }
    uint32_t first =
        put(group, SpvOpIMul, group->uint_type, last_index(group, chain), group_constant(group, stride));
    first  = put(group, SpvOpIAdd, group->uint_type, first, group_constant(group, (uint32_t)offset));
    *place = (struct group_place){
        .storage      = place->storage,
        .mask         = place->mask,
        .scope        = place->scope,
        .component    = matrix->component,
        .bytes        = bytes,
        .stride_bytes = stride,
        .variable     = view_of(group, chain[3], type, matrix),
        .indices      = {group_constant(group, 0)},
        .count        = 1,
        .first        = put(group, SpvOpUDiv, group->uint_type, first, group_constant(group, bytes))};
}

static void find_address(struct group *group, uint32_t pointer, const struct group_type *matrix,
                         struct group_place *place)
{
    place->component = matrix->component;
    place->variable  = 0;
    place->first     = put(group, SpvOpConvertPtrToU, group_long(group), pointer, 0);
    group->takes_addresses |= place->storage == SpvStorageClassStorageBuffer;
}

void group_find_place(struct group *group, const uint32_t *memory, uint32_t count, uint32_t pointer,
                      const struct group_type *matrix, bool is_decoded, struct group_place *place)
{
    const uint32_t *type  = definition(group, lower_type_of(&group->module, pointer));
    const uint32_t *chain = definition(group, pointer);
    uint64_t offset       = 0;

    *place = (struct group_place){.bytes = matrix->width / 8, .component = matrix->component};
    if (type == NULL || chain == NULL || lower_opcode(type) != SpvOpTypePointer || lower_length(type) != 4) {
        group->failed = true;
        return;
    }
    place->storage = type[2];
    read_memory(group, memory, count, place);
    if (place->storage == SpvStorageClassPhysicalStorageBuffer) {
        const uint32_t *pointee = definition(group, type[3]);
        place->stride_bytes =
            pointee != NULL && lower_length(pointee) > 2 &&
                    (lower_opcode(pointee) == SpvOpTypeInt || lower_opcode(pointee) == SpvOpTypeFloat)
                ? pointee[2] / 8
                : 0;
        find_address(group, pointer, matrix, place);
        return;
    }
    bool is_chain =
        (lower_opcode(chain) == SpvOpAccessChain || lower_opcode(chain) == SpvOpInBoundsAccessChain) &&
        lower_length(chain) >= 5;
    const uint32_t *variable = is_chain ? lower_definition(&group->module, chain[3], SpvOpVariable, 4) : NULL;
    const uint32_t *root     = variable != NULL ? definition(group, variable[1]) : NULL;
    uint32_t array     = root != NULL && lower_opcode(root) == SpvOpTypePointer && lower_length(root) == 4
                             ? follow(group, chain, root[3], &offset)
                             : 0;
    const uint32_t *of = definition(group, array);
    if (of == NULL || (lower_opcode(of) != SpvOpTypeArray && lower_opcode(of) != SpvOpTypeRuntimeArray) ||
        lower_length(chain) - 5u > GROUP_INDICES_MOST ||
        (place->storage != SpvStorageClassStorageBuffer && place->storage != SpvStorageClassUniform &&
         place->storage != SpvStorageClassWorkgroup) ||
        (is_decoded && place->storage != SpvStorageClassStorageBuffer)) {
        group->failed = true;
        return;
    }
    if (is_decoded) {
        find_address(group, pointer, matrix, place);
    } else if (of[2] == matrix->component) {
        place->variable = chain[3];
        place->count    = lower_length(chain) - 5u;
        memcpy(place->indices, chain + 4, place->count * sizeof(uint32_t));
        place->first        = last_index(group, chain);
        place->stride_bytes = place->bytes;
    } else {
        find_view(group, chain, array, offset, matrix, place);
    }
}

uint32_t group_place_key(const struct group_place *place, uint32_t *key)
{
    const uint32_t head[] = {place->storage, place->component, place->variable,
                             place->mask,    place->scope,     place->count};

    memcpy(key, head, sizeof(head));
    memcpy(key + SPIRV_COUNT(head), place->indices, place->count * sizeof(uint32_t));
    return SPIRV_COUNT(head) + place->count;
}

/* ---- accesses ------------------------------------------------------------------------------ */

uint32_t group_offset_address(struct group *group, uint32_t first, uint32_t index, uint32_t bytes)
{
    uint32_t type = group_long(group);
    uint32_t wide = group_op(group, SpvOpUConvert, type, index, 0, 0);
    uint32_t size = group_op(group, SpvOpUConvert, type, bytes, 0, 0);

    return group_op(group, SpvOpIAdd, type, first, group_op(group, SpvOpIMul, type, wide, size, 0), 0);
}

static uint32_t pointer_to(struct group *group, const struct group_place *place, uint32_t first,
                           uint32_t index)
{
    uint32_t words[GROUP_INDICES_MOST + 4];

    if (place->variable == 0) {
        uint32_t address = group_offset_address(group, first, index, group_constant(group, place->bytes));
        uint32_t type    = group_pointer(group, SpvStorageClassPhysicalStorageBuffer, place->component);
        return group_op(group, SpvOpConvertUToPtr, type, address, 0, 0);
    }
    words[0] = group_pointer(group, place->storage, place->component);
    words[1] = group_id(group);
    words[2] = place->variable;
    memcpy(words + 3, place->indices, place->count * sizeof(uint32_t));
    words[3 + place->count] = group_uint(group, SpvOpIAdd, first, index);
    group_put(group, &group->body, SpvOpAccessChain, words, 4 + place->count);
    return words[1];
}

/* Appends the operands for memory; returns how many. */
static uint32_t memory_words(const struct group_place *place, bool is_store, uint32_t *words)
{
    uint32_t scope =
        is_store ? SpvMemoryAccessMakePointerAvailableMask : SpvMemoryAccessMakePointerVisibleMask;
    uint32_t count = 1;

    words[0] = place->mask & (scope | SpvMemoryAccessVolatileMask | SpvMemoryAccessNonPrivatePointerMask);
    if (place->variable == 0) {
        words[0] |= SpvMemoryAccessAlignedMask;
        words[count++] = place->bytes;
    }
    if ((words[0] & scope) != 0)
        words[count++] = place->scope;
    return words[0] != 0 ? count : 0;
}

uint32_t group_read_place(struct group *group, const struct group_place *place, uint32_t first,
                          uint32_t index)
{
    uint32_t words[6] = {place->component, 0, pointer_to(group, place, first, index)};

    words[1]       = group_id(group);
    uint32_t count = memory_words(place, false, words + 3);
    group_put(group, &group->body, SpvOpLoad, words, 3 + count);
    return words[1];
}

void group_write_place(struct group *group, const struct group_place *place, uint32_t first, uint32_t index,
                       uint32_t value)
{
    uint32_t words[5] = {pointer_to(group, place, first, index), value};
    uint32_t count    = memory_words(place, true, words + 2);

    group_put(group, &group->body, SpvOpStore, words, 2 + count);
}
