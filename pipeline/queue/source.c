/* Sources: a function, memory, a file, or only a count.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/queue/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/object/object.h"
#include "pipeline/queue/queue.h"

#define SOURCE_LEAST offsetof(struct trm_source, path) + sizeof(const char *)
#define SLICE_MS ((int)(PIPELINE_SLICE_NS / 1000000))

/* ---- filling -------------------------------------------------------------------------------- */

static int32_t fill_function(struct pipeline_source *source, struct trm_token *token)
{
    int32_t answer = source->desc.fill(source->desc.user, token);
    return answer < 0 ? base_fail_program(answer) : answer;
}

static int32_t fill_nothing(struct pipeline_source *source, struct trm_token *token)
{
    (void)source;
    (void)token;
    return TRM_OK;
}

/* The bytes of a token in data of known size; 0: it is past the end. */
static uint64_t part_of(const struct pipeline_source *source, uint64_t index, uint64_t *offset)
{
    if (__builtin_mul_overflow(index, source->port_size, offset) || *offset >= source->size)
        return 0;
    uint64_t rest = source->size - *offset;
    return rest < source->port_size ? rest : source->port_size;
}

static int32_t fill_memory(struct pipeline_source *source, struct trm_token *token)
{
    uint64_t offset;
    uint64_t size = part_of(source, token->index, &offset);
    if (size == 0)
        return TRM_TOKEN_END;
    /* Uploads only read it. */
    token->data[source->port] = (char *)(uintptr_t)source->desc.memory + offset;
    token->size[source->port] = size;
    return TRM_OK;
}

static int32_t fail_reading(const struct pipeline_source *source, int error)
{
    return base_fail(TRM_ERROR_IO, "reading %s: %s", source->desc.path, strerror(error));
}

/* A part of a regular file; any thread, any order. */
static int32_t fill_part(struct pipeline_source *source, struct trm_token *token)
{
    uint64_t offset;
    uint64_t done = 0;
    uint64_t size = part_of(source, token->index, &offset);
    char *data    = token->data[source->port];
    if (size == 0)
        return TRM_TOKEN_END;
    while (done < size) {
        ssize_t got = pread(source->file, data + done, size - done, (off_t)(offset + done));
        if (got > 0)
            done += (uint64_t)got;
        else if (got == 0)
            return base_fail(TRM_ERROR_IO,
                             "reading %s: the file ended after %" PRIu64 " bytes instead of %" PRIu64,
                             source->desc.path, offset + done, source->size);
        else if (errno != EINTR)
            return fail_reading(source, errno);
    }
    token->size[source->port] = size;
    return TRM_OK;
}

/* Waits in slices until there is something to read, so that a cancel is noticed. read() reports the end of a
 * pipe that has no writer yet, poll() does not. */
static int32_t wait_readable(struct pipeline_source *source)
{
    struct pollfd readable = {.fd = source->file, .events = POLLIN};
    while (poll(&readable, 1, SLICE_MS) <= 0) {
        if (pipeline_end_is_stopped(source->pipeline))
            return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
    }
    return TRM_OK;
}

/* The next bytes of a pipe. */
static int32_t fill_next(struct pipeline_source *source, struct trm_token *token)
{
    uint64_t done  = 0;
    char *data     = token->data[source->port];
    int32_t status = source->position == 0 ? wait_readable(source) : TRM_OK;
    while (status == TRM_OK && done < source->port_size) {
        ssize_t got = read(source->file, data + done, source->port_size - done);
        if (got == 0)
            break;
        if (got > 0)
            done += (uint64_t)got;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            status = wait_readable(source);
        else if (errno != EINTR)
            status = fail_reading(source, errno);
    }
    if (status != TRM_OK)
        return status;
    source->position += done;
    token->size[source->port] = done;
    return done > 0 ? TRM_OK : TRM_TOKEN_END;
}

int32_t pipeline_source_fill(struct pipeline_source *source, struct trm_token *token)
{
    return source->fill(source, token);
}

/* ---- opening -------------------------------------------------------------------------------- */

/* The only input. */
static int32_t only_port(struct pipeline_source *source, const char *what)
{
    const struct pipeline *pipeline = source->pipeline;
    uint32_t inputs = pipeline_end_ports(pipeline, TRM_PORT_INPUT, &source->port, &source->port_size);
    if (inputs == 1)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "a source of %s is cut into tokens of the only input, but pipeline \"%s\" has %u inputs",
                     what, pipeline->name, inputs);
}

/* Limits the count to the tokens that data of known size has. */
static void count_parts(struct pipeline_source *source)
{
    uint64_t parts = source->size / source->port_size + (source->size % source->port_size != 0);
    if (parts != 0 && (source->desc.count == 0 || parts < source->desc.count))
        source->desc.count = parts;
}

