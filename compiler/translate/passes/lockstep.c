/* Loops in lockstep. A work-item that sums up elements a group apart,
 *
 *     for (uint i = gl_GlobalInvocationID.x; i < n; i += 65536) sum += x[i];
 *
 * walks through memory in large steps, while its neighbours walk beside it. A GPU runs them together; for the
 * cpu a compiler would have to interchange the loops. So in a kernel that is split at barriers anyway, a loop
 * in which neighbouring work-items read neighbouring elements becomes a loop of the group, as if there were a
 * barrier in it: then the loop over the work-items is the inner one.
 *
 * The group must know when the loop ends. If the condition is uniform, it does. If the condition compares a
 * bound with a number that grows from work-item to work-item, as above, the loop of the group runs as long as
 * the condition holds for all work-items, and each work-item runs the remaining rounds by itself
 * (lockstep_loop.c).
 *
 * Loops that only go through shared memory stay: it is in the cache, and their sums are better kept in
 * registers.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/lockstep.h"
#include "compiler/translate/passes/uniform.h"

#define WIDTH_LEAST 16u /* work-items side by side: one vector of them */
#define STEP_MOST 4     /* elements from work-item to work-item */
#define LOOPS_MOST 16u  /* each costs an analysis of the whole kernel */
#define DEPTH_MOST 16u  /* of expressions */

/* ---- how values grow along x */

static bool step_of(const struct lockstep *l, uint32_t id, uint32_t counter, int64_t counter_step,
                    int64_t *step, uint32_t depth);

static bool load_step(const struct lockstep *l, const struct spirv_instruction *op, int64_t *step)
{
    const struct access *access           = body_access(l->body, op->operands[0]);
    const struct spirv_variable *variable = body_variable(l->body, access->variable);

    if (variable == NULL || variable->storage != SpvStorageClassInput || access->count != 1 ||
        (variable->builtin != SpvBuiltInGlobalInvocationId &&
         variable->builtin != SpvBuiltInLocalInvocationId))
        return false;
    const struct spirv_constant *index = spirv_constant(l->body->module, access->indices[0]);
    *step                              = index != NULL && index->bits == 0;
    return index != NULL;
}

static bool constant_of(const struct lockstep *l, uint32_t id, int64_t *value)
{
    const struct spirv_constant *constant = spirv_constant(l->body->module, id);

    if (constant == NULL || constant->part_count != 0)
        return false;
    *value = (int32_t)(uint32_t)constant->bits;
    return true;
}

static bool sum_step(const struct lockstep *l, const struct spirv_instruction *op, uint32_t counter,
                     int64_t counter_step, int64_t *step, uint32_t depth)
{
    int64_t left = 0, right = 0, factor = 0;

    if (!step_of(l, op->operands[0], counter, counter_step, &left, depth) ||
        !step_of(l, op->operands[1], counter, counter_step, &right, depth))
        return false;
    switch (op->opcode) {
    case SpvOpIAdd:
        *step = left + right;
        return true;
    case SpvOpISub:
        *step = left - right;
        return true;
    case SpvOpIMul:
        *step = 0;
        if (left != 0 && constant_of(l, op->operands[1], &factor))
            *step = left * factor;
        else if (right != 0 && constant_of(l, op->operands[0], &factor))
            *step = right * factor;
        else if (left != 0 || right != 0)
            return false;
        return *step <= INT32_MAX && *step >= INT32_MIN;
    default:
        *step = 0;
        return left == 0 && right == 0;
    }
}

/* Is it computed only from values that are the same for all work-items? */
static bool is_same(const struct lockstep *l, const struct spirv_instruction *op, uint32_t counter,
                    int64_t counter_step, uint32_t depth)
{
    int64_t step;

    if (!operation_is_pure(l->body->module, op))
        return false;
    for (uint32_t i = op->opcode == SpvOpExtInst ? 2 : 0; i < op->operand_count; i++)
        if (operand_is_value(op, i) &&
            (!step_of(l, op->operands[i], counter, counter_step, &step, depth + 1) || step != 0))
            return false;
    return true;
}

