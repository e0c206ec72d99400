/* C: a kernel as a function over a range of groups.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <trireme/image.h>
#include <trireme/status.h>

#include "compiler/translate/targets/c_target.h"

static const char *words_of(const struct trm_parameter *parameter)
{
    return trm_parameter_element(parameter) == TRM_PARAMETER_BUFFER ? "trm_cpu_buffer" : "trm_image_words";
}

/* Writes the struct of arguments, as <trireme/cpu_kernel.h> lays it out. */
static void write_arguments(struct emit *emit)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    if (kernel->parameter_count == 0)
        return;
    text_line(&emit->text, "struct %s_arguments {", emit->symbol);
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (!emit_is_member(&kernel->parameters[i]))
            text_line(&emit->text, "struct %s %s%s;", words_of(&kernel->parameters[i]), emit->fields[i],
                      target_brackets(emit, &kernel->parameters[i]));
    target_scalars(emit);
    text_close(&emit->text, "};");
    text_add_bytes(&emit->text, "\n", 1);
}

/* Writes the buffers that the body names, and their sizes. Only buffers that the shader declares `restrict`
 * are restrict here: SPIR-V lets a compiler assume that two parameters are different memory, but programs
 * that work in place are common, and the loops over work-items do not need the promise. */
static void write_buffers(struct emit *emit, const struct text *body)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        uint32_t id                           = emit->reflection.parameter_variables[i];
        if (parameter->kind != TRM_PARAMETER_BUFFER)
            continue;
        const char *name = emit_name(emit, id);
        const char *size = base_arena_format(emit->arena, "%s_size", name);
        if (target_mentions(body, name))
            text_line(&emit->text, "%s%s *%s%s = arguments.%s.data;",
                      parameter->access == TRM_ACCESS_READ ? "const " : "", emit_buffer_type(emit, id),
                      emit->module->ids[id].as.variable->is_restrict && emit->body->memory_count == 0
                          ? "restrict "
                          : "",
                      name, emit->fields[i]);
        if (size != NULL && target_mentions(body, size))
            text_line(&emit->text, "const uint64_t %s = arguments.%s.size;", size, emit->fields[i]);
    }
}

/* Writes the arrays that the body names, as pointers to their entries. */
static void write_arrays(struct emit *emit, const struct text *body)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const char *name = emit_name(emit, emit->reflection.parameter_variables[i]);
        if (trm_parameter_is_array(&kernel->parameters[i]) && target_mentions(body, name))
            text_line(&emit->text, "const struct %s *const %s = arguments.%s;",
                      words_of(&kernel->parameters[i]), name, emit->fields[i]);
    }
}

/* Writes the images and samplers that the body names, and notes the struct of all. */
static void write_images(struct emit *emit, const struct text *body)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        if (kernel->parameters[i].kind >= TRM_PARAMETER_IMAGE &&
            kernel->parameters[i].kind <= TRM_PARAMETER_TEXELS)
            target_open_image(emit, body, i, base_arena_format(emit->arena, "arguments.%s", emit->fields[i]));
    }
}

/* Writes the position of the group. */
static void write_place(struct emit *emit, const struct text *body, bool merged)
{
    bool y = target_mentions(body, "group_y"), z = target_mentions(body, "group_z");

    if (merged || target_mentions(body, "group_x"))
        text_line(&emit->text, "const uint32_t group_x = (uint32_t)(group %% groups->groups[0]);");
    if (y)
        text_line(&emit->text,
                  "const uint32_t group_y = (uint32_t)(group / groups->groups[0] %% groups->groups[1]);");
    if (z)
        text_line(&emit->text,
                  "const uint32_t group_z = (uint32_t)(group / groups->groups[0] / groups->groups[1]);");
}

/* Writes the number of groups that lie side by side in the range. */
static void write_run(struct emit *emit)
{
    text_line(&emit->text, "uint64_t run = groups->groups[0] - group_x;");
    text_line(&emit->text, "if (run > groups->end - group)");
    text_line(&emit->text, "    run = groups->end - group;");
    text_line(&emit->text, "if (run > %u)", ROWS_ITEMS_MOST / emit->body->entry->local_size[0]);
    text_line(&emit->text, "    run = %u;", ROWS_ITEMS_MOST / emit->body->entry->local_size[0]);
    text_line(&emit->text, "group += run;");
}

static void write_group_memory(struct emit *emit, const struct text *body)
{
    if (target_mentions(body, "shared"))
        text_line(&emit->text, "struct %s_shared *restrict shared = groups->scratch;", emit->symbol);
    if (target_mentions(body, "kept"))
        text_line(&emit->text,
                  "struct %s_kept *restrict kept = (void *)((unsigned char *)groups->scratch + "
                  "(%s_SHARED_BYTES + 63) / 64 * 64);",
                  emit->symbol, emit->symbol);
}

static void write_sizes(struct emit *emit, bool has_shared, bool has_spilled)
{
    text_line(&emit->text, "enum {");
    if (has_shared)
        text_line(&emit->text, "%s_SHARED_BYTES = sizeof(struct %s_shared),", emit->symbol, emit->symbol);
    else
        text_line(&emit->text, "%s_SHARED_BYTES = 0,", emit->symbol);
    if (has_spilled)
        text_line(&emit->text, "%s_KEPT_BYTES = sizeof(struct %s_kept),", emit->symbol, emit->symbol);
    else
        text_line(&emit->text, "%s_KEPT_BYTES = 0,", emit->symbol);
    text_close(&emit->text, "};");
    text_add_bytes(&emit->text, "\n", 1);
}

