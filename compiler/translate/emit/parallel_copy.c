/* Parallel copies: the values of phis. They are assigned one after the other if an order allows it, else
 * through temporary variables.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/flow.h"
#include "compiler/translate/emit/op_cooperative.h"

#define INLINE_DEPTH_MOST 64u

/* Does the expression for `id` read `target`, directly or through a value that is written inline? */
static bool reads(const struct emit *emit, uint32_t id, uint32_t target, uint32_t depth)
{
    if (id == target)
        return true;
    if (id >= emit->flow->count || emit->body->values[id].place != PLACE_INLINE)
        return false;
    const struct spirv_instruction *op = emit->flow->definitions[id];
    if (op == NULL)
        return false;
    if (depth > INLINE_DEPTH_MOST)
        return true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (spirv_operand_is_id(op, i) && reads(emit, op->operands[i], target, depth + 1))
            return true;
    return false;
}

/* Only leaders have matrices. */
static const char *guard(const struct emit *emit, uint32_t id)
{
    return spirv_holds_matrix(emit->module, spirv_type_of(emit->module, id)) ? emit_matrix_guard(emit) : "";
}

static int32_t assign(struct emit *emit, const struct node_copy *copy)
{
    uint32_t count = emit_components(emit, emit->module->ids[copy->target].type);

    for (uint32_t i = 0; i < (count < 2 ? 1 : count); i++) {
        text_begin_line(&emit->text);
        text_add(&emit->text, "%s", guard(emit, copy->target));
        emit_result(emit, copy->target, count < 2 ? WHOLE : i);
        text_add(&emit->text, " = ");
        int32_t status = emit_value(emit, copy->source, count < 2 ? WHOLE : i);
        text_add(&emit->text, ";\n");
        if (status != TRM_OK)
            return status;
    }
    emit_assigned(emit, copy->target);
    return TRM_OK;
}

/* Assigns the copies of a cycle together, through temporaries next_12. */
static int32_t assign_together(struct emit *emit, const struct node_copy *copies, const bool *done,
                               uint32_t copy_count)
{
    text_line(&emit->text, "{");
    for (uint32_t k = 0; k < copy_count; k++) {
        uint32_t type  = emit->module->ids[copies[k].target].type;
        uint32_t count = emit_components(emit, type);
        for (uint32_t i = 0; i < (count < 2 ? 1 : count) && !done[k]; i++) {
            text_begin_line(&emit->text);
            text_add(&emit->text, "const %s next_%u_%u = ", emit_type_name(emit, type), copies[k].target, i);
            int32_t status = emit_value(emit, copies[k].source, count < 2 ? WHOLE : i);
            text_add(&emit->text, ";\n");
            if (status != TRM_OK)
                return status;
        }
    }
    for (uint32_t k = 0; k < copy_count; k++) {
        uint32_t count = emit_components(emit, emit->module->ids[copies[k].target].type);
        for (uint32_t i = 0; i < (count < 2 ? 1 : count) && !done[k]; i++) {
            text_begin_line(&emit->text);
            text_add(&emit->text, "%s", guard(emit, copies[k].target));
            emit_result(emit, copies[k].target, count < 2 ? WHOLE : i);
            text_add(&emit->text, " = next_%u_%u;\n", copies[k].target, i);
        }
        if (!done[k])
            emit_assigned(emit, copies[k].target);
    }
    text_close(&emit->text, "}");
    return TRM_OK;
}

/* Can copy `k` be done now, because no remaining copy reads its target? */
static bool is_free(const struct emit *emit, const struct node *node, const bool *done, uint32_t k)
{
    for (uint32_t i = 0; i < node->copy_count; i++)
        if (i != k && !done[i] && reads(emit, node->copies[i].source, node->copies[k].target, 0))
            return false;
    return true;
}

int32_t flow_copies(struct emit *emit, const struct node *node)
{
    bool *done    = base_arena_allocate(emit->arena, node->copy_count, 1);
    uint32_t left = 0;

    if (done == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < node->copy_count; i++) {
        uint32_t target = node->copies[i].target;
        done[i]         = target == node->copies[i].source ||
                  (target < emit->flow->count && emit->body->values[target].place == PLACE_NONE);
        left += !done[i];
    }
    while (left != 0) {
        uint32_t before = left;
        for (uint32_t i = 0; i < node->copy_count; i++) {
            if (done[i] || !is_free(emit, node, done, i))
                continue;
            int32_t status = assign(emit, &node->copies[i]);
            if (status != TRM_OK)
                return status;
            done[i] = true;
            left--;
        }
        if (left == before)
            return assign_together(emit, node->copies, done, node->copy_count);
    }
    return TRM_OK;
}
