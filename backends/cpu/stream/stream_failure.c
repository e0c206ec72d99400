/* cpu backend: why streams failed.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SENTENCE_BYTES 512

/* Without memory for a sentence of its own. */
static struct cpu_failure *static_failure(int32_t status)
{
    static struct cpu_failure kernel    = {.status = TRM_ERROR_KERNEL, .sentence = "A kernel failed."};
    static struct cpu_failure memory    = {.status   = TRM_ERROR_OUT_OF_HOST_MEMORY,
                                           .sentence = "There was no host memory to run an operation."};
    static struct cpu_failure abandoned = {.status   = TRM_ERROR_CANCELLED,
                                           .sentence = "The stream was abandoned."};
    if (status == TRM_ERROR_KERNEL)
        return &kernel;
    return status == TRM_ERROR_OUT_OF_HOST_MEMORY ? &memory : &abandoned;
}

struct cpu_failure *cpu_failure_create(struct trm_backend_instance *instance, int32_t status,
                                       int64_t native_code, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);

    uint64_t length             = strlen(sentence) + 1;
    uint64_t size               = sizeof(struct cpu_failure) + length;
    struct cpu_failure *failure = cpu_allocate(instance, size);
    if (failure == NULL)
        return static_failure(status);
    atomic_init(&failure->references, 1);
    failure->status      = status;
    failure->native_code = native_code;
    failure->size        = size;
    failure->sentence    = memcpy(failure + 1, sentence, length);
    return failure;
}

struct cpu_failure *cpu_failure_retain(struct cpu_failure *failure)
{
    if (failure->size != 0)
        atomic_fetch_add_explicit(&failure->references, 1, memory_order_relaxed);
    return failure;
}

void cpu_failure_release(struct trm_backend_instance *instance, struct cpu_failure *failure)
{
    if (failure == NULL || failure->size == 0)
        return;
    if (atomic_fetch_sub_explicit(&failure->references, 1, memory_order_acq_rel) == 1)
        trm_util_release(instance->host, failure, failure->size);
}

int32_t cpu_stream_report_failure(struct trm_backend_stream *stream)
{
    const struct cpu_failure *failure = cpu_stream_failure(stream);
    if (failure == NULL)
        return TRM_OK;
    const struct trm_host *host = stream->scheduler->instance->host;
    return host->fail(host->context, failure->status, failure->native_code, failure->sentence);
}
