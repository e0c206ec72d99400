/* A stream's progress, its first failure, and waiting for it.
 *
 * Functions for a caller that holds only a reference pin the stream first; those for a caller that has
 * entered or pinned it end in _pinned.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/stream/stream_object.h"

/* Bits of core_stream.pins. */
#define CLOSED 1u  /* no pin is given any more */
#define WAITING 2u /* a thread sleeps until the count is 0 */
#define ONE 4u     /* a pin */

/* Stands for a failure without a sentence, for which there was no memory. */
static const struct base_failure status_only = {0};

static void advance(_Atomic uint64_t *word, uint64_t value)
{
    uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
    while (old < value && !atomic_compare_exchange_weak_explicit(word, &old, value, memory_order_release,
                                                                 memory_order_relaxed))
        ;
}

static bool is_complete(const struct core_stream *stream, uint64_t value)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire) >= value;
}

/* ---- pins ---------------------------------------------------------------------------------- */

/* A caller that finds the stream closed relies on its work having ended: so this acquires what closing
 * released. */
bool core_stream_try_pin(struct core_stream *stream)
{
    uint32_t pins = atomic_load_explicit(&stream->pins, memory_order_acquire);
    do {
        if (pins & CLOSED)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&stream->pins, &pins, pins + ONE, memory_order_acquire,
                                                    memory_order_acquire));
    return true;
}

void core_stream_pin(struct core_stream *stream)
{
    atomic_fetch_add_explicit(&stream->pins, ONE, memory_order_relaxed);
}

void core_stream_unpin(struct core_stream *stream, uint32_t count)
{
    uint32_t before = atomic_fetch_sub_explicit(&stream->pins, count * ONE, memory_order_release);
    if (before - count * ONE == (CLOSED | WAITING))
        base_futex_wake(&stream->pins, UINT32_MAX);
}

static void wait_for_pins(struct core_stream *stream)
{
    uint32_t pins = atomic_fetch_or_explicit(&stream->pins, CLOSED | WAITING, memory_order_acq_rel);
    for (pins |= CLOSED | WAITING; pins >= ONE;
         pins = atomic_load_explicit(&stream->pins, memory_order_acquire))
        base_futex_wait(&stream->pins, pins, BASE_NEVER);
}

/* ---- the first failure ----------------------------------------------------------------------- */

void core_stream_set_failure(struct core_stream *stream, int32_t status)
{
    struct core_context *context     = stream->object.context;
    const struct base_failure *first = NULL;
    if (atomic_load_explicit(&stream->failure, memory_order_relaxed) != NULL)
        return;

    struct base_failure *made        = core_allocate(context, sizeof(*made));
    const struct base_failure *cause = made;
    if (made == NULL) {
        int32_t none = TRM_OK;
        atomic_compare_exchange_strong(&stream->failure_status, &none, status);
        cause = &status_only;
    } else {
        base_failure_save(made, status);
    }
    if (!atomic_compare_exchange_strong(&stream->failure, &first, cause))
        core_free(context, made, sizeof(*made));
}

void core_stream_fail_after(struct core_stream *stream, uint64_t last, int32_t status)
{
    uint64_t none = UINT64_MAX;
    if (atomic_load_explicit(&stream->failure, memory_order_relaxed) == NULL)
        atomic_compare_exchange_strong(&stream->failed_after, &none, last);
    core_stream_set_failure(stream, status);
}

static int32_t raise_failure(const struct core_stream *stream, const struct base_failure *failure)
{
    if (failure != &status_only)
        return base_failure_raise(failure);
    return base_fail_static(atomic_load(&stream->failure_status),
                            "the stream has failed; there was no memory to keep the reason");
}

int32_t core_stream_check_failure(const struct core_stream *stream)
{
    const struct base_failure *failure = atomic_load_explicit(&stream->failure, memory_order_acquire);
    return LIKELY(failure == NULL) ? TRM_OK : raise_failure(stream, failure);
}

