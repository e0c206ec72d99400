/* Frames, captured text, and walks through a tree.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/emit/flow.h"

#include <trireme/status.h>

static bool visit_depth(const struct node *node, flow_visit_fn visit, void *user, uint32_t depth)
{
    if (node == NULL || depth > FLOW_DEPTH_MOST)
        return true;
    if (node->kind == NODE_OPS)
        for (uint32_t i = 0; i < node->op_count; i++)
            if (!visit(user, node, node->ops[i]))
                return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!visit_depth(node->children[i], visit, user, depth + 1))
            return false;
    for (uint32_t i = 0; i < node->case_count; i++)
        if (!visit_depth(node->cases[i].body, visit, user, depth + 1))
            return false;
    return true;
}

bool flow_visit(const struct node *node, flow_visit_fn visit, void *user)
{
    return visit_depth(node, visit, user, 0);
}

/* Notes where each value is made. */
static void note(struct emit_flow *flow, const struct node *node, uint32_t items, uint32_t depth)
{
    if (node == NULL || depth > FLOW_DEPTH_MOST)
        return;
    if (node->kind == NODE_ITEMS)
        items = node->number + 1;
    for (uint32_t i = 0; i < node->op_count; i++) {
        uint32_t id = node->ops[i]->result;
        if (id != 0 && id < flow->count) {
            flow->definitions[id] = node->ops[i];
            flow->where[id]       = items;
        }
    }
    for (uint32_t i = 0; i < node->copy_count; i++)
        if (node->copies[i].target < flow->count)
            flow->where[node->copies[i].target] = items;
    for (uint32_t i = 0; i < node->child_count; i++)
        note(flow, node->children[i], items, depth + 1);
    for (uint32_t i = 0; i < node->case_count; i++)
        note(flow, node->cases[i].body, items, depth + 1);
}

struct emit_flow *flow_create(struct emit *emit)
{
    struct emit_flow *flow = base_arena_allocate(emit->arena, 1, sizeof(*flow));

    if (flow == NULL)
        return NULL;
    flow->count       = emit->body->value_count;
    flow->definitions = base_arena_allocate(emit->arena, flow->count, sizeof(*flow->definitions));
    flow->where       = base_arena_allocate(emit->arena, flow->count, sizeof(*flow->where));
    flow->seen        = base_arena_allocate(emit->arena, flow->count, sizeof(*flow->seen));
    if (flow->definitions == NULL || flow->where == NULL || flow->seen == NULL)
        return NULL;
    note(flow, emit->body->root, 0, 0);
    return flow;
}

struct text flow_capture(struct emit *emit)
{
    struct text saved = emit->text;

    text_init(&emit->text, emit->arena, &emit->limit);
    emit->text.indent = saved.indent;
    return saved;
}

struct text flow_captured(struct emit *emit, const struct text *saved)
{
    struct text written = emit->text;

    if (written.length != 0 && written.bytes[written.length - 1] != '\n')
        text_add_bytes(&written, "\n", 1);
    emit->text = *saved;
    return written;
}

void flow_push(struct emit *emit, struct flow_frame *frame, const struct node *node)
{
    *frame          = (struct flow_frame){.node = node, .up = emit->flow->top, .at_end = true};
    emit->flow->top = frame;
}

void flow_pop(struct emit *emit)
{
    emit->flow->top = emit->flow->top->up;
}

bool flow_is_empty(const struct node *node)
{
    if (node == NULL)
        return true;
    if (node->kind == NODE_OPS)
        return node->op_count == 0;
    if (node->kind == NODE_COPIES)
        return node->copy_count == 0;
    if (node->kind != NODE_SEQUENCE)
        return false;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!flow_is_empty(node->children[i]))
            return false;
    return true;
}

bool flow_has_known_condition(const struct emit *emit, const struct node *node, const struct node **taken)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, node->condition);

    if (constant == NULL)
        return false;
    *taken = constant->bits != 0 ? node->children[0] : node->child_count > 1 ? node->children[1] : NULL;
    return true;
}

int32_t flow_condition(struct emit *emit, uint32_t id, bool negated)
{
    struct text saved     = flow_capture(emit);
    int32_t status        = emit_value(emit, id, WHOLE);
    struct text condition = emit->text;

    emit->text = saved;
    if (status != TRM_OK)
        return status;
    if (negated) {
        text_add(&emit->text, "!");
        text_add_bytes(&emit->text, condition.bytes, condition.length);
        return TRM_OK;
    }
    /* Parentheses around the whole condition would be doubled: does the last one close the first one? */
    size_t length = condition.length, depth = 0, i = 0;
    while (i < length) {
        depth += condition.bytes[i] == '(';
        depth -= condition.bytes[i] == ')';
        i++;
        if (depth == 0)
            break;
    }
    if (length > 2 && condition.bytes[0] == '(' && i == length)
        text_add_bytes(&emit->text, condition.bytes + 1, length - 2);
    else
        text_add_bytes(&emit->text, condition.bytes, length);
    return TRM_OK;
}
