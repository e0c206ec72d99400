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

static COLD int32_t fail_descriptor(const char *call)
{
    return base_fail(errno == ENOMEM ? TRM_ERROR_OUT_OF_HOST_MEMORY : TRM_ERROR_BACKEND,
                     "%s: a descriptor cannot be made: %s", call, strerror(errno));
}

int32_t core_signal_create(struct core_context *context, struct core_signal **signal)
{
    struct core_signal *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("a descriptor for an event loop");
    made->context    = context;
    made->next       = NULL;
    made->descriptor = -1;
    made->has_first  = false;
    atomic_init(&made->references, 1);
    atomic_init(&made->pending, 1);
    atomic_init(&made->state, CORE_SIGNAL_CLOSED);
    *signal = made;
    return TRM_OK;
}

static void make_readable(int descriptor)
{
    const uint64_t one = 1;
    while (write(descriptor, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

int32_t core_signal_open(struct core_signal *signal, const char *call, int32_t *descriptor)
{
    uint32_t closed = CORE_SIGNAL_CLOSED;
    bool is_raised  = atomic_load_explicit(&signal->state, memory_order_acquire) == CORE_SIGNAL_RAISED;
    int given       = eventfd(is_raised, EFD_CLOEXEC | EFD_NONBLOCK);
    if (given < 0)
        return fail_descriptor(call);
    if (!is_raised) {
        signal->descriptor = fcntl(given, F_DUPFD_CLOEXEC, 0);
        if (signal->descriptor < 0) {
            int32_t status = fail_descriptor(call);
            (void)close(given);
            return status;
        }
        /* The thread that raises it sees the descriptor, or this one sees that it was raised. */
        if (!atomic_compare_exchange_strong_explicit(&signal->state, &closed, CORE_SIGNAL_OPEN,
                                                     memory_order_acq_rel, memory_order_acquire))
            make_readable(given);
    }
    *descriptor = given;
    return TRM_OK;
}

void core_signal_retain(struct core_signal *signal)
{
    atomic_fetch_add_explicit(&signal->references, 1, memory_order_relaxed);
}

void core_signal_release(struct core_signal *signal)
{
    if (atomic_fetch_sub_explicit(&signal->references, 1, memory_order_acq_rel) > 1)
        return;
    if (signal->descriptor >= 0)
        (void)close(signal->descriptor);
    core_free(signal->context, signal, sizeof(*signal));
}

void core_signal_raise(struct core_signal *signal)
{
    if (atomic_exchange_explicit(&signal->state, CORE_SIGNAL_RAISED, memory_order_acq_rel) ==
        CORE_SIGNAL_OPEN)
        make_readable(signal->descriptor);
}

void core_signal_arm(struct core_signal *signal)
{
    if (atomic_fetch_sub_explicit(&signal->pending, 1, memory_order_acq_rel) == 1)
        core_signal_raise(signal);
}

static struct core_signal_entry *make_entry(struct core_signal *signal)
{
    if (signal->has_first)
        return core_allocate(signal->context, sizeof(struct core_signal_entry));
    signal->has_first = true;
    return &signal->first;
}

static void free_entry(struct core_signal *signal, struct core_signal_entry *entry)
{
    if (entry != &signal->first)
        core_free(signal->context, entry, sizeof(*entry));
}

/* A stream that has failed reaches no further operation: the program asks why. */
static void signal_notified(struct core_notification *notification, int32_t status)
{
    struct core_signal_entry *entry = base_container_of(notification, struct core_signal_entry, notification);
    struct core_signal *signal      = entry->signal;
    (void)status;
    free_entry(signal, entry);
    core_signal_arm(signal);
    core_signal_release(signal);
}

int32_t core_signal_add(struct core_signal *signal, struct core_stream *stream, uint64_t value)
{
    struct core_signal_entry *entry = make_entry(signal);
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
    free_entry(signal, entry);
    return status;
}
