/* Writes switches.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include <trireme/status.h>

#include "compiler/translate/emit/flow.h"

/* Writes a literal as a case label of the selector's type. */
static void label(struct emit *emit, const struct spirv_type *type, uint64_t literal)
{
    text_begin_line(&emit->text);
    if (type->is_signed && (int64_t)literal == INT64_MIN)
        text_add(&emit->text, "case -9223372036854775807ll - 1:\n");
    else if (type->is_signed && (int64_t)literal == INT32_MIN)
        text_add(&emit->text, "case -2147483647 - 1:\n");
    else if (type->is_signed)
        text_add(&emit->text, "case %" PRId64 "%s:\n", (int64_t)literal, type->width == 64 ? "ll" : "");
    else
        text_add(&emit->text, "case %" PRIu64 "%s:\n", literal, type->width == 64 ? "ull" : "u");
}

static int32_t one_case(struct emit *emit, const struct spirv_type *type, const struct node_case *one)
{
    for (uint32_t i = 0; i < one->literal_count; i++)
        label(emit, type, one->literals[i]);
    if (one->is_default)
        text_line(&emit->text, "default:");
    emit->text.indent++;
    text_line(&emit->text, "{");
    emit->flow->top->at_end = !one->falls_through;
    int32_t status          = flow_body(emit, one->body);
    text_close(&emit->text, "}");
    text_line(&emit->text, one->falls_through ? "/* falls through */" : "break;");
    emit->text.indent--;
    return status;
}

int32_t flow_switch(struct emit *emit, const struct node *node)
{
    struct flow_frame frame;
    const struct spirv_type *type = spirv_type_of(emit->module, node->condition);

    text_begin_line(&emit->text);
    text_add(&emit->text, "switch (");
    int32_t status = flow_condition(emit, node->condition, false);
    text_add(&emit->text, ") {\n");
    flow_push(emit, &frame, node);
    for (uint32_t i = 0; i < node->case_count && status == TRM_OK; i++)
        status = one_case(emit, type, &node->cases[i]);
    flow_pop(emit);
    text_line(&emit->text, "}");
    if (frame.has_end_label)
        text_line(&emit->text, "break_%u:;", node->number);
    return status;
}