int32_t core_stream_failure_status(const struct core_stream *stream)
{
    const struct base_failure *failure = atomic_load_explicit(&stream->failure, memory_order_acquire);
    if (failure == NULL)
        return TRM_OK;
    return failure == &status_only ? atomic_load(&stream->failure_status) : failure->status;
}

/* The sentence of a failure that an enqueueing call has raised has the words already. */
static int32_t raise_earlier(const struct base_failure *failure)
{
    static const char words[] = "the stream failed earlier: ";
    char sentence[sizeof(words) + sizeof(failure->sentence)];
    if (strncmp(failure->sentence, words, sizeof(words) - 1) == 0)
        return base_failure_raise(failure);
    snprintf(sentence, sizeof(sentence), "%s%s", words, failure->sentence);
    return base_fail_native(failure->status, failure->native_code, sentence);
}

static int32_t check_lost(struct core_stream *stream)
{
    int32_t status = core_device_check(stream->device);
    if (status != TRM_OK)
        core_stream_set_failure(stream, status);
    return status;
}

int32_t core_stream_raise(struct core_stream *stream)
{
    const struct base_failure *failure = atomic_load_explicit(&stream->failure, memory_order_acquire);
    return failure != NULL ? raise_failure(stream, failure) : check_lost(stream);
}

int32_t core_stream_raise_earlier(struct core_stream *stream)
{
    const struct base_failure *failure = atomic_load_explicit(&stream->failure, memory_order_acquire);
    if (failure == NULL || failure == &status_only)
        return core_stream_raise(stream);
    return raise_earlier(failure);
}

void core_stream_free_failure(struct core_stream *stream)
{
    const struct base_failure *failure = atomic_load_explicit(&stream->failure, memory_order_acquire);
    if (failure != NULL && failure != &status_only)
        core_free(stream->object.context, (void *)failure, sizeof(*failure));
}

/* The backend has answered that the stream failed: its work touches no memory any more. */
static int32_t fail_stream(struct core_stream *stream, int32_t status)
{
    base_fail_backend(status);
    status = core_device_latch_loss(stream->device, status);
    core_stream_set_failure(stream, status);
    advance(&stream->completed, UINT64_MAX);
    return core_stream_check_failure(stream);
}

static COLD int32_t refuse_timeout(const struct core_stream *stream, const char *slot)
{
    return base_fail(TRM_ERROR_BACKEND,
                     "%s() of the backend %s returned TRM_ERROR_TIMEOUT, but it must not wait: report this "
                     "to the author of the backend",
                     slot, stream->device->backend->name);
}

static COLD int32_t refuse_number(const struct core_stream *stream, uint64_t completed, uint64_t enqueued)
{
    return base_fail(TRM_ERROR_ABI,
                     "stream.query() of the backend %s says that operation %" PRIu64
                     " is complete, but only %" PRIu64 " are enqueued: report this to the author of the "
                     "backend",
                     stream->device->backend->name, completed, enqueued);
}

/* The backend may complete an operation before core_stream_commit() has noted it as enqueued. */
int32_t core_stream_ask(struct core_stream *stream, uint64_t *completed)
{
    uint64_t answered = *completed;
    base_error_clear();
    int32_t status =
        core_answer(stream->device->backend, "stream.query", stream->ops->query(stream->backend, &answered));
    uint64_t enqueued = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    if (LIKELY(answered <= enqueued + 1))
        *completed = answered;
    else if (status == TRM_OK)
        return refuse_number(stream, answered, enqueued);
    return status;
}

/* An enqueueing call may fail because the stream has failed; query() tells. The stream does not record a
 * failure of the call alone, such as of a wait for another device that is lost: earlier work still runs. */
