/* vulkan backend: the interop table: native handles, shared memory, shared semaphores.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "backends/vulkan/device/device.h"
#include "backends/vulkan/image/image.h"
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/stream/stream.h"

/* A timeline that belongs to no stream. `highest` is the highest value that our streams have signalled or
 * will signal. */
struct trm_backend_semaphore {
    struct vulkan_timeline *timeline;
    _Atomic uint64_t highest;
    bool exportable;
};

static int32_t fail_type(const struct trm_backend_device *device, int32_t type)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "The vulkan backend has no native handle of type %d for this object.", type);
}

/* ---- native handles --------------------------------------------------------------------------- */

/* Non-dispatchable handles are pointers on 64-bit machines and 64-bit numbers on others. */
#define NUMBER(handle) ((uint64_t)(uintptr_t)(handle))

static int32_t device_handle(struct trm_backend_device *device, int32_t type, uint64_t *handle)
{
    const struct trm_backend_instance *instance = device->instance;
    const struct vulkan_loan *loan              = device->loan;

    switch (type) {
    case TRM_NATIVE_VULKAN_INSTANCE:
        *handle = NUMBER(loan != NULL ? loan->instance : instance->handle);
        return TRM_OK;
    case TRM_NATIVE_VULKAN_PHYSICAL_DEVICE:
        *handle = NUMBER(loan != NULL ? loan->physical_device : device->physical->handle);
        return TRM_OK;
    case TRM_NATIVE_VULKAN_DEVICE:
        *handle = NUMBER(device->handle);
        return TRM_OK;
    case TRM_NATIVE_VULKAN_GET_PROC:
        *handle = NUMBER(loan != NULL ? loan->get_proc : instance->loader.get_proc);
        return TRM_OK;
    default:
        return fail_type(device, type);
    }
}

static int32_t stream_handle(struct trm_backend_stream *stream, int32_t type, uint64_t *handle)
{
    int32_t status = TRM_OK;

    vulkan_stream_lock(stream);
    switch (type) {
    case TRM_NATIVE_VULKAN_QUEUE:
        *handle = NUMBER(stream->queue->handle);
        break;
    case TRM_NATIVE_VULKAN_QUEUE_FAMILY:
        *handle = stream->queue->family;
        break;
    case TRM_NATIVE_VULKAN_SEMAPHORE:
        *handle = NUMBER(stream->timeline->semaphore);
        break;
    default:
        status = fail_type(stream->device, type);
    }
    vulkan_stream_unlock(stream);
    return status;
}

static int32_t memory_handle(struct trm_backend_memory *memory, int32_t type, uint64_t *handle,
                             uint64_t *offset)
{
    if (type != TRM_NATIVE_VULKAN_BUFFER)
        return fail_type(memory->device, type);
    *handle = NUMBER(memory->buffer);
    *offset = memory->base;
    return TRM_OK;
}

/* ---- memory ----------------------------------------------------------------------------------- */

static int32_t memory_create(struct trm_backend_device *device, uint64_t size,
                             struct trm_backend_memory **memory)
{
    int32_t status = vulkan_device_check(device);
    return status == TRM_OK ? vulkan_heap_allocate_exportable(device->heap, size, memory) : status;
}

static int32_t memory_export(struct trm_backend_memory *memory, int32_t type, int32_t *fd, uint64_t *size)
{
    int descriptor;

    if (type != TRM_HANDLE_OPAQUE_FD)
        return fail_type(memory->device, type);
    int32_t status = vulkan_heap_export_fd(memory, &descriptor, size);
    if (status == TRM_OK)
        *fd = descriptor;
    return status;
}

static int32_t memory_import(struct trm_backend_device *device, int32_t type, int32_t fd, uint64_t size,
                             struct trm_backend_memory **memory)
{
    if (type != TRM_HANDLE_OPAQUE_FD)
        return fail_type(device, type);
    int32_t status = vulkan_device_check(device);
    return status == TRM_OK ? vulkan_heap_import_fd(device->heap, fd, size, memory) : status;
}

/* ---- semaphores ------------------------------------------------------------------------------- */

