/* C: the loops over the work-items of a group, or of a row of groups.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/targets/c_target.h"

void target_c_leave(struct emit *emit)
{
    if (emit->flow->items != NULL && emit->body->returns_early)
        text_line(&emit->text, "kept->gone[item] = 1;");
}

/* Writes the number of the work-item in its group. */
static void write_item(struct emit *emit)
{
    const uint32_t *size = emit->body->entry->local_size;

    text_begin_line(&emit->text);
    text_add(&emit->text, "const int64_t item = local_x");
    if (size[1] != 1)
        text_add(&emit->text, " + %u * local_y", size[0]);
    if (size[2] != 1)
        text_add(&emit->text, " + %u * local_z", size[0] * size[1]);
    text_add(&emit->text, ";\n");
}

/* Writes the code of one work-item to a text of its own. */
static int32_t write_body(struct emit *emit, const struct node *node, uint32_t levels, struct text *text)
{
    struct flow_frame frame;
    struct text saved = flow_capture(emit);

    emit->text.indent += levels;
    flow_push(emit, &frame, node);
    int32_t status = flow_declare(emit, node, (1u << PLACE_TOP) | (1u << PLACE_SPILLED));
    if (status == TRM_OK)
        status = flow_body(emit, node->children[0]);
    if (frame.has_end_label)
        text_line(&emit->text, "next_item_%u:;", node->number);
    flow_pop(emit);
    emit->text.indent -= levels;
    *text = flow_captured(emit, &saved);
    return status;
}

/* Does the body use memory that has several views and may be written? Then the accesses of one work-item
 * depend on each other in a way that a compiler has to find out, and not to be told that there is none. */
static bool writes_views(struct emit *emit, const struct text *body)
{
    const struct spirv_reflection *reflection = &emit->reflection;

    if (emit->body->memory_count != 0 || emit->module->has_matrices) /* variable pointers; leaders */
        return true;
    for (uint32_t i = 0; i < reflection->view_count; i++) {
        uint32_t id = reflection->views[i].variable;
        if (emit->module->ids[id].as.variable->is_written &&
            target_mentions(body, emit_name(emit, emit_buffer_variable(emit, id))))
            return true;
    }
    for (uint32_t i = 0; i < emit->module->variable_count; i++) {
        const struct spirv_variable *variable = emit->module->ids[emit->module->variables[i]].as.variable;
        if (variable->is_shared_block && variable->has_views)
            return target_mentions(body, emit_name(emit, variable->view_of));
    }
    return false;
}

static void write_loop(struct emit *emit, const struct text *body)
{
    struct emit_rows *rows = emit->rows;

    text_add_bytes(&emit->text, rows->bases.bytes, rows->bases.length);
    if (!writes_views(emit, body))
        text_line(&emit->text, "TRM_ITEMS");
    if (rows->is_merged) {
        text_line(&emit->text, "for (int64_t item_x = first; item_x < last; item_x++) {");
    } else {
        if (rows->is_bounded)
            text_line(&emit->text, "for (int64_t local_x = first; local_x < last; local_x++) {");
        else
            text_line(&emit->text, "for (int64_t local_x = 0; local_x < %u; local_x++) {",
                      emit->body->entry->local_size[0]);
        bool has_leader = target_mentions(body, "trm_leader");
        if (emit->body->returns_early || has_leader || target_mentions(body, "item"))
            write_item(emit);
        if (has_leader)
            text_line(&emit->text, "const int trm_leader = item %% %u == 0;", SPIRV_SUBGROUP);
        if (emit->body->returns_early) {
            text_line(&emit->text, "if (kept->gone[item])");
            text_line(&emit->text, "    continue;");
        }
    }
    text_add_bytes(&emit->text, body->bytes, body->length);
    text_close(&emit->text, "}");
}

