/* Results and variables: their names on the left side of assignments, and their declarations.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/flow.h"
#include "compiler/translate/emit/op_cooperative.h"

static uint8_t place_of(const struct emit *emit, uint32_t id)
{
    return id < emit->body->value_count ? emit->body->values[id].place : (uint8_t)PLACE_HERE;
}

static void add_component(struct emit *emit, uint32_t id, uint32_t component)
{
    text_add(&emit->text, "%s", emit_name(emit, id));
    if (component != WHOLE)
        text_add(&emit->text, "_%c", "xyzw"[component & 3]);
}

void emit_result(struct emit *emit, uint32_t id, uint32_t component)
{
    if (place_of(emit, id) == PLACE_HERE)
        text_add(&emit->text, "const %s ", emit_type_name(emit, emit->module->ids[id].type));
    add_component(emit, id, component);
}

/* What stands behind the work-item's number in the index of spilled memory: leaders alone have matrices. */
static const char *item_of(const struct emit *emit, uint32_t type)
{
    return spirv_holds_matrix(emit->module, spirv_type(emit->module, type)) ? " / 32" : "";
}

/* Saves a spilled value to its memory, or loads it from there. */
static void move_spilled(struct emit *emit, uint32_t id, bool save)
{
    uint32_t count   = emit_components(emit, emit->module->ids[id].type);
    const char *item = item_of(emit, emit->module->ids[id].type);

    for (uint32_t i = 0; i < (count < 2 ? 1 : count); i++) {
        uint32_t component = count < 2 ? WHOLE : i;
        text_begin_line(&emit->text);
        if (item[0] != '\0')
            text_add(&emit->text, "%s", emit_matrix_guard(emit));
        text_add(&emit->text, save ? "kept->" : "");
        add_component(emit, id, component);
        if (save)
            text_add(&emit->text, "[item%s]", item);
        text_add(&emit->text, save ? " = " : " = kept->");
        add_component(emit, id, component);
        if (!save)
            text_add(&emit->text, "[item%s]", item);
        text_add(&emit->text, ";\n");
    }
}

void emit_assigned(struct emit *emit, uint32_t id)
{
    if (place_of(emit, id) == PLACE_SPILLED)
        move_spilled(emit, id, true);
}

void emit_root(struct emit *emit, uint32_t variable)
{
    const struct spirv_variable *info = emit->module->ids[variable].as.variable;

    if (emit->module->ids[variable].kind == SPIRV_ID_VARIABLE && info->storage == SpvStorageClassWorkgroup)
        text_add(&emit->text, "%s%s", emit->language == TRM_LANGUAGE_C ? "shared->" : "",
                 emit_name(emit, variable));
    else if (place_of(emit, variable) == PLACE_SPILLED)
        text_add(&emit->text, "kept->%s[item%s]", emit_name(emit, variable),
                 item_of(emit, spirv_type(emit->module, info->type)->element));
    else
        text_add(&emit->text, "%s", emit_name(emit, variable));
}

void emit_declare(struct emit *emit, uint32_t id)
{
    uint32_t type  = emit->module->ids[id].type;
    uint32_t count = emit_components(emit, type);

    text_begin_line(&emit->text);
    text_add(&emit->text, "%s ", emit_type_name(emit, type));
    for (uint32_t i = 0; i < (count == 0 ? 1 : count); i++) {
        text_add(&emit->text, i == 0 ? "" : ", ");
        add_component(emit, id, count < 2 ? WHOLE : i);
        if (spirv_holds_matrix(emit->module, spirv_type(emit->module, type)))
            continue;
        text_add(&emit->text, count != 0 ? " = 0" : emit->language == TRM_LANGUAGE_CUDA ? " = {}" : " = {0}");
    }
    text_add(&emit->text, ";\n");
}

struct declaring {
    struct emit *emit;
    uint32_t places; /* a mask of 1 << place */
    int32_t status;
};

static void declare_once(struct declaring *declaring, uint32_t id)
{
    struct emit *emit = declaring->emit;

    if (id == 0 || id >= emit->flow->count || emit->flow->seen[id] == emit->flow->stamp ||
        ((declaring->places >> place_of(emit, id)) & 1) == 0)
        return;
    emit->flow->seen[id] = emit->flow->stamp;
    emit_declare(emit, id);
}

static bool is_local(const struct emit *emit, uint32_t id)
{
    const struct spirv_id *info = &emit->module->ids[id];

    return info->kind == SPIRV_ID_VARIABLE && (info->as.variable->storage == SpvStorageClassFunction ||
                                               info->as.variable->storage == SpvStorageClassPrivate);
}

/* Declares the variables of the function that an instruction uses. */
static void declare_variables(struct declaring *declaring, const struct spirv_instruction *op)
{
    struct emit *emit = declaring->emit;

    for (uint32_t i = 0; i < op->operand_count && declaring->status == TRM_OK; i++) {
        uint32_t id = op->operands[i];
        if (!spirv_operand_is_id(op, i) || id >= emit->flow->count)
            continue;
        if (!is_local(emit, id))
            id = emit->body->values[id].access.variable;
        if (id == 0 || id >= emit->flow->count || !is_local(emit, id) ||
            emit->flow->seen[id] == emit->flow->stamp || ((declaring->places >> place_of(emit, id)) & 1) == 0)
            continue;
        emit->flow->seen[id] = emit->flow->stamp;
        declaring->status    = emit_variable(emit, id);
    }
}

static bool declare_of_op(void *user, const struct node *ops, struct spirv_instruction *op)
{
    struct declaring *declaring = user;

    (void)ops;
    declare_once(declaring, op->result);
    declare_variables(declaring, op);
    return declaring->status == TRM_OK;
}

static void declare_copies(struct declaring *declaring, const struct node *node, uint32_t depth)
{
    if (node == NULL || depth > FLOW_DEPTH_MOST)
        return;
    for (uint32_t i = 0; i < node->copy_count; i++)
        declare_once(declaring, node->copies[i].target);
    for (uint32_t i = 0; i < node->load_count; i++)
        declare_once(declaring, node->loads[i]);
    for (uint32_t i = 0; i < node->child_count; i++)
        declare_copies(declaring, node->children[i], depth + 1);
    for (uint32_t i = 0; i < node->case_count; i++)
        declare_copies(declaring, node->cases[i].body, depth + 1);
}

int32_t flow_declare(struct emit *emit, const struct node *node, uint32_t places)
{
    struct declaring declaring = {.emit = emit, .places = places, .status = TRM_OK};

    emit->flow->stamp++;
    flow_visit(node, declare_of_op, &declaring);
    declare_copies(&declaring, node, 0);
    for (uint32_t i = 0; i < node->load_count; i++)
        move_spilled(emit, node->loads[i], false);
    return declaring.status;
}
