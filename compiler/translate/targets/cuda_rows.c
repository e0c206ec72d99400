/* CUDA C: a kernel that is coarsened along y (cuda_coarsen.c selects them).
 *
 * The body is a function of one work-item, and so is the guard at its beginning. When none of a thread's
 * work-items leaves, the rest runs in stages (cuda_stages.c), so that the loads of all are in flight
 * together, and what they have in common is loaded once. Without a bound (kernels of images) the body is
 * there once for each of the thread's work-items, behind what they have in common.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/targets/cuda_target.h"

/* Writes SYMBOL_leaves, which evaluates the guard for one work-item. */
static int32_t write_leaves(struct emit *emit, const struct text *body)
{
    const struct node *root  = emit->body->root;
    const struct node *guard = root->children[emit->coarsen.guard];
    struct flow_frame frame;

    emit->flow = flow_create(emit);
    if (emit->flow == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    target_cuda_function(emit, body, "int", "leaves");
    text_line(&emit->text, "{");
    flow_push(emit, &frame, NULL);
    frame.at_end   = false; /* the condition follows */
    int32_t status = flow_declare(emit, root, 1u << PLACE_TOP);
    for (uint32_t i = 0; i < emit->coarsen.guard && status == TRM_OK; i++)
        status = emit_node(emit, root->children[i]);
    text_begin_line(&emit->text);
    text_add(&emit->text, "return ");
    if (status == TRM_OK)
        status = flow_condition(emit, guard->condition, !node_has(guard, NODE_RETURN));
    text_add(&emit->text, ";\n");
    flow_pop(emit);
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
    return status;
}

/* Writes `whole`: all work-items are below the bound, and none leaves. */
static void write_question(struct emit *emit, const struct text *body)
{
    text_line(&emit->text, "int whole = first + %uu < %s;", emit->coarsen.count - 1, emit->coarsen.bound);
    text_line(&emit->text, "#pragma unroll");
    text_line(&emit->text, "for (uint32_t i = 0; i < %uu; i++)", emit->coarsen.count);
    emit->text.indent++;
    text_begin_line(&emit->text);
    text_add(&emit->text, "whole &= !");
    target_cuda_call(emit, body, "leaves", false, "");
    text_add(&emit->text, ";\n");
    emit->text.indent--;
}

/* Tells the compiler what follows from the bound: only the last work-item of a thread can be the last of
 * all. */
static void write_assumptions(struct emit *emit)
{
    for (uint32_t i = 0; i < emit->coarsen.count; i++) {
        text_line(&emit->text, "__builtin_assume(first + %uu < %s);", i, emit->coarsen.bound);
        if (i != 0)
            text_line(&emit->text, "__builtin_assume(first + %uu != %s);", i, emit->coarsen.bound);
    }
}

/* Writes the work-item's position: COUNT groups that are neighbours in x form one block, whose work-items
 * form rows as long as those of all these groups together. */
static void write_place(struct emit *emit)
{
    const uint32_t *size = emit->body->entry->local_size;
    uint32_t count = emit->coarsen.count, width = size[0] * count;

    text_line(&emit->text, "const uint32_t trm_index = threadIdx.y * %uu + threadIdx.x;", size[0]);
    text_line(&emit->text, "const uint32_t " CUDA_ITEM " = blockIdx.x * %uu + trm_index %% %uu;", width,
              width);
    text_line(&emit->text, "const uint32_t first = blockIdx.y * %uu + trm_index / %uu * %uu;", size[1], width,
              count);
    text_line(&emit->text, "if (" CUDA_ITEM " / %uu >= " CUDA_GROUPS ")", size[0]);
    text_line(&emit->text, "    return;");
}

int32_t target_cuda_write_rows(struct emit *emit, const struct text *body)
{
    uint32_t stages = 0;
    int32_t status  = target_cuda_stages(emit, body, &stages);

    if (status == TRM_OK && stages != 0)
        status = write_leaves(emit, body);
    if (status != TRM_OK)
        return status;
    target_cuda_signature(emit, body, "", CUDA_GROUPS);
    text_line(&emit->text, "{");
    write_place(emit);
    if (stages != 0) {
        write_question(emit, body);
        text_line(&emit->text, "if (whole) {");
        write_assumptions(emit);
        target_cuda_staged(emit, body, stages, false);
        text_line(&emit->text, "return;");
        text_close(&emit->text, "}");
    }
    target_cuda_one_by_one(emit, body);
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
    return TRM_OK;
}

void target_cuda_write_unrolled_rows(struct emit *emit, const struct text *body, const char *end)
{
    target_cuda_signature(emit, body, end, CUDA_GROUPS);
    text_line(&emit->text, "{");
    write_place(emit);
    target_cuda_open(emit, body, end);
    text_line(&emit->text, "#pragma unroll");
    text_line(&emit->text, "for (uint32_t i = 0; i < %uu; i++)", emit->coarsen.count);
    emit->text.indent++;
    text_line(&emit->text, "[&](const uint32_t " CUDA_ROW ") {");
    text_add_bytes(&emit->text, body->bytes, body->length);
    text_close(&emit->text, "}(first + i);");
    emit->text.indent--;
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
}