int32_t core_stream_commit_slow(struct core_stream *stream, const char *slot, int32_t answer)
{
    uint64_t completed = 0;
    int32_t status     = core_answer(stream->device->backend, slot, answer);
    base_fail_backend(status);
    if (status == TRM_ERROR_TIMEOUT)
        status = refuse_timeout(stream, slot);
    status = core_device_latch_loss(stream->device, status);
    if (status == TRM_ERROR_DEVICE_LOST && core_device_is_lost(stream->device))
        return fail_stream(stream, status);
    struct base_saved_error before;
    base_error_save(&before);
    int32_t asked = core_stream_ask(stream, &completed);
    if (asked != TRM_OK && asked != TRM_ERROR_TIMEOUT)
        return fail_stream(stream, asked);
    base_error_restore(&before);
    return status;
}

/* ---- asking ----------------------------------------------------------------------------------- */

static int32_t time_out(void)
{
    return base_fail_static(TRM_ERROR_TIMEOUT, "the stream has not reached that point yet");
}

/* Takes the backend's answer of query() or wait() about `value`. */
static int32_t note_answer(struct core_stream *stream, uint64_t completed, uint64_t value, int32_t status)
{
    if (status == TRM_OK)
        advance(&stream->completed, completed);
    else if (status != TRM_ERROR_TIMEOUT)
        return fail_stream(stream, status);
    return is_complete(stream, value) ? core_stream_check_failure(stream) : time_out();
}

int32_t core_stream_submit(struct core_stream *stream, uint64_t value)
{
    uint64_t enqueued = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    if (stream->ops->flush == NULL || atomic_load_explicit(&stream->flushed, memory_order_relaxed) >= value)
        return TRM_OK;
    base_error_clear();
    int32_t answer = stream->ops->flush(stream->backend);
    if (answer != TRM_OK)
        return core_stream_commit_slow(stream, "stream.flush", answer);
    advance(&stream->flushed, enqueued);
    core_object_log(&stream->object, TRM_LOG_DEBUG, "submitted up to operation %" PRIu64, enqueued);
    return TRM_OK;
}

/* Asks the backend how far the stream is. */
static int32_t query_backend(struct core_stream *stream, uint64_t value)
{
    uint64_t completed = 0;
    int32_t status     = core_stream_ask(stream, &completed);
    return note_answer(stream, completed, value, status);
}

int32_t core_stream_query_pinned(struct core_stream *stream, uint64_t value)
{
    int32_t status = core_stream_check(stream);
    if (status != TRM_OK || is_complete(stream, value))
        return status;
    status = core_stream_submit(stream, value);
    return status != TRM_OK ? status : query_backend(stream, value);
}

int32_t core_stream_query(struct core_stream *stream, uint64_t value)
{
    if (is_complete(stream, value) || !core_stream_try_pin(stream))
        return core_stream_check_failure(stream);
    int32_t status = core_stream_query_pinned(stream, value);
    core_stream_unpin(stream, 1);
    return status;
}

bool core_stream_has_finished(struct core_stream *stream, uint64_t value)
{
    if (is_complete(stream, value) || !core_stream_try_pin(stream))
        return true;
    struct base_saved_error before;
    uint64_t completed = 0;
    base_error_save(&before);
    int32_t status = core_stream_ask(stream, &completed);
    if (status == TRM_OK) {
        advance(&stream->completed, completed);
    } else if (status != TRM_ERROR_TIMEOUT) {
        fail_stream(stream, status);
        base_error_restore(&before);
    }
    core_stream_unpin(stream, 1);
    return is_complete(stream, value);
}

/* ---- waiting ---------------------------------------------------------------------------------- */

static COLD int32_t refuse_early_timeout(const struct core_stream *stream)
{
    return base_fail(TRM_ERROR_ABI,
                     "stream.wait() of the backend %s returned TRM_ERROR_TIMEOUT, but it was told to wait "
                     "for ever: report this to the author of the backend",
                     stream->device->backend->name);
}

