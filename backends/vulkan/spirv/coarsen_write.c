/* vulkan backend: the words of a kernel that does several invocations in one.
 *
 *     for each of them its place; what all invocations come to, instruction by instruction, each for all of them (but what is
 *     behind a branch whose ways meet again: that for one after the other)
 *     if none of them leaves:
 *         the rest, likewise
 *     else one after the other:
 *         if it does not leave: the rest
 *
 * A result has an id for each item, and one more for each in the second form of the rest: id + copy * bound.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/spirv/coarsen_internal.h"
#include "backends/vulkan/spirv/words.h"

#define EXTRA_WORDS 512u /* that are no copies: at most thirty an item, and some */

struct writing {
    const struct vulkan_several *several;
    uint32_t *out;
    uint64_t written;
    uint32_t next_id;
    uint32_t label;   /* of the block that is written */
    uint32_t last;    /* the label among the steps that was written last, as the module has it */
    uint32_t entered; /* `label` where the branch stands that is written, or was the last, */
    uint32_t header;  /* and `last` there */
    uint32_t merge;   /* where the ways of that branch meet, as the module has it; 0: none is written */
    uint32_t local;   /* the variable LocalInvocationId */
    uint32_t items;   /* constants: how many, and how far from the first each is */
    uint32_t distances[VULKAN_SEVERAL_MOST];
    uint32_t place;                       /* what GlobalInvocationId is */
    uint32_t places[VULKAN_SEVERAL_MOST]; /* its first component, for each item */
};

/* Two copies an item, and what reads a place becomes half as long again. */
uint64_t vulkan_several_capacity(const struct vulkan_several *several)
{
    return several->shader->count * (3 * (uint64_t)several->items + 1) + EXTRA_WORDS;
}

/* ---- words ---------------------------------------------------------------------------------------- */

static uint32_t new_id(struct writing *writing)
{
    return writing->next_id++;
}

static void put(struct writing *writing, uint32_t word)
{
    writing->out[writing->written++] = word;
}

static void put_copy(struct writing *writing, const uint32_t *at)
{
    memcpy(writing->out + writing->written, at, vulkan_length(at) * sizeof(uint32_t));
    writing->written += vulkan_length(at);
}

/* An instruction of words that follow; `length` counts its first one too. */
static void put_op(struct writing *writing, uint32_t opcode, uint32_t length)
{
    put(writing, length << SpvWordCountShift | opcode);
}

static void put_label(struct writing *writing, uint32_t label)
{
    put_op(writing, SpvOpLabel, 2);
    put(writing, label);
    writing->label = label;
}

static void put_branch(struct writing *writing, uint32_t label)
{
    put_op(writing, SpvOpBranch, 2);
    put(writing, label);
}

/* To `yes` or to `no`, which both come to `merge`. */
static void put_choice(struct writing *writing, uint32_t condition, uint32_t yes, uint32_t no, uint32_t merge)
{
    put_op(writing, SpvOpSelectionMerge, 3);
    put(writing, merge);
    put(writing, SpvSelectionControlMaskNone);
    put_op(writing, SpvOpBranchConditional, 4);
    put(writing, condition);
    put(writing, yes);
    put(writing, no);
}

/* type result = opcode(a, b); the result. */
static uint32_t put_binary(struct writing *writing, uint32_t opcode, uint32_t type, uint32_t a, uint32_t b)
{
    uint32_t result = new_id(writing);
    put_op(writing, opcode, 5);
    put(writing, type);
    put(writing, result);
    put(writing, a);
    put(writing, b);
    return result;
}

/* ---- what stands before the functions -------------------------------------------------------------- */

static bool is_for_readers(uint32_t opcode)
{
    return (opcode >= SpvOpSourceContinued && opcode <= SpvOpLine) || opcode == SpvOpNoLine ||
           opcode == SpvOpModuleProcessed;
}

static void put_entry(struct writing *writing)
{
    const struct vulkan_several *several = writing->several;
    uint64_t begin                       = writing->written;
    put_copy(writing, several->entry);
    if (several->lists_local)
        return;
    put(writing, writing->local);
    writing->out[begin] += 1u << SpvWordCountShift;
}

