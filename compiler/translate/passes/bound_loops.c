/* Loops that compare a number ahead of their counter (CUDA).
 *
 *     for (i = 0; i + 4 <= n; i += 4) …      becomes      for (i = 0; i < limit; i += 4) …
 *
 * where `limit` is computed once: n - 3, or 0 if n is less than 4. NVCC knows how often the second form runs,
 * and does several rounds in one turn; of the first it does not know, because i + 4 may wrap around. For the
 * same reason i <= n becomes i < n + 1.
 *
 * Both forms run the same rounds unless the first one wraps around. Then it never ends: the step is a power
 * of two, so the counter comes back to the numbers for which the comparison held, and there is no other way
 * out. A kernel must end, so this does not happen. The watched functions of resident kernels
 * (TRM_TRANSLATE_FUNCTIONS) look at a flag in such loops and stay as they are.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/translate/passes/steps.h"

#define DEPTH_MOST 1000u

/* A loop that runs while counter + ahead < bound, or <= bound. */
struct counted {
    struct node *loop, *exit; /* `exit` is the IF that leaves the loop */
    struct node *before;      /* the OPS in front of it, in which the comparison is */
    bool leaves_if_true;
    bool is_signed, is_inclusive;
    uint32_t counter, bound; /* ids */
    int64_t ahead, step;
};

/* Reads a constant of 32 bits, as its type says. */
static bool constant_of(const struct body *body, uint32_t id, bool is_signed, int64_t *value)
{
    const struct spirv_constant *constant = spirv_constant(body->module, id);
    const struct spirv_type *type         = spirv_type_of(body->module, id);

    if (constant == NULL || type->kind != SPIRV_INT || type->width != 32)
        return false;
    *value = is_signed ? (int32_t)constant->bits : (int64_t)(uint32_t)constant->bits;
    return true;
}

/* Reads `id` as base + a constant; a value that is no such sum is its own base. */
static uint32_t base_of(const struct body *body, uint32_t id, int64_t *ahead)
{
    const struct spirv_instruction *sum = body_definition(body, id);

    *ahead = 0;
    if (sum == NULL || sum->opcode != SpvOpIAdd)
        return id;
    for (uint32_t i = 0; i < 2; i++)
        if (constant_of(body, sum->operands[1 - i], true, ahead))
            return sum->operands[i];
    return id;
}

/* ---- the form of the loop ------------------------------------------------------------------------------ */

static bool is_break_of(const struct node *node, const struct node *loop)
{
    while (node != NULL && node->kind == NODE_SEQUENCE && node->child_count == 1)
        node = node->children[0];
    return node != NULL && node->kind == NODE_BREAK && node->target == loop;
}

/* Finds the IF that leaves the loop at the beginning of its body, and the instructions in front of it. */
static bool find_exit(struct counted *counted)
{
    struct node *body = counted->loop->children[0];

    for (uint32_t i = 0; body != NULL && body->kind == NODE_SEQUENCE && i < body->child_count; i++) {
        struct node *child = body->children[i];
        if (child->kind == NODE_OPS)
            counted->before = child;
        if (child->kind == NODE_OPS || node_is_empty(child))
            continue;
        if (child->kind != NODE_IF || counted->before == NULL)
            return false;
        struct node *no         = child->child_count > 1 ? child->children[1] : NULL;
        counted->exit           = child;
        counted->leaves_if_true = is_break_of(child->children[0], counted->loop) && node_is_empty(no);
        return counted->leaves_if_true ||
               (node_is_empty(child->children[0]) && is_break_of(no, counted->loop));
    }
    return false;
}

static bool is_inside(const struct node *node, const struct node *loop)
{
    while (node != NULL && node != loop)
        node = node->parent;
    return node == loop;
}

/* Is there a way out of the loop, or a loop in it, apart from the exit? */
static bool has_more(const struct node *node, const struct counted *counted)
{
    if (node == NULL || node == counted->exit)
        return false;
    if (node->kind == NODE_RETURN || node->kind == NODE_BARRIER || node->kind == NODE_ITEMS ||
        (node->kind == NODE_LOOP && node != counted->loop) ||
        (node->kind == NODE_BREAK && node->target == counted->loop) ||
        (node_is_jump(node) && !is_inside(node->target, counted->loop)))
        return true;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (has_more(node_part(node, i), counted))
            return true;
    return false;
}