/* Writes the code for one group (merged: for one row of groups) to a text of its own. */
static int32_t write_group(struct emit *emit, struct text *text)
{
    struct flow_frame frame;
    struct text saved = flow_capture(emit);

    emit->text.indent += 2;
    flow_push(emit, &frame, NULL);
    target_c_clear_shared(emit);
    int32_t status = target_c_start_spilled(emit);
    if (status == TRM_OK)
        status = flow_declare(emit, emit->body->root, 1u << PLACE_GROUP);
    if (status == TRM_OK)
        status = emit_node(emit, emit->body->root);
    if (frame.has_end_label)
        text_line(&emit->text, "next_group:;");
    flow_pop(emit);
    emit->text.indent -= 2;
    *text = flow_captured(emit, &saved);
    return status;
}

/* Fails the launch after an access that was outside. */
static void write_report(struct emit *emit)
{
    text_line(&emit->text, "if (trm_fault.what != NULL) {");
    text_line(&emit->text, "trm_last_fault = trm_fault;");
    text_line(&emit->text, "return 1;");
    text_close(&emit->text, "}");
}

/* Writes the arguments of the launch, and the head of a function that does. */
static void write_head(struct emit *emit, const char *kind, const char *suffix, const char *more)
{
    text_line(&emit->text, "%s int32_t %s%s(const struct trm_cpu_groups *groups, const void *block%s)", kind,
              emit->symbol, suffix, more);
    text_line(&emit->text, "{");
    if (target_kernel_info(emit)->parameter_count != 0)
        text_line(&emit->text, "const struct %s_arguments arguments = *(const struct %s_arguments *)block;",
                  emit->symbol, emit->symbol);
}

/* Writes the kernel that looks at its textures and samplers, and calls the function that was written with a
 * constant for their format: 9 (rgba8) and 30 (r32f) of enum trm_format, or 0. */
static void write_plain(struct emit *emit, const struct text *body)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    write_head(emit, "TRM_PLAIN_KERNEL", "", "");
    write_images(emit, body);
    text_line(&emit->text, "int32_t trm_plain = -1;");
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        uint32_t id = emit->reflection.parameter_variables[i];
        if (kernel->parameters[i].kind == TRM_PARAMETER_BUFFER || emit_is_member(&kernel->parameters[i]) ||
            trm_parameter_is_array(&kernel->parameters[i]) || !target_mentions(body, emit_name(emit, id)))
            continue;
        const char *value = emit_plain_format(emit, id, emit_name(emit, id));
        if (value != NULL)
            text_line(&emit->text, "trm_plain = %s;", value);
    }
    text_line(&emit->text, "switch (trm_plain) {");
    static const int formats[] = {TRM_FORMAT_RGBA8_UNORM, TRM_FORMAT_R32_FLOAT};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        text_line(&emit->text, "case %d:", formats[i]);
        text_line(&emit->text, "    return %s_any(groups, block, %d);", emit->symbol, formats[i]);
    }
    text_line(&emit->text, "default:");
    text_line(&emit->text, "    return %s_any(groups, block, 0);", emit->symbol);
    text_close(&emit->text, "}");
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
}

static void write_function(struct emit *emit, const struct text *body)
{
    bool is_plain = target_mentions(body, "trm_plain");
    bool merged   = emit->rows->is_merged;
    bool checks   = (emit->flags & TRM_TRANSLATE_BOUNDS) != 0;

    if (is_plain)
        write_head(emit, "TRM_INLINE", "_any", ", const int32_t trm_plain");
    else
        write_head(emit, "TRM_KERNEL", "", "");
    write_buffers(emit, body);
    write_images(emit, body);
    write_arrays(emit, body);
    write_group_memory(emit, body);
    if (checks)
        text_line(&emit->text, "struct trm_cpu_fault trm_fault = {.struct_size = sizeof(trm_fault)};");
    text_add_bytes(&emit->text, "\n", 1);
    if (merged) {
        text_line(&emit->text, "/* gl_GlobalInvocationID has only 32 bits. */");
        text_line(&emit->text, "if ((uint64_t)groups->groups[0] * %u > UINT64_C(%s))",
                  emit->body->entry->local_size[0], emit->rows->is_signed ? "2147483648" : "4294967296");
        text_line(&emit->text, "    return 2;");
    }
    text_line(&emit->text, "for (uint64_t group = groups->begin; group < groups->end;%s) {",
              merged ? "" : " group++");
    write_place(emit, body, merged);
    if (merged)
        write_run(emit);
    text_add_bytes(&emit->text, body->bytes, body->length);
    text_close(&emit->text, "}");
    if (checks)
        write_report(emit);
    text_line(&emit->text, "return 0;");
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
    if (is_plain)
        write_plain(emit, body);
}

int32_t target_c_kernel(struct emit *emit)
{
    struct text body;

    emit->flow = flow_create(emit);
    emit->rows = base_arena_allocate(emit->arena, 1, sizeof(*emit->rows));
    if (emit->flow == NULL || emit->rows == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    emit->rows->is_merged = target_c_may_merge(emit);
    int32_t status        = write_group(emit, &body);
    if (status != TRM_OK)
        return status;
    bool has_shared  = target_c_shared(emit);
    bool has_spilled = target_c_spilled(emit);
    write_sizes(emit, has_shared, has_spilled);
    write_arguments(emit);
    write_function(emit, &body);
    return emit->arena->failed ? TRM_ERROR_OUT_OF_HOST_MEMORY : TRM_OK;
}
