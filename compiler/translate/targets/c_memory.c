/* C: the memory of a group. Shared variables are a struct at the beginning of groups->scratch; behind it, at
 * a multiple of 64 bytes, is the spill memory: an array by work-item for each value that is kept from one
 * loop over work-items to another.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/targets/c_target.h"

static uint32_t items_of(const struct emit *emit)
{
    const uint32_t *size = emit->body->entry->local_size;

    return size[0] * size[1] * size[2];
}

/* How many of a type are spilled: matrices by subgroup, else by work-item. */
static uint32_t spilled_of(const struct emit *emit, uint32_t type)
{
    return spirv_holds_matrix(emit->module, spirv_type(emit->module, type))
               ? (items_of(emit) + SPIRV_SUBGROUP - 1) / SPIRV_SUBGROUP
               : items_of(emit);
}

static bool is_shared(const struct emit *emit, uint32_t id)
{
    return emit->module->ids[id].as.variable->storage == SpvStorageClassWorkgroup;
}

bool target_c_shared(struct emit *emit)
{
    const struct spirv_module *module = emit->module;
    uint32_t count                    = 0;

    for (uint32_t i = 0; i < module->variable_count; i++) {
        uint32_t id                           = module->variables[i];
        const struct spirv_variable *variable = module->ids[id].as.variable;
        if (!is_shared(emit, id) || (variable->is_shared_block && variable->view_of != id))
            continue;
        uint32_t type = spirv_type(module, variable->type)->element;
        if (count++ == 0)
            text_line(&emit->text, "struct %s_shared {", emit->symbol);
        if (variable->is_shared_block)
            text_line(&emit->text, "_Alignas(64) unsigned char %s[%u];", emit_name(emit, id),
                      spirv_shared_block_size(module));
        else
            text_line(&emit->text, "_Alignas(64) %s %s;", emit_storage_type(emit, type), emit_name(emit, id));
    }
    if (count != 0) {
        text_close(&emit->text, "};");
        text_add_bytes(&emit->text, "\n", 1);
    }
    return count != 0;
}

void target_c_clear_shared(struct emit *emit)
{
    const struct spirv_module *module = emit->module;

    for (uint32_t i = 0; i < module->variable_count; i++) {
        uint32_t id                           = module->variables[i];
        const struct spirv_variable *variable = module->ids[id].as.variable;
        const char *name = emit_name(emit, variable->is_shared_block ? variable->view_of : id);
        if (is_shared(emit, id) && variable->initializer != 0)
            text_line(&emit->text, "memset(&shared->%s, 0, sizeof(shared->%s));", name, name);
    }
}

static void write_spilled_value(struct emit *emit, uint32_t id)
{
    uint32_t type  = emit->module->ids[id].type;
    uint32_t count = emit_components(emit, type);

    for (uint32_t i = 0; i < (count < 2 ? 1 : count); i++) {
        text_begin_line(&emit->text);
        text_add(&emit->text, "_Alignas(64) %s %s", emit_type_name(emit, type), emit_name(emit, id));
        if (count > 1)
            text_add(&emit->text, "_%c", "xyzw"[i]);
        text_add(&emit->text, "[%u];\n", spilled_of(emit, type));
    }
}

bool target_c_spilled(struct emit *emit)
{
    const struct body *body = emit->body;

    if (body->spilled_count == 0 && !body->returns_early && !body->has_absent)
        return false;
    text_line(&emit->text, "struct %s_kept {", emit->symbol);
    for (uint32_t i = 0; i < body->spilled_count; i++) {
        uint32_t id                  = body->spilled[i];
        const struct spirv_id *thing = &emit->module->ids[id];
        if (thing->kind == SPIRV_ID_VARIABLE)
            text_line(&emit->text, "_Alignas(64) %s %s[%u];",
                      emit_storage_type(emit, spirv_type(emit->module, thing->as.variable->type)->element),
                      emit_name(emit, id),
                      spilled_of(emit, spirv_type(emit->module, thing->as.variable->type)->element));
        else
            write_spilled_value(emit, id);
    }
    if (body->returns_early)
        text_line(&emit->text, "_Alignas(64) uint8_t gone[%u];", items_of(emit));
    if (body->has_absent)
        text_line(&emit->text, "_Alignas(64) uint8_t present[%u];", items_of(emit));
    text_close(&emit->text, "};");
    text_add_bytes(&emit->text, "\n", 1);
    return true;
}

/* Writes the initial values of spilled variables that have one. */
int32_t target_c_start_spilled(struct emit *emit)
{
    const struct body *body = emit->body;
    struct text saved       = flow_capture(emit);
    int32_t status          = TRM_OK;

    emit->text.indent++;
    for (uint32_t i = 0; i < body->spilled_count && status == TRM_OK; i++)
        if (emit->module->ids[body->spilled[i]].kind == SPIRV_ID_VARIABLE)
            status = emit_variable(emit, body->spilled[i]);
    struct text lines = flow_captured(emit, &saved);
    if (body->returns_early)
        text_line(&emit->text, "memset(kept->gone, 0, sizeof(kept->gone));");
    if (body->has_absent)
        text_line(&emit->text, "memset(kept->present, 0, sizeof(kept->present));");
    if (lines.length == 0)
        return status;
    text_line(&emit->text, "for (int64_t item = 0; item < %u; item++) {", items_of(emit));
    text_add_bytes(&emit->text, lines.bytes, lines.length);
    text_close(&emit->text, "}");
    return status;
}