static int32_t make_handle(struct trm_backend_device *device, bool exportable, VkSemaphore *handle)
{
    VkExportSemaphoreCreateInfo exports = {
        .sType       = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkSemaphoreTypeCreateInfo timeline = {
        .sType         = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .pNext         = exportable ? &exports : NULL,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};

    VkResult result = device->vk.vkCreateSemaphore(device->handle, &info, NULL, handle);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateSemaphore") : TRM_OK;
}

/* Creates a semaphore into which nothing is imported yet. */
static int32_t make_semaphore(struct trm_backend_device *device, bool exportable,
                              struct trm_backend_semaphore **semaphore)
{
    VkSemaphore handle;

    int32_t status = vulkan_device_check(device);
    if (status != TRM_OK)
        return status;
    struct trm_backend_semaphore *made = trm_util_allocate(device->instance->host, sizeof(*made));
    if (made == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a semaphore");
    made->exportable = exportable;
    status           = make_handle(device, exportable, &handle);
    if (status != TRM_OK)
        goto release;
    status = vulkan_timeline_wrap(device, handle, &made->timeline);
    if (status != TRM_OK)
        goto destroy_handle;
    *semaphore = made;
    return TRM_OK;

destroy_handle:
    device->vk.vkDestroySemaphore(device->handle, handle, NULL);
release:
    trm_util_release(device->instance->host, made, sizeof(*made));
    return status;
}

static int32_t semaphore_create(struct trm_backend_device *device, struct trm_backend_semaphore **semaphore)
{
    return make_semaphore(device, device->physical->timeline_fd && device->vk.vkGetSemaphoreFdKHR != NULL,
                          semaphore);
}

static void semaphore_destroy(struct trm_backend_semaphore *semaphore)
{
    const struct trm_backend_instance *instance = semaphore->timeline->device->instance;

    vulkan_timeline_release(semaphore->timeline);
    trm_util_release(instance->host, semaphore, sizeof(*semaphore));
}

/* The driver gets a duplicate of the descriptor, so that the caller's stays valid on a failure. */
static int32_t import_handle(struct trm_backend_device *device, VkSemaphore handle, int fd)
{
    VkImportSemaphoreFdInfoKHR info = {
        .sType      = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
        .semaphore  = handle,
        .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
        .fd         = fcntl(fd, F_DUPFD_CLOEXEC, 0),
    };

    if (info.fd < 0)
        return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, errno,
                             "The file descriptor %d cannot be duplicated: %s.", fd, strerror(errno));
    VkResult result = device->vk.vkImportSemaphoreFdKHR(device->handle, &info);
    if (result == VK_SUCCESS)
        return TRM_OK;
    close(info.fd);
    if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, result,
                             "%s cannot import this semaphore: vkImportSemaphoreFdKHR() returned %s.",
                             device->physical->properties.deviceName, vulkan_result_name(result));
    return vulkan_device_fail(device, result, "vkImportSemaphoreFdKHR");
}

static int32_t fail_semaphore_fd(const struct trm_backend_device *device)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s cannot share timeline semaphores through file descriptors.",
                         device->physical->properties.deviceName);
}

static int32_t semaphore_import(struct trm_backend_device *device, int32_t type, int32_t fd,
                                struct trm_backend_semaphore **semaphore)
{
    struct trm_backend_semaphore *made = NULL;

    if (type != TRM_HANDLE_OPAQUE_FD)
        return fail_type(device, type);
    if (!device->physical->timeline_fd || device->vk.vkImportSemaphoreFdKHR == NULL)
        return fail_semaphore_fd(device);
    int32_t status = make_semaphore(device, false, &made);
    if (made == NULL)
        return status;
    status = import_handle(device, made->timeline->semaphore, fd);
    if (status != TRM_OK) {
        semaphore_destroy(made);
        return status;
    }
    close(fd);
    *semaphore = made;
    return TRM_OK;
}

