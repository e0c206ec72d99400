/* The functions that the instructions become: loops, conditions, barriers and the elements of arrays.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

/* ---- operations ---------------------------------------------------------------------------- */

uint32_t group_op(struct group *group, uint32_t opcode, uint32_t type, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t words[] = {type, group_id(group), a, b, c};

    group_put(group, &group->body, opcode, words, 2u + (a != 0) + (b != 0) + (c != 0));
    return words[1];
}

uint32_t group_uint(struct group *group, uint32_t opcode, uint32_t a, uint32_t b)
{
    return group_op(group, opcode, group->uint_type, a, b, 0);
}

uint32_t group_test(struct group *group, uint32_t opcode, uint32_t a, uint32_t b)
{
    return group_op(group, opcode, group->bool_type, a, b, 0);
}

uint32_t group_local(struct group *group, uint32_t type)
{
    uint32_t id = group_id(group);

    GROUP_PUT(group, &group->locals, SpvOpVariable, group_pointer(group, SpvStorageClassFunction, type), id,
              SpvStorageClassFunction);
    return id;
}

void group_store(struct group *group, uint32_t pointer, uint32_t value)
{
    GROUP_PUT(group, &group->body, SpvOpStore, pointer, value);
}

uint32_t group_load(struct group *group, uint32_t type, uint32_t pointer)
{
    return group_op(group, SpvOpLoad, type, pointer, 0, 0);
}

uint32_t group_at(struct group *group, uint32_t storage, uint32_t array, uint32_t type, uint32_t index)
{
    return group_op(group, SpvOpAccessChain, group_pointer(group, storage, type), array, index, 0);
}

/* ---- control flow -------------------------------------------------------------------------- */

static void label(struct group *group, uint32_t id)
{
    GROUP_PUT(group, &group->body, SpvOpLabel, id);
}

static void branch(struct group *group, uint32_t target)
{
    GROUP_PUT(group, &group->body, SpvOpBranch, target);
}

void group_begin_loop(struct group *group, struct group_loop *loop, uint32_t first, uint32_t end,
                      uint32_t step)
{
    uint32_t test = group_id(group), begin = group_id(group);

    *loop = (struct group_loop){.counter = group_local(group, group->uint_type),
                                .step    = step,
                                .header  = group_id(group),
                                .merge   = group_id(group),
                                .next    = group_id(group)};
    group_store(group, loop->counter, first);
    branch(group, loop->header);
    label(group, loop->header);
    GROUP_PUT(group, &group->body, SpvOpLoopMerge, loop->merge, loop->next, group->loop_control);
    branch(group, test);
    label(group, test);
    loop->index   = group_load(group, group->uint_type, loop->counter);
    uint32_t stay = group_test(group, SpvOpULessThan, loop->index, end);
    GROUP_PUT(group, &group->body, SpvOpBranchConditional, stay, begin, loop->merge);
    label(group, begin);
}

void group_end_loop(struct group *group, const struct group_loop *loop)
{
    branch(group, loop->next);
    label(group, loop->next);
    uint32_t index = group_load(group, group->uint_type, loop->counter);
    group_store(group, loop->counter, group_uint(group, SpvOpIAdd, index, loop->step));
    branch(group, loop->header);
    label(group, loop->merge);
}

