/* vulkan backend: writes coarsened kernels. The code of one is:
 *
 *     compute the global id of each item
 *     instructions before the guard, each for all items (selections: one item after the other)
 *     if no item returns early:
 *         the rest, likewise
 *     else for each item:
 *         if it does not return early: the rest
 *
 * Each result has one id for each item; results after the guard have a second set for the second form: id +
 * copy * bound.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/spirv/coarsen_internal.h"
#include "backends/vulkan/spirv/words.h"

#define EXTRA_WORDS 512u /* words that are not copies: at most thirty an item, and some */

struct writer {
    const struct vulkan_coarsen *coarsen;
    uint32_t *out;
    uint64_t written;
    uint32_t next_id;
    uint32_t label; /* of the current block */
    uint32_t last;  /* last label that was written, as in the original */
    /* Current label at the beginning of the selection that is being written, or of the last one. */
    uint32_t entered;
    uint32_t header;   /* `last` there */
    uint32_t merge;    /* merge label of that selection, as in the original; 0: not in a selection */
    uint32_t local_id; /* the variable LocalInvocationId */
    uint32_t items;    /* constants: the number of items, and the distance of each from the first */
    uint32_t distances[VULKAN_COARSEN_MOST];
    uint32_t global_id;                        /* the value of GlobalInvocationId */
    uint32_t global_id_x[VULKAN_COARSEN_MOST]; /* its x component, for each item */
};

/* Two copies of each instruction for each item; loads of the id become half as long again. */
uint64_t vulkan_coarsen_capacity(const struct vulkan_coarsen *coarsen)
{
    return coarsen->shader->count * (3 * (uint64_t)coarsen->items + 1) + EXTRA_WORDS;
}

/* ---- words ---------------------------------------------------------------------------------------- */

static uint32_t new_id(struct writer *writer)
{
    return writer->next_id++;
}

static void emit(struct writer *writer, uint32_t word)
{
    writer->out[writer->written++] = word;
}

static void emit_copy(struct writer *writer, const uint32_t *at)
{
    memcpy(writer->out + writer->written, at, vulkan_length(at) * sizeof(uint32_t));
    writer->written += vulkan_length(at);
}

/* The first word of an instruction of `length` words. */
static void emit_op(struct writer *writer, uint32_t opcode, uint32_t length)
{
    emit(writer, length << SpvWordCountShift | opcode);
}

static void emit_label(struct writer *writer, uint32_t label)
{
    emit_op(writer, SpvOpLabel, 2);
    emit(writer, label);
    writer->label = label;
}

static void emit_branch(struct writer *writer, uint32_t label)
{
    emit_op(writer, SpvOpBranch, 2);
    emit(writer, label);
}

/* A selection with `merge` as merge block. */
static void emit_selection(struct writer *writer, uint32_t condition, uint32_t yes, uint32_t no,
                           uint32_t merge)
{
    emit_op(writer, SpvOpSelectionMerge, 3);
    emit(writer, merge);
    emit(writer, SpvSelectionControlMaskNone);
    emit_op(writer, SpvOpBranchConditional, 4);
    emit(writer, condition);
    emit(writer, yes);
    emit(writer, no);
}

/* result = opcode(a, b), of `type`. */
static uint32_t emit_binary(struct writer *writer, uint32_t opcode, uint32_t type, uint32_t a, uint32_t b)
{
    uint32_t result = new_id(writer);
    emit_op(writer, opcode, 5);
    emit(writer, type);
    emit(writer, result);
    emit(writer, a);
    emit(writer, b);
    return result;
}

/* ---- module-level instructions --------------------------------------------------------------------- */

static bool is_debug(uint32_t opcode)
{
    return (opcode >= SpvOpSourceContinued && opcode <= SpvOpLine) || opcode == SpvOpNoLine ||
           opcode == SpvOpModuleProcessed;
}

static void emit_entry(struct writer *writer)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    uint64_t begin                       = writer->written;
    emit_copy(writer, coarsen->entry);
    if (coarsen->lists_local_id)
        return;
    emit(writer, writer->local_id);
    writer->out[begin] += 1u << SpvWordCountShift;
}