static int32_t semaphore_export(struct trm_backend_semaphore *semaphore, int32_t type, int32_t *fd)
{
    struct trm_backend_device *device = semaphore->timeline->device;
    VkSemaphoreGetFdInfoKHR info      = {
             .sType      = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
             .semaphore  = semaphore->timeline->semaphore,
             .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    int descriptor;

    if (type != TRM_HANDLE_OPAQUE_FD)
        return fail_type(device, type);
    if (!semaphore->exportable)
        return fail_semaphore_fd(device);
    VkResult result = device->vk.vkGetSemaphoreFdKHR(device->handle, &info, &descriptor);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkGetSemaphoreFdKHR");
    *fd = descriptor;
    return TRM_OK;
}

static int32_t semaphore_value(struct trm_backend_semaphore *semaphore, uint64_t *current)
{
    return vulkan_timeline_read(semaphore->timeline, UINT64_MAX, current);
}

/* ---- signals and waits of streams ------------------------------------------------------------- */

static int32_t semaphore_wait(struct trm_backend_stream *stream, uint64_t value,
                              struct trm_backend_semaphore *semaphore, uint64_t semaphore_value)
{
    vulkan_stream_lock(stream);
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK)
        status = vulkan_stream_add_wait(stream, value, semaphore->timeline, semaphore_value);
    vulkan_stream_unlock(stream);
    return status;
}

/* Signalling a value that the counter has already reached makes queues report a lost device. Signals of other
 * users are visible only once they have happened. */
static int32_t claim(struct trm_backend_semaphore *semaphore, uint64_t wanted)
{
    uint64_t shown;

    int32_t status = semaphore_value(semaphore, &shown);
    if (status != TRM_OK)
        return status;
    uint64_t highest = atomic_load_explicit(&semaphore->highest, memory_order_relaxed);
    do {
        if (wanted <= highest || wanted <= shown)
            return trm_util_fail(semaphore->timeline->device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                                 "The semaphore is or will be at %llu, so it cannot be signalled with %llu.",
                                 (unsigned long long)(shown > highest ? shown : highest),
                                 (unsigned long long)wanted);
    } while (!atomic_compare_exchange_weak_explicit(&semaphore->highest, &highest, wanted,
                                                    memory_order_relaxed, memory_order_relaxed));
    return TRM_OK;
}

static int32_t semaphore_signal(struct trm_backend_stream *stream, uint64_t value,
                                struct trm_backend_semaphore *semaphore, uint64_t semaphore_value)
{
    int32_t status = claim(semaphore, semaphore_value);
    if (status != TRM_OK)
        return status;
    vulkan_stream_lock(stream);
    status = vulkan_stream_check(stream);
    if (status == TRM_OK)
        status = vulkan_stream_add_signal(stream, value, semaphore->timeline, semaphore_value);
    vulkan_stream_unlock(stream);
    return status;
}

/* ---- images ----------------------------------------------------------------------------------- */

static int32_t image_handle(struct trm_backend_image *image, int32_t type, uint64_t *handle)
{
    if (type != TRM_NATIVE_VULKAN_IMAGE)
        return fail_type(image->device, type);
    *handle = NUMBER(image->handle);
    return TRM_OK;
}

static int32_t image_adopt(struct trm_backend_device *device, const struct trm_image_desc *desc, int32_t type,
                           uint64_t native, int32_t layout, struct trm_backend_image **image)
{
    if (type != TRM_NATIVE_VULKAN_IMAGE)
        return fail_type(device, type);
    return vulkan_image_adopt(device, desc, native, layout, image);
}

const struct trm_interop_ops vulkan_interop_ops = {
    .struct_size       = sizeof(vulkan_interop_ops),
    .device_handle     = device_handle,
    .stream_handle     = stream_handle,
    .memory_handle     = memory_handle,
    .adopt             = vulkan_device_adopt,
    .memory_create     = memory_create,
    .memory_export     = memory_export,
    .memory_import     = memory_import,
    .semaphore_create  = semaphore_create,
    .semaphore_import  = semaphore_import,
    .semaphore_export  = semaphore_export,
    .semaphore_destroy = semaphore_destroy,
    .semaphore_value   = semaphore_value,
    .semaphore_wait    = semaphore_wait,
    .semaphore_signal  = semaphore_signal,
    .image_adopt       = image_adopt,
    .image_hand_back   = vulkan_image_hand_back,
    .image_handle      = image_handle,
};
