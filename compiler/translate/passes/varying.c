/* Finds the values that differ between the work-items of a group. All are assumed to be uniform until one is
 * found that depends on the work-item's own id, on memory that work-items write, or on divergent control
 * flow; then its users vary too.
 *
 * The group computes a uniform value before the region in which it stands. So that must be possible too: the
 * computation must not trap where the shader would not have reached it.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"
#include "compiler/translate/passes/uniform.h"

static void set_varying(struct analysis *a, uint32_t id)
{
    if (a->varying[id])
        return;
    a->varying[id]           = true;
    a->work[a->work_count++] = id;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The variable that stands for all views of a buffer: they are the same memory. With variable pointers, which
 * may point anywhere, one number stands for all buffers, and another one for all shared memory. */
static uint32_t alias_of(const struct analysis *a, uint32_t id)
{
    const struct spirv_variable *variable = body_variable(a->body, id);

    if (a->body->memory_count != 0 && variable != NULL)
        return variable->storage == SpvStorageClassWorkgroup   ? 1
               : variable->view_of != 0 || variable->is_memory ? 0
                                                               : id;

    return variable != NULL && variable->view_of != 0 ? variable->view_of : id;
}

/* Notes what a region writes. Any instruction but a load counts as a write of all that it points to. */
static void note_stores(struct analysis *a, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        const struct spirv_instruction *op = node->ops[i];
        if (op->opcode == SpvOpLoad || op->opcode == SpvOpArrayLength)
            continue;
        for (uint32_t k = 0; k < op->operand_count; k++)
            if (operand_is_value(op, k) && body_access(a->body, op->operands[k])->variable != 0)
                a->stored[alias_of(a, body_access(a->body, op->operands[k])->variable)] = a->region;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            note_stores(a, node_part(node, i));
}

/* ---- built-ins ------------------------------------------------------------------------------- */

/* A component of an id varies only if the group is wider than one work-item in its dimension. */
static bool is_varying_id(const struct analysis *a, const struct access *access)
{
    const uint32_t *size = a->body->entry->local_size;
    const struct spirv_constant *constant =
        access->count == 0 ? NULL : spirv_constant(a->body->module, access->indices[0]);

    if (constant != NULL && constant->bits < 3)
        return size[constant->bits] != 1;
    return size[0] != 1 || size[1] != 1 || size[2] != 1;
}

