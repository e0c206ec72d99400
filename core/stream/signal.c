/* Descriptors that become readable when operations of streams have ended.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/signal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/base.h"
#include "core/stream/notify.h"

struct signal_entry {
    struct core_notification notification;
    struct core_signal *signal;
};

static COLD int32_t fail_descriptor(const char *call)
{
    return base_fail(errno == ENOMEM ? TRM_ERROR_OUT_OF_HOST_MEMORY : TRM_ERROR_BACKEND,
                     "%s: a descriptor cannot be made: %s", call, strerror(errno));
}

int32_t core_signal_create(struct core_context *context, const char *call, int32_t *descriptor,
                           struct core_signal **signal)
{
    int32_t status;
    struct core_signal *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("a descriptor for an event loop");
    int given = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (given < 0) {
        status = fail_descriptor(call);
        goto free_signal;
    }
    made->descriptor = fcntl(given, F_DUPFD_CLOEXEC, 0);
    if (made->descriptor < 0) {
        status = fail_descriptor(call);
        goto close_given;
    }
    made->context = context;
    made->next    = NULL;
    atomic_init(&made->references, 1);
    atomic_init(&made->pending, 1);
    atomic_init(&made->is_raised, false);
    *descriptor = given;
    *signal     = made;
    return TRM_OK;

close_given:
    (void)close(given);
free_signal:
    core_free(context, made, sizeof(*made));
    return status;
}

void core_signal_retain(struct core_signal *signal)
{
    atomic_fetch_add_explicit(&signal->references, 1, memory_order_relaxed);
}

void core_signal_release(struct core_signal *signal)
{
    if (atomic_fetch_sub_explicit(&signal->references, 1, memory_order_acq_rel) > 1)
        return;
    (void)close(signal->descriptor);
    core_free(signal->context, signal, sizeof(*signal));
}

void core_signal_raise(struct core_signal *signal)
{
    const uint64_t one = 1;
    if (atomic_exchange_explicit(&signal->is_raised, true, memory_order_relaxed))
        return;
    while (write(signal->descriptor, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

void core_signal_arm(struct core_signal *signal)
{
    if (atomic_fetch_sub_explicit(&signal->pending, 1, memory_order_acq_rel) == 1)
        core_signal_raise(signal);
}

/* A stream that has failed reaches no further operation: the program asks why. */
static void signal_notified(struct core_notification *notification, int32_t status)
{
    struct signal_entry *entry = base_container_of(notification, struct signal_entry, notification);
    struct core_signal *signal = entry->signal;
    (void)status;
    core_free(signal->context, entry, sizeof(*entry));
    core_signal_arm(signal);
    core_signal_release(signal);
}

int32_t core_signal_add(struct core_signal *signal, struct core_stream *stream, uint64_t value)
{
    struct signal_entry *entry = core_allocate(signal->context, sizeof(*entry));
    if (entry == NULL)
        return base_fail_memory("a descriptor for an event loop");
    entry->notification.notified = signal_notified;
    entry->signal                = signal;
    core_signal_retain(signal);
    atomic_fetch_add_explicit(&signal->pending, 1, memory_order_relaxed);
    int32_t status = core_notify(stream, value, &entry->notification);
    if (status == TRM_OK)
        return TRM_OK;
    atomic_fetch_sub_explicit(&signal->pending, 1, memory_order_relaxed);
    core_signal_release(signal);
    core_free(signal->context, entry, sizeof(*entry));
    return status;
}
