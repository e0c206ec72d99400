/* Sinks: a function, memory, a file, or nothing.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "core/object/object.h"
#include "pipeline/queue/queue.h"

#define SINK_LEAST offsetof(struct trm_sink, path) + sizeof(const char *)
#define SLICE_MS ((int)(PIPELINE_SLICE_NS / 1000000))

/* ---- consuming ------------------------------------------------------------------------------ */

static int32_t consume_function(struct pipeline_sink *sink, const struct trm_token *token)
{
    int32_t status = sink->desc.consume(sink->desc.user, token);
    return status < 0 ? base_fail_program(status) : status;
}

void *pipeline_sink_address(const struct pipeline_sink *sink, uint64_t index)
{
    uint64_t offset, end;
    if (sink->desc.memory == NULL || __builtin_mul_overflow(index, sink->port_size, &offset) ||
        __builtin_add_overflow(offset, sink->port_size, &end) || end > sink->desc.memory_size)
        return NULL;
    return (char *)sink->desc.memory + offset;
}

static int32_t consume_memory(struct pipeline_sink *sink, const struct trm_token *token)
{
    uint64_t offset, end;
    uint64_t size    = token->size[sink->port];
    const void *data = token->data[sink->port];
    if (__builtin_mul_overflow(token->index, sink->port_size, &offset) ||
        __builtin_add_overflow(offset, size, &end) || end > sink->desc.memory_size)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "the memory of the sink is full: %" PRIu64 " bytes",
                         sink->desc.memory_size);
    char *address = (char *)sink->desc.memory + offset;
    if (address != data && size > 0)
        memcpy(address, data, size);
    return TRM_OK;
}

static int32_t fail_writing(const struct pipeline_sink *sink, int error)
{
    return base_fail(TRM_ERROR_IO, "writing %s: %s after %" PRIu64 " bytes", sink->desc.path, strerror(error),
                     sink->written);
}

/* Writes so that a broken pipe returns EPIPE and does not end the program: SIGPIPE is blocked meanwhile, and
 * consumed if this write raised it (it is sent to the writing thread). */
static ssize_t write_quietly(const struct pipeline_sink *sink, const char *data, size_t size)
{
    static const struct timespec at_once = {0, 0};
    sigset_t pipe_signal, before, pending;
    if (!sink->is_pipe)
        return write(sink->file, data, size);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t written = write(sink->file, data, size);
    int error       = errno;
    if (written < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe_signal, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return written;
}

static int32_t consume_file(struct pipeline_sink *sink, const struct trm_token *token)
{
    const char *data = token->data[sink->port];
    uint64_t size    = token->size[sink->port];
    uint64_t done    = 0;
    while (done < size) {
        ssize_t written = write_quietly(sink, data + done, size - done);
        if (written >= 0) {
            done += (uint64_t)written;
            sink->written += (uint64_t)written;
            continue;
        }
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return fail_writing(sink, errno);
        struct pollfd writable = {.fd = sink->file, .events = POLLOUT};
        poll(&writable, 1, SLICE_MS);
        if (pipeline_end_is_stopped(sink->pipeline))
            return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
    }
    return TRM_OK;
}

int32_t pipeline_sink_consume(struct pipeline_sink *sink, const struct trm_token *token)
{
    return sink->consume != NULL ? sink->consume(sink, token) : TRM_OK;
}

/* ---- opening -------------------------------------------------------------------------------- */

static int32_t only_port(struct pipeline_sink *sink, const char *what)
{
    const struct pipeline *pipeline = sink->pipeline;
    uint32_t outputs = pipeline_end_ports(pipeline, TRM_PORT_OUTPUT, &sink->port, &sink->port_size);
    if (outputs == 1)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "a sink that is %s takes the only output, but pipeline \"%s\" has %u outputs", what,
                     pipeline->name, outputs);
}

/* Opens a pipe without waiting, so that a cancel is noticed while the pipe has no reader. */
static int32_t open_path(struct pipeline_sink *sink)
{
    struct pipeline *pipeline    = sink->pipeline;
    struct pipeline_queue *queue = pipeline->queue;
    for (;;) {
        sink->file = open(sink->desc.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
        if (sink->file >= 0)
            return TRM_OK;
        if (errno != ENXIO && errno != EINTR)
            return fail_writing(sink, errno);
        base_biased_lock_acquire(&pipeline->lock);
        bool stopped = queue->stop == PIPELINE_STOPPED || queue->is_closing;
        if (!stopped)
            pipeline_sleep(pipeline, &queue->changed, &queue->change_waiters, pipeline_slice(BASE_NEVER));
        base_biased_lock_release(&pipeline->lock);
        if (stopped)
            return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
    }
}

static int32_t open_file(struct pipeline_sink *sink)
{
    struct stat facts;
    int32_t status = only_port(sink, "a file");
    if (status != TRM_OK)
        return status;
    status = open_path(sink);
    if (status != TRM_OK)
        return status;
    if (fstat(sink->file, &facts) != 0)
        return fail_writing(sink, errno);
    sink->is_pipe = !S_ISREG(facts.st_mode);
    if (sink->is_pipe)
        sink->desc.flags |= TRM_END_PACED;
    sink->consume = consume_file;
    return TRM_OK;
}

int32_t pipeline_sink_open(struct pipeline_sink *sink, struct pipeline *pipeline, const struct trm_sink *desc)
{
    *sink = (struct pipeline_sink){.pipeline = pipeline, .file = -1};
    if (desc == NULL)
        return TRM_OK;
    struct trm_sink known;
    if (!core_struct_copy_in(&known, sizeof(known), desc, SINK_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_sink.struct_size is %u, but its size is %zu",
                         desc->struct_size, sizeof(known));
    int ways = (known.consume != NULL) + (known.memory != NULL) + (known.path != NULL);
    if (ways > 1)
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT,
                                "a sink is a function, memory or a file, not several of them");
    int32_t status = pipeline_end_flags_check(known.flags, "sink");
    if (status != TRM_OK)
        return status;
    sink->desc      = known;
    sink->desc.name = NULL;
    pipeline_end_name(sink->name, known.name, known.path);
    if (known.path != NULL) {
        sink->desc.path = core_copy_text(pipeline->object.context, known.path);
        return sink->desc.path != NULL ? open_file(sink) : base_fail_memory("opening a sink");
    }
    if (known.consume != NULL) {
        sink->consume = consume_function;
        return TRM_OK;
    }
    if (known.memory == NULL)
        return TRM_OK;
    sink->consume = consume_memory;
    return only_port(sink, "memory");
}

int32_t pipeline_sink_close(struct pipeline_sink *sink)
{
    int32_t status = TRM_OK;
    if (sink->pipeline == NULL)
        return TRM_OK;
    if (sink->file >= 0 && close(sink->file) != 0 && errno != EINTR)
        status = fail_writing(sink, errno);
    if (sink->desc.path != NULL)
        core_free(sink->pipeline->object.context, (void *)(uintptr_t)sink->desc.path,
                  strlen(sink->desc.path) + 1);
    *sink = (struct pipeline_sink){.file = -1};
    return status;
}
