/* CUDA C: a coarsened kernel (cuda_coarsen.c selects them).
 *
 * The body is a function of one work-item. When all of a thread's work-items are below the bound and all
 * buffers begin at multiples of 16, it runs in stages: the loads of all work-items, then the computations,
 * then the stores. So the loads of all are in flight together, and the compiler can combine them; branches
 * between them would prevent that.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/targets/cuda_target.h"

void target_cuda_call(struct emit *emit, const struct text *body, const char *function, bool is_aligned,
                      const char *more)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);
    uint32_t count                       = 0;

    text_add(&emit->text, "%s_%s(", emit->symbol, function);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        uint32_t id = emit->reflection.parameter_variables[i];
        if (emit_is_member(&kernel->parameters[i]))
            continue;
        target_cuda_separate(emit, &count);
        if (kernel->parameters[i].kind != TRM_PARAMETER_BUFFER)
            text_add(&emit->text, CUDA_WORDS, i);
        else if (is_aligned)
            text_add(&emit->text, "(%s%s *)__builtin_assume_aligned(%s, 16)",
                     kernel->parameters[i].access == TRM_ACCESS_READ ? "const " : "",
                     emit_buffer_type(emit, id), emit_name(emit, id));
        else
            text_add(&emit->text, "%s", emit_name(emit, id));
    }
    if (target_cuda_scalars(kernel) != 0) {
        target_cuda_separate(emit, &count);
        text_add(&emit->text, "arguments");
    }
    target_cuda_separate(emit, &count);
    text_add(&emit->text, emit->coarsen.is_along_y ? CUDA_ITEM ", first + i" : "first + i");
    for (uint32_t i = 0; i < kernel->parameter_count && target_cuda_asks_for_sizes(emit, body); i++)
        if (kernel->parameters[i].kind == TRM_PARAMETER_BUFFER)
            text_add(&emit->text, ", %s_size", emit_name(emit, emit->reflection.parameter_variables[i]));
    text_add(&emit->text, "%s)", more);
}

static void write_call(struct emit *emit, const struct text *body, const char *function, bool is_aligned,
                       const char *more)
{
    text_begin_line(&emit->text);
    target_cuda_call(emit, body, function, is_aligned, more);
    text_add(&emit->text, ";\n");
}

static void write_alignment(struct emit *emit)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameters[i].kind == TRM_PARAMETER_BUFFER)
            text_add(&emit->text, " && (uint64_t)%s %% 16 == 0",
                     emit_name(emit, emit->reflection.parameter_variables[i]));
}

/* All work-items are below the bound here; the check tells that to the compiler. */
static void write_whole_items(struct emit *emit, const struct text *body)
{
    text_line(&emit->text, "#pragma unroll");
    text_line(&emit->text, "for (uint32_t i = 0; i < %uu; i++) {", emit->coarsen.count);
    text_line(&emit->text, "if (first + i >= %s)", emit->coarsen.bound);
    text_line(&emit->text, "    __builtin_unreachable();");
    write_call(emit, body, "item", true, "");
    text_close(&emit->text, "}");
}

void target_cuda_staged(struct emit *emit, const struct text *body, uint32_t stages, bool is_aligned)
{
    text_line(&emit->text, "struct %s_kept kept[%u];", emit->symbol, emit->coarsen.count);
    for (uint32_t stage = 1; stage <= stages; stage++) {
        const char *function = base_arena_format(emit->arena, "stage%u", stage);
        text_line(&emit->text, "#pragma unroll");
        text_line(&emit->text, "for (uint32_t i = 0; i < %uu; i++)", emit->coarsen.count);
        emit->text.indent++;
        write_call(emit, body, function == NULL ? "" : function, is_aligned, ", kept[i]");
        emit->text.indent--;
    }
}

void target_cuda_one_by_one(struct emit *emit, const struct text *body)
{
    text_line(&emit->text, "#pragma unroll 1");
    text_line(&emit->text, "for (uint32_t i = 0; i < %uu; i++)", emit->coarsen.count);
    emit->text.indent++;
    write_call(emit, body, "item", false, "");
    emit->text.indent--;
}

const char *target_cuda_item(const struct emit *emit)
{
    return emit->coarsen.is_along_y ? CUDA_ITEM ", const uint32_t " CUDA_ROW : CUDA_ITEM;
}

void target_cuda_function(struct emit *emit, const struct text *body, const char *type, const char *name)
{
    text_begin_line(&emit->text);
    text_add(&emit->text, "static __device__ __forceinline__ %s %s_%s(", type, emit->symbol, name);
    target_cuda_parameters(emit, body, target_cuda_item(emit));
    text_add(&emit->text, ")\n");
}

static void write_item(struct emit *emit, const struct text *body)
{
    target_cuda_function(emit, body, "void", "item");
    text_line(&emit->text, "{");
    text_add_bytes(&emit->text, body->bytes, body->length);
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
}

/* A kernel whose threads run one work-item. more: see target_cuda_parameters(). */
static void write_one(struct emit *emit, const struct text *body, const char *more)
{
    target_cuda_signature(emit, body, "", more);
    text_line(&emit->text, "{");
    text_line(&emit->text, "const uint32_t first = blockIdx.x * %uu + threadIdx.x, i = 0;",
              emit->body->entry->local_size[0]);
    write_call(emit, body, "item", false, "");
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
}

/* A kernel whose work-items would run one after the other, loads and all, is not coarsened. */
static void write_uncoarsened(struct emit *emit, const struct text *body)
{
    emit->coarsen.count = 0;
    write_one(emit, body, NULL);
}

static void write_coarsened(struct emit *emit, const struct text *body, uint32_t stages)
{
    uint32_t size = emit->body->entry->local_size[0], count = emit->coarsen.count;

    if (emit->coarsen.is_choice)
        write_one(emit, body, CUDA_GROUPS);
    target_cuda_signature(emit, body, emit->coarsen.is_choice ? CUDA_COARSENED : "", CUDA_GROUPS);
    text_line(&emit->text, "{");
    text_line(&emit->text, "if (blockIdx.x * %uu + threadIdx.x / %uu >= " CUDA_GROUPS ")", count,
              size / count);
    text_line(&emit->text, "    return;");
    text_line(&emit->text, "const uint32_t first = (blockIdx.x * %uu + threadIdx.x) * %uu;", size, count);
    text_begin_line(&emit->text);
    text_add(&emit->text, "if (first + %uu < %s", count - 1, emit->coarsen.bound);
    write_alignment(emit);
    text_add(&emit->text, ") {\n");
    emit->text.indent++;
    if (stages != 0)
        target_cuda_staged(emit, body, stages, true);
    else
        write_whole_items(emit, body);
    text_close(&emit->text, "} else {");
    target_cuda_one_by_one(emit, body);
    text_close(&emit->text, "}");
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
}

int32_t target_cuda_write_coarsened(struct emit *emit, const struct text *body)
{
    uint32_t stages;

    write_item(emit, body);
    if (emit->coarsen.is_along_y)
        return target_cuda_write_rows(emit, body);
    int32_t status = target_cuda_stages(emit, body, &stages);
    if (status != TRM_OK)
        return status;
    if (emit->coarsen.is_choice && stages == 0)
        write_uncoarsened(emit, body);
    else
        write_coarsened(emit, body, stages);
    return TRM_OK;
}
