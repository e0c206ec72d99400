/* Buffer indices; row indices in loops over work-items (rows.h).
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"
#include "compiler/translate/emit/rows.h"

static const char *counter_of(const struct emit_rows *rows)
{
    return rows->is_merged ? "item_x" : "local_x";
}

static uint32_t width_of(const struct emit *emit)
{
    return emit->body->entry->local_size[0];
}

/* The expression for the row's first work-item without the share of the counter; NULL when it is too long. */
static const char *base_of(struct emit *emit, uint32_t id, uint32_t component, int64_t step)
{
    struct emit_rows *rows = emit->rows;
    struct text saved      = flow_capture(emit);

    text_add(&emit->text, emit_scalar_of(emit, id)->is_signed ? "trm_row_signed(" : "trm_row(");
    row_start(emit);
    row_write(emit, id, component);
    if (rows->is_merged)
        text_add(&emit->text, ", %" PRId64 ", first, last)", step);
    else
        text_add(&emit->text, ", %" PRId64 ", 0, %" PRIu32 ")", step, width_of(emit));
    const char *base = emit->text.bytes;
    emit->text       = saved;
    return rows->budget == 0 ? NULL : base;
}

/* The number of the variable with this initial value; declares the variable before the loop if there is none
 * yet. */
static uint32_t number_of(struct emit *emit, const char *base)
{
    struct emit_rows *rows = emit->rows;

    for (uint32_t i = 0; i < rows->index_count; i++)
        if (strcmp(rows->indices[i].base, base) == 0)
            return rows->indices[i].number;
    text_line(&rows->bases, "const int64_t at_%" PRIu32 " = %s;", rows->numbers, base);
    return rows->numbers++;
}

/* The row index of an id; NULL when it is none. */
static const struct row_index *row_index_of(struct emit *emit, uint32_t id, uint32_t component)
{
    struct emit_rows *rows = emit->rows;
    int64_t step;

    for (uint32_t i = 0; i < rows->index_count; i++)
        if (rows->indices[i].id == id && rows->indices[i].component == component)
            return &rows->indices[i];
    row_start(emit);
    if (rows->index_count == ROWS_INDICES_MOST || !row_step(emit, id, component, &step) || step == 0 ||
        step > ROWS_STEP_MOST || step < -ROWS_STEP_MOST)
        return NULL;
    const char *base = base_of(emit, id, component, step);
    if (base == NULL)
        return NULL;
    uint32_t number         = number_of(emit, base);
    struct row_index *index = &rows->indices[rows->index_count++];
    *index                  = (struct row_index){id, component, number, step, base};
    return index;
}

int32_t emit_index_part(struct emit *emit, uint32_t id, uint32_t component)
{
    struct emit_rows *rows        = emit->rows;
    const struct spirv_type *type = emit_scalar_of(emit, id);

    if (rows != NULL && rows->in_loop && type->kind == SPIRV_INT && type->width == 32) {
        if (!type->is_signed && row_is_counter(emit, id, component)) {
            text_add(&emit->text, "%s", counter_of(rows));
            return TRM_OK;
        }
        const struct row_index *index = row_index_of(emit, id, component);
        if (index != NULL && index->step == 1) {
            text_add(&emit->text, "(at_%" PRIu32 " + %s)", index->number, counter_of(rows));
            return TRM_OK;
        }
        if (index != NULL) {
            text_add(&emit->text, "(at_%" PRIu32 " + %" PRId64 " * %s)", index->number, index->step,
                     counter_of(rows));
            return TRM_OK;
        }
    }
    text_add(&emit->text, "(int64_t)");
    return emit_value(emit, id, component);
}

int32_t emit_index(struct emit *emit, uint32_t id)
{
    return emit_index_part(emit, id, WHOLE);
}
