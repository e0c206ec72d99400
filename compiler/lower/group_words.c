/* Words that grow, and types and constants that are there once.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

#define KNOWN_MOST 4096u

bool group_step(struct group *group, uint32_t count)
{
    if (count > GROUP_STEPS_MOST - group->steps)
        group->failed = true;
    else
        group->steps += count;
    return !group->failed;
}

uint32_t group_id(struct group *group)
{
    return group->bound++;
}

static bool reserve(struct group *group, struct group_words *words, uint32_t count)
{
    if (words->capacity - words->count >= count)
        return true;
    uint64_t capacity = 2 * ((uint64_t)words->count + count) + 64;
    uint32_t *grown =
        capacity <= UINT32_MAX ? base_arena_allocate(group->arena, (size_t)capacity, sizeof(uint32_t)) : NULL;
    if (grown == NULL) {
        group->failed = true;
        return false;
    }
    if (words->count != 0)
        memcpy(grown, words->at, words->count * sizeof(uint32_t));
    words->at       = grown;
    words->capacity = (uint32_t)capacity;
    return true;
}

void group_copy(struct group *group, struct group_words *words, const uint32_t *at, uint32_t count)
{
    if (count == 0 || !reserve(group, words, count))
        return;
    memcpy(words->at + words->count, at, count * sizeof(uint32_t));
    words->count += count;
}

void group_put(struct group *group, struct group_words *words, uint32_t opcode, const uint32_t *operands,
               uint32_t count)
{
    if (!reserve(group, words, count + 1))
        return;
    words->at[words->count++] = (count + 1) << SpvWordCountShift | opcode;
    group_copy(group, words, operands, count);
}

/* ---- what is there once -------------------------------------------------------------------- */

uint32_t group_find(struct group *group, const struct group_list *list, const uint32_t *key, uint32_t length)
{
    if (!group_step(group, list->count))
        return 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].length == length && memcmp(list->at[i].key, key, length * sizeof(*key)) == 0)
            return list->at[i].id;
    return 0;
}

void group_add(struct group *group, struct group_list *list, const uint32_t *key, uint32_t length,
               uint32_t id)
{
    if (length > GROUP_KEY_WORDS || list->count == KNOWN_MOST ||
        !base_arena_grow(group->arena, &list->at, list->count, &list->capacity, sizeof(*list->at))) {
        group->failed = true;
        return;
    }
    struct group_known *known = &list->at[list->count++];
    *known                    = (struct group_known){.length = length, .id = id};
    memcpy(known->key, key, length * sizeof(*key));
}

/* The id of a type in the module; the result is behind the opcode. Arrays of the module may have a stride,
 * with which they cannot be in shared memory. */
static uint32_t find_type(struct group *group, uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    const struct lower_words *module = &group->module;

    if (opcode == SpvOpTypeArray)
        return 0;
    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (!group_step(group, 1))
            break;
        if (lower_opcode(at) == opcode && lower_length(at) == count + 2 &&
            (count == 0 || memcmp(at + 2, operands, count * sizeof(*operands)) == 0))
            return at[1];
    }
    return 0;
}

uint32_t group_type_id(struct group *group, uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    uint32_t key[GROUP_KEY_WORDS], words[GROUP_KEY_WORDS];

    if (count + 1 > GROUP_KEY_WORDS) {
        group->failed = true;
        return 0;
    }
    key[0] = opcode;
    if (count != 0)
        memcpy(key + 1, operands, count * sizeof(*operands));
    uint32_t id = group_find(group, &group->known, key, count + 1);
    if (id != 0)
        return id;
    id = find_type(group, opcode, operands, count);
    if (id == 0) {
        id       = group_id(group);
        words[0] = id;
        if (count != 0)
            memcpy(words + 1, operands, count * sizeof(*operands));
        group_put(group, &group->globals, opcode, words, count + 1);
    }
    group_add(group, &group->known, key, count + 1, id);
    return id;
}

uint32_t group_pointer(struct group *group, uint32_t storage, uint32_t pointee)
{
    return group_type_id(group, SpvOpTypePointer, (const uint32_t[]){storage, pointee}, 2);
}

uint32_t group_int(struct group *group)
{
    if (group->int_type == 0)
        group->int_type = group_type_id(group, SpvOpTypeInt, (const uint32_t[]){32, 1}, 2);
    return group->int_type;
}

uint32_t group_float(struct group *group)
{
    if (group->float_type == 0)
        group->float_type = group_type_id(group, SpvOpTypeFloat, (const uint32_t[]){32}, 1);
    return group->float_type;
}

uint32_t group_long(struct group *group)
{
    if (group->long_type == 0)
        group->long_type = group_type_id(group, SpvOpTypeInt, (const uint32_t[]){64, 0}, 2);
    group->needs_addresses = true;
    return group->long_type;
}

uint32_t group_constant(struct group *group, uint32_t value)
{
    const uint32_t key[] = {SpvOpConstant, value};
    uint32_t id          = group_find(group, &group->known, key, 2);

    if (id != 0)
        return id;
    id = group_id(group);
    GROUP_PUT(group, &group->globals, SpvOpConstant, group->uint_type, id, value);
    group_add(group, &group->known, key, 2, id);
    group_copy(group, &group->constants, (const uint32_t[]){id, value}, 2);
    return id;
}

