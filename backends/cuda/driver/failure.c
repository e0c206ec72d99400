/* cuda backend: translates CUresults to statuses and explains failures.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "driver.h"

/* ---- CUresults ------------------------------------------------------------------------------- */

/* Newer than the oldest cuda.h that the backend is built with. */
#define ERROR_CONTAINED ((CUresult)226)
#define ERROR_TENSOR_MEMORY_LEAK ((CUresult)721)

/* All others are TRM_ERROR_BACKEND. */
static const struct {
    CUresult result;
    int32_t status;
} results[] = {
    {CUDA_SUCCESS, TRM_OK},
    {CUDA_ERROR_INVALID_VALUE, TRM_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_OUT_OF_MEMORY, TRM_ERROR_OUT_OF_DEVICE_MEMORY},
    {CUDA_ERROR_STUB_LIBRARY, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, TRM_ERROR_BUSY},
    {CUDA_ERROR_NO_DEVICE, TRM_ERROR_NOT_FOUND},
    {CUDA_ERROR_INVALID_DEVICE, TRM_ERROR_NOT_FOUND},
    {CUDA_ERROR_DEVICE_NOT_LICENSED, TRM_ERROR_PERMISSION},
    {CUDA_ERROR_INVALID_IMAGE, TRM_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_UNSUPPORTED_LIMIT, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_INVALID_PTX, TRM_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_JIT_COMPILATION_DISABLED, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_INVALID_SOURCE, TRM_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_FILE_NOT_FOUND, TRM_ERROR_NOT_FOUND},
    {CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_INVALID_HANDLE, TRM_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_NOT_FOUND, TRM_ERROR_NOT_FOUND},
    {CUDA_ERROR_NOT_READY, TRM_ERROR_BUSY},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, TRM_ERROR_OUT_OF_RANGE},
    {CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, TRM_ERROR_BUSY},
    {CUDA_ERROR_TOO_MANY_PEERS, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, TRM_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, TRM_ERROR_INVALID_ARGUMENT},
    {CUDA_ERROR_NOT_PERMITTED, TRM_ERROR_PERMISSION},
    {CUDA_ERROR_NOT_SUPPORTED, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_SYSTEM_NOT_READY, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, TRM_ERROR_UNSUPPORTED},
    {CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, TRM_ERROR_BUSY},
    {CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, TRM_ERROR_BUSY},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, TRM_ERROR_BUSY},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, TRM_ERROR_BUSY},
    {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, TRM_ERROR_BUSY},
    {CUDA_ERROR_TIMEOUT, TRM_ERROR_TIMEOUT},
};

int32_t cuda_status(CUresult result)
{
    if (cuda_is_sticky(result))
        return TRM_ERROR_DEVICE_LOST;
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (results[i].result == result)
            return results[i].status;
    }
    return TRM_ERROR_BACKEND;
}

/* The errors after which, according to cuda.h, the context or the process is in an inconsistent state or
 * the context is gone; and CUDA_ERROR_UNKNOWN, which a driver answers for a device that has fallen off its
 * bus. */
bool cuda_is_sticky(CUresult result)
{
    switch ((int)result) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_UNKNOWN:
        return true;
    default:
        return false;
    }
}

const char *cuda_result_name(const struct trm_backend_instance *instance, CUresult result)
{
    const char *name = NULL;
    if (instance->cuda.cuGetErrorName == NULL ||
        instance->cuda.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == NULL)
        return "an error that the driver has no name for";
    return name;
}

void cuda_result_describe(const struct trm_backend_instance *instance, CUresult result,
                          char text[CUDA_DESCRIPTION_BYTES])
{
    const char *words = NULL;
    text[0]           = '\0';
    if (instance->cuda.cuGetErrorString != NULL &&
        instance->cuda.cuGetErrorString(result, &words) == CUDA_SUCCESS && words != NULL)
        snprintf(text, CUDA_DESCRIPTION_BYTES, " (%s)", words);
}

int32_t cuda_instance_fail(const struct trm_backend_instance *instance, CUresult result, const char *call)
{
    char text[CUDA_DESCRIPTION_BYTES];
    cuda_result_describe(instance, result, text);
    return trm_util_fail(instance->host, cuda_status(result), result, "%s failed: %s%s.", call,
                         cuda_result_name(instance, result), text);
}

/* ---- lost devices ---------------------------------------------------------------------------- */

static int32_t fail_lost(struct trm_backend_device *device)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_DEVICE_LOST, device->lost_result, "%s",
                         device->lost_sentence);
}

int32_t cuda_device_fail(struct trm_backend_device *device, CUresult result, const char *call)
{
    char text[CUDA_DESCRIPTION_BYTES];
    if (cuda_is_sticky(result))
        device->on_loss(device, result, call);
    if (cuda_device_is_lost(device))
        return fail_lost(device);
    cuda_result_describe(device->instance, result, text);
    return trm_util_fail(device->instance->host, cuda_status(result), result,
                         "%s of the device %s failed: %s%s.", call, device->physical->name,
                         cuda_result_name(device->instance, result), text);
}

/* A query of any stream tells of an error of the whole context. */
bool cuda_device_ask(struct trm_backend_device *device)
{
    CUcontext previous;
    if (cuda_device_is_lost(device) || cuda_enter_stream(device, &previous) != TRM_OK)
        return cuda_device_is_lost(device);
    CUresult result = device->cuda->cuStreamQuery(device->internal_stream);
    cuda_leave(device, previous);
    if (!cuda_is_sticky(result))
        return false;
    (void)cuda_device_fail(device, result, "cuStreamQuery");
    return true;
}

int32_t cuda_device_check(struct trm_backend_device *device)
{
    return cuda_device_is_lost(device) ? fail_lost(device) : TRM_OK;
}
