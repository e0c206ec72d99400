/* If-conversion: turns branches around loads into selects (CUDA).
 *
 *     if (c) v = p[a]; else v = w;
 *
 * becomes v = p[c ? a : b] when w was loaded from p[b] before, and otherwise v = c ? p[c ? a : b] : w when
 * any load from p[b] was done before. The place p[b] was read anyway, so the load is valid whichever way the
 * branch went. Filters use this to ask for a neighbour that may lie outside of the image.
 *
 * Without branches the loads of a work-item are all in flight together, and a thread that runs several
 * work-items loads what they have in common only once (targets/cuda_coarsen.c).
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

#define STEPS_MOST 16u
#define DEPTH_MOST 1000u

struct converter {
    struct body *body;
    struct spirv_instruction *before; /* the last load that was done on every path to here; NULL: none */
    uint32_t *assignments;            /* by id: how many copies have it as their target */
};

/* A half of an IF that ends with one assignment. */
struct half {
    struct node *ops;    /* computed before the assignment; NULL: nothing */
    struct node *copies; /* the assignment; NULL: the half has another form */
};

static struct half half_of(struct node *node)
{
    struct half half = {NULL, NULL};
    uint32_t count   = node != NULL && node->kind == NODE_SEQUENCE ? node->child_count : 1;

    for (uint32_t i = 0; i < count && node != NULL; i++) {
        struct node *part = node->kind == NODE_SEQUENCE ? node->children[i] : node;
        if (node_is_empty(part))
            continue;
        if (part->kind == NODE_OPS && half.ops == NULL && half.copies == NULL)
            half.ops = part;
        else if (part->kind == NODE_COPIES && part->copy_count == 1 && half.copies == NULL)
            half.copies = part;
        else
            return (struct half){NULL, NULL};
    }
    return half;
}

/* The instruction that makes a value, seen through selects whose condition is a constant. */
static struct spirv_instruction *origin(const struct body *body, uint32_t id)
{
    struct spirv_instruction *op = body_definition(body, id);

    for (uint32_t step = 0; step < STEPS_MOST && op != NULL && op->opcode == SpvOpSelect; step++) {
        const struct spirv_constant *condition = spirv_constant(body->module, op->operands[0]);
        if (condition == NULL || condition->part_count != 0)
            return NULL;
        op = body_definition(body, op->operands[condition->bits != 0 ? 1 : 2]);
    }
    return op;
}

/* The access of a load from a read-only buffer; NULL: another instruction. */
static const struct access *read_place(const struct body *body, const struct spirv_instruction *op)
{
    const struct access *access = op != NULL && op->opcode == SpvOpLoad && !operation_is_volatile(body, op)
                                      ? body_access(body, op->operands[0])
                                      : NULL;
    const struct spirv_variable *variable =
        access != NULL && access->variable != 0 ? body_variable(body, access->variable) : NULL;

    if (variable == NULL || variable->is_written || variable->is_coherent ||
        variable->storage != SpvStorageClassStorageBuffer)
        return NULL;
    return access;
}

/* The only index in which two accesses differ; UINT32_MAX when they differ in none or in several. */
static uint32_t differing(const struct body *body, const struct access *a, const struct access *b)
{
    uint32_t found = UINT32_MAX;

    if (a->variable != b->variable || a->count != b->count || a->type != b->type)
        return UINT32_MAX;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->indices[i] == b->indices[i])
            continue;
        if (found != UINT32_MAX ||
            body->module->ids[a->indices[i]].type != body->module->ids[b->indices[i]].type)
            return UINT32_MAX;
        found = i;
    }
    return found;
}

/* Can the instruction run on every path: a load that is always valid, or an operation that cannot trap? */
static bool may_always_be_done(const struct body *body, const struct spirv_instruction *op)
{
    const struct spirv_variable *variable =
        op->opcode == SpvOpLoad ? body_variable(body, body_access(body, op->operands[0])->variable) : NULL;

    if (op->opcode != SpvOpLoad)
        return operation_is_safe(body->module, op);
    return variable != NULL && !access_may_fail(body, body_access(body, op->operands[0])) &&
           (variable->storage == SpvStorageClassPushConstant || variable->storage == SpvStorageClassInput);
}

/* The load that a half with a copy ends with; NULL when other instructions in it cannot run on every path. */
static struct spirv_instruction *last_load(const struct body *body, const struct half *half)
{
    const struct node *ops = half->ops;

    if (ops == NULL)
        return NULL;
    struct spirv_instruction *load = ops->ops[ops->op_count - 1];
    if (load->result != half->copies->copies[0].source)
        return NULL;
    for (uint32_t i = 0; i + 1 < ops->op_count; i++)
        if (!may_always_be_done(body, ops->ops[i]))
            return NULL;
    return load;
}

/* Appends `condition ? a : b`. 0 without memory. */
static uint32_t add_select(struct body *body, struct node *ops, uint32_t id, const uint32_t operands[3])
{
    uint32_t type                = body->module->ids[id].type;
    struct spirv_instruction *op = body_instruction(body, SpvOpSelect, type, id, 3, NULL);

    if (id == 0 || op == NULL)
        return 0;
    for (uint32_t i = 0; i < 3; i++)
        op->operands[i] = operands[i];
    body->module->ids[id].as.instruction = op;
    node_add_op(body, ops, op);
    return id;
}

/* An IF of which one half loads and the other has a value. */
struct branch {
    struct node *node;
    const struct half *loading;
    struct spirv_instruction *load;
    const struct access *before; /* the access that is valid in any case */
    uint32_t index;              /* the index in which both accesses differ */
    uint32_t value;              /* the value of the other half; 0: it was loaded from `before` */
    bool is_then;                /* the first half is the one that loads */
};

