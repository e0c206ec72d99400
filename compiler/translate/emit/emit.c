/* Errors, and the names of parameters.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/emit/emitter.h"

#include "base/base.h"

int32_t emit_fail(struct emit *emit, const char *reason)
{
    char name[32], place[256];
    const char *where = "", *what = "this";

    if (emit->at != NULL) {
        where = spirv_source_location(emit->module, emit->at, place);
        what  = spirv_opcode_name(emit->at->opcode, name);
    }
    return base_fail(TRM_ERROR_UNSUPPORTED, "%s is not supported%s%s%s%s%s", what,
                     reason[0] == '\0' ? "" : ": ", reason, where[0] == '\0' ? "" : " (", where,
                     where[0] == '\0' ? "" : ")");
}

const char *emit_parameter(struct emit *emit, uint32_t member)
{
    const struct trm_kernel_info *kernel = &emit->reflection.kernels[0];

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (emit_is_member(&kernel->parameters[i]) && emit->reflection.parameter_members[i] == member)
            return emit->fields[i];
    return "missing";
}