/* Repeats a decoration for each copy of its target. */
static void emit_decoration(struct writer *writer, const uint32_t *at)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    uint8_t kind                         = coarsen->kinds[at[1]];
    uint32_t copies                      = kind == COARSEN_BEFORE_GUARD  ? coarsen->items
                                           : kind == COARSEN_AFTER_GUARD ? 2 * coarsen->items
                                                                         : 1;
    if (kind == COARSEN_GLOBAL_ID_X)
        return;
    for (uint32_t copy = 0; copy < copies; copy++) {
        uint64_t begin = writer->written;
        emit_copy(writer, at);
        writer->out[begin + 1] += copy * coarsen->bound;
    }
    if (at[1] != coarsen->global_id || at[2] != SpvDecorationBuiltIn || coarsen->local_id != 0)
        return;
    emit_op(writer, SpvOpDecorate, 4);
    emit(writer, writer->local_id);
    emit(writer, SpvDecorationBuiltIn);
    emit(writer, SpvBuiltInLocalInvocationId);
}

static uint32_t emit_constant(struct writer *writer, uint32_t value)
{
    uint32_t result = new_id(writer);
    emit_op(writer, SpvOpConstant, 4);
    emit(writer, writer->coarsen->index_type);
    emit(writer, result);
    emit(writer, value);
    return result;
}

/* Written after all types. */
static void emit_globals(struct writer *writer)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    if (coarsen->local_id == 0) {
        emit_op(writer, SpvOpVariable, 4);
        emit(writer, coarsen->global_id_pointer);
        emit(writer, writer->local_id);
        emit(writer, SpvStorageClassInput);
    }
    writer->items = emit_constant(writer, coarsen->items);
    for (uint32_t i = 1; i < coarsen->items; i++)
        writer->distances[i] = emit_constant(writer, i * coarsen->group_size);
}

/* ---- the kernel ------------------------------------------------------------------------------------ */

/* The id in a copy. For results before the guard, the second set of copies equals the first. */
static uint32_t id_in(const struct vulkan_coarsen *coarsen, uint32_t id, uint32_t copy)
{
    if (coarsen->kinds[id] == COARSEN_AFTER_GUARD)
        return id + copy * coarsen->bound;
    return coarsen->kinds[id] == COARSEN_BEFORE_GUARD ? id + copy % coarsen->items * coarsen->bound : id;
}

/* Replaces a load of the variable. */
static void emit_global_id(struct writer *writer, const uint32_t *load, uint32_t copy)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    bool is_vector                       = coarsen->kinds[load[3]] == COARSEN_GLOBAL_ID;
    emit_op(writer, is_vector ? SpvOpCompositeInsert : SpvOpCopyObject, is_vector ? 6 : 4);
    emit(writer, load[1]);
    emit(writer, id_in(coarsen, load[2], copy));
    emit(writer, writer->global_id_x[copy % coarsen->items]);
    if (is_vector) {
        emit(writer, writer->global_id);
        emit(writer, 0);
    }
}

/* A label in this copy. Labels outside of the selection can only be that of the block with the branch. */
static uint32_t label_in(const struct writer *writer, uint32_t label, uint32_t copy)
{
    bool is_outside = writer->coarsen->kinds[label] == COARSEN_UNIFORM || label == writer->header;
    return is_outside ? writer->entered : id_in(writer->coarsen, label, copy);
}

/* Enters a selection, unless this one is nested. */
static void enter(struct writer *writer, uint32_t merge)
{
    if (writer->merge != 0)
        return;
    writer->merge   = merge;
    writer->entered = writer->label;
    writer->header  = writer->last;
}

/* Writes labels, branches and OpPhi: all words are ids, except the literals of OpSwitch. */
static bool emit_control_flow(struct writer *writer, const uint32_t *at, uint32_t copy)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    uint32_t *words                      = writer->out + writer->written;
    switch (vulkan_opcode(at)) {
    case SpvOpLabel:
        emit_label(writer, label_in(writer, at[1], copy));
        writer->last  = at[1];
        writer->merge = at[1] == writer->merge ? 0 : writer->merge;
        return true;
    case SpvOpSelectionMerge:
        enter(writer, at[1]);
        emit_copy(writer, at);
        words[1] = label_in(writer, at[1], copy);
        return true;
    case SpvOpBranch:
        emit_branch(writer, label_in(writer, at[1], copy));
        return true;
    case SpvOpBranchConditional:
        emit_copy(writer, at);
        words[1] = id_in(coarsen, at[1], copy);
        words[2] = label_in(writer, at[2], copy);
        words[3] = label_in(writer, at[3], copy);
        return true;
    case SpvOpSwitch:
        emit_copy(writer, at);
        words[1] = id_in(coarsen, at[1], copy);
        for (uint32_t i = 2; i < vulkan_length(at); i += 2)
            words[i] = label_in(writer, at[i], copy);
        return true;
    case SpvOpPhi:
        emit_copy(writer, at);
        words[2] = id_in(coarsen, at[2], copy);
        for (uint32_t i = 3; i < vulkan_length(at); i += 2) {
            words[i]     = id_in(coarsen, at[i], copy);
            words[i + 1] = label_in(writer, at[i + 1], copy);
        }
        return true;
    default:
        return false;
    }
}

