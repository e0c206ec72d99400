/* Descriptors that become readable when a point is reached, for event loops.
 *
 * The program owns its descriptor and may close it at any time, after which the number may name another file. So
 * what will be notified has a duplicate of its own.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/point.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/base.h"
#include "core/stream/notify.h"

struct signal {
    struct core_notification notification;
    struct core_context *context;
    int descriptor;
};

static void raise_signal(int descriptor)
{
    const uint64_t one = 1;
    while (write(descriptor, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static void signal_free(struct signal *signal)
{
    (void)close(signal->descriptor);
    core_free(signal->context, signal, sizeof(*signal));
}

/* A stream that has failed reaches no further point: the program reads the failure from the point. */
static void signal_notified(struct core_notification *notification, int32_t status)
{
    struct signal *signal = base_container_of(notification, struct signal, notification);
    (void)status;
    raise_signal(signal->descriptor);
    signal_free(signal);
}

static COLD int32_t fail_descriptor(void)
{
    return base_fail(errno == ENOMEM ? TRM_ERROR_OUT_OF_HOST_MEMORY : TRM_ERROR_BACKEND,
                     "trm_point_fd: a descriptor cannot be made: %s", strerror(errno));
}

static int32_t notify_later(struct core_stream *stream, uint64_t value, int descriptor)
{
    struct core_context *context = stream->object.context;
    struct signal *signal        = core_allocate(context, sizeof(*signal));
    if (signal == NULL)
        return base_fail_memory("a descriptor of a point");
    signal->notification.notified = signal_notified;
    signal->context               = context;
    signal->descriptor            = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (signal->descriptor < 0) {
        int32_t status = fail_descriptor();
        core_free(context, signal, sizeof(*signal));
        return status;
    }
    int32_t status = core_notify(stream, value, &signal->notification);
    if (status != TRM_OK)
        signal_free(signal);
    return status;
}

/* The stream is entered. */
static int32_t watch(struct core_stream *stream, uint64_t value, int descriptor)
{
    int32_t status = core_stream_query_pinned(stream, value);
    if (status == TRM_ERROR_TIMEOUT) {
        core_stream_submit(stream, value);
        status = notify_later(stream, value, descriptor);
        if (status == TRM_OK || core_stream_failure_status(stream) == TRM_OK)
            return status;
    }
    base_error_clear();
    raise_signal(descriptor);
    return TRM_OK;
}

int32_t trm_point_fd(struct trm_point point, int32_t *descriptor)
{
    int32_t status = core_output_check(descriptor, "trm_point_fd", "descriptor");
    if (status != TRM_OK)
        return status;
    struct core_stream *stream = core_point_enter(point);
    if (stream == NULL)
        return base_last_status();
    int made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    status   = made < 0 ? fail_descriptor() : watch(stream, point.value, made);
    core_object_leave(&stream->object);
    if (status == TRM_OK)
        *descriptor = made;
    else if (made >= 0)
        (void)close(made);
    return status;
}
