/* Descriptors that become readable when a point is reached, for event loops.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/point.h>

#include <unistd.h>

#include "base/base.h"
#include "core/stream/signal.h"

/* The stream is entered. */
static int32_t watch(struct core_stream *stream, uint64_t value, struct core_signal *signal)
{
    int32_t status = core_stream_query_pinned(stream, value);
    if (status == TRM_ERROR_TIMEOUT) {
        core_stream_submit(stream, value);
        status = core_signal_add(signal, stream, value);
        if (status != TRM_OK && core_stream_failure_status(stream) == TRM_OK)
            return status;
    }
    base_error_clear();
    core_signal_arm(signal);
    return TRM_OK;
}

int32_t trm_point_fd(struct trm_point point, int32_t *descriptor)
{
    struct core_signal *signal;
    int32_t made;
    int32_t status = core_output_check(descriptor, "trm_point_fd", "descriptor");
    if (status != TRM_OK)
        return status;
    struct core_stream *stream = core_point_enter(point);
    if (stream == NULL)
        return base_last_status();
    status = core_signal_create(stream->object.context, "trm_point_fd", &made, &signal);
    if (status == TRM_OK) {
        status = watch(stream, point.value, signal);
        core_signal_release(signal);
        if (status == TRM_OK)
            *descriptor = made;
        else
            (void)close(made);
    }
    core_object_leave(&stream->object);
    return status;
}
