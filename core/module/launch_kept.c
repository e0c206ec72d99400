/* Launches that are checked once and enqueued many times.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/launch.h"
#include "core/stream/stream.h"

static bool may_keep(const struct core_stream *stream, const struct core_kernel *kernel,
                     const struct trm_argument *arguments, uint32_t count)
{
    if (kernel->flat != NULL || count != kernel->parameter_count || count > CORE_LAUNCH_KEPT ||
        kernel->module->device != stream->device)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].name != NULL || arguments[i].kind > TRM_PARAMETER_BLOCK)
            return false;
    return true;
}

/* Values use no object. */
static void leave_out_none(struct core_launch_kept *kept)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < kept->in_flight_count; i++)
        if (kept->in_flight[i] != NULL)
            kept->in_flight[count++] = kept->in_flight[i];
    kept->in_flight_count = count;
}

bool core_launch_keep(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                      const struct trm_argument *arguments, uint32_t argument_count,
                      struct core_launch_kept *kept)
{
    struct base_saved_error saved;

    if (!may_keep(stream, kernel, arguments, argument_count))
        return false;
    base_error_save(&saved);
    int32_t status = core_launch_resolve(stream, kernel, grid, arguments, kept);
    base_error_restore(&saved);
    if (status != TRM_OK || kept->desc.groups[0] == 0)
        return false;
    kept->kernel = kernel;
    leave_out_none(kept);
    return true;
}

int32_t core_launch_again(struct core_stream *stream, const struct core_launch_kept *kept)
{
    struct trm_launch_desc desc = kept->desc;

    desc.kernel    = kept->kernel->kernel;
    desc.arguments = kept->arguments;
    return core_launch_enqueue(stream, kept->kernel, &desc, kept->in_flight, kept->in_flight_count);
}
