/* C: may rows of work-items run through all groups that lie side by side (emit/rows.h)?
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/targets/c_target.h"

struct scan {
    struct emit *emit;
    uint8_t *vectors; /* by id: 1 + the built-in that was loaded whole */
    bool found;       /* something depends on where a group begins */
};

static bool depends(int32_t builtin, uint32_t component)
{
    switch (builtin) {
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInLocalInvocationId:
        return component == 0;
    case SpvBuiltInGlobalInvocationId:
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupSize:
        return false;
    default:
        return true;
    }
}

static void scan_load(struct scan *scan, const struct spirv_instruction *op)
{
    struct emit *emit           = scan->emit;
    const struct access *access = body_access(emit->body, op->operands[0]);

    if (access == NULL || access->variable == 0 ||
        emit->module->ids[access->variable].kind != SPIRV_ID_VARIABLE)
        return;
    const struct spirv_variable *variable = emit->module->ids[access->variable].as.variable;
    if (variable->storage != SpvStorageClassInput || variable->builtin < 0)
        return;
    const struct spirv_constant *index =
        access->count == 1 ? spirv_constant(emit->module, access->indices[0]) : NULL;
    if (index != NULL)
        scan->found |= depends(variable->builtin, (uint32_t)index->bits);
    else if (access->count == 0 && spirv_type(emit->module, op->type)->kind == SPIRV_VECTOR &&
             op->result < emit->flow->count)
        scan->vectors[op->result] = (uint8_t)(1 + (variable->builtin & 127));
    else
        scan->found |= depends(variable->builtin, 0);
}

static bool find_loads(void *user, const struct node *ops, struct spirv_instruction *op)
{
    struct scan *scan = user;

    (void)ops;
    if (op->opcode == SpvOpLoad)
        scan_load(scan, op);
    return !scan->found;
}

/* Checks the uses of built-ins that were loaded whole. */
static bool find_uses(void *user, const struct node *ops, struct spirv_instruction *op)
{
    struct scan *scan = user;

    (void)ops;
    for (uint32_t i = 0; i < op->operand_count && !scan->found; i++) {
        if (!spirv_operand_is_id(op, i) || op->operands[i] >= scan->emit->flow->count ||
            scan->vectors[op->operands[i]] == 0)
            continue;
        int32_t builtin = scan->vectors[op->operands[i]] - 1;
        if (op->opcode == SpvOpCompositeExtract && op->operand_count == 2) {
            scan->found |= depends(builtin, op->operands[1]);
        } else if (op->opcode == SpvOpVectorShuffle && op->operands[0] == op->operands[1]) {
            uint32_t count = spirv_type_of(scan->emit->module, op->operands[0])->count;
            for (uint32_t k = 2; k < op->operand_count; k++)
                scan->found |= depends(builtin, op->operands[k] % count);
        } else {
            scan->found |= depends(builtin, 0);
        }
    }
    return !scan->found;
}

/* Looks for shared memory. */
static bool find_group(void *user, const struct node *ops, struct spirv_instruction *op)
{
    struct scan *scan = user;
    struct emit *emit = scan->emit;

    (void)ops;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct access *access = spirv_operand_is_id(op, i) && op->operands[i] < emit->flow->count
                                          ? &emit->body->values[op->operands[i]].access
                                          : NULL;
        if (access != NULL && access->variable != 0 &&
            emit->module->ids[access->variable].kind == SPIRV_ID_VARIABLE &&
            emit->module->ids[access->variable].as.variable->storage == SpvStorageClassWorkgroup)
            scan->found = true;
    }
    return !scan->found;
}

bool target_c_may_merge(struct emit *emit)
{
    const struct body *body = emit->body;
    const struct node *root = body->root;
    struct scan scan        = {.emit = emit};
    uint32_t items          = 0;

    if (body->entry->local_size[0] == 1)
        return false; /* x is uniform then and is computed outside of the loop */
    if (emit->module->has_matrices)
        return false; /* the first work-item of a subgroup is told by its number in the group */
    if (body->has_barrier || body->spilled_count != 0 || body->returns_early || root->kind != NODE_SEQUENCE)
        return false;
    for (uint32_t i = 0; i < root->child_count; i++) {
        if (flow_is_empty(root->children[i]))
            continue;
        if (items != 0 || (root->children[i]->kind != NODE_OPS && root->children[i]->kind != NODE_ITEMS))
            return false;
        items += root->children[i]->kind == NODE_ITEMS;
    }
    scan.vectors = base_arena_allocate(emit->arena, emit->flow->count, 1);
    if (items == 0 || scan.vectors == NULL)
        return false;
    return flow_visit(root, find_loads, &scan) && flow_visit(root, find_uses, &scan) &&
           flow_visit(root, find_group, &scan);
}