static bool is_varying_builtin(const struct analysis *a, int32_t builtin, const struct access *access)
{
    switch (builtin) {
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
        return false;
    case SpvBuiltInLocalInvocationId:
    case SpvBuiltInGlobalInvocationId:
        return is_varying_id(a, access);
    default:
        return true;
    }
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_varying_load(const struct analysis *a, const struct spirv_instruction *op, bool is_certain)
{
    const struct access *access           = body_access(a->body, op->operands[0]);
    const struct spirv_variable *variable = body_variable(a->body, access->variable);

    if (variable == NULL)
        return true;
    switch (variable->storage) {
    case SpvStorageClassInput:
        return (!is_certain && access_may_fail(a->body, access)) ||
               is_varying_builtin(a, variable->builtin, access);
    case SpvStorageClassPushConstant:
    case SpvStorageClassUniform:
    case SpvStorageClassWorkgroup:
        if (!is_certain && !access_is_fixed(a->body, access))
            return true;
        break;
    case SpvStorageClassStorageBuffer:
        if (!is_certain)
            return true;
        break;
    default:
        return true;
    }
    return operation_is_volatile(a->body, op) || variable->is_coherent ||
           a->stored[alias_of(a, access->variable)] == a->region;
}

/* Do all work-items of the group get the same, also because they are one subgroup? */
static bool is_agreed(const struct analysis *a, const struct spirv_instruction *op)
{
    const uint32_t *size = a->body->entry->local_size;

    if (op->opcode == OPERATION_ANY_LEFT)
        return true;
    return operation_is_exchange(a->body->module, op) && operation_is_agreed(op) &&
           size[0] * size[1] * size[2] <= SPIRV_SUBGROUP;
}

static bool is_varying(const struct analysis *a, const struct spirv_instruction *op, bool is_certain)
{
    if (is_agreed(a, op))
        return false;
    if (op->opcode == SpvOpLoad)
        return is_varying_load(a, op, is_certain);
    if (!operation_is_pure(a->body->module, op))
        return true;
    return !is_certain && !operation_is_safe(a->body->module, op);
}

/* Walks the nodes of a region. `is_certain`: at least one work-item runs the node whenever the group reaches
 * the region. */
static void walk_items(struct analysis *a, const struct node *node, bool is_certain)
{
    for (uint32_t i = 0; i < node->op_count; i++)
        if (node->ops[i]->result != 0 && is_varying(a, node->ops[i], is_certain))
            set_varying(a, node->ops[i]->result);
    for (uint32_t i = 0; i < node->copy_count; i++)
        set_varying(a, node->copies[i].target);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            walk_items(a, node_part(node, i), false);
}

static void walk_group(struct analysis *a, const struct node *node, bool *is_certain);

/* Walks the nodes between two group-level nodes. The group makes copies there, if it can. */
static uint32_t walk_region(struct analysis *a, const struct node *sequence, uint32_t first, bool *is_certain)
{
    uint32_t end = first;

    a->region++;
    for (; end < sequence->child_count && !sequence->children[end]->is_uniform; end++)
        note_stores(a, sequence->children[end]);
    for (uint32_t i = first; i < end; i++) {
        const struct node *child = sequence->children[i];
        if (child->kind != NODE_COPIES)
            walk_items(a, child, *is_certain);
        if (a->escapes[child->number])
            *is_certain = false;
    }
    return end;
}

static void walk_sequence(struct analysis *a, const struct node *sequence, bool *is_certain)
{
    for (uint32_t i = 0; i < sequence->child_count;) {
        const struct node *child = sequence->children[i];
        if (!child->is_uniform) {
            i = walk_region(a, sequence, i, is_certain);
            continue;
        }
        walk_group(a, child, is_certain);
        i++;
    }
}

static void walk_group(struct analysis *a, const struct node *node, bool *is_certain)
{
    if (node->kind == NODE_SEQUENCE) {
        walk_sequence(a, node, is_certain);
        return;
    }
    if (node->kind == NODE_LOOP && a->escapes[node->number])
        *is_certain = false; /* in the second round all work-items may be gone */
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            walk_group(a, node_part(node, i), is_certain);
    if (a->escapes[node->number])
        *is_certain = false;
}

/* ---- spreading ------------------------------------------------------------------------------- */

static void add_user(struct analysis *a, uint32_t id, uint32_t user)
{
    if (!base_arena_grow(a->body->arena, &a->user_list, a->user_count, &a->user_capacity,
                         sizeof(*a->user_list)))
        return;
    a->user_list[a->user_count++] = (struct user){.id = user, .next = a->users[id]};
    a->users[id]                  = a->user_count;
}

static void find_users(struct analysis *a, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        if (node->ops[i]->result == 0 || is_agreed(a, node->ops[i]))
            continue;
        struct visit visit = visit_begin(a->body, node->ops[i]);
        for (uint32_t id; (id = visit_next(&visit)) != 0;)
            add_user(a, id, node->ops[i]->result);
    }
    for (uint32_t i = 0; i < node->copy_count; i++)
        add_user(a, node->copies[i].source, node->copies[i].target);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_users(a, node_part(node, i));
}

static void spread(struct analysis *a)
{
    while (a->work_count != 0) {
        uint32_t id = a->work[--a->work_count];
        for (uint32_t at = a->users[id]; at != 0; at = a->user_list[at - 1].next)
            set_varying(a, a->user_list[at - 1].id);
    }
}

/* Notes from which nodes a work-item may leave: it returns, or jumps to a group-level target. */
static bool find_escapes(struct analysis *a, const struct node *node)
{
    bool escapes = !node->is_uniform && !a->table[node->number].is_assumed &&
                   (node->kind == NODE_RETURN || (node_is_jump(node) && node->target->is_uniform));

    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            escapes |= find_escapes(a, node_part(node, i));
    a->escapes[node->number] = escapes;
    return escapes;
}

int32_t analysis_find_varying(struct analysis *a)
{
    bool is_certain = true;

    for (uint32_t i = 0; i < a->body->value_count; i++)
        a->varying[i] = false;
    for (uint32_t i = 0; i < a->body->value_count; i++)
        if (a->body->values[i].is_divergent || a->kept[i])
            set_varying(a, i);
    find_escapes(a, a->body->root);
    walk_group(a, a->body->root, &is_certain);
    spread(a);
    return body_status(a->body);
}

bool analysis_begin(struct analysis *a, struct body *body)
{
    struct base_arena *arena = body->arena;

    *a         = (struct analysis){.body = body};
    a->varying = base_arena_allocate(arena, body->value_count, sizeof(*a->varying));
    a->stored  = base_arena_allocate(arena, body->value_count, sizeof(*a->stored));
    a->users   = base_arena_allocate(arena, body->value_count, sizeof(*a->users));
    a->work    = base_arena_allocate(arena, body->value_count, sizeof(*a->work));
    a->kept    = base_arena_allocate(arena, body->value_count, sizeof(*a->kept));
    a->escapes = base_arena_allocate(arena, body->node_count, sizeof(*a->escapes));
    if (a->varying == NULL || a->stored == NULL || a->users == NULL || a->work == NULL || a->kept == NULL ||
        a->escapes == NULL)
        return false;
    find_users(a, body->root);
    return !arena->failed;
}