static void emit_step(struct writer *writer, const uint32_t *at, uint32_t copy)
{
    const struct vulkan_coarsen *coarsen  = writer->coarsen;
    const struct vulkan_coarsen_form form = vulkan_coarsen_form(at);
    if (emit_control_flow(writer, at, copy) ||
        (form.has_result && coarsen->kinds[at[2]] == COARSEN_GLOBAL_ID_X))
        return;
    if (vulkan_opcode(at) == SpvOpLoad &&
        (coarsen->kinds[at[3]] == COARSEN_GLOBAL_ID || coarsen->kinds[at[3]] == COARSEN_GLOBAL_ID_X)) {
        emit_global_id(writer, at, copy);
        return;
    }
    uint32_t *words = writer->out + writer->written;
    emit_copy(writer, at);
    if (form.has_result)
        words[2] = id_in(coarsen, at[2], copy);
    for (uint32_t i = form.first; i < form.end; i++)
        if (i != form.literal)
            words[i] = id_in(coarsen, at[i], copy);
}

/* The next step to write for all items together: the one after step i, or after the selection that it
 * begins. */
static uint32_t behind(const struct vulkan_coarsen *coarsen, uint32_t i)
{
    const uint32_t *const *steps = coarsen->steps;
    uint32_t merge               = vulkan_opcode(steps[i]) == SpvOpSelectionMerge ? steps[i][1] : 0;
    if (merge == 0)
        return i + 1;
    while (vulkan_opcode(steps[i]) != SpvOpLabel || steps[i][1] != merge)
        i++;
    do
        i++;
    while (i < coarsen->count && vulkan_opcode(steps[i]) == SpvOpPhi);
    return i;
}

/* Writes steps `begin` to `end` for all items, instruction by instruction. */
static void emit_interleaved(struct writer *writer, uint32_t begin, uint32_t end)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    while (begin < end) {
        uint32_t next = behind(coarsen, begin), last = writer->last;
        for (uint32_t copy = 0; copy < coarsen->items; copy++) {
            writer->last = last;
            for (uint32_t i = begin; i < next; i++)
                emit_step(writer, coarsen->steps[i], copy);
        }
        begin = next;
    }
}

static void emit_rest(struct writer *writer, uint32_t copy)
{
    writer->last = 0; /* a new block begins */
    for (uint32_t i = writer->coarsen->guard_step; i < writer->coarsen->count; i++)
        emit_step(writer, writer->coarsen->steps[i], copy);
}

static uint32_t emit_load(struct writer *writer, uint32_t variable)
{
    uint32_t result = new_id(writer);
    emit_op(writer, SpvOpLoad, 4);
    emit(writer, writer->coarsen->global_id_vector);
    emit(writer, result);
    emit(writer, variable);
    return result;
}

/* Item i has its group's index times `items`, plus i, as group index. */
static void emit_global_ids(struct writer *writer)
{
    uint32_t type     = writer->coarsen->index_type;
    writer->global_id = emit_load(writer, writer->coarsen->global_id);
    uint32_t local    = emit_load(writer, writer->local_id);
    uint32_t x = new_id(writer), local_x = new_id(writer);
    const uint32_t parts[2][2] = {{x, writer->global_id}, {local_x, local}};
    for (uint32_t i = 0; i < 2; i++) {
        emit_op(writer, SpvOpCompositeExtract, 5);
        emit(writer, type);
        emit(writer, parts[i][0]);
        emit(writer, parts[i][1]);
        emit(writer, 0);
    }
    uint32_t group         = emit_binary(writer, SpvOpISub, type, x, local_x);
    uint32_t groups        = emit_binary(writer, SpvOpIMul, type, group, writer->items);
    writer->global_id_x[0] = emit_binary(writer, SpvOpIAdd, type, groups, local_x);
    for (uint32_t i = 1; i < writer->coarsen->items; i++)
        writer->global_id_x[i] =
            emit_binary(writer, SpvOpIAdd, type, writer->global_id_x[0], writer->distances[i]);
}

