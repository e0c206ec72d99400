/* The identifier of an id: the shader's own word if possible.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/emit/emitter.h"

const char *emit_word(struct emit *emit, uint32_t id)
{
    const struct spirv_id *thing = &emit->module->ids[id];

    if (thing->kind == SPIRV_ID_VARIABLE && emit->reflection.kernel_count != 0) {
        const struct trm_kernel_info *kernel = &emit->reflection.kernels[0];
        for (uint32_t i = 0; i < kernel->parameter_count; i++)
            if (emit->reflection.parameter_variables[i] == id && !emit_is_member(&kernel->parameters[i]))
                return kernel->parameters[i].name;
        for (uint32_t i = 0; i < emit->reflection.view_count; i++)
            if (emit->reflection.views[i].variable == id)
                return emit->reflection.views[i].info.view.name;
    }
    return thing->name;
}

/* Types and constants share a scope with other kernels, whose variables must not hide them. */
static bool is_local(const struct spirv_id *thing)
{
    return thing->kind == SPIRV_ID_VALUE || thing->kind == SPIRV_ID_VARIABLE;
}

const char *emit_name(struct emit *emit, uint32_t id)
{
    struct names *names = emit->names;

    if (id >= emit->module->bound || !names_reserve(names, id))
        return "v0";
    if (names->by_id[id] == NULL)
        names->by_id[id] = names_make(names, id, emit_word(emit, id), is_local(&emit->module->ids[id]));
    return names->by_id[id] == NULL ? "v0" : names->by_id[id];
}