static uint32_t select_either(struct body *body, struct node *ops, const struct branch *branch, uint32_t id,
                              uint32_t loading, uint32_t other)
{
    const uint32_t operands[3] = {branch->node->condition, branch->is_then ? loading : other,
                                  branch->is_then ? other : loading};

    return add_select(body, ops, id, operands);
}

/* Makes an instruction compute the assigned value from now on. */
static void become(struct body *body, uint32_t id, struct spirv_instruction *op)
{
    op->result                           = id;
    body->module->ids[id].as.instruction = op;
    body->values[id].is_phi              = false;
}

/* Replaces the IF by the instructions of the half with the load. */
static void replace(struct body *body, const struct branch *branch)
{
    const struct half *half     = branch->loading;
    const struct access *access = body_access(body, branch->load->operands[0]);
    uint32_t target             = half->copies->copies[0].target;
    struct node *ops = node_new(body, NODE_OPS), *node = branch->node;
    uint32_t *indices = base_arena_allocate(body->arena, access->count, sizeof(*indices));

    if (ops == NULL || indices == NULL)
        return;
    for (uint32_t i = 0; i < access->count; i++)
        indices[i] = access->indices[i];
    for (uint32_t i = 0; i + 1 < half->ops->op_count; i++)
        node_add_op(body, ops, half->ops->ops[i]);
    uint32_t here = indices[branch->index], there = branch->before->indices[branch->index];
    indices[branch->index] =
        select_either(body, ops, branch, body_new_id(body, body->module->ids[here].type), here, there);
    uint32_t pointer = access_copy(body, branch->load->operands[0], indices);
    if (indices[branch->index] == 0 || pointer == 0)
        return;
    branch->load->operands[0] = pointer;
    node_add_op(body, ops, branch->load);
    if (branch->value == 0)
        become(body, target, branch->load);
    else if (select_either(body, ops, branch, target, branch->load->result, branch->value) != 0)
        body->values[target].is_phi = false;
    ops->number = node->number;
    ops->parent = node->parent;
    *node       = *ops;
}

static bool is_scalar(const struct body *body, uint32_t type)
{
    enum spirv_type_kind kind = spirv_type(body->module, type)->kind;

    return kind == SPIRV_INT || kind == SPIRV_FLOAT;
}

/* Finds an earlier load: the one that gave the other half's value, or the last one of all. */
static bool find_before(const struct converter *converter, struct branch *branch, uint32_t value)
{
    const struct body *body    = converter->body;
    const struct access *place = read_place(body, branch->load);

    branch->before = read_place(body, origin(body, value));
    branch->value  = 0;
    branch->index  = branch->before == NULL ? UINT32_MAX : differing(body, place, branch->before);
    if (branch->index != UINT32_MAX)
        return true;
    branch->before = read_place(body, converter->before);
    branch->value  = value;
    branch->index  = branch->before == NULL ? UINT32_MAX : differing(body, place, branch->before);
    return branch->index != UINT32_MAX;
}

/* Converts an IF with the load in one half and a value in the other, if it has that form. */
static void convert(struct converter *converter, struct node *node, const struct half *loading,
                    const struct half *other, bool is_then)
{
    struct body *body    = converter->body;
    struct branch branch = {.node = node, .loading = loading, .is_then = is_then};

    if (loading->copies == NULL || other->copies == NULL || other->ops != NULL)
        return;
    branch.load = last_load(body, loading);
    if (read_place(body, branch.load) == NULL || !is_scalar(body, branch.load->type) ||
        other->copies->copies[0].target != loading->copies->copies[0].target ||
        converter->assignments[other->copies->copies[0].target] != 2)
        return;
    if (find_before(converter, &branch, other->copies->copies[0].source))
        replace(body, &branch);
}

static void note_loads(struct converter *converter, const struct node *ops)
{
    for (uint32_t i = 0; i < ops->op_count; i++)
        if (read_place(converter->body, ops->ops[i]) != NULL)
            converter->before = ops->ops[i];
}

static void convert_below(struct converter *converter, struct node *node, uint32_t depth)
{
    struct spirv_instruction *before = converter->before;

    if (node == NULL || depth > DEPTH_MOST)
        return;
    for (uint32_t i = 0; i < node_part_count(node); i++) {
        convert_below(converter, node_part(node, i), depth + 1);
        if (node->kind != NODE_SEQUENCE)
            converter->before = before;
    }
    if (node->kind == NODE_IF && node->child_count == 2) {
        struct half first = half_of(node->children[0]), second = half_of(node->children[1]);
        convert(converter, node, &first, &second, true);
        if (node->kind == NODE_IF)
            convert(converter, node, &second, &first, false);
    }
    if (node->kind == NODE_OPS)
        note_loads(converter, node);
}

static void count_assignments(struct converter *converter, const struct node *node, uint32_t depth)
{
    if (node == NULL || depth > DEPTH_MOST)
        return;
    for (uint32_t i = 0; i < node->copy_count; i++)
        converter->assignments[node->copies[i].target]++;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        count_assignments(converter, node_part(node, i), depth + 1);
}

int32_t translate_if_convert(struct body *body)
{
    struct converter converter = {.body = body};

    converter.assignments =
        base_arena_allocate(body->arena, body->value_count, sizeof(*converter.assignments));
    if (converter.assignments == NULL)
        return body_status(body);
    count_assignments(&converter, body->root, 0);
    convert_below(&converter, body->root, 0);
    return body_status(body);
}
