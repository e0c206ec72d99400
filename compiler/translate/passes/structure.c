/* Builds the tree from blocks. SPIR-V's merge instructions say which constructs there are, so it is enough to
 * follow the branches: each goes to a block that is not in the tree yet, to the end of the construct around
 * it, or is an exit of an outer construct.
 *
 * A branch to the end of an `if` from deep inside leaves a SCOPE around it; simplify_control_flow.c removes
 * scopes that nothing leaves.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/structure.h"

#include "base/base.h"

int32_t structure_refuse(const struct structurer *s, uint32_t block)
{
    return body_refuse(s->body, block_terminator(s->body->function.blocks[block]),
                       "makes control flow that is not structured");
}

struct exit structure_open(struct structurer *s, uint32_t block, enum node_kind kind, struct node *target)
{
    if (block == NO_BLOCK)
        return (struct exit){0};
    struct exit before = s->exits[block];
    s->exits[block]    = (struct exit){.kind = kind, .target = target};
    return before;
}

void structure_close(struct structurer *s, uint32_t block, struct exit before)
{
    if (block != NO_BLOCK)
        s->exits[block] = before;
}

bool structure_is_free(const struct structurer *s, uint32_t block, uint32_t stop)
{
    return block != NO_BLOCK && block != stop && s->exits[block].kind == 0 && !s->done[block];
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* The position of `from` among the predecessors of `to`, by binary search; NO_BLOCK when it is none. */
static uint32_t find_pred(const struct structurer *s, uint32_t from, uint32_t to)
{
    uint32_t low = s->graph.pred_start[to], high = s->graph.pred_start[to + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->graph.preds[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->graph.pred_start[to + 1] || s->graph.preds[low] != from)
        return NO_BLOCK;
    return low - s->graph.pred_start[to];
}

void structure_copies(struct structurer *s, struct node *copies, uint32_t from, uint32_t to)
{
    const struct joins *joins = &s->joins[to];
    uint32_t pred             = joins->phi_count == 0 ? NO_BLOCK : find_pred(s, from, to);

    if (pred == NO_BLOCK || copies == NULL)
        return;
    const struct spirv_block *block = s->body->function.blocks[to];
    for (uint32_t i = 0; i < joins->phi_count; i++) {
        uint32_t target = block->instructions[i].result;
        uint32_t source = joins->sources[(size_t)pred * joins->phi_count + i];
        if (source == 0)
            source = body_zero(s->body, block->instructions[i].type);
        if (source != target)
            node_add_copy(s->body, copies, target, source);
    }
}

/* Appends the edge's phis and, if it leaves the construct, its jump. True when the path continues in `to`. */
static bool take_edge(struct structurer *s, struct node *sequence, uint32_t from, uint32_t to, uint32_t stop)
{
    s->reached[to]++;
    if (s->joins[to].phi_count != 0) {
        struct node *copies = node_new(s->body, NODE_COPIES);
        structure_copies(s, copies, from, to);
        if (!node_is_empty(copies))
            node_add(s->body, sequence, copies);
    }
    if (to == stop)
        return false;
    if (s->exits[to].kind == 0)
        return true;
    struct node *jump = node_new(s->body, s->exits[to].kind);
    if (jump != NULL)
        jump->target = s->exits[to].target;
    node_add(s->body, sequence, jump);
    return false;
}

/* ---- branches -------------------------------------------------------------------------------- */

int32_t structure_scope(struct structurer *s, struct node *sequence, uint32_t from, uint32_t to,
                        uint32_t merge)
{
    struct node *scope = node_new(s->body, NODE_SCOPE);
    struct node *inner = node_new(s->body, NODE_SEQUENCE);

    if (scope == NULL || inner == NULL)
        return body_status(s->body);
    node_add(s->body, scope, inner);
    struct exit before = structure_open(s, merge, NODE_LEAVE, scope);
    int32_t status     = structure_path(s, inner, from, to, merge);
    structure_close(s, merge, before);
    node_add(s->body, sequence, scope);
    return status;
}

static struct node *new_if(struct structurer *s, struct node *sequence, uint32_t condition)
{
    struct node *node = node_new(s->body, NODE_IF);
    struct node *yes = node_new(s->body, NODE_SEQUENCE), *no = node_new(s->body, NODE_SEQUENCE);

    if (node == NULL || yes == NULL || no == NULL)
        return NULL;
    node->condition = condition;
    node_add(s->body, node, yes);
    node_add(s->body, node, no);
    node_add(s->body, sequence, node);
    return node->child_count == 2 ? node : NULL;
}

/* A conditional branch with a merge block of its own: both sides end there. */
static int32_t add_if(struct structurer *s, struct node *sequence, const struct spirv_block *block,
                      uint32_t merge, uint32_t *next)
{
    const struct spirv_instruction *branch = block_terminator(block);
    struct node *scope                     = node_new(s->body, NODE_SCOPE);
    struct node *inner                     = node_new(s->body, NODE_SEQUENCE);
    struct node *node                      = new_if(s, inner, branch->operands[0]);

    if (scope == NULL || node == NULL)
        return body_status(s->body);
    node_add(s->body, scope, inner);
    struct exit before = structure_open(s, merge, NODE_LEAVE, scope);
    int32_t status     = structure_path(s, node->children[0], block->index, branch->operands[1], merge);
    if (status == TRM_OK)
        status = structure_path(s, node->children[1], block->index, branch->operands[2], merge);
    structure_close(s, merge, before);
    node_add(s->body, sequence, scope);
    *next = s->reached[merge] != 0 ? merge : NO_BLOCK;
    return status;
}

/* A conditional branch without one: a side that leaves the construct goes into the IF, and the path continues
 * with the other. */
static int32_t add_exit(struct structurer *s, struct node *sequence, const struct spirv_block *block,
                        uint32_t stop, uint32_t *next)
{
    const struct spirv_instruction *branch = block_terminator(block);
    uint32_t yes = branch->operands[1], no = branch->operands[2];
    bool yes_ends     = yes == stop || s->exits[yes].kind != 0;
    bool no_ends      = no == stop || s->exits[no].kind != 0;
    struct node *node = new_if(s, sequence, branch->operands[0]);

    if (node == NULL)
        return body_status(s->body);
    if (yes_ends && no_ends) {
        int32_t status = structure_path(s, node->children[0], block->index, yes, stop);
        return status == TRM_OK ? structure_path(s, node->children[1], block->index, no, stop) : status;
    }
    uint32_t side  = no_ends ? 1 : 0;
    int32_t status = structure_path(s, node->children[side], block->index, side ? no : yes, NO_BLOCK);
    uint32_t rest  = side ? yes : no;
    if (status == TRM_OK && take_edge(s, sequence, block->index, rest, stop))
        *next = rest;
    return status;
}

/* The only block that a branch can go to, also because its condition is a constant; NO_BLOCK when there are
 * several. */
static uint32_t only_target(const struct structurer *s, const struct spirv_instruction *op)
{
    if (op->opcode == SpvOpBranch)
        return op->operands[0];
    if (op->opcode != SpvOpBranchConditional)
        return NO_BLOCK;
    const struct spirv_constant *condition = spirv_constant(s->body->module, op->operands[0]);
    if (condition != NULL)
        return op->operands[condition->bits != 0 && !condition->is_null ? 1 : 2];
    return op->operands[1] == op->operands[2] ? op->operands[1] : NO_BLOCK;
}

/* A branch: if its construct has a merge block, the code up to there may leave for it. */
static int32_t add_branch(struct structurer *s, struct node *sequence, const struct spirv_block *block,
                          uint32_t target, uint32_t stop, uint32_t *next)
{
    uint32_t merge = block->merge == SpvOpLoopMerge || block->merge == 0 ? NO_BLOCK : block->merge_block;

    if (structure_is_free(s, merge, stop)) {
        int32_t status = structure_scope(s, sequence, block->index, target, merge);
        *next          = s->reached[merge] != 0 ? merge : NO_BLOCK;
        return status;
    }
    if (take_edge(s, sequence, block->index, target, stop))
        *next = target;
    return TRM_OK;
}

static int32_t add_terminator(struct structurer *s, struct node *sequence, const struct spirv_block *block,
                              uint32_t stop, uint32_t *next)
{
    const struct spirv_instruction *op = block_terminator(block);
    uint32_t merge                     = block->merge == SpvOpLoopMerge ? NO_BLOCK : block->merge_block;

    uint32_t target = only_target(s, op);

    *next = NO_BLOCK;
    if (op->opcode == SpvOpSwitch)
        return structure_switch(s, sequence, block, stop, next);
    if (op->opcode == SpvOpBranchConditional && target == NO_BLOCK) {
        if (structure_is_free(s, merge, stop))
            return add_if(s, sequence, block, merge, next);
        if (block->merge == SpvOpSelectionMerge && merge != NO_BLOCK && merge == stop) {
            struct node *node = new_if(s, sequence, op->operands[0]);
            if (node == NULL)
                return body_status(s->body);
            int32_t status = structure_path(s, node->children[0], block->index, op->operands[1], stop);
            if (status != TRM_OK)
                return status;
            return structure_path(s, node->children[1], block->index, op->operands[2], stop);
        }
        return add_exit(s, sequence, block, stop, next);
    }
    if (target != NO_BLOCK)
        return add_branch(s, sequence, block, target, stop, next);
    node_add(s->body, sequence, node_new(s->body, NODE_RETURN));
    return TRM_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Appends a block's instructions, then its terminator. */
static int32_t add_block(struct structurer *s, struct node *sequence, uint32_t index, uint32_t stop,
                         uint32_t *next)
{
    const struct spirv_block *block = s->body->function.blocks[index];
    struct node *ops                = NULL;

    s->done[index] = true;
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        struct spirv_instruction *op = &block->instructions[i];
        if (op->result != 0)
            s->body->module->ids[op->result].as.instruction = op;
        if (op->opcode == SpvOpPhi) {
            s->body->values[op->result].is_phi = true;
            continue;
        }
        if (operation_is_barrier(s->body->module, op)) {
            struct node *barrier = node_new(s->body, NODE_BARRIER);
            if (barrier != NULL && op->opcode == OPERATION_MEET)
                barrier->exchange = op[1].opcode == OPERATION_RETRACT ? op - 1 : op + 1;
            else if (barrier != NULL)
                barrier->at = op;
            node_add(s->body, sequence, barrier);
            ops = NULL;
            continue;
        }
        simplify_extract(s->body, op);
        if (ops == NULL)
            ops = node_last_ops(s->body, sequence);
        node_add_op(s->body, ops, op);
    }
    return add_terminator(s, sequence, block, stop, next);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Appends the continue construct, in a scope that a branch to the header from deep inside leaves. */
static int32_t add_continue(struct structurer *s, struct node *loop, uint32_t header, uint32_t block)
{
    struct node *outer = node_new(s->body, NODE_SEQUENCE);
    struct node *scope = node_new(s->body, NODE_SCOPE);
    struct node *inner = node_new(s->body, NODE_SEQUENCE);

    if (outer == NULL || scope == NULL || inner == NULL)
        return body_status(s->body);
    node_add(s->body, loop, outer);
    node_add(s->body, outer, scope);
    node_add(s->body, scope, inner);
    struct exit before = structure_open(s, header, NODE_LEAVE, scope);
    int32_t status     = structure_rest(s, inner, block, header);
    structure_close(s, header, before);
    return status;
}

/* Turns a loop that never returns to its header into a scope. Its continue construct, if it has one, goes
 * behind a scope around the body. simplify_control_flow.c adapts the BREAKs and CONTINUEs. */
static void make_once(struct structurer *s, struct node *loop)
{
    struct node *both = node_new(s->body, NODE_SEQUENCE), *scope = node_new(s->body, NODE_SCOPE);

    loop->kind = NODE_SCOPE;
    if (loop->child_count < 2 || both == NULL || scope == NULL)
        return;
    node_add(s->body, scope, loop->children[0]);
    node_add(s->body, both, scope);
    node_add(s->body, both, loop->children[1]);
    loop->children[0] = both;
    loop->child_count = 1;
    loop->target      = scope;
}

static int32_t add_loop(struct structurer *s, struct node *sequence, uint32_t header, uint32_t *next)
{
    const struct spirv_block *block = s->body->function.blocks[header];
    uint32_t merge = block->merge_block, again = block->continue_block;
    struct node *loop = node_new(s->body, NODE_LOOP);
    struct node *body = node_new(s->body, NODE_SEQUENCE);

    if (loop == NULL || body == NULL)
        return body_status(s->body);
    loop->unroll = block->unroll;
    node_add(s->body, loop, body);
    node_add(s->body, sequence, loop);
    if (merge != NO_BLOCK && s->exits[merge].kind != 0)
        merge = NO_BLOCK; /* leaving this loop leaves an outer one as well */
    uint32_t before_again = again == NO_BLOCK ? 0 : s->reached[again];
    struct exit at_merge  = structure_open(s, merge, NODE_BREAK, loop);
    struct exit at_again  = structure_open(s, again, NODE_CONTINUE, loop);
    uint32_t inside       = NO_BLOCK;
    int32_t status        = add_block(s, body, header, again, &inside);
    if (status == TRM_OK && inside != NO_BLOCK)
        status = structure_rest(s, body, inside, again);
    structure_close(s, again, at_again);
    bool continues         = again != NO_BLOCK && s->reached[again] != before_again;
    uint32_t before_header = s->reached[header];
    if (status == TRM_OK && continues && again != header)
        status = add_continue(s, loop, header, again);
    structure_close(s, merge, at_merge);
    if (again != header ? s->reached[header] == before_header : !continues)
        make_once(s, loop);
    *next = merge != NO_BLOCK && s->reached[merge] != 0 ? merge : NO_BLOCK;
    return status;
}

/* ---- paths ----------------------------------------------------------------------------------- */

int32_t structure_rest(struct structurer *s, struct node *sequence, uint32_t block, uint32_t stop)
{
    int32_t status = TRM_OK;

    if (s->depth == NESTING_MOST)
        return body_refuse(s->body, NULL, "has constructs nested more than 200 deep");
    s->depth++;
    while (status == TRM_OK && block != NO_BLOCK && !s->body->arena->failed) {
        uint32_t next = NO_BLOCK;
        if (s->done[block])
            return structure_refuse(s, block);
        if (s->body->function.blocks[block]->merge == SpvOpLoopMerge)
            status = add_loop(s, sequence, block, &next);
        else
            status = add_block(s, sequence, block, stop, &next);
        block = next;
    }
    s->depth--;
    return status == TRM_OK ? body_status(s->body) : status;
}

int32_t structure_path(struct structurer *s, struct node *sequence, uint32_t from, uint32_t to, uint32_t stop)
{
    if (!take_edge(s, sequence, from, to, stop))
        return TRM_OK;
    return structure_rest(s, sequence, to, stop);
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* Transposes the phis of a block: the sources for one predecessor are stored side by side. */
static bool turn_phis(struct structurer *s, uint32_t index, uint32_t *slot)
{
    const struct spirv_block *block = s->body->function.blocks[index];
    struct joins *joins             = &s->joins[index];
    uint32_t first = s->graph.pred_start[index], count = s->graph.pred_start[index + 1] - first;

    while (joins->phi_count < block->count && block->instructions[joins->phi_count].opcode == SpvOpPhi)
        joins->phi_count++;
    if (joins->phi_count == 0)
        return true;
    joins->sources = base_arena_allocate(s->body->arena, (size_t)joins->phi_count * count, sizeof(uint32_t));
    if (joins->sources == NULL)
        return false;
    for (uint32_t i = count; i-- > 0;)
        slot[s->graph.preds[first + i]] = i;
    for (uint32_t i = 0; i < joins->phi_count; i++) {
        const struct spirv_instruction *phi = &block->instructions[i];
        for (uint32_t at = 0; at + 1 < phi->operand_count; at += 2) {
            uint32_t pred = phi->operands[at + 1], k = slot[pred];
            if (k < count && s->graph.preds[first + k] == pred)
                joins->sources[(size_t)k * joins->phi_count + i] = phi->operands[at];
        }
    }
    return true;
}

int32_t translate_structure(struct body *body)
{
    struct structurer s = {.body = body};
    uint32_t count      = body->function.block_count;

    if (!graph_make(body, &s.graph))
        return body_status(body);
    uint32_t *slot = base_arena_allocate(body->arena, count, sizeof(*slot));
    s.joins        = base_arena_allocate(body->arena, count, sizeof(*s.joins));
    s.exits        = base_arena_allocate(body->arena, count, sizeof(*s.exits));
    s.reached      = base_arena_allocate(body->arena, count, sizeof(*s.reached));
    s.done         = base_arena_allocate(body->arena, count, sizeof(*s.done));
    s.scratch      = base_arena_allocate(body->arena, count, sizeof(*s.scratch));
    body->root     = node_new(body, NODE_SEQUENCE);
    if (slot == NULL || s.joins == NULL || s.exits == NULL || s.reached == NULL || s.done == NULL ||
        s.scratch == NULL || body->root == NULL)
        return body_status(body);
    for (uint32_t i = 0; i < s.graph.order_count; i++)
        if (!turn_phis(&s, s.graph.order[i], slot))
            return body_status(body);
    int32_t status = structure_rest(&s, body->root, 0, NO_BLOCK);
    if (status == TRM_OK)
        status = translate_simplify_control_flow(body);
    return status == TRM_OK ? translate_eliminate_dead_code(body) : status;
}
