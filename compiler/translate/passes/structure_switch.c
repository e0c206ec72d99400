/* OpSwitch: orders cases so that a case that falls through stands right before the next one.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "compiler/translate/passes/structure.h"

#define NO_CASE UINT32_MAX

/* A block with all literals that select it. */
struct target {
    uint32_t block;
    uint32_t falls; /* index of the target into which it falls; NO_CASE: none */
    uint32_t literal_count;
    uint64_t *literals;
    bool is_default;
    bool is_fallen_into;
};

struct cases {
    struct structurer *s;
    const struct spirv_block *block;
    const struct spirv_instruction *op;
    struct target *targets; /* in the order of their first literal */
    uint32_t target_count;
    uint32_t *target_of; /* by branch: index of its target */
    uint32_t merge;      /* the target of the switch's breaks; NO_BLOCK: none */
    struct node *node;
};

static uint64_t literal_at(const struct cases *c, uint32_t branch)
{
    const struct spirv_type *type = spirv_type_of(c->s->body->module, c->op->operands[0]);
    uint32_t words                = branch_literal_words(c->s->body->module, c->op);
    const uint32_t *at            = &c->op->operands[2 + (branch - 1) * (words + 1)];
    uint64_t literal              = words == 2 ? at[0] | (uint64_t)at[1] << 32 : at[0];
    uint32_t unused               = type->width == 0 || type->width > 64 ? 0 : 64 - type->width;

    if (type->is_signed)
        return (uint64_t)((int64_t)(literal << unused) >> unused);
    return literal << unused >> unused;
}

/* ---- targets --------------------------------------------------------------------------------- */

/* Finds the targets. `index_of` (by block) holds 1 + index of each until the caller clears it. */
static bool find_targets(struct cases *c, uint32_t *index_of)
{
    struct base_arena *arena = c->s->body->arena;
    uint32_t count           = branch_count(c->s->body->module, c->op);

    c->targets         = base_arena_allocate(arena, count, sizeof(*c->targets));
    c->target_of       = base_arena_allocate(arena, count, sizeof(*c->target_of));
    uint64_t *literals = base_arena_allocate(arena, count, sizeof(*literals));
    if (c->targets == NULL || c->target_of == NULL || literals == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = c->op->operands[branch_operand(c->s->body->module, c->op, i)];
        if (index_of[block] == 0) {
            c->targets[c->target_count] = (struct target){.block = block, .falls = NO_CASE};
            index_of[block]             = ++c->target_count;
        }
        c->target_of[i]       = index_of[block] - 1;
        struct target *target = &c->targets[c->target_of[i]];
        target->is_default |= i == 0;
        target->literal_count += i != 0;
    }
    for (uint32_t i = 0; i < c->target_count; i++) {
        c->targets[i].literals = literals;
        literals += c->targets[i].literal_count;
        c->targets[i].literal_count = 0;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct target *target                     = &c->targets[c->target_of[i]];
        target->literals[target->literal_count++] = literal_at(c, i);
    }
    return true;
}

/* For a constant selector only one target remains. The others are unreachable, also by falling through:
 * falling into a case is then a plain branch. */
static void keep_chosen(struct cases *c, uint32_t *index_of, uint64_t selector)
{
    uint32_t chosen = c->target_of[0];

    for (uint32_t i = 1; i < branch_count(c->s->body->module, c->op); i++)
        if (literal_at(c, i) == selector)
            chosen = c->target_of[i];
    for (uint32_t i = 0; i < c->target_count; i++)
        index_of[c->targets[i].block] = 0;
    c->targets[0]   = c->targets[chosen];
    c->target_count = 1;
}

/* 1 + index of the target through which a block is reached from the switch: the block itself or a dominator.
 * 0: none. */
static uint32_t case_around(const struct cases *c, const uint32_t *index_of, uint32_t block)
{
    const struct graph *graph = &c->s->graph;

    while (block != NO_BLOCK && graph->dominator[block] != c->block->index)
        block = graph->dominator[block];
    return block == NO_BLOCK ? 0 : index_of[block];
}

static bool is_end(const struct cases *c, uint32_t block, uint32_t stop)
{
    return block == c->merge || block == stop || c->s->exits[block].kind != 0;
}

