/* Launches that are checked once and enqueued many times.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/launch.h"
#include "core/stream/stream.h"

static bool can_cache(const struct core_stream *stream, const struct core_kernel *kernel,
                      const struct trm_argument *arguments, uint32_t count)
{
    if (kernel->flat != NULL || count != kernel->parameter_count || count > CORE_CACHED_ARGUMENTS ||
        kernel->module->device != stream->device)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (arguments[i].name != NULL || arguments[i].kind > TRM_PARAMETER_BLOCK)
            return false;
    return true;
}

/* Values use no object. */
static void leave_out_none(struct core_cached_launch *cached)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < cached->in_flight_count; i++)
        if (cached->in_flight[i] != NULL)
            cached->in_flight[count++] = cached->in_flight[i];
    cached->in_flight_count = count;
}

bool core_launch_cache(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                       const struct trm_argument *arguments, uint32_t argument_count,
                       struct core_cached_launch *cached)
{
    struct base_saved_error saved;

    if (!can_cache(stream, kernel, arguments, argument_count))
        return false;
    base_error_save(&saved);
    int32_t status = core_launch_resolve(stream, kernel, grid, arguments, cached);
    base_error_restore(&saved);
    if (status != TRM_OK || cached->desc.groups[0] == 0)
        return false;
    cached->kernel = kernel;
    leave_out_none(cached);
    return true;
}

int32_t core_launch_enqueue_cached(struct core_stream *stream, const struct core_cached_launch *cached)
{
    struct trm_launch_desc desc = cached->desc;

    desc.kernel    = cached->kernel->kernel;
    desc.arguments = cached->arguments;
    return core_launch_enqueue(stream, cached->kernel, &desc, cached->in_flight, cached->in_flight_count);
}