/* What is said of a result is said of each of its copies. */
static void put_decoration(struct writing *writing, const uint32_t *at)
{
    const struct vulkan_several *several = writing->several;
    uint8_t kind                         = several->kinds[at[1]];
    uint32_t copies                      = kind == SEVERAL_BEFORE  ? several->items
                                           : kind == SEVERAL_AFTER ? 2 * several->items
                                                                   : 1;
    if (kind == SEVERAL_PLACE_X)
        return;
    for (uint32_t copy = 0; copy < copies; copy++) {
        uint64_t begin = writing->written;
        put_copy(writing, at);
        writing->out[begin + 1] += copy * several->bound;
    }
    if (at[1] != several->place || at[2] != SpvDecorationBuiltIn || several->local != 0)
        return;
    put_op(writing, SpvOpDecorate, 4);
    put(writing, writing->local);
    put(writing, SpvDecorationBuiltIn);
    put(writing, SpvBuiltInLocalInvocationId);
}

static uint32_t put_constant(struct writing *writing, uint32_t value)
{
    uint32_t result = new_id(writing);
    put_op(writing, SpvOpConstant, 4);
    put(writing, writing->several->place_number);
    put(writing, result);
    put(writing, value);
    return result;
}

/* Behind all types. */
static void put_globals(struct writing *writing)
{
    const struct vulkan_several *several = writing->several;
    if (several->local == 0) {
        put_op(writing, SpvOpVariable, 4);
        put(writing, several->place_pointer);
        put(writing, writing->local);
        put(writing, SpvStorageClassInput);
    }
    writing->items = put_constant(writing, several->items);
    for (uint32_t i = 1; i < several->items; i++)
        writing->distances[i] = put_constant(writing, i * several->group_size);
}

/* ---- the kernel ------------------------------------------------------------------------------------ */

/* The id that stands for one in a copy. The second copies of what all have come to are the first ones. */
static uint32_t id_in(const struct vulkan_several *several, uint32_t id, uint32_t copy)
{
    if (several->kinds[id] == SEVERAL_AFTER)
        return id + copy * several->bound;
    return several->kinds[id] == SEVERAL_BEFORE ? id + copy % several->items * several->bound : id;
}

/* Instead of reading the variable. */
static void put_place(struct writing *writing, const uint32_t *load, uint32_t copy)
{
    const struct vulkan_several *several = writing->several;
    bool is_vector                       = several->kinds[load[3]] == SEVERAL_PLACE;
    put_op(writing, is_vector ? SpvOpCompositeInsert : SpvOpCopyObject, is_vector ? 6 : 4);
    put(writing, load[1]);
    put(writing, id_in(several, load[2], copy));
    put(writing, writing->places[copy % several->items]);
    if (is_vector) {
        put(writing, writing->place);
        put(writing, 0);
    }
}

/* Of a block behind a branch, in this copy; the only other one that is spoken of is that with the branch itself. */
static uint32_t label_in(const struct writing *writing, uint32_t label, uint32_t copy)
{
    bool is_outside = writing->several->kinds[label] == SEVERAL_SHARED || label == writing->header;
    return is_outside ? writing->entered : id_in(writing->several, label, copy);
}

/* A branch begins, in another or not. */
static void enter(struct writing *writing, uint32_t merge)
{
    if (writing->merge != 0)
        return;
    writing->merge   = merge;
    writing->entered = writing->label;
    writing->header  = writing->last;
}