/* The copies to `target` below a node: their number, and the source of the last one. */
static uint32_t copies_to(const struct node *node, uint32_t target, uint32_t *source)
{
    uint32_t count = 0;

    for (uint32_t i = 0; node != NULL && i < node->copy_count; i++) {
        if (node->copies[i].target != target)
            continue;
        *source = node->copies[i].source;
        count++;
    }
    for (uint32_t i = 0; node != NULL && i < node_part_count(node); i++)
        count += copies_to(node_part(node, i), target, source);
    return count;
}

/* ---- the comparison ------------------------------------------------------------------------------------ */

/* Reads the condition on which the loop goes on, with the counter first. */
static bool read_comparison(const struct body *body, struct counted *counted)
{
    static const struct {
        SpvOp opcode, opposite;
        bool is_signed, is_inclusive, counter_last;
    } forms[] = {
        {SpvOpULessThan, SpvOpUGreaterThanEqual, false, false, false},
        {SpvOpULessThanEqual, SpvOpUGreaterThan, false, true, false},
        {SpvOpSLessThan, SpvOpSGreaterThanEqual, true, false, false},
        {SpvOpSLessThanEqual, SpvOpSGreaterThan, true, true, false},
        {SpvOpUGreaterThan, SpvOpULessThanEqual, false, false, true},
        {SpvOpUGreaterThanEqual, SpvOpULessThan, false, true, true},
        {SpvOpSGreaterThan, SpvOpSLessThanEqual, true, false, true},
        {SpvOpSGreaterThanEqual, SpvOpSLessThan, true, true, true},
    };
    const struct spirv_instruction *comparison = body_definition(body, counted->exit->condition);

    for (uint32_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && comparison != NULL; i++) {
        if (comparison->opcode != (counted->leaves_if_true ? forms[i].opposite : forms[i].opcode))
            continue;
        counted->is_signed    = forms[i].is_signed;
        counted->is_inclusive = forms[i].is_inclusive;
        counted->counter =
            base_of(body, comparison->operands[forms[i].counter_last ? 1 : 0], &counted->ahead);
        counted->bound              = comparison->operands[forms[i].counter_last ? 0 : 1];
        const struct spirv_type *at = spirv_type_of(body->module, counted->bound);
        if (body->values[counted->counter].is_phi && at->kind == SPIRV_INT && at->width == 32)
            return true;
    }
    return false;
}

/* The counter grows by a power of two in each turn, in one place. */
static bool read_step(const struct body *body, struct counted *counted)
{
    uint32_t next = 0;

    return copies_to(counted->loop, counted->counter, &next) == 1 &&
           base_of(body, next, &counted->step) == counted->counter && counted->step > 0 &&
           (counted->step & (counted->step - 1)) == 0;
}

/* The counter begins with a constant that does not wrap around before the first comparison. */
static bool begins_below(const struct body *body, const struct counted *counted)
{
    const struct node *sequence = counted->loop->parent;
    uint32_t first = 0, count = 0;
    int64_t value;

    if (counted->ahead == 0)
        return true;
    if (counted->ahead < 0 || sequence == NULL || sequence->kind != NODE_SEQUENCE)
        return false;
    for (uint32_t i = 0; i < sequence->child_count && sequence->children[i] != counted->loop; i++)
        count += copies_to(sequence->children[i], counted->counter, &first);
    return count == 1 && constant_of(body, first, counted->is_signed, &value) &&
           value + counted->ahead <= (counted->is_signed ? INT32_MAX : (int64_t)UINT32_MAX);
}

/* ---- the bound ----------------------------------------------------------------------------------------- */

static bool computes(const struct node *node, uint32_t id)
{
    for (uint32_t i = 0; node != NULL && i < node->op_count; i++)
        if (node->ops[i]->result == id)
            return true;
    for (uint32_t i = 0; node != NULL && i < node_part_count(node); i++)
        if (computes(node_part(node, i), id))
            return true;
    return false;
}

/* Is it a load of an argument, which gives the same everywhere? */
static bool is_argument(const struct body *body, uint32_t id)
{
    const struct spirv_instruction *op = body_definition(body, id);
    const struct access *access =
        op != NULL && op->opcode == SpvOpLoad ? body_access(body, op->operands[0]) : NULL;
    const struct spirv_variable *variable =
        access != NULL && access->variable != 0 ? body_variable(body, access->variable) : NULL;

    return variable != NULL && variable->storage == SpvStorageClassPushConstant &&
           access_is_fixed(body, access);
}

/* A bound that stays, and can be known before the loop. */
static bool is_fixed(const struct body *body, const struct counted *counted)
{
    uint32_t source;

    if (spirv_constant(body->module, counted->bound) != NULL)
        return false; /* NVCC knows how often such a loop runs */
    return copies_to(counted->loop, counted->bound, &source) == 0 &&
           (!computes(counted->loop, counted->bound) || is_argument(body, counted->bound));
}

