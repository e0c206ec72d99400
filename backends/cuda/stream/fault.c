/* cuda backend: accesses outside of variables, with the setting kernel.bounds.
 * SPDX-License-Identifier: MIT
 */
#include "fault.h"

#include <stdio.h>
#include <string.h>

#include "backends/cuda/memory/memory.h"
#include "stream_failure.h"

#define WRITTEN 2u /* the state of a record that is complete */

/* As cuda_bounds.c declares it in CUDA C. */
struct record {
    _Atomic uint32_t state;
    uint32_t reserved;
    int64_t index;
    uint64_t size;
    char kernel[96], what[168], where[136];
};

/* The record of one stream, as all streams that wait for it know it. */
struct fault {
    uint32_t references;
    struct record *record; /* NULL: its stream is destroyed */
    CUdeviceptr address;
    bool is_found;
    char sentence[512]; /* once it is found */
};

struct cuda_faults {
    struct fault *own;
    struct fault **followed;
    uint32_t count, capacity;
};

/* Guards all of the above. Nothing is called under it but the allocator. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- one record; with the lock --------------------------------------------------------------- */

static void describe(struct fault *fault)
{
    const struct record *record = fault->record;
    bool has_place              = record->where[0] != '\0';
    snprintf(fault->sentence, sizeof(fault->sentence),
             "Kernel '%.80s' failed: it used index %lld of %.160s, whose size is %llu%s%.120s%s",
             record->kernel, (long long)record->index, record->what, (unsigned long long)record->size,
             has_place ? " (" : "", record->where,
             has_place
                 ? ")."
                 : ". The shader has no line numbers: compile it with debug information (glslc -g) to see "
                   "the line.");
}

static bool is_found(struct fault *fault)
{
    if (!fault->is_found && fault->record != NULL &&
        atomic_load_explicit(&fault->record->state, memory_order_acquire) == WRITTEN) {
        describe(fault);
        fault->is_found = true;
    }
    return fault->is_found;
}

static void release(const struct trm_host *host, struct fault *fault)
{
    if (--fault->references == 0)
        trm_util_release(host, fault, sizeof(*fault));
}

/* ---- what a stream follows; with the lock ---------------------------------------------------- */

/* A stream that was destroyed without a fault is of no interest any more. */
static void forget_past(const struct trm_host *host, struct cuda_faults *faults)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < faults->count; i++) {
        if (faults->followed[i]->record != NULL || faults->followed[i]->is_found)
            faults->followed[kept++] = faults->followed[i];
        else
            release(host, faults->followed[i]);
    }
    faults->count = kept;
}

static bool grow(const struct trm_host *host, struct cuda_faults *faults)
{
    uint32_t capacity      = faults->capacity == 0 ? 8 : faults->capacity * 2;
    struct fault **widened = trm_util_allocate(host, capacity * sizeof(struct fault *));
    if (widened == NULL)
        return false;
    if (faults->count != 0)
        memcpy(widened, faults->followed, faults->count * sizeof(struct fault *));
    if (faults->followed != NULL)
        trm_util_release(host, faults->followed, faults->capacity * sizeof(struct fault *));
    faults->followed = widened;
    faults->capacity = capacity;
    return true;
}

static bool follow(const struct trm_host *host, struct cuda_faults *faults, struct fault *fault)
{
    if (fault == faults->own)
        return true;
    for (uint32_t i = 0; i < faults->count; i++)
        if (faults->followed[i] == fault)
            return true;
    if (faults->count == faults->capacity && !grow(host, faults))
        return false;
    fault->references++;
    faults->followed[faults->count++] = fault;
    return true;
}

/* ---- a stream -------------------------------------------------------------------------------- */

static int32_t make_record(struct trm_backend_device *device, struct fault *fault)
{
    void *memory = NULL;
    CUcontext previous;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    cuda_quiet_begin(device);
    CUresult result = cuda_memory_pin(device, sizeof(struct record), &fault->address, &memory);
    cuda_quiet_end(device);
    cuda_leave(device, previous);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuMemHostAlloc");
    fault->record = memset(memory, 0, sizeof(struct record));
    return TRM_OK;
}

