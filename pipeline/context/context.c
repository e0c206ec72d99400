/* The functions of <trireme/context.h> that create and destroy contexts.
 * SPDX-License-Identifier: MIT
 */
#include "core/context/context.h"

#include "pipeline/context/program_profile.h"

int32_t trm_context_create(const struct trm_context_desc *desc, struct trm_context **out)
{
    struct core_context *context;
    int32_t status = core_output_check(out, "trm_context_create", "context");
    if (status == TRM_OK)
        status = core_context_create(desc, &context);
    if (status != TRM_OK)
        return status;
    status = pipeline_program_profile_begin(context);
    if (status != TRM_OK)
        core_object_abandon(&context->object);
    else
        *out = core_object_publish(&context->object);
    return status;
}

void trm_context_destroy(struct trm_context *handle)
{
    core_object_kill_handle(handle, CORE_CONTEXT);
}