uint32_t group_extended(struct group *group)
{
    static const char name[]         = "GLSL.std.450";
    const struct lower_words *module = &group->module;

    for (uint32_t i = LOWER_HEADER_WORDS; group->extended == 0 && i < module->functions;
         i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (!group_step(group, 1))
            break;
        if (lower_opcode(at) == SpvOpExtInstImport && lower_length(at) == 6 &&
            memcmp(at + 2, name, sizeof(name)) == 0)
            return at[1];
    }
    if (group->extended == 0)
        group->extended = group_id(group);
    return group->extended;
}

/* ---- operations on constants ------------------------------------------------------------- */

static bool find_constant(const struct group *group, uint32_t id, uint32_t *value)
{
    uint32_t low = 0, high = group->constants.count / 2;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (group->constants.at[2 * middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == group->constants.count / 2 || group->constants.at[2 * low] != id)
        return false;
    *value = group->constants.at[2 * low + 1];
    return true;
}

bool group_plain(const struct group *group, uint32_t id, uint32_t *value)
{
    const struct lower_words *module = &group->module;

    if (id >= module->bound)
        return find_constant(group, id, value);
    const uint32_t *at = module->words + module->defined_at[id];
    if (module->defined_at[id] == 0)
        return false;
    *value = lower_opcode(at) == SpvOpConstant       ? lower_length(at) == 4 ? at[3] : 0
             : lower_opcode(at) == SpvOpConstantTrue ? 1
                                                     : 0;
    return (lower_opcode(at) == SpvOpConstant && lower_length(at) == 4) ||
           lower_opcode(at) == SpvOpConstantTrue || lower_opcode(at) == SpvOpConstantFalse ||
           lower_opcode(at) == SpvOpConstantNull;
}

static bool fold_plain(uint32_t opcode, uint32_t a, uint32_t b, uint32_t *value)
{
    switch (opcode) {
    case SpvOpIAdd:
        *value = a + b;
        return true;
    case SpvOpISub:
        *value = a - b;
        return true;
    case SpvOpIMul:
        *value = a * b;
        return true;
    case SpvOpUDiv:
        *value = b == 0 ? 0 : a / b;
        return b != 0;
    default:
        return false;
    }
}

uint32_t group_fold(struct group *group, uint32_t opcode, uint32_t a, uint32_t b)
{
    const uint32_t key[] = {SpvOpSpecConstantOp, opcode, a, b};
    uint32_t x, y, value, id;

    if (group_plain(group, a, &x) && group_plain(group, b, &y) && fold_plain(opcode, x, y, &value))
        return group_constant(group, value);
    id = group_find(group, &group->known, key, 4);
    if (id != 0)
        return id;
    id = group_id(group);
    GROUP_PUT(group, &group->globals, SpvOpSpecConstantOp,
              opcode == SpvOpUGreaterThan ? group->bool_type : group->uint_type, id, opcode, a, b);
    group_add(group, &group->known, key, 4, id);
    return id;
}

static uint32_t fold_select(struct group *group, uint32_t condition, uint32_t yes, uint32_t no)
{
    const uint32_t key[] = {SpvOpSpecConstantOp, SpvOpSelect, condition, yes, no};
    uint32_t id          = group_find(group, &group->known, key, 5);

    if (id != 0)
        return id;
    id = group_id(group);
    GROUP_PUT(group, &group->globals, SpvOpSpecConstantOp, group->uint_type, id, SpvOpSelect, condition, yes,
              no);
    group_add(group, &group->known, key, 5, id);
    return id;
}

uint32_t group_larger(struct group *group, uint32_t a, uint32_t b)
{
    uint32_t x, y;

    if (a == b || a == 0 || b == 0)
        return a != 0 ? a : b;
    if (group_plain(group, a, &x) && group_plain(group, b, &y))
        return x > y ? a : b;
    return fold_select(group, group_fold(group, SpvOpUGreaterThan, a, b), a, b);
}

uint32_t group_smaller(struct group *group, uint32_t a, uint32_t b)
{
    uint32_t x, y;

    if (a == b)
        return a;
    if (group_plain(group, a, &x) && group_plain(group, b, &y))
        return x > y ? b : a;
    return fold_select(group, group_fold(group, SpvOpUGreaterThan, a, b), b, a);
}

/* ---- types --------------------------------------------------------------------------------- */

const struct group_type *group_type(const struct group *group, uint32_t id)
{
    return id < group->module.bound ? group->types[id] : NULL;
}

const struct group_type *group_type_of(const struct group *group, uint32_t id)
{
    return group_type(group, lower_type_of(&group->module, id));
}

const struct group_type *group_matrix_of(const struct group *group, uint32_t id)
{
    const struct group_type *type = group_type_of(group, id);

    return type != NULL && type->kind == GROUP_MATRIX ? type : NULL;
}