static bool step_of(const struct lockstep *l, uint32_t id, uint32_t counter, int64_t counter_step,
                    int64_t *step, uint32_t depth)
{
    const struct spirv_instruction *op = id < l->count ? l->definitions[id] : NULL;

    *step = id == counter ? counter_step : 0;
    if (id == counter || spirv_constant(l->body->module, id) != NULL || l->body->values[id].is_uniform ||
        lockstep_next(l, id) != 0)
        return true;
    if (op == NULL || depth > DEPTH_MOST)
        return false;
    switch (op->opcode) {
    case SpvOpLoad:
        return load_step(l, op, step);
    case SpvOpBitcast:
    case SpvOpCopyObject:
        return step_of(l, op->operands[0], counter, counter_step, step, depth + 1);
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpUDiv:
    case SpvOpUMod:
        return sum_step(l, op, counter, counter_step, step, depth + 1);
    default:
        *step = 0;
        return is_same(l, op, counter, counter_step, depth);
    }
}

bool lockstep_step(const struct lockstep *l, uint32_t id, uint32_t counter, int64_t counter_step,
                   int64_t *step)
{
    return step_of(l, id, counter, counter_step, step, 0);
}

/* ---- which loops */

static void define(struct lockstep *l, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++)
        if (node->ops[i]->result != 0)
            l->definitions[node->ops[i]->result] = node->ops[i];
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            define(l, node_part(node, i));
}

static void mark_inside(struct lockstep *l, const struct node *node, bool mark)
{
    for (uint32_t i = 0; i < node->op_count; i++)
        if (node->ops[i]->result != 0)
            l->inside[node->ops[i]->result] = mark;
    for (uint32_t i = 0; i < node->copy_count; i++)
        l->inside[node->copies[i].target] = mark;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            mark_inside(l, node_part(node, i), mark);
}

/* Counts what makes a loop unsuitable: exits other than its head, continues, and inner loops, scopes or
 * barriers. */
static uint32_t count_exits(const struct node *node, const struct node *loop)
{
    uint32_t count = node->kind == NODE_RETURN || node->kind == NODE_LEAVE || node->kind == NODE_SCOPE ||
                     node->kind == NODE_BARRIER || (node->kind == NODE_LOOP && node != loop);

    if (node_is_jump(node) && node->target == loop)
        count++;
    if (node->kind == NODE_CONTINUE)
        count++;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            count += count_exits(node_part(node, i), loop);
    return count;
}

static bool is_break(const struct node *node, const struct node *loop)
{
    if (node != NULL && node->kind == NODE_SEQUENCE && node->child_count == 1)
        node = node->children[0];
    return node != NULL && node->kind == NODE_BREAK && node->target == loop;
}

/* Finds the loop's head and the copies at its end; false when the loop has another form. */
static bool is_simple(struct lockstep_loop *at)
{
    const struct node *body = at->loop->children[0];

    if (body == NULL || body->kind != NODE_SEQUENCE ||
        (at->loop->child_count > 1 && !node_is_empty(at->loop->children[1])) ||
        count_exits(at->loop, at->loop) != 1)
        return false;
    at->head = NULL;
    for (uint32_t i = 0; i < body->child_count && at->head == NULL; i++) {
        struct node *child = body->children[i];
        if (child->kind == NODE_OPS)
            continue;
        if (child->kind != NODE_IF)
            return false;
        at->head       = child;
        at->head_index = i;
        at->is_negated = is_break(child->children[0], at->loop) && node_is_empty(child->children[1]);
        if (!at->is_negated && !(node_is_empty(child->children[0]) && is_break(child->children[1], at->loop)))
            return false;
    }
    at->back = body->child_count == 0 ? NULL : body->children[body->child_count - 1];
    return at->head != NULL && at->back->kind == NODE_COPIES;
}

uint32_t lockstep_next(const struct lockstep *l, uint32_t phi)
{
    const struct node *back = l->at.back;

    for (uint32_t i = 0; back != NULL && i < back->copy_count; i++)
        if (back->copies[i].target == phi)
            return back->copies[i].source;
    return 0;
}

/* Do neighbouring work-items access neighbouring elements of a buffer below this node? */
static bool is_coalesced(const struct lockstep *l, const struct node *node, uint32_t counter)
{
    int64_t step;

    for (uint32_t i = 0; i < node->op_count; i++) {
        const struct spirv_instruction *op = node->ops[i];
        if (op->opcode != SpvOpLoad && op->opcode != SpvOpStore)
            continue;
        const struct access *access           = body_access(l->body, op->operands[0]);
        const struct spirv_variable *variable = body_variable(l->body, access->variable);
        if (variable == NULL || (variable->storage != SpvStorageClassStorageBuffer &&
                                 variable->storage != SpvStorageClassUniform))
            continue;
        for (uint32_t k = 0; k < access->count; k++)
            if (lockstep_step(l, access->indices[k], counter, 1, &step) && step != 0 && step <= STEP_MOST &&
                step >= -STEP_MOST)
                return true;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL && is_coalesced(l, node_part(node, i), counter))
            return true;
    return false;
}