/* Labels, branches, and what is chosen by them: no words but ids and the literals of OpSwitch. */
static bool put_flow(struct writing *writing, const uint32_t *at, uint32_t copy)
{
    const struct vulkan_several *several = writing->several;
    uint32_t *words                      = writing->out + writing->written;
    switch (vulkan_opcode(at)) {
    case SpvOpLabel:
        put_label(writing, label_in(writing, at[1], copy));
        writing->last  = at[1];
        writing->merge = at[1] == writing->merge ? 0 : writing->merge;
        return true;
    case SpvOpSelectionMerge:
        enter(writing, at[1]);
        put_copy(writing, at);
        words[1] = label_in(writing, at[1], copy);
        return true;
    case SpvOpBranch:
        put_branch(writing, label_in(writing, at[1], copy));
        return true;
    case SpvOpBranchConditional:
        put_copy(writing, at);
        words[1] = id_in(several, at[1], copy);
        words[2] = label_in(writing, at[2], copy);
        words[3] = label_in(writing, at[3], copy);
        return true;
    case SpvOpSwitch:
        put_copy(writing, at);
        words[1] = id_in(several, at[1], copy);
        for (uint32_t i = 2; i < vulkan_length(at); i += 2)
            words[i] = label_in(writing, at[i], copy);
        return true;
    case SpvOpPhi:
        put_copy(writing, at);
        words[2] = id_in(several, at[2], copy);
        for (uint32_t i = 3; i < vulkan_length(at); i += 2) {
            words[i]     = id_in(several, at[i], copy);
            words[i + 1] = label_in(writing, at[i + 1], copy);
        }
        return true;
    default:
        return false;
    }
}

static void put_step(struct writing *writing, const uint32_t *at, uint32_t copy)
{
    const struct vulkan_several *several  = writing->several;
    const struct vulkan_several_form form = vulkan_several_form(at);
    if (put_flow(writing, at, copy) || (form.has_result && several->kinds[at[2]] == SEVERAL_PLACE_X))
        return;
    if (vulkan_opcode(at) == SpvOpLoad &&
        (several->kinds[at[3]] == SEVERAL_PLACE || several->kinds[at[3]] == SEVERAL_PLACE_X)) {
        put_place(writing, at, copy);
        return;
    }
    uint32_t *words = writing->out + writing->written;
    put_copy(writing, at);
    if (form.has_result)
        words[2] = id_in(several, at[2], copy);
    for (uint32_t i = form.first; i < form.end; i++)
        if (i != form.literal)
            words[i] = id_in(several, at[i], copy);
}

/* Where what is done at once begins again, behind step number i: behind that, or behind the branch that it begins. */
static uint32_t behind(const struct vulkan_several *several, uint32_t i)
{
    const uint32_t *const *steps = several->steps;
    uint32_t merge               = vulkan_opcode(steps[i]) == SpvOpSelectionMerge ? steps[i][1] : 0;
    if (merge == 0)
        return i + 1;
    while (vulkan_opcode(steps[i]) != SpvOpLabel || steps[i][1] != merge)
        i++;
    do
        i++;
    while (i < several->count && vulkan_opcode(steps[i]) == SpvOpPhi);
    return i;
}

/* Steps from `begin` to `end`, which the first items come to together. */
static void put_together(struct writing *writing, uint32_t begin, uint32_t end)
{
    const struct vulkan_several *several = writing->several;
    while (begin < end) {
        uint32_t next = behind(several, begin), last = writing->last;
        for (uint32_t copy = 0; copy < several->items; copy++) {
            writing->last = last;
            for (uint32_t i = begin; i < next; i++)
                put_step(writing, several->steps[i], copy);
        }
        begin = next;
    }
}

static void put_rest(struct writing *writing, uint32_t copy)
{
    writing->last = 0; /* a block of its own begins */
    for (uint32_t i = writing->several->before; i < writing->several->count; i++)
        put_step(writing, writing->several->steps[i], copy);
}

static uint32_t put_load(struct writing *writing, uint32_t variable)
{
    uint32_t result = new_id(writing);
    put_op(writing, SpvOpLoad, 4);
    put(writing, writing->several->place_vector);
    put(writing, result);
    put(writing, variable);
    return result;
}

/* Item i of an invocation is the one of its number in group `items` * its own + i. */
static void put_places(struct writing *writing)
{
    uint32_t type  = writing->several->place_number;
    writing->place = put_load(writing, writing->several->place);
    uint32_t local = put_load(writing, writing->local);
    uint32_t x = new_id(writing), local_x = new_id(writing);
    const uint32_t parts[2][2] = {{x, writing->place}, {local_x, local}};
    for (uint32_t i = 0; i < 2; i++) {
        put_op(writing, SpvOpCompositeExtract, 5);
        put(writing, type);
        put(writing, parts[i][0]);
        put(writing, parts[i][1]);
        put(writing, 0);
    }
    uint32_t group     = put_binary(writing, SpvOpISub, type, x, local_x);
    uint32_t groups    = put_binary(writing, SpvOpIMul, type, group, writing->items);
    writing->places[0] = put_binary(writing, SpvOpIAdd, type, groups, local_x);
    for (uint32_t i = 1; i < writing->several->items; i++)
        writing->places[i] = put_binary(writing, SpvOpIAdd, type, writing->places[0], writing->distances[i]);
}