int32_t cuda_faults_create(struct trm_backend_stream *stream)
{
    const struct trm_host *host = stream->instance->host;
    if (!trm_util_setting_is_on(host, "kernel.bounds"))
        return TRM_OK;
    struct cuda_faults *faults = trm_util_allocate(host, sizeof(*faults));
    struct fault *own          = trm_util_allocate(host, sizeof(*own));
    int32_t status             = faults == NULL || own == NULL
                                     ? trm_util_fail_host_memory(host, "a stream's record of faults")
                                     : make_record(stream->device, own);
    if (status != TRM_OK) {
        trm_util_release(host, faults, sizeof(*faults));
        trm_util_release(host, own, sizeof(*own));
        return status;
    }
    own->references = 1;
    faults->own     = own;
    stream->faults  = faults;
    return TRM_OK;
}

/* Streams that follow this one keep what its record says. */
static void close_record(struct trm_backend_device *device, struct fault *fault)
{
    CUcontext previous;
    pthread_mutex_lock(&lock);
    (void)is_found(fault);
    struct record *record = fault->record;
    fault->record         = NULL;
    pthread_mutex_unlock(&lock);
    (void)cuda_enter(device, &previous);
    cuda_quiet_begin(device);
    (void)device->cuda->cuMemFreeHost(record);
    cuda_quiet_end(device);
    cuda_leave(device, previous);
}

void cuda_faults_destroy(struct trm_backend_stream *stream)
{
    const struct trm_host *host = stream->instance->host;
    struct cuda_faults *faults  = stream->faults;
    if (faults == NULL)
        return;
    close_record(stream->device, faults->own);
    pthread_mutex_lock(&lock);
    release(host, faults->own);
    for (uint32_t i = 0; i < faults->count; i++)
        release(host, faults->followed[i]);
    pthread_mutex_unlock(&lock);
    if (faults->followed != NULL)
        trm_util_release(host, faults->followed, faults->capacity * sizeof(struct fault *));
    trm_util_release(host, faults, sizeof(*faults));
    stream->faults = NULL;
}

void cuda_fault_write_address(const struct trm_backend_stream *stream, uint8_t *to)
{
    uint64_t address = stream->faults->own->address;
    memcpy(to, &address, sizeof(address));
}

bool cuda_fault_follow(struct trm_backend_stream *stream, struct trm_backend_stream *other)
{
    const struct trm_host *host     = stream->instance->host;
    struct cuda_faults *faults      = stream->faults;
    const struct cuda_faults *their = other->faults;
    pthread_mutex_lock(&lock);
    forget_past(host, faults);
    bool is_followed = follow(host, faults, their->own);
    for (uint32_t i = 0; i < their->count && is_followed; i++)
        is_followed = follow(host, faults, their->followed[i]);
    pthread_mutex_unlock(&lock);
    return is_followed;
}

void cuda_faults_check(struct trm_backend_stream *stream)
{
    struct cuda_faults *faults = stream->faults;
    char sentence[sizeof(faults->own->sentence)];
    if ((atomic_load(&stream->submit_state) & CUDA_STREAM_REFUSES) != 0)
        return; /* it has failed already */
    pthread_mutex_lock(&lock);
    struct fault *first = is_found(faults->own) ? faults->own : NULL;
    for (uint32_t i = 0; i < faults->count && first == NULL; i++)
        first = is_found(faults->followed[i]) ? faults->followed[i] : NULL;
    if (first != NULL)
        memcpy(sentence, first->sentence, sizeof(sentence));
    pthread_mutex_unlock(&lock);
    if (first != NULL)
        cuda_stream_fail_ended(stream, TRM_ERROR_KERNEL, 1, sentence);
}