uint32_t group_begin_if(struct group *group, uint32_t condition)
{
    uint32_t yes = group_id(group), merge = group_id(group);

    GROUP_PUT(group, &group->body, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
    GROUP_PUT(group, &group->body, SpvOpBranchConditional, condition, yes, merge);
    label(group, yes);
    return merge;
}

void group_end_if(struct group *group, uint32_t merge)
{
    branch(group, merge);
    label(group, merge);
}

void group_barrier(struct group *group)
{
    uint32_t scope = group_constant(group, SpvScopeWorkgroup);
    uint32_t order = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask;

    if (group->is_vulkan)
        order |= SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;
    GROUP_PUT(group, &group->body, SpvOpControlBarrier, scope, scope, group_constant(group, order));
}

/* ---- functions ----------------------------------------------------------------------------- */

void group_begin(struct group *group, struct group_function *function, uint32_t type)
{
    *function           = (struct group_function){.id = group_id(group), .type = type};
    group->body.count   = 0;
    group->locals.count = 0;
}

uint32_t group_parameter(struct group *group, struct group_function *function, uint32_t type)
{
    if (function->count == GROUP_OPERANDS_MOST) {
        group->failed = true;
        return 0;
    }
    function->types[function->count]      = type;
    function->parameters[function->count] = group_id(group);
    return function->parameters[function->count++];
}

static uint32_t function_type(struct group *group, const struct group_function *function)
{
    uint32_t words[GROUP_OPERANDS_MOST + 1] = {function->type};

    memcpy(words + 1, function->types, function->count * sizeof(uint32_t));
    return group_type_id(group, SpvOpTypeFunction, words, function->count + 1);
}

void group_end(struct group *group, struct group_function *function, uint32_t value)
{
    GROUP_PUT(group, &group->made, SpvOpFunction, function->type, function->id, SpvFunctionControlMaskNone,
              function_type(group, function));
    for (uint32_t i = 0; i < function->count; i++)
        GROUP_PUT(group, &group->made, SpvOpFunctionParameter, function->types[i], function->parameters[i]);
    GROUP_PUT(group, &group->made, SpvOpLabel, group_id(group));
    group_copy(group, &group->made, group->locals.at, group->locals.count);
    group_copy(group, &group->made, group->body.at, group->body.count);
    if (value != 0)
        GROUP_PUT(group, &group->made, SpvOpReturnValue, value);
    else
        group_put(group, &group->made, SpvOpReturn, NULL, 0);
    group_put(group, &group->made, SpvOpFunctionEnd, NULL, 0);
}

void group_call(struct group *group, uint32_t type, uint32_t id, uint32_t function, const uint32_t *arguments,
                uint32_t count)
{
    uint32_t words[GROUP_OPERANDS_MOST + 3] = {type, id, function};

    if (count > GROUP_OPERANDS_MOST) {
        group->failed = true;
        return;
    }
    memcpy(words + 3, arguments, count * sizeof(*arguments));
    group_put(group, &group->code, SpvOpFunctionCall, words, count + 3);
}

/* ---- elements ------------------------------------------------------------------------------ */

/* The variable LocalInvocationIndex: the module's, or a new one. */
static uint32_t find_index(struct group *group)
{
    const struct lower_words *module = &group->module;
    uint32_t id                      = 0;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (lower_opcode(at) == SpvOpDecorate && lower_length(at) == 4 && at[2] == SpvDecorationBuiltIn &&
            at[3] == SpvBuiltInLocalInvocationIndex &&
            lower_definition(module, at[1], SpvOpVariable, 4) != NULL)
            id = at[1];
    }
    if (id != 0)
        return id;
    id = group_id(group);
    GROUP_PUT(group, &group->annotations, SpvOpDecorate, id, SpvDecorationBuiltIn,
              SpvBuiltInLocalInvocationIndex);
    GROUP_PUT(group, &group->globals, SpvOpVariable,
              group_pointer(group, SpvStorageClassInput, group->uint_type), id, SpvStorageClassInput);
    return id;
}

static void add_interface(struct group *group, uint32_t id)
{
    group_copy(group, &group->interface, &id, 1);
}

uint32_t group_thread(struct group *group)
{
    if (group->index_variable == 0) {
        group->index_variable = find_index(group);
        add_interface(group, group->index_variable);
    }
    const uint32_t *at = lower_definition(&group->module, group->index_variable, SpvOpVariable, 4);
    const uint32_t *pointer =
        at != NULL ? lower_definition(&group->module, at[1], SpvOpTypePointer, 4) : NULL;
    if (pointer == NULL || pointer[3] == group->uint_type)
        return group_load(group, group->uint_type, group->index_variable);
    return group_uint(group, SpvOpBitcast, group_load(group, pointer[3], group->index_variable), 0);
}

uint32_t group_number(struct group *group, uint32_t index)
{
    uint32_t from = group_uint(group, SpvOpIMul, index, group->threads);

    return group_uint(group, SpvOpIAdd, from, group_thread(group));
}

bool group_is_even(const struct group *group, const struct group_type *matrix)
{
    uint32_t elements, threads;

    return group_plain(group, matrix->elements, &elements) && group_plain(group, group->threads, &threads) &&
           threads != 0 && elements % threads == 0;
}

struct group_element group_element(struct group *group, const struct group_type *matrix, uint32_t index)
{
    struct group_element element = {.number = group_number(group, index)};

    if (!group_is_even(group, matrix))
        element.number = group_uint(group, SpvOpUMod, element.number, matrix->elements);
    element.row    = group_uint(group, SpvOpUDiv, element.number, matrix->columns);
    element.column = group_uint(group, SpvOpUMod, element.number, matrix->columns);
    return element;
}