static inline int32_t wait_once(struct core_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    base_error_clear();
    core_service_block();
    int32_t status = core_answer(stream->device->backend, "stream.wait",
                                 stream->ops->wait(stream->backend, value, timeout_ns));
    core_service_unblock();
    if (UNLIKELY(status == TRM_ERROR_TIMEOUT && timeout_ns == TRM_FOREVER))
        return refuse_early_timeout(stream);
    return status;
}

static inline int32_t wait_in_backend(struct core_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    core_object_log(&stream->object, TRM_LOG_DEBUG, "waiting for operation %" PRIu64, value);
    int32_t status = wait_once(stream, value, timeout_ns);
    core_object_log(&stream->object, TRM_LOG_DEBUG, "waited for operation %" PRIu64 ": %s", value,
                    trm_status_name(status));
    return note_answer(stream, value, value, status);
}

static int32_t fail_deadlock(void)
{
    return base_fail_static(
        TRM_ERROR_DEADLOCK,
        "a host callback would wait for itself: its stream goes on only when it has returned");
}

/* The stream has failed with `status`. If the core failed it, earlier operations still run and use memory:
 * waits until those have ended. */
static COLD int32_t wait_before_failure(struct core_stream *stream, int32_t status, uint64_t timeout_ns)
{
    uint64_t last = atomic_load(&stream->failed_after);
    if (last == UINT64_MAX || is_complete(stream, last) || core_callback_would_deadlock(stream, last) ||
        core_device_is_lost(stream->device))
        return status;
    if (wait_in_backend(stream, last, timeout_ns) == TRM_ERROR_TIMEOUT)
        return TRM_ERROR_TIMEOUT;
    return core_stream_check_failure(stream);
}

int32_t core_stream_wait_pinned(struct core_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    if (timeout_ns == 0)
        return core_stream_query_pinned(stream, value);
    int32_t status = core_stream_check(stream);
    if (status != TRM_OK)
        return wait_before_failure(stream, status, timeout_ns);
    if (is_complete(stream, value))
        return TRM_OK;
    if (core_callback_would_deadlock(stream, value))
        return fail_deadlock();
    return wait_in_backend(stream, value, timeout_ns);
}

int32_t core_stream_wait_value(struct core_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    if (is_complete(stream, value) || !core_stream_try_pin(stream))
        return core_stream_check_failure(stream);
    int32_t status = core_stream_wait_pinned(stream, value, timeout_ns);
    core_stream_unpin(stream, 1);
    return status;
}

int32_t core_stream_wait_finished(struct core_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    if (is_complete(stream, value))
        return TRM_OK;
    if (core_callback_would_deadlock(stream, value))
        return fail_deadlock();
    if (!core_stream_try_pin(stream))
        return TRM_OK;
    int32_t status = wait_in_backend(stream, value, timeout_ns);
    core_stream_unpin(stream, 1);
    return status == TRM_ERROR_TIMEOUT ? status : TRM_OK;
}

/* The backend does not know that the core failed the stream, and goes on with the earlier operations. Of a
 * lost device nothing has succeeded, since its memory is lost too. */
bool core_stream_has_succeeded(struct core_stream *stream, uint64_t value)
{
    uint64_t completed = 0;
    struct base_saved_error before;
    if (value > atomic_load(&stream->failed_after) || core_device_is_lost(stream->device) ||
        !core_stream_try_pin(stream))
        return false;
    base_error_save(&before);
    int32_t status = core_stream_ask(stream, &completed);
    if (status == TRM_OK && completed < value) {
        status    = wait_once(stream, value, TRM_FOREVER);
        completed = status == TRM_OK ? value : 0;
    }
    base_error_restore(&before);
    core_stream_unpin(stream, 1);
    return completed >= value;
}

void core_stream_close(struct core_stream *stream)
{
    uint64_t last = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    core_stream_submit(stream, last);
    if (!is_complete(stream, last))
        wait_in_backend(stream, last, TRM_FOREVER);
    core_service_block();
    wait_for_pins(stream);
    core_service_unblock();
}