static int32_t open_memory(struct pipeline_source *source)
{
    int32_t status = only_port(source, "memory");
    if (status != TRM_OK)
        return status;
    source->size = source->desc.memory_size;
    source->fill = fill_memory;
    count_parts(source);
    return TRM_OK;
}

static int32_t open_file(struct pipeline_source *source)
{
    struct stat facts;
    int32_t status = only_port(source, "a file");
    if (status != TRM_OK)
        return status;
    /* Opening a pipe that has no writer yet must not block here. */
    source->file = open(source->desc.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (source->file < 0 || fstat(source->file, &facts) != 0)
        return fail_reading(source, errno);
    if (S_ISDIR(facts.st_mode))
        return fail_reading(source, EISDIR);
    bool is_pipe = !S_ISREG(facts.st_mode);
    source->fill = is_pipe ? fill_next : fill_part;
    if (is_pipe) {
        source->desc.flags |= TRM_END_SERIAL | TRM_END_PACED;
        return TRM_OK;
    }
    source->size = (uint64_t)facts.st_size;
    count_parts(source);
    return TRM_OK;
}

static int32_t open_count(struct pipeline_source *source)
{
    const struct pipeline *pipeline = source->pipeline;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        if (pipeline->ports[i].kind == TRM_PORT_INPUT)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "pipeline \"%s\" has inputs: its source needs a function, memory or a file",
                             pipeline->name);
    }
    if (source->desc.count == 0)
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT,
                                "a source without a function, memory or a file needs a count of tokens");
    source->fill = fill_nothing;
    return TRM_OK;
}

static int32_t open_kind(struct pipeline_source *source)
{
    const struct trm_source *desc = &source->desc;
    int ways                      = (desc->fill != NULL) + (desc->memory != NULL) + (desc->path != NULL);
    if (ways > 1)
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT,
                                "a source is a function, memory or a file, not several of them");
    if (desc->fill != NULL) {
        source->fill = fill_function;
        return TRM_OK;
    }
    if (desc->memory != NULL)
        return open_memory(source);
    return desc->path != NULL ? open_file(source) : open_count(source);
}

int32_t pipeline_end_flags_check(uint32_t flags, const char *end)
{
    if ((flags & ~(uint32_t)(TRM_END_SERIAL | TRM_END_PACED)) == 0)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the flags of the %s, 0x%x, have unknown bits", end, flags);
}

bool pipeline_end_is_stopped(struct pipeline *pipeline)
{
    base_biased_lock_acquire(&pipeline->lock);
    bool stopped = pipeline->queue->stop == PIPELINE_STOPPED || pipeline->queue->is_closing;
    base_biased_lock_release(&pipeline->lock);
    return stopped;
}

uint32_t pipeline_end_ports(const struct pipeline *pipeline, int32_t kind, uint32_t *port, uint64_t *size)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        if (pipeline->ports[i].kind != kind)
            continue;
        count++;
        *port = i;
        *size = pipeline->ports[i].size;
    }
    return count;
}

void pipeline_end_name(char name[64], const char *given, const char *path)
{
    base_text_copy(name, 64, given != NULL ? given : path != NULL ? path : "");
}

int32_t pipeline_source_open(struct pipeline_source *source, struct pipeline *pipeline,
                             const struct trm_source *desc)
{
    *source = (struct pipeline_source){.pipeline = pipeline, .file = -1};
    if (desc == NULL)
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT, "the source is NULL");
    if (!core_struct_copy_in(&source->desc, sizeof(source->desc), desc, SOURCE_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_source.struct_size is %u, but its size is %zu",
                         desc->struct_size, sizeof(source->desc));
    if (source->desc.path != NULL) {
        source->desc.path = core_copy_text(pipeline->object.context, source->desc.path);
        if (source->desc.path == NULL)
            return base_fail_memory("opening a source");
    }
    pipeline_end_name(source->name, source->desc.name, source->desc.path);
    source->desc.name = NULL;
    int32_t status    = pipeline_end_flags_check(source->desc.flags, "source");
    if (status == TRM_OK)
        status = open_kind(source);
    source->in_order = (source->desc.flags & TRM_END_SERIAL) != 0;
    return status;
}

void pipeline_source_close(struct pipeline_source *source)
{
    if (source->pipeline == NULL)
        return;
    if (source->file >= 0)
        close(source->file);
    if (source->desc.path != NULL)
        core_free(source->pipeline->object.context, (void *)(uintptr_t)source->desc.path,
                  strlen(source->desc.path) + 1);
    *source = (struct pipeline_source){.file = -1};
}
