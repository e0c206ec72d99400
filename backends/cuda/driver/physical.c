/* cuda backend: asks the driver for its devices and what each can do.
 * SPDX-License-Identifier: MIT
 */
#include "driver.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CUDA_DEVICE_MAX_CONNECTIONS: what the driver takes without the variable, and at most. */
#define CONNECTIONS_USUAL 8
#define CONNECTIONS_MOST 32

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A device that is queried, and its first error. */
struct query {
    const struct trm_backend_instance *instance;
    CUdevice handle;
    CUresult result;
};

/* 0 for an attribute that the driver does not know. */
static int get_attribute(struct query *query, CUdevice_attribute attribute)
{
    int answer      = 0;
    CUresult result = query->instance->cuda.cuDeviceGetAttribute(&answer, attribute, query->handle);
    if (result == CUDA_SUCCESS)
        return answer;
    if (result != CUDA_ERROR_INVALID_VALUE && query->result == CUDA_SUCCESS)
        query->result = result;
    return 0;
}

static void find_limits(struct query *query, struct cuda_physical *physical)
{
    const struct {
        CUdevice_attribute attribute;
        int *answer;
    } limits[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &physical->major},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &physical->units},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &physical->warp},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &physical->group_items},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &physical->group_size[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &physical->group_size[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &physical->group_size[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &physical->grid[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &physical->grid[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &physical->grid[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &physical->shared_bytes},
    };
    for (size_t i = 0; i < COUNT(limits); i++) {
        *limits[i].answer = get_attribute(query, limits[i].attribute);
        /* Every driver knows these, and they are positive for every device. */
        if (*limits[i].answer <= 0 && query->result == CUDA_SUCCESS)
            query->result = CUDA_ERROR_INVALID_VALUE;
    }
}

/* As the program's environment asks for them; the driver reads the variable too, when a context is made. */
static int connections(void)
{
    const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    long number      = text != NULL ? strtol(text, NULL, 10) : 0;
    return number >= 1 && number <= CONNECTIONS_MOST ? (int)number : CONNECTIONS_USUAL;
}

static void find_facts(struct query *query, struct cuda_physical *physical)
{
    int shared_bytes       = get_attribute(query, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    physical->minor        = get_attribute(query, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    physical->copy_engines = get_attribute(query, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
    physical->connections  = connections();
    physical->compute_mode = get_attribute(query, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
    physical->shared_bytes = shared_bytes > physical->shared_bytes ? shared_bytes : physical->shared_bytes;
    physical->cache_bytes  = (uint64_t)get_attribute(query, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    physical->clock_hz     = (uint64_t)get_attribute(query, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1000u;
}

static bool has_pools(const struct cuda_functions *cuda)
{
    return cuda->cuMemPoolCreate != NULL && cuda->cuMemPoolDestroy != NULL &&
           cuda->cuMemPoolSetAttribute != NULL && cuda->cuMemPoolGetAttribute != NULL &&
           cuda->cuMemPoolTrimTo != NULL && cuda->cuMemPoolSetAccess != NULL &&
           cuda->cuMemAllocFromPoolAsync != NULL && cuda->cuMemFreeAsync != NULL;
}

static bool has_virtual_memory(const struct cuda_functions *cuda)
{
    return cuda->cuMemCreate != NULL && cuda->cuMemRelease != NULL && cuda->cuMemAddressReserve != NULL &&
           cuda->cuMemAddressFree != NULL && cuda->cuMemMap != NULL && cuda->cuMemUnmap != NULL &&
           cuda->cuMemSetAccess != NULL && cuda->cuMemExportToShareableHandle != NULL &&
           cuda->cuMemImportFromShareableHandle != NULL && cuda->cuMemGetAllocationGranularity != NULL;
}

/* Drivers before CUDA 12 do not answer this query; then the backend assumes that the device can.
 * Integrated devices cannot share memory so, whatever the driver says of events. */
static bool opens_handles(struct query *query)
{
    const struct cuda_functions *cuda = &query->instance->cuda;
    int answer                        = 1;

    if (cuda->cuIpcGetMemHandle == NULL || cuda->cuIpcOpenMemHandle == NULL ||
        cuda->cuIpcCloseMemHandle == NULL || cuda->cuMemGetAddressRange == NULL)
        return false;
    CUresult result =
        cuda->cuDeviceGetAttribute(&answer, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, query->handle);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE && query->result == CUDA_SUCCESS)
        query->result = result;
    return result != CUDA_SUCCESS || answer != 0;
}

static void find_textures(struct query *query, struct cuda_physical *physical)
{
    const struct cuda_functions *cuda = &query->instance->cuda;
    if (cuda->cuTexObjectCreate == NULL || cuda->cuTexObjectDestroy == NULL)
        return;
    physical->texture_alignment       = get_attribute(query, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    physical->texture_pitch_alignment = get_attribute(query, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
    physical->texture_width  = get_attribute(query, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
    physical->texture_height = get_attribute(query, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
    physical->texture_pitch  = get_attribute(query, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH);
}

/* An ability that needs functions the driver lacks is absent. */
static void find_abilities(struct query *query, struct cuda_physical *physical)
{
    const struct cuda_functions *cuda = &query->instance->cuda;
    physical->integrated              = get_attribute(query, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
    physical->unified_addresses       = get_attribute(query, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING) != 0;
    physical->maps_host               = get_attribute(query, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY) != 0;
    physical->managed                 = get_attribute(query, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) != 0;
    physical->concurrent_managed = get_attribute(query, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) != 0;
    physical->pools =
        get_attribute(query, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0 && has_pools(cuda);
    physical->shares_memory =
        get_attribute(query, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0 &&
        get_attribute(query, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) != 0 &&
        has_virtual_memory(cuda);
    find_textures(query, physical);
    physical->opens_handles = opens_handles(query) && physical->unified_addresses && !physical->integrated;
}

/* In lower case, as other programs write it. */
static void find_address(const struct trm_backend_instance *instance, struct cuda_physical *physical)
{
    if (instance->cuda.cuDeviceGetPCIBusId(physical->pci, sizeof(physical->pci), physical->handle) !=
        CUDA_SUCCESS) {
        physical->pci[0] = '\0';
        return;
    }
    physical->pci[sizeof(physical->pci) - 1] = '\0';
    for (char *letter = physical->pci; *letter != '\0'; letter++)
        *letter = (char)tolower((unsigned char)*letter);
}

/* For a part of a device (MIG) this is the UUID of the part. */
static void find_uuid(const struct trm_backend_instance *instance, struct cuda_physical *physical)
{
    CUuuid uuid;
    if (instance->cuda.cuDeviceGetUuid == NULL ||
        instance->cuda.cuDeviceGetUuid(&uuid, physical->handle) != CUDA_SUCCESS)
        return;
    _Static_assert(sizeof(uuid.bytes) == sizeof(physical->uuid), "16 bytes");
    memcpy(physical->uuid, uuid.bytes, sizeof(physical->uuid));
    physical->has_uuid = true;
}

static CUresult query_device(const struct trm_backend_instance *instance, struct cuda_physical *physical,
                             const char **call)
{
    const struct cuda_functions *cuda = &instance->cuda;
    size_t bytes                      = 0;
    *call                             = "cuDeviceGet";
    CUresult result                   = cuda->cuDeviceGet(&physical->handle, (int)physical->index);
    if (result != CUDA_SUCCESS)
        return result;
    *call  = "cuDeviceGetName";
    result = cuda->cuDeviceGetName(physical->name, sizeof(physical->name), physical->handle);
    if (result != CUDA_SUCCESS)
        return result;
    physical->name[sizeof(physical->name) - 1] = '\0';
    *call                                      = "cuDeviceTotalMem";
    result                                     = cuda->cuDeviceTotalMem(&bytes, physical->handle);
    if (result != CUDA_SUCCESS)
        return result;
    physical->memory_bytes = bytes;
    struct query query     = {.instance = instance, .handle = physical->handle};
    find_limits(&query, physical);
    find_facts(&query, physical);
    find_abilities(&query, physical);
    find_address(instance, physical);
    find_uuid(instance, physical);
    *call = "cuDeviceGetAttribute";
    return query.result;
}

static int32_t explain_call(const struct trm_backend_instance *instance, const char *call, CUresult result,
                            char *reason, uint64_t capacity)
{
    snprintf(reason, capacity, "%s answered %s (%d)", call, cuda_result_name(instance, result), (int)result);
    return cuda_status(result);
}

const struct cuda_physical *cuda_physical_find(const struct trm_backend_instance *instance, uint32_t index)
{
    if (index < instance->physical_count)
        return &instance->physicals[index];
    trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                  "There is no CUDA device number %u: the driver shows %u.", index, instance->physical_count);
    return NULL;
}

int32_t cuda_physicals_enumerate(struct trm_backend_instance *instance, char *reason, uint64_t capacity)
{
    int count       = 0;
    CUresult result = instance->cuda.cuDeviceGetCount(&count);
    if (result != CUDA_SUCCESS)
        return explain_call(instance, "cuDeviceGetCount", result, reason, capacity);
    if (count <= 0) {
        snprintf(reason, capacity,
                 "there is a driver, but no CUDA device, or CUDA_VISIBLE_DEVICES hides all of them");
        return TRM_ERROR_UNSUPPORTED;
    }
    instance->physicals = trm_util_allocate(instance->host, (uint64_t)count * sizeof(*instance->physicals));
    if (instance->physicals == NULL) {
        snprintf(reason, capacity, "there is no host memory for the list of devices");
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    instance->physical_count = (uint32_t)count;
    for (uint32_t i = 0; i < instance->physical_count; i++) {
        const char *call             = NULL;
        instance->physicals[i].index = i;
        result                       = query_device(instance, &instance->physicals[i], &call);
        if (result != CUDA_SUCCESS) {
            cuda_physicals_release(instance);
            return explain_call(instance, call, result, reason, capacity);
        }
    }
    return TRM_OK;
}

void cuda_physicals_release(struct trm_backend_instance *instance)
{
    if (instance->physicals != NULL)
        trm_util_release(instance->host, instance->physicals,
                         (uint64_t)instance->physical_count * sizeof(*instance->physicals));
    instance->physicals      = NULL;
    instance->physical_count = 0;
}
