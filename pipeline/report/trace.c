/* Traces in their formats.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/trace.h"

#include "base/base.h"
#include "pipeline/report/report.h"

int32_t pipeline_trace_check_format(int32_t format)
{
    if (format == TRM_TRACE_EVENTS || format == TRM_TRACE_TIMELINE)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%d is not a trace format", format);
}

const char *pipeline_trace_status(int32_t status)
{
    switch (status) {
    case TRM_TOKEN_SKIP:
        return "skipped";
    case PIPELINE_TOKEN_DROPPED:
        return "dropped";
    case PIPELINE_TOKEN_EXPIRED:
        return "expired";
    case TRM_ERROR_CANCELLED:
        return "cancelled";
    default:
        return trm_status_name(status);
    }
}

int32_t pipeline_trace_write(struct core_context *context, const struct pipeline_measure *measure,
                             const struct trm_report *report, int32_t format, trm_write_fn write, void *user)
{
    struct pipeline_writer writer;
    struct pipeline_trace trace;
    int32_t written;
    int32_t status = pipeline_trace_init(context, measure, report, &trace);

    if (status != TRM_OK)
        return status;
    pipeline_writer_begin(&writer, write, user);
    if (format == TRM_TRACE_EVENTS)
        status = pipeline_trace_events(&trace, &writer);
    else
        pipeline_trace_timeline(&trace, &writer);
    written = pipeline_writer_end(&writer);
    pipeline_trace_fini(&trace);
    return status != TRM_OK ? status : written;
}