static void write_row(struct emit *emit)
{
    uint32_t width = emit->body->entry->local_size[0];

    if (!emit->rows->is_merged) {
        text_line(&emit->text, "int64_t first = 0;");
        text_line(&emit->text, "int64_t last = %u;", width);
        return;
    }
    text_line(&emit->text, "%sint64_t first = (int64_t)group_x * %u;", emit->rows->is_bounded ? "" : "const ",
              width);
    text_line(&emit->text, "%sint64_t last = first + (int64_t)run * %u;",
              emit->rows->is_bounded ? "" : "const ", width);
}

/* ---- checks of barriers ---------------------------------------------------------------------- */

static void begin_counts(struct emit *emit, const struct node *node)
{
    if (node->kind == NODE_ARRIVE)
        text_line(&emit->text, "uint32_t trm_came_%u = 0;", node->number);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            begin_counts(emit, node_part(node, i));
}

static void check_counts(struct emit *emit, const struct node *node)
{
    const uint32_t *size = emit->body->entry->local_size;

    if (node->kind == NODE_ARRIVE && node->what != NULL) {
        uint32_t items                        = size[0] * size[1] * size[2];
        const struct spirv_instruction *saved = emit->at;
        emit->at                              = node->at;
        text_begin_line(&emit->text);
        text_add(&emit->text, "if (trm_came_%u != 0 && trm_came_%u != ", node->number, node->number);
        if (node->among != NULL)
            text_add(&emit->text, "trm_came_%u)\n", node->among->number);
        else
            text_add(&emit->text, "%u)\n", items);
        text_line(&emit->text, "    trm_outside(&trm_fault, %u, trm_came_%u, %u);",
                  emit_add_site(emit, node->what), node->number, items);
        emit->at = saved;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            check_counts(emit, node_part(node, i));
}

/* ---- the loops ------------------------------------------------------------------------------- */

static int32_t write_items(struct emit *emit, const struct node *node)
{
    const uint32_t *size   = emit->body->entry->local_size;
    struct emit_rows *rows = emit->rows;
    uint32_t levels        = 1u + (size[1] != 1) + (size[2] != 1);
    struct text body;

    emit->flow->items = node;
    rows->in_loop     = true;
    rows->index_count = 0;
    text_init(&rows->bases, emit->arena, &emit->limit);
    rows->bases.indent = emit->text.indent + levels - rows->is_merged;
    rows->is_bounded   = false;
    emit->flow->guard  = NULL;
    if (rows->is_merged || !emit->body->returns_early)
        emit->flow->guard = row_hoist_guard(emit, node, &emit->flow->guard_holds);
    levels += !rows->is_merged && rows->is_bounded; /* a block with `first` and `last` of its own */
    rows->bases.indent = emit->text.indent + levels - 1;
    int32_t status     = write_body(emit, node, levels, &body);
    rows->in_loop      = false;
    emit->flow->items  = NULL;
    if (status != TRM_OK)
        return status;
    if (size[2] != 1)
        text_line(&emit->text, "for (int64_t local_z = 0; local_z < %u; local_z++) {", size[2]);
    if (size[1] != 1)
        text_line(&emit->text, "for (int64_t local_y = 0; local_y < %u; local_y++) {", size[1]);
    if (!rows->is_merged && rows->is_bounded)
        text_line(&emit->text, "{");
    if (rows->is_merged || rows->is_bounded)
        write_row(emit);
    write_loop(emit, &body);
    for (uint32_t i = 1; i < levels; i++)
        text_close(&emit->text, "}");
    return TRM_OK;
}

int32_t target_c_items(struct emit *emit, const struct node *node)
{
    bool counts = emit->body->checks_barriers && node_has(node, NODE_ARRIVE);

    if (!counts)
        return write_items(emit, node);
    text_line(&emit->text, "{");
    begin_counts(emit, node);
    int32_t status = write_items(emit, node);
    check_counts(emit, node);
    text_close(&emit->text, "}");
    return status;
}
