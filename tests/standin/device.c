/* Devices.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/standin/standin.h"

static struct device devices[STANDIN_DEVICES_MOST];
static int device_count;
static atomic_int initialized_by;
static atomic_bool is_over;

/* Which process has called cuInit(). */
enum {
    NO_PROCESS,
    THIS_PROCESS,
    THE_PARENT
};

static void note_fork(void)
{
    if (initialized_by == THIS_PROCESS)
        initialized_by = THE_PARENT;
}

/* Each call looks at `initialized_by`, which takes less time than getpid(). */
__attribute__((constructor)) static void watch_forks(void)
{
    if (pthread_atfork(NULL, NULL, note_fork) != 0)
        is_over = true;
}

struct device *device_of(CUdevice ordinal)
{
    return ordinal >= 0 && ordinal < device_count ? &devices[ordinal] : NULL;
}

CUresult device_initialized(void)
{
    if (is_over)
        return CUDA_ERROR_DEINITIALIZED;
    return initialized_by == THIS_PROCESS ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

bool device_is_forked(void)
{
    return initialized_by == THE_PARENT;
}

/* The process ends. Running work is not waited for, since a test may hold it back. Takes no lock: in a forked
 * child, the thread that holds it may not exist. */
__attribute__((destructor)) static void end(void)
{
    is_over = true;
}

CUresult CUDAAPI cuInit(unsigned int Flags)
{
    CUresult result = enter_uninitialized(STANDIN_cuInit);

    if (result != CUDA_SUCCESS)
        return result;
    if (Flags != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (is_over)
        return leave(CUDA_ERROR_DEINITIALIZED);
    if (initialized_by == THIS_PROCESS)
        return leave(CUDA_SUCCESS);
    if (standin_config.devices == 0)
        return leave(CUDA_ERROR_NO_DEVICE);
    if (!workers_start(standin_config.workers))
        return leave(CUDA_ERROR_OPERATING_SYSTEM);
    guard_install();
    device_count = standin_config.devices;
    for (int i = 0; i < device_count; i++)
        devices[i].ordinal = i;
    initialized_by = THIS_PROCESS;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDriverGetVersion(int *driverVersion)
{
    CUresult result = enter_uninitialized(STANDIN_cuDriverGetVersion);

    if (result != CUDA_SUCCESS)
        return result;
    if (driverVersion == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *driverVersion = standin_config.driver;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDeviceGetCount(int *count)
{
    CUresult result = enter(STANDIN_cuDeviceGetCount);

    if (result != CUDA_SUCCESS)
        return result;
    if (count == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *count = device_count;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal)
{
    CUresult result = enter(STANDIN_cuDeviceGet);

    if (result != CUDA_SUCCESS)
        return result;
    if (device == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (device_of(ordinal) == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    *device = ordinal;
    return leave(CUDA_SUCCESS);
}

/* Begins a call that asks about a device. */
static CUresult enter_device(enum standin_function function, CUdevice dev, const void *output,
                             struct device **device)
{
    CUresult result = enter(function);

    if (result != CUDA_SUCCESS)
        return result;
    *device = device_of(dev);
    if (*device == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    return output == NULL ? leave(CUDA_ERROR_INVALID_VALUE) : CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetName(char *name, int len, CUdevice dev)
{
    struct device *device;
    CUresult result = enter_device(STANDIN_cuDeviceGetName, dev, name, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (len <= 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    snprintf(name, (size_t)len, "%s %d", standin_config.name, device->ordinal);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    static const char text[sizeof(uuid->bytes)] = "stand-in device";
    struct device *device;
    CUresult result = enter_device(STANDIN_cuDeviceGetUuid_v2, dev, uuid, &device);

    if (result != CUDA_SUCCESS || uuid == NULL)
        return result;
    memcpy(uuid->bytes, text, sizeof(text));
    uuid->bytes[sizeof(uuid->bytes) - 1] = (char)device->ordinal;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    struct device *device;
    CUresult result = enter_device(STANDIN_cuDeviceTotalMem_v2, dev, bytes, &device);

    if (result != CUDA_SUCCESS)
        return result;
    *bytes = standin_config.memory;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    struct device *device;
    CUresult result = enter_device(STANDIN_cuDeviceGetPCIBusId, dev, pciBusId, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (len < 13)
        return leave(CUDA_ERROR_INVALID_VALUE);
    snprintf(pciBusId, (size_t)len, "0000:%02X:00.0", (unsigned)device->ordinal + 1);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    struct device *device;
    CUresult result = enter_device(STANDIN_cuDeviceCanAccessPeer, dev, canAccessPeer, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (device_of(peerDev) == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    *canAccessPeer = standin_config.peers && dev != peerDev;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                         CUdevice dstDevice)
{
    struct device *device;
    CUresult result = enter_device(STANDIN_cuDeviceGetP2PAttribute, srcDevice, value, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (device_of(dstDevice) == NULL || srcDevice == dstDevice)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    *value = attrib == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ? 0 : standin_config.peers;
    return leave(CUDA_SUCCESS);
}

/* ---- attributes */

static int attribute(CUdevice_attribute attribute, const struct device *device, int *value)
{
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = standin_config.major;
        return 1;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = standin_config.minor;
        return 1;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
        *value = device->ordinal + 1;
        return 1;
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
        *value = standin_config.managed;
        return 1;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
        *value = standin_config.pools;
        return 1;
    case CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES:
        *value = 0;
        return 1;
    default:
        return 0;
    }
}

static const struct {
    CUdevice_attribute attribute;
    int value;
} attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, STANDIN_SHARED_BYTES},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, STANDIN_SHARED_BYTES + 1024},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 2147483647},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 256},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 131072},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 65000},
    {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH, 2097120},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, STANDIN_MULTIPROCESSORS},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 1},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
};

CUresult CUDAAPI cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    struct device *device;
    CUresult result = enter_device(STANDIN_cuDeviceGetAttribute, dev, pi, &device);

    if (result != CUDA_SUCCESS)
        return result;
    if (attrib <= 0 || attrib >= CU_DEVICE_ATTRIBUTE_MAX)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (attribute(attrib, device, pi))
        return leave(CUDA_SUCCESS);
    *pi = 0;
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        if (attributes[i].attribute == attrib)
            *pi = attributes[i].value;
    return leave(CUDA_SUCCESS);
}
