/* Traces in their formats.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/trace.h"

#include "base/base.h"
#include "pipeline/report/report.h"

int32_t core_trace_check_format(int32_t format)
{
    if (format == TRM_TRACE_EVENTS || format == TRM_TRACE_TIMELINE)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%d is not a trace format", format);
}

int32_t core_trace_write(struct core_context *context, const struct core_measure *measure,
                         const struct trm_report *report, int32_t format, trm_write_fn write, void *user)
{
    struct core_writer writer;
    struct core_trace trace;
    int32_t written;
    int32_t status = core_trace_init(context, measure, report, &trace);

    if (status != TRM_OK)
        return status;
    core_writer_begin(&writer, write, user);
    if (format == TRM_TRACE_EVENTS)
        status = core_trace_events(&trace, &writer);
    else
        core_trace_timeline(&trace, &writer);
    written = core_writer_end(&writer);
    core_trace_fini(&trace);
    return status != TRM_OK ? status : written;
}
