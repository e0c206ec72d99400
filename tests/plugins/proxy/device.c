/* The proxy: devices.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "proxy.h"

static int32_t proxy_device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    int32_t status = proxy_begin(instance->host, PROXY_DEVICE_COUNT, NULL);

    return status != TRM_OK ? status : proxy_target.device.count(instance->target, count);
}

/* The target's name with a suffix, to tell the two devices apart. */
static int32_t proxy_device_name(struct trm_backend_instance *instance, uint32_t index, char *value,
                                 uint64_t capacity, uint64_t *needed)
{
    static const char suffix[] = " (proxy)";
    char name[512];
    uint64_t length = 0;
    int32_t status;

    status = proxy_target.device.get_info(instance->target, index, TRM_DEVICE_NAME, name,
                                          sizeof(name) - sizeof(suffix), &length);
    if (status != TRM_OK)
        return status;
    length = strlen(name);
    memcpy(name + length, suffix, sizeof(suffix));
    length += sizeof(suffix);
    if (needed != NULL)
        *needed = length;
    if (value == NULL && capacity == 0)
        return TRM_OK;
    if (capacity < length)
        return TRM_ERROR_OUT_OF_RANGE;
    memcpy(value, name, length);
    return TRM_OK;
}

static int32_t proxy_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                                     void *value, uint64_t capacity, uint64_t *needed)
{
    int32_t status = proxy_begin(instance->host, PROXY_GET_INFO, NULL);

    if (status != TRM_OK)
        return status;
    if (key == TRM_DEVICE_NAME)
        return proxy_device_name(instance, index, value, capacity, needed);
    status        = proxy_target.device.get_info(instance->target, index, key, value, capacity, needed);
    int is_hidden = (key == TRM_DEVICE_UNIFIED && !proxy_has_host_pointer()) ||
                    (key == TRM_DEVICE_ADDRESSES && !proxy_has_address());
    if (status == TRM_OK && is_hidden && value != NULL)
        memset(value, 0, sizeof(uint64_t));
    return status;
}

int32_t proxy_device_wrap(struct trm_backend_instance *instance, struct trm_backend_device *target,
                          struct trm_backend_device **device)
{
    struct trm_backend_device *made = proxy_new(instance->host, sizeof(*made));

    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->instance = instance;
    made->target   = target;
    atomic_fetch_add(&instance->devices, 1);
    proxy_created(PROXY_DEVICE);
    *device = made;
    return TRM_OK;
}

static int32_t proxy_device_open(struct trm_backend_instance *instance, uint32_t index,
                                 struct trm_backend_device **device)
{
    struct trm_backend_device *target;
    int32_t status = proxy_begin(instance->host, PROXY_DEVICE_OPEN, NULL);

    if (status != TRM_OK)
        return status;
    status = proxy_target.device.open(instance->target, index, &target);
    if (status != TRM_OK)
        return status;
    status = proxy_device_wrap(instance, target, device);
    if (status != TRM_OK)
        proxy_target.device.close(target);
    return status;
}

static void proxy_device_close(struct trm_backend_device *device)
{
    struct trm_backend_instance *instance = device->instance;
    const struct trm_host *host           = instance->host;

    (void)proxy_begin(NULL, PROXY_DEVICE_CLOSE, NULL);
    if (atomic_load(&device->children) != 0)
        proxy_breach("A device is closed before its children.");
    proxy_target.device.close(device->target);
    proxy_destroyed(PROXY_DEVICE);
    host->release(host->context, device, sizeof(*device));
    atomic_fetch_sub(&instance->devices, 1);
}

static const struct trm_device_ops proxy_device_ops = {
    .struct_size = sizeof(proxy_device_ops),
    .count       = proxy_device_count,
    .get_info    = proxy_device_get_info,
    .open        = proxy_device_open,
    .close       = proxy_device_close,
};

const struct trm_device_ops *proxy_device_table(void)
{
    return &proxy_device_ops;
}