/* Does any of them leave, or do all go on? */
static uint32_t put_guards(struct writing *writing)
{
    const struct vulkan_several *several = writing->several;
    uint32_t opcode = several->leaves ? SpvOpLogicalOr : SpvOpLogicalAnd, together = several->guard;
    for (uint32_t i = 1; i < several->items; i++)
        together =
            put_binary(writing, opcode, several->guard_type, together, id_in(several, several->guard, i));
    return together;
}

static void put_one_by_one(struct writing *writing)
{
    const struct vulkan_several *several = writing->several;
    for (uint32_t i = 0; i < several->items; i++) {
        uint32_t work = new_id(writing), next = new_id(writing);
        put_choice(writing, id_in(several, several->guard, i), several->leaves ? next : work,
                   several->leaves ? work : next, next);
        put_label(writing, work);
        put_rest(writing, several->items + i);
        put_branch(writing, next);
        put_label(writing, next);
    }
}

static void put_branches(struct writing *writing)
{
    const struct vulkan_several *several = writing->several;
    uint32_t together = put_guards(writing), all = new_id(writing), some = new_id(writing),
             end = new_id(writing);
    put_choice(writing, together, several->leaves ? some : all, several->leaves ? all : some, end);
    put_label(writing, all);
    put_together(writing, several->before, several->count);
    put_branch(writing, end);
    put_label(writing, some);
    put_one_by_one(writing);
    put_branch(writing, end);
    put_label(writing, end);
}

/* Variables of the function stand at its beginning. */
static void put_function(struct writing *writing)
{
    const struct vulkan_several *several = writing->several;
    const uint32_t *label                = several->function + vulkan_length(several->function);
    uint32_t variables                   = 0;
    while (variables < several->before && vulkan_opcode(several->steps[variables]) == SpvOpVariable)
        variables++;
    put_copy(writing, several->function);
    put_label(writing, label[1]);
    put_together(writing, 0, variables);
    put_places(writing);
    put_together(writing, variables, several->before);
    if (several->guard != 0)
        put_branches(writing);
    put_op(writing, SpvOpReturn, 1);
    put_op(writing, SpvOpFunctionEnd, 1);
}

/* ---- the shader ------------------------------------------------------------------------------------ */

static const uint32_t *behind_function(const uint32_t *at)
{
    while (vulkan_opcode(at) != SpvOpFunctionEnd)
        at += vulkan_length(at);
    return at + vulkan_length(at);
}

void vulkan_several_write(const struct vulkan_several *several, struct vulkan_shader *result)
{
    const uint32_t *end    = several->shader->words + several->shader->count;
    const uint32_t *at     = several->shader->words + VULKAN_HEADER_WORDS;
    struct writing writing = {.several = several,
                              .out     = result->words,
                              .written = VULKAN_HEADER_WORDS,
                              .next_id = several->bound * 2 * several->items};
    bool is_begun          = false; /* the first function is met */
    memcpy(writing.out, several->shader->words, VULKAN_HEADER_WORDS * sizeof(uint32_t));
    writing.local = several->local != 0 ? several->local : new_id(&writing);
    while (at < end) {
        uint32_t opcode = vulkan_opcode(at);
        if (opcode == SpvOpFunction && !is_begun) {
            is_begun = true;
            put_globals(&writing);
        }
        if (at == several->function) {
            put_function(&writing);
            at = behind_function(at);
            continue;
        }
        if (at == several->entry)
            put_entry(&writing);
        else if (opcode == SpvOpDecorate)
            put_decoration(&writing, at);
        else if (!is_for_readers(opcode))
            put_copy(&writing, at);
        at += vulkan_length(at);
    }
    writing.out[VULKAN_HEADER_BOUND] = writing.next_id;
    result->count                    = writing.written;
}