uint32_t group_array_parameter(struct group *group, struct group_function *function,
                               const struct group_type *matrix)
{
    uint32_t value = group_parameter(group, function, matrix->id);
    uint32_t array = group_local(group, matrix->id);

    group_store(group, array, value);
    return array;
}

uint32_t group_read_element(struct group *group, const struct group_type *matrix, uint32_t array,
                            uint32_t index)
{
    return group_load(group, matrix->component,
                      group_at(group, SpvStorageClassFunction, array, matrix->component, index));
}

void group_write_element(struct group *group, const struct group_type *matrix, uint32_t array, uint32_t index,
                         uint32_t value)
{
    group_store(group, group_at(group, SpvStorageClassFunction, array, matrix->component, index), value);
}

void group_begin_each(struct group *group, struct group_loop *loop, uint32_t end)
{
    group_begin_loop(group, loop, group_constant(group, 0), end, group_constant(group, 1));
}

const uint32_t *group_parameters(const struct group *group, uint32_t function, uint32_t *count)
{
    const uint32_t *type = NULL;

    if (function < group->module.bound && group->functions[function] != 0)
        type = lower_definition(&group->module, group->module.words[group->functions[function] + 4],
                                SpvOpTypeFunction, 3);
    if (type == NULL)
        return NULL;
    *count = lower_length(type) - 3;
    return type + 3;
}

uint32_t group_finish(struct group *group, struct group_function *function, uint32_t value,
                      const uint32_t *key, uint32_t length)
{
    group_end(group, function, value);
    group_add(group, &group->made_known, key, length, function->id);
    return function->id;
}

/* ---- shared memory ------------------------------------------------------------------------- */

static bool is_block(struct group *group, uint32_t type)
{
    const struct lower_words *module = &group->module;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (!group_step(group, 1) || !lower_is_preamble(lower_opcode(at)))
            break;
        if (lower_opcode(at) == SpvOpDecorate && lower_length(at) == 3 && at[1] == type &&
            at[2] == SpvDecorationBlock)
            return true;
    }
    return false;
}

/* Has the module blocks in shared memory? They all begin where it begins, and no other variable may be
 * there. */
static bool has_shared_blocks(struct group *group)
{
    const struct lower_words *module = &group->module;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (!group_step(group, 1))
            break;
        if (lower_opcode(at) != SpvOpVariable || lower_length(at) < 4 || at[3] != SpvStorageClassWorkgroup)
            continue;
        const uint32_t *pointer = lower_definition(module, at[1], SpvOpTypePointer, 4);
        if (pointer != NULL && is_block(group, pointer[3]))
            return true;
    }
    return false;
}

uint32_t group_scratch(struct group *group, uint32_t component, uint32_t which, uint32_t length)
{
    if (group->scratch_count == 0)
        group->failed |= group->has_decoration_groups || has_shared_blocks(group);
    for (uint32_t i = 0; i < group->scratch_count; i++) {
        struct group_scratch *scratch = &group->scratches[i];
        if (scratch->component != component || scratch->which != which)
            continue;
        scratch->length = group_larger(group, scratch->length, length);
        return scratch->variable;
    }
    if (group->scratch_count == GROUP_SCRATCHES_MOST) {
        group->failed = true;
        return 0;
    }
    struct group_scratch *scratch = &group->scratches[group->scratch_count++];
    *scratch                      = (struct group_scratch){0};
    scratch->component            = component;
    scratch->which                = which;
    scratch->variable             = group_id(group);
    scratch->length               = length;
    add_interface(group, scratch->variable);
    return scratch->variable;
}

/* The operands for memory: one word, or none. */
static uint32_t scratch_mask(const struct group *group)
{
    return group->is_vulkan ? SpvMemoryAccessNonPrivatePointerMask : 0;
}

uint32_t group_read_scratch(struct group *group, uint32_t variable, uint32_t component, uint32_t index)
{
    uint32_t pointer = group_at(group, SpvStorageClassWorkgroup, variable, component, index);

    return group_op(group, SpvOpLoad, component, pointer, scratch_mask(group), 0);
}

void group_write_scratch(struct group *group, uint32_t variable, uint32_t component, uint32_t index,
                         uint32_t value)
{
    const uint32_t words[] = {group_at(group, SpvStorageClassWorkgroup, variable, component, index), value,
                              scratch_mask(group)};

    group_put(group, &group->body, SpvOpStore, words, group->is_vulkan ? 3 : 2);
}