/* ---- the new form -------------------------------------------------------------------------------------- */

/* Appends an instruction like `like`. 0 without memory. */
static uint32_t add(struct body *body, struct node *ops, uint32_t opcode, uint32_t type,
                    const uint32_t *operands, uint32_t count, const struct spirv_instruction *like)
{
    uint32_t id                  = body_new_id(body, type);
    struct spirv_instruction *op = body_instruction(body, opcode, type, id, count, like);

    if (id == 0 || op == NULL)
        return 0;
    memcpy(op->operands, operands, count * sizeof(*operands));
    body->module->ids[id].as.instruction = op;
    node_add_op(body, ops, op);
    return id;
}

/* Computes the number below which the counter must be. 0 without memory. */
static uint32_t add_limit(struct body *body, const struct counted *counted, struct node *ops)
{
    const struct spirv_instruction *like = body_definition(body, counted->exit->condition);
    uint32_t bound                       = counted->bound;
    uint32_t type                        = body->module->ids[bound].type;
    uint64_t least                       = counted->is_signed ? UINT64_C(0x80000000) : 0;

    if (computes(counted->loop, bound)) {
        const struct spirv_instruction *load = body_definition(body, bound);
        bound = add(body, ops, SpvOpLoad, type, load->operands, load->operand_count, load);
    }
    uint32_t distance = (uint32_t)(counted->is_inclusive - counted->ahead);
    uint32_t limit =
        add(body, ops, SpvOpIAdd, type, (uint32_t[]){bound, body_constant(body, type, distance)}, 2, like);
    if (counted->ahead == 0 || bound == 0 || limit == 0)
        return limit;
    uint32_t low    = body_constant(body, type, (uint32_t)(least + (uint64_t)counted->ahead));
    uint32_t is_low = add(body, ops, counted->is_signed ? SpvOpSLessThan : SpvOpULessThan, like->type,
                          (uint32_t[]){bound, low}, 2, like);
    return add(body, ops, SpvOpSelect, type, (uint32_t[]){is_low, body_constant(body, type, least), limit}, 3,
               like);
}

/* Puts a node in front of the loop, in a sequence of both. */
static void put_before(struct body *body, struct node *ops, struct node *loop)
{
    struct node *parent = loop->parent, *both = node_new(body, NODE_SEQUENCE);

    if (both == NULL)
        return;
    node_add(body, both, ops);
    node_add(body, both, loop);
    for (uint32_t i = 0; i < parent->child_count; i++)
        if (parent->children[i] == loop)
            parent->children[i] = both;
    both->parent = parent;
    ops->parent = loop->parent = both;
}

static void change(struct body *body, const struct counted *counted)
{
    const struct spirv_instruction *like = body_definition(body, counted->exit->condition);
    struct node *ops                     = node_new(body, NODE_OPS);
    uint32_t limit                       = ops == NULL ? 0 : add_limit(body, counted, ops);
    SpvOp opcode                         = counted->is_signed ? SpvOpSLessThan : SpvOpULessThan;

    if (counted->leaves_if_true)
        opcode = counted->is_signed ? SpvOpSGreaterThanEqual : SpvOpUGreaterThanEqual;
    if (limit == 0)
        return;
    uint32_t condition =
        add(body, counted->before, opcode, like->type, (uint32_t[]){counted->counter, limit}, 2, like);
    if (condition == 0)
        return;
    counted->exit->condition = condition;
    put_before(body, ops, counted->loop);
}

static void try_loop(struct body *body, struct node *loop)
{
    struct counted counted = {.loop = loop};

    if (loop->parent == NULL || loop->parent->kind != NODE_SEQUENCE || loop->asks || !find_exit(&counted) ||
        !read_comparison(body, &counted) || (counted.ahead == 0 && !counted.is_inclusive))
        return;
    if (!has_more(loop, &counted) && read_step(body, &counted) && begins_below(body, &counted) &&
        is_fixed(body, &counted))
        change(body, &counted);
}

static void walk(struct body *body, struct node *node, uint32_t depth)
{
    if (depth > DEPTH_MOST)
        return;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            walk(body, node_part(node, i), depth + 1);
    if (node->kind == NODE_LOOP)
        try_loop(body, node);
}

int32_t translate_bound_loops(struct body *body)
{
    walk(body, body->root, 0);
    return body_status(body);
}