static void find_falls(struct cases *c, const uint32_t *index_of, uint32_t stop)
{
    const struct graph *graph = &c->s->graph;

    for (uint32_t i = 0; i < c->target_count; i++) {
        uint32_t block = c->targets[i].block;
        if (is_end(c, block, stop))
            continue;
        for (uint32_t k = graph->pred_start[block]; k < graph->pred_start[block + 1]; k++) {
            uint32_t pred = graph->preds[k];
            if (pred == c->block->index || graph->position[pred] >= graph->position[block])
                continue; /* from the switch itself, or from a loop that begins here */
            uint32_t from = case_around(c, index_of, pred);
            if (from == 0 || from - 1 == i || c->targets[from - 1].falls != NO_CASE)
                break; /* not structured: structure_rest() refuses the block later */
            c->targets[from - 1].falls   = i;
            c->targets[i].is_fallen_into = true;
            break;
        }
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* The phis of cases that others fall into are assigned before the switch, so that falling does not assign
 * them again. */
static void add_early_copies(const struct cases *c, struct node *sequence)
{
    struct node *copies = node_new(c->s->body, NODE_COPIES);

    for (uint32_t i = 0; i < c->target_count; i++)
        if (c->targets[i].is_fallen_into)
            structure_copies(c->s, copies, c->block->index, c->targets[i].block);
    if (!node_is_empty(copies))
        node_add(c->s->body, sequence, copies);
}

static int32_t add_body(const struct cases *c, const struct target *target, struct node *sequence,
                        uint32_t stop)
{
    if (!target->is_fallen_into)
        return structure_path(c->s, sequence, c->block->index, target->block, stop);
    c->s->reached[target->block]++;
    return structure_rest(c->s, sequence, target->block, stop);
}

static int32_t add_case(const struct cases *c, const struct target *target, uint32_t stop)
{
    struct body *body       = c->s->body;
    struct node *sequence   = node_new(body, NODE_SEQUENCE);
    struct node_case *added = &c->node->cases[c->node->case_count++];

    if (sequence == NULL)
        return body_status(body);
    *added = (struct node_case){
        .literals      = target->literals,
        .literal_count = target->literal_count,
        .is_default    = target->is_default,
        .falls_through = target->falls != NO_CASE,
        .body          = sequence,
    };
    if (target->falls == NO_CASE)
        return add_body(c, target, sequence, stop);
    struct node *scope = node_new(body, NODE_SCOPE), *inner = node_new(body, NODE_SEQUENCE);
    if (scope == NULL || inner == NULL)
        return body_status(body);
    node_add(body, scope, inner);
    node_add(body, sequence, scope);
    uint32_t into      = c->targets[target->falls].block;
    struct exit before = structure_open(c->s, into, NODE_LEAVE, scope);
    int32_t status     = add_body(c, target, inner, into);
    structure_close(c->s, into, before);
    return status;
}

/* Appends each case that no other falls into, followed by those that it falls into. */
static int32_t add_cases(const struct cases *c, uint32_t stop)
{
    for (uint32_t i = 0; i < c->target_count; i++) {
        if (c->targets[i].is_fallen_into)
            continue;
        for (uint32_t at = i; at != NO_CASE; at = c->targets[at].falls) {
            int32_t status = add_case(c, &c->targets[at], stop);
            if (status != TRM_OK)
                return status;
        }
    }
    return c->node->case_count == c->target_count ? TRM_OK : structure_refuse(c->s, c->block->index);
}

/* Drops a default that does nothing, and then other cases that do nothing. */
static void drop_empty_cases(struct node *node)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->case_count; i++)
        if (node->cases[i].is_default && !node_is_empty(node->cases[i].body))
            return;
    for (uint32_t i = 0; i < node->case_count; i++) {
        if (!node_is_empty(node->cases[i].body) || node->cases[i].falls_through)
            node->cases[count++] = node->cases[i];
        else if (i > 0 && node->cases[i - 1].falls_through)
            /* it fell into an empty case, not into the next one */
            node->cases[count - 1].falls_through = false;
    }
    node->case_count = count;
}

static int32_t add_switch(struct cases *c, struct node *sequence, uint32_t stop)
{
    struct body *body = c->s->body;

    c->node = node_new(body, NODE_SWITCH);
    if (c->node == NULL)
        return body_status(body);
    c->node->cases     = base_arena_allocate(body->arena, c->target_count, sizeof(*c->node->cases));
    c->node->condition = c->op->operands[0];
    if (c->node->cases == NULL)
        return body_status(body);
    add_early_copies(c, sequence);
    struct exit before = structure_open(c->s, c->merge, NODE_BREAK, c->node);
    int32_t status     = add_cases(c, c->merge != NO_BLOCK ? c->merge : stop);
    structure_close(c->s, c->merge, before);
    if (status != TRM_OK)
        return status;
    drop_empty_cases(c->node);
    if (c->node->case_count != 0)
        node_add(body, sequence, c->node);
    return status;
}

int32_t structure_switch(struct structurer *s, struct node *sequence, const struct spirv_block *block,
                         uint32_t stop, uint32_t *next)
{
    struct cases c     = {.s = s, .block = block, .op = block_terminator(block), .merge = NO_BLOCK};
    int32_t status     = TRM_OK;
    uint32_t *index_of = s->scratch;

    if (block->merge == SpvOpSelectionMerge && structure_is_free(s, block->merge_block, stop))
        c.merge = block->merge_block;
    const struct spirv_constant *selector = spirv_constant(s->body->module, c.op->operands[0]);
    if (!find_targets(&c, index_of))
        return body_status(s->body);
    if (selector != NULL)
        keep_chosen(&c, index_of, selector->is_null ? 0 : selector->bits);
    find_falls(&c, index_of, stop);
    for (uint32_t i = 0; i < c.target_count; i++)
        index_of[c.targets[i].block] = 0;
    if (c.target_count != 1)
        status = add_switch(&c, sequence, stop);
    else if (c.merge != NO_BLOCK)
        status = structure_scope(s, sequence, block->index, c.targets[0].block, c.merge);
    else
        return structure_path(s, sequence, block->index, c.targets[0].block, stop);
    *next = c.merge != NO_BLOCK && s->reached[c.merge] != 0 ? c.merge : NO_BLOCK;
    return status;
}
