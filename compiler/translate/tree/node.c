/* Makes and walks nodes of the tree.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/tree/tree.h"

struct node *node_new(struct body *body, enum node_kind kind)
{
    struct node *node = base_arena_allocate(body->arena, 1, sizeof(*node));

    if (node == NULL)
        return NULL;
    node->kind   = kind;
    node->number = body->node_count++;
    return node;
}

void node_add(struct body *body, struct node *parent, struct node *child)
{
    if (parent == NULL || child == NULL)
        return;
    if (base_arena_grow(body->arena, &parent->children, parent->child_count, &parent->child_capacity,
                        sizeof(*parent->children)))
        parent->children[parent->child_count++] = child;
}

void node_insert(struct body *body, struct node *sequence, struct node *child)
{
    uint32_t count = sequence->child_count;

    node_add(body, sequence, child);
    if (sequence->child_count == count)
        return;
    for (uint32_t i = count; i > 0; i--)
        sequence->children[i] = sequence->children[i - 1];
    sequence->children[0] = child;
    child->parent         = sequence;
}

void node_add_op(struct body *body, struct node *ops, struct spirv_instruction *op)
{
    if (ops == NULL || op == NULL)
        return;
    if (base_arena_grow(body->arena, &ops->ops, ops->op_count, &ops->op_capacity, sizeof(*ops->ops)))
        ops->ops[ops->op_count++] = op;
}

struct node *node_last_ops(struct body *body, struct node *sequence)
{
    if (sequence == NULL)
        return NULL;
    if (sequence->child_count != 0 && sequence->children[sequence->child_count - 1]->kind == NODE_OPS)
        return sequence->children[sequence->child_count - 1];
    struct node *ops = node_new(body, NODE_OPS);
    node_add(body, sequence, ops);
    return ops;
}

void node_add_copy(struct body *body, struct node *copies, uint32_t target, uint32_t source)
{
    if (copies == NULL)
        return;
    if (base_arena_grow(body->arena, &copies->copies, copies->copy_count, &copies->copy_capacity,
                        sizeof(*copies->copies)))
        copies->copies[copies->copy_count++] = (struct node_copy){.target = target, .source = source};
}

uint32_t node_part_count(const struct node *node)
{
    return node->child_count + node->case_count;
}

struct node *node_part(const struct node *node, uint32_t index)
{
    return index < node->child_count ? node->children[index] : node->cases[index - node->child_count].body;
}

bool node_has(const struct node *node, enum node_kind kind)
{
    if (node == NULL || node->kind == kind)
        return node != NULL;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_has(node_part(node, i), kind))
            return true;
    return false;
}

void node_link(struct node *node)
{
    node->has_barrier = node->kind == NODE_BARRIER;
    node->has_meeting = node->has_barrier && node->exchange != NULL;
    node->has_control = node->has_barrier && node->exchange == NULL;
    for (uint32_t i = 0; i < node_part_count(node); i++) {
        struct node *part = node_part(node, i);
        if (part == NULL)
            continue;
        node_link(part);
        part->parent = node;
        node->has_barrier |= part->has_barrier;
        node->has_meeting |= part->has_meeting;
        node->has_control |= part->has_control;
    }
}