bool lockstep_is_coalesced(const struct lockstep *l, uint32_t counter)
{
    return is_coalesced(l, l->at.loop, counter);
}

/* ---- trying */

/* Finds uniform values again, with the current barriers. */
static int32_t look(struct lockstep *l)
{
    uniform_forget(l->body->root);
    node_link(l->body->root);
    return translate_uniform(l->body);
}

/* Do all work-items of the group reach the node together? */
static bool is_reached_by_all(const struct lockstep *l, const struct node *node)
{
    for (; node->parent != NULL; node = node->parent) {
        const struct node *up = node->parent;
        if (up->kind == NODE_SEQUENCE)
            continue;
        if (up->kind == NODE_LOOP ? !up->has_barrier
                                  : up->kind != NODE_IF || !l->body->values[up->condition].is_uniform)
            return false;
    }
    return true;
}

/* Tries to make the loop itself a loop of the group. */
static int32_t try_whole(struct lockstep *l)
{
    struct node *body    = l->at.loop->children[0];
    struct node *barrier = node_new(l->body, NODE_BARRIER);

    if (barrier == NULL)
        return body_status(l->body);
    node_add(l->body, body, barrier);
    int32_t status = look(l);
    if (status != TRM_OK ||
        (l->body->values[l->at.head->condition].is_uniform && is_reached_by_all(l, l->at.loop)))
        return status;
    body->child_count--;
    return look(l);
}

/* Tries to put a loop of the group before it. */
static int32_t try_split(struct lockstep *l)
{
    struct node saved  = *l->at.sequence;
    uint32_t condition = lockstep_split(l);

    if (condition == 0)
        return body_status(l->body);
    int32_t status = look(l);
    if (status != TRM_OK || (l->body->values[condition].is_uniform && is_reached_by_all(l, l->at.loop)))
        return status;
    l->at.sequence->children    = saved.children;
    l->at.sequence->child_count = saved.child_count;
    return look(l);
}

struct candidates {
    struct lockstep_loop loops[LOOPS_MOST];
    uint32_t count;
};

static void find(struct candidates *found, struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++) {
        struct node *part = node_part(node, i);
        if (part == NULL)
            continue;
        struct lockstep_loop at = {.loop = part, .sequence = node, .index = i};
        if (part->kind == NODE_LOOP && !part->has_barrier) {
            if (node->kind == NODE_SEQUENCE && found->count < LOOPS_MOST && is_simple(&at))
                found->loops[found->count++] = at;
            continue; /* inner loops belong to each work-item */
        }
        find(found, part);
    }
}

static int32_t try_loop(struct lockstep *l)
{
    int32_t status = TRM_OK;

    mark_inside(l, l->at.loop, true);
    /* The copies before the loop have its phis as targets too, but they are outside of the loop. */
    if (is_coalesced(l, l->at.loop, 0))
        status = try_whole(l);
    if (status == TRM_OK && !l->at.loop->has_barrier)
        status = try_split(l);
    mark_inside(l, l->at.loop, false);
    return status;
}

/* Allocates the tables by id, for all ids that exist now. */
static int32_t begin(struct lockstep *l)
{
    l->count       = l->body->value_count;
    l->definitions = base_arena_allocate(l->body->arena, l->count, sizeof(struct spirv_instruction *));
    l->inside      = base_arena_allocate(l->body->arena, l->count, sizeof(*l->inside));
    if (l->definitions == NULL || l->inside == NULL)
        return body_status(l->body);
    define(l, l->body->root);
    return TRM_OK;
}

int32_t translate_lockstep(struct body *body)
{
    struct lockstep l       = {.body = body};
    struct candidates found = {.count = 0};

    if (!body->has_barrier || body->entry->local_size[0] < WIDTH_LEAST)
        return TRM_OK;
    node_link(body->root);
    find(&found, body->root);
    if (found.count == 0)
        return TRM_OK;
    int32_t status = look(&l);
    /* From the last loop to the first, so that nodes inserted before a loop do not move the others. */
    for (uint32_t i = found.count; i-- > 0 && status == TRM_OK;) {
        l.at   = found.loops[i];
        status = begin(&l);
        if (status == TRM_OK)
            status = try_loop(&l);
    }
    uniform_forget(body->root);
    return status == TRM_OK ? body_status(body) : status;
}
