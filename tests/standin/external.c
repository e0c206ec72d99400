/* Imported memory and semaphores, which are files in memory. A semaphore is a file of 8 bytes with its value,
 * which any process that maps the file may change.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/standin/standin.h"

struct external_memory {
    struct object object;
    int file;
    uint64_t size;
};

struct external_semaphore {
    struct object object;
    int file;
    uint64_t *value;
    bool is_timeline;
};

/* ---- memory */

CUresult CUDAAPI cuImportExternalMemory(CUexternalMemory *extMem_out,
                                        const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc)
{
    struct context *context;
    struct stat about;
    CUresult result = enter_working(STANDIN_cuImportExternalMemory, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (extMem_out == NULL || memHandleDesc == NULL ||
        memHandleDesc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD ||
        fstat(memHandleDesc->handle.fd, &about) != 0 || (uint64_t)about.st_size < memHandleDesc->size)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct external_memory *memory = calloc(1, sizeof(*memory));
    if (memory == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    object_begin(&memory->object, OBJECT_EXTERNAL_MEMORY, context);
    memory->file = memHandleDesc->handle.fd; /* now the driver's */
    memory->size = memHandleDesc->size;
    *extMem_out  = object_handle(&memory->object);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                                 const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuExternalMemoryGetMappedBuffer, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct external_memory *memory = object_find(OBJECT_EXTERNAL_MEMORY, extMem);
    if (memory == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if (devPtr == NULL || bufferDesc == NULL || bufferDesc->size == 0 || bufferDesc->size > memory->size ||
        bufferDesc->offset > memory->size - bufferDesc->size || bufferDesc->offset % 4096 != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    void *place = mmap(NULL, bufferDesc->size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file,
                       (off_t)bufferDesc->offset);
    if (place == MAP_FAILED)
        return leave(CUDA_ERROR_MAP_FAILED);
    struct span span = {.address = (uint64_t)(uintptr_t)place,
                        .size    = bufferDesc->size,
                        .kind    = SPAN_EXTERNAL,
                        .context = context,
                        .device  = context->device,
                        .mapped  = bufferDesc->size,
                        .owner   = &memory->object};
    if (!span_add(&span, NULL)) {
        munmap(place, bufferDesc->size);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *devPtr = span.address;
    return leave(CUDA_SUCCESS);
}

void external_memory_destroy(struct object *object)
{
    struct external_memory *memory = (struct external_memory *)object;

    object_end(object);
    close(memory->file);
    free(memory);
}

CUresult CUDAAPI cuDestroyExternalMemory(CUexternalMemory extMem)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuDestroyExternalMemory, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct object *object = object_find(OBJECT_EXTERNAL_MEMORY, extMem);
    if (object == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    CUresult sticky = object->context->sticky;
    external_memory_destroy(object);
    return leave(sticky);
}

/* ---- semaphores */

static uint64_t *map_semaphore(int file)
{
    void *place = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    return place == MAP_FAILED ? NULL : place;
}

CUresult CUDAAPI cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
                                           const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuImportExternalSemaphore, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (extSem_out == NULL || semHandleDesc == NULL ||
        (semHandleDesc->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD &&
         semHandleDesc->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD))
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct stat about;
    if (fstat(semHandleDesc->handle.fd, &about) != 0 || about.st_size != sizeof(uint64_t))
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct external_semaphore *semaphore = calloc(1, sizeof(*semaphore));
    uint64_t *value                      = map_semaphore(semHandleDesc->handle.fd);
    if (semaphore == NULL || value == NULL) {
        free(semaphore);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    object_begin(&semaphore->object, OBJECT_EXTERNAL_SEMAPHORE, context);
    semaphore->file        = semHandleDesc->handle.fd; /* now the driver's */
    semaphore->value       = value;
    semaphore->is_timeline = semHandleDesc->type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    *extSem_out            = object_handle(&semaphore->object);
    return leave(CUDA_SUCCESS);
}

void external_semaphore_destroy(struct object *object)
{
    struct external_semaphore *semaphore = (struct external_semaphore *)object;

    object_end(object);
    munmap(semaphore->value, sizeof(uint64_t));
    close(semaphore->file);
    free(semaphore);
}

CUresult CUDAAPI cuDestroyExternalSemaphore(CUexternalSemaphore extSem)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuDestroyExternalSemaphore, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct object *object = object_find(OBJECT_EXTERNAL_SEMAPHORE, extSem);
    if (object == NULL)
        return leave(CUDA_ERROR_INVALID_HANDLE);
    CUresult sticky = object->context->sticky;
    /* What waits for it must be over. */
    context_drain(object->context);
    external_semaphore_destroy(object);
    return leave(sticky);
}

/* ---- semaphores in streams */

struct semaphore_operation {
    struct operation operation;
    uint64_t *place, value;
    bool is_timeline;
};

static bool is_signaled(const struct operation *operation)
{
    const struct semaphore_operation *wait = (const struct semaphore_operation *)operation;

    return __atomic_load_n(wait->place, __ATOMIC_ACQUIRE) >= wait->value;
}

static CUresult wait_run(struct operation *operation)
{
    const struct semaphore_operation *wait = (const struct semaphore_operation *)operation;

    if (!wait->is_timeline)
        __atomic_store_n(wait->place, 0, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

static CUresult signal_run(struct operation *operation)
{
    const struct semaphore_operation *signal = (const struct semaphore_operation *)operation;

    if (__atomic_load_n(signal->place, __ATOMIC_ACQUIRE) >= signal->value)
        standin_breach("a semaphore was signaled with a value that it has already");
    __atomic_store_n(signal->place, signal->value, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

static const struct operation_kind wait_kind   = {.is_ready = is_signaled, .run = wait_run, .polls = true};
static const struct operation_kind signal_kind = {.run = signal_run};

static CUresult enqueue(struct stream *stream, const struct operation_kind *kind, CUexternalSemaphore handle,
                        uint64_t value)
{
    struct external_semaphore *semaphore = object_find(OBJECT_EXTERNAL_SEMAPHORE, handle);

    if (semaphore == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    struct semaphore_operation *operation = calloc(1, sizeof(*operation));
    if (operation == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    operation->operation.kind = kind;
    operation->place          = semaphore->value;
    operation->value          = semaphore->is_timeline ? value : 1;
    operation->is_timeline    = semaphore->is_timeline;
    stream_enqueue(stream, &operation->operation);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                               const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                               unsigned int numExtSems, CUstream stream)
{
    struct context *context;
    struct stream *found;
    CUresult result = enter_stream(STANDIN_cuWaitExternalSemaphoresAsync, stream, &context, &found);

    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned int i = 0; i < numExtSems && result == CUDA_SUCCESS; i++)
        result = enqueue(found, &wait_kind, extSemArray[i], paramsArray[i].params.fence.value);
    return leave(result);
}

CUresult CUDAAPI cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                                 const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                                 unsigned int numExtSems, CUstream stream)
{
    struct context *context;
    struct stream *found;
    CUresult result = enter_stream(STANDIN_cuSignalExternalSemaphoresAsync, stream, &context, &found);

    if (result != CUDA_SUCCESS)
        return result;
    for (unsigned int i = 0; i < numExtSems && result == CUDA_SUCCESS; i++)
        result = enqueue(found, &signal_kind, extSemArray[i], paramsArray[i].params.fence.value);
    return leave(result);
}

/* ---- control */

int standin_signal_semaphore(int descriptor, uint64_t value)
{
    uint64_t *place = map_semaphore(descriptor);

    if (place == NULL)
        return -1;
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
    munmap(place, sizeof(*place));
    return 0;
}

int standin_semaphore(uint64_t value)
{
    int file = memfd_create("cuda-stand-in-semaphore", MFD_CLOEXEC);

    if (file < 0)
        return -1;
    if (ftruncate(file, sizeof(uint64_t)) == 0 && standin_signal_semaphore(file, value) == 0)
        return file;
    close(file);
    return -1;
}

uint64_t standin_semaphore_value(int descriptor)
{
    uint64_t *place = map_semaphore(descriptor);
    uint64_t value  = 0;

    if (place != NULL) {
        value = __atomic_load_n(place, __ATOMIC_ACQUIRE);
        munmap(place, sizeof(*place));
    }
    return value;
}
