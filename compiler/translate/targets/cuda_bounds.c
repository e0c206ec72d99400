/* CUDA C: checks of indices (TRM_TRANSLATE_BOUNDS).
 *
 * An access that is outside is left out, and the first one of a stream is noted in a struct trm_fault_record
 * in memory that the host reads (backends/cuda/stream/fault.h): a thread sets `state` from 0 to 1, writes the
 * record, and sets `state` to 2.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/shader.h>

#include "compiler/translate/targets/cuda_target.h"

#include <string.h>

static const char head[] =
    "/* The first access outside of a variable. state: 0, 1 while it is written, then 2. The memory is\n"
    " * the launch's, begins as zeros, and is read once the launch has ended. */\n"
    "struct trm_fault_record {\n"
    "    uint32_t state, reserved;\n"
    "    int64_t index;\n"
    "    uint64_t size;\n"
    "    char kernel[96], what[168], where[136];\n"
    "};\n"
    "\n"
    "struct trm_fault {\n"
    "    struct trm_fault_record *record;\n"
    "    const char *kernel;\n"
    "};\n"
    "\n"
    "struct trm_span {\n"
    "    uint64_t data, size;\n"
    "};\n"
    "\n";

void target_cuda_begin_bounds(struct emit *emit)
{
    text_add_bytes(&emit->head, head, sizeof(head) - 1);
    target_write_sites(emit, "static __device__ const");
}

static void write_spans(struct emit *emit, const char *spans, uint32_t count)
{
    text_line(&emit->text, "{0u, 0u},");
    text_close(&emit->text, "};");
    text_line(&emit->text, "const uint32_t %.*s_count = %uu;", (int)strlen(spans) - 1, spans, count);
}

static void write_buffers(struct emit *emit)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);
    uint32_t count                       = 0;

    text_line(&emit->text, "const struct trm_span " CUDA_BUFFERS "[] = {");
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        if (kernel->parameters[i].kind != TRM_PARAMETER_BUFFER)
            continue;
        const char *name = emit_name(emit, emit->reflection.parameter_variables[i]);
        text_line(&emit->text, "{(uint64_t)%s, %s_size},", name, name);
        count++;
    }
    write_spans(emit, CUDA_BUFFERS, count);
}

static void write_shared_spans(struct emit *emit, const struct text *body)
{
    const struct spirv_module *module = emit->module;
    uint32_t count                    = 0;

    text_line(&emit->text, "const struct trm_span " CUDA_SHARED_SPANS "[] = {");
    for (uint32_t i = 0; i < module->variable_count; i++) {
        uint32_t id = module->variables[i];
        if (module->ids[id].as.variable->storage != SpvStorageClassWorkgroup ||
            !target_mentions(body, emit_name(emit, id)))
            continue;
        text_line(&emit->text, "{(uint64_t)&%s, sizeof(%s)},", emit_name(emit, id), emit_name(emit, id));
        count++;
    }
    write_spans(emit, CUDA_SHARED_SPANS, count);
}

void target_cuda_open_bounds(struct emit *emit, const struct text *body)
{
    text_begin_line(&emit->text);
    text_add(&emit->text, "const struct trm_fault trm_fault = {" CUDA_RECORD ", ");
    target_string(&emit->text, target_kernel_info(emit)->name);
    text_add(&emit->text, "};\n");
    if (target_mentions(body, CUDA_BUFFERS))
        write_buffers(emit);
    if (target_mentions(body, CUDA_SHARED_SPANS))
        write_shared_spans(emit, body);
}