/* The disjunction (or conjunction) of all items' guards. */
static uint32_t emit_guards(struct writer *writer)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    uint32_t opcode = coarsen->guard_exits ? SpvOpLogicalOr : SpvOpLogicalAnd, together = coarsen->guard;
    for (uint32_t i = 1; i < coarsen->items; i++)
        together =
            emit_binary(writer, opcode, coarsen->guard_type, together, id_in(coarsen, coarsen->guard, i));
    return together;
}

static void emit_one_by_one(struct writer *writer)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    for (uint32_t i = 0; i < coarsen->items; i++) {
        uint32_t work = new_id(writer), next = new_id(writer);
        emit_selection(writer, id_in(coarsen, coarsen->guard, i), coarsen->guard_exits ? next : work,
                       coarsen->guard_exits ? work : next, next);
        emit_label(writer, work);
        emit_rest(writer, coarsen->items + i);
        emit_branch(writer, next);
        emit_label(writer, next);
    }
}

static void emit_guarded_rest(struct writer *writer)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    uint32_t together = emit_guards(writer), all = new_id(writer), some = new_id(writer),
             end = new_id(writer);
    emit_selection(writer, together, coarsen->guard_exits ? some : all, coarsen->guard_exits ? all : some,
                   end);
    emit_label(writer, all);
    emit_interleaved(writer, coarsen->guard_step, coarsen->count);
    emit_branch(writer, end);
    emit_label(writer, some);
    emit_one_by_one(writer);
    emit_branch(writer, end);
    emit_label(writer, end);
}

/* Variables must come first in a function. */
static void emit_function(struct writer *writer)
{
    const struct vulkan_coarsen *coarsen = writer->coarsen;
    const uint32_t *label                = coarsen->function + vulkan_length(coarsen->function);
    uint32_t variables                   = 0;
    while (variables < coarsen->guard_step && vulkan_opcode(coarsen->steps[variables]) == SpvOpVariable)
        variables++;
    emit_copy(writer, coarsen->function);
    emit_label(writer, label[1]);
    emit_interleaved(writer, 0, variables);
    emit_global_ids(writer);
    emit_interleaved(writer, variables, coarsen->guard_step);
    if (coarsen->guard != 0)
        emit_guarded_rest(writer);
    emit_op(writer, SpvOpReturn, 1);
    emit_op(writer, SpvOpFunctionEnd, 1);
}

/* ---- the shader ------------------------------------------------------------------------------------ */

static const uint32_t *behind_function(const uint32_t *at)
{
    while (vulkan_opcode(at) != SpvOpFunctionEnd)
        at += vulkan_length(at);
    return at + vulkan_length(at);
}

void vulkan_coarsen_write(const struct vulkan_coarsen *coarsen, struct vulkan_shader *result)
{
    const uint32_t *end  = coarsen->shader->words + coarsen->shader->count;
    const uint32_t *at   = coarsen->shader->words + VULKAN_HEADER_WORDS;
    struct writer writer = {.coarsen = coarsen,
                            .out     = result->words,
                            .written = VULKAN_HEADER_WORDS,
                            .next_id = coarsen->bound * 2 * coarsen->items};
    bool is_begun        = false; /* the first function has been reached */
    memcpy(writer.out, coarsen->shader->words, VULKAN_HEADER_WORDS * sizeof(uint32_t));
    writer.local_id = coarsen->local_id != 0 ? coarsen->local_id : new_id(&writer);
    while (at < end) {
        uint32_t opcode = vulkan_opcode(at);
        if (opcode == SpvOpFunction && !is_begun) {
            is_begun = true;
            emit_globals(&writer);
        }
        if (at == coarsen->function) {
            emit_function(&writer);
            at = behind_function(at);
            continue;
        }
        if (at == coarsen->entry)
            emit_entry(&writer);
        else if (opcode == SpvOpDecorate)
            emit_decoration(&writer, at);
        else if (!is_debug(opcode))
            emit_copy(&writer, at);
        at += vulkan_length(at);
    }
    writer.out[VULKAN_HEADER_BOUND] = writer.next_id;
    result->count                   = writer.written;
}
