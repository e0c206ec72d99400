/* What a pointer points to.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/standin/standin.h"

static bool is_of_host(const struct span *span)
{
    return span->kind == SPAN_PINNED || span->kind == SPAN_REGISTERED;
}

static CUmemorytype type_of(const struct span *span)
{
    return is_of_host(span) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

/* The size of the answer depends on what is asked. */
static CUresult answer(const struct span *span, CUpointer_attribute attribute, CUdeviceptr pointer,
                       void *data)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = span->context == NULL ? NULL : object_handle(&span->context->object);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned int *)data = type_of(span);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!is_of_host(span) && span->kind != SPAN_MANAGED)
            return CUDA_ERROR_INVALID_VALUE;
        *(CUdeviceptr *)data = pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(uint64_t *)data = span->id;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned int *)data = span->kind == SPAN_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = span->device != NULL    ? span->device->ordinal
                       : span->context != NULL ? span->context->device->ordinal
                                               : -1;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(uint32_t *)data = span->kind == SPAN_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = span->address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = span->size;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned int *)data = 1;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data = pool_handle(span->pool);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

/* Begins a call that asks about a pointer; as those of streams, it needs no current context. */
static CUresult enter_pointer(enum standin_function function)
{
    struct context *context;

    return standin_config.needs_context ? enter_working(function, &context) : enter(function);
}

CUresult CUDAAPI cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    CUresult result = enter_pointer(STANDIN_cuPointerGetAttribute);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_find(ptr, 1);
    if (data == NULL || span == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(answer(span, attribute, ptr, data));
}

static size_t answer_size(CUpointer_attribute attribute)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        return sizeof(int);
    default:
        return sizeof(uint64_t);
    }
}

/* Of a pointer that CUDA does not know, zeros; the ordinal is -2. */
CUresult CUDAAPI cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
                                        void **data, CUdeviceptr ptr)
{
    CUresult result = enter_pointer(STANDIN_cuPointerGetAttributes);

    if (result != CUDA_SUCCESS)
        return result;
    if (attributes == NULL || data == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct span *span = span_find(ptr, 1);
    for (unsigned int i = 0; i < numAttributes; i++) {
        memset(data[i], 0, answer_size(attributes[i]));
        if (span != NULL)
            (void)answer(span, attributes[i], ptr, data[i]);
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(int *)data[i] = -2;
    }
    return leave(CUDA_SUCCESS);
}
