/* vulkan backend: batches: creation, command buffers, contents.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/batch.h"

#include <string.h>

#include "backends/vulkan/stream/service.h"
#include "backends/vulkan/stream/staging.h"
#include "backends/vulkan/stream/stream_object.h"

#define FIRST_ROOM 8u

/* ---- arrays ---------------------------------------------------------------------------------------- */

/* Makes room for one more element of `size` bytes. False: no memory. */
static bool make_room(struct trm_backend_stream *stream, void **array, uint32_t count, uint32_t *capacity,
                      uint64_t size)
{
    const struct trm_backend_instance *instance = stream->device->instance;
    if (count < *capacity)
        return true;
    uint32_t wanted = *capacity == 0 ? FIRST_ROOM : *capacity * 2;
    void *larger    = trm_util_allocate(instance->host, wanted * size);
    if (larger == NULL)
        return false;
    if (count != 0)
        memcpy(larger, *array, count * size);
    trm_util_release(instance->host, *array, *capacity * size);
    *array    = larger;
    *capacity = wanted;
    return true;
}

static int32_t fail_memory(const struct vulkan_batch *batch)
{
    return trm_util_fail_host_memory(batch->stream->device->instance->host, "a batch of operations");
}

int32_t vulkan_batch_add_commands(struct vulkan_batch *batch, VkCommandBuffer commands)
{
    void *array = batch->commands;
    if (!make_room(batch->stream, &array, batch->command_count, &batch->command_capacity, sizeof(commands)))
        return fail_memory(batch);
    batch->commands                         = array;
    batch->commands[batch->command_count++] = commands;
    return TRM_OK;
}

static int32_t add_place(struct vulkan_batch *batch, struct vulkan_wait **places, uint32_t *count,
                         uint32_t *capacity, struct vulkan_timeline *timeline, uint64_t value)
{
    void *array = *places;
    for (uint32_t i = 0; i < *count; i++) {
        struct vulkan_wait *place = &(*places)[i];
        if (place->timeline != timeline)
            continue;
        place->value = place->value > value ? place->value : value;
        return TRM_OK;
    }
    if (!make_room(batch->stream, &array, *count, capacity, sizeof(**places)))
        return fail_memory(batch);
    *places           = array;
    (*places)[*count] = (struct vulkan_wait){.timeline = timeline, .value = value};
    ++*count;
    vulkan_timeline_retain(timeline);
    return TRM_OK;
}

int32_t vulkan_batch_add_wait(struct vulkan_batch *batch, struct vulkan_timeline *timeline, uint64_t value)
{
    return add_place(batch, &batch->waits, &batch->wait_count, &batch->wait_capacity, timeline, value);
}

int32_t vulkan_batch_add_signal(struct vulkan_batch *batch, struct vulkan_timeline *timeline, uint64_t value)
{
    return add_place(batch, &batch->signals, &batch->signal_count, &batch->signal_capacity, timeline, value);
}

/* Also gets what the end of the batch needs, since a failure is still possible here. */
int32_t vulkan_batch_add_host_copy(struct trm_backend_stream *stream, struct vulkan_batch *batch,
                                   const struct vulkan_host_copy *copy)
{
    void *array    = batch->host_copies;
    int32_t status = vulkan_service_start(stream->device->service);
    if (status == TRM_OK && stream->device_timeline == NULL)
        status = vulkan_timeline_create(stream->device, &stream->device_timeline);
    if (status != TRM_OK)
        return status;
    if (!make_room(stream, &array, batch->host_copy_count, &batch->host_copy_capacity, sizeof(*copy)))
        return fail_memory(batch);
    batch->host_copies                           = array;
    batch->host_copies[batch->host_copy_count++] = *copy;
    return TRM_OK;
}

/* ---- command buffers ------------------------------------------------------------------------------- */

static int32_t allocate_command(struct vulkan_batch *batch)
{
    struct trm_backend_device *device = batch->stream->device;
    VkCommandBuffer made              = VK_NULL_HANDLE;
    void *array                       = batch->own;
    VkCommandBufferAllocateInfo info  = {
         .sType              = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
         .commandPool        = batch->pool,
         .level              = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
         .commandBufferCount = 1,
    };
    if (!make_room(batch->stream, &array, batch->own_count, &batch->own_capacity, sizeof(made)))
        return fail_memory(batch);
    batch->own      = array;
    VkResult result = device->vk.vkAllocateCommandBuffers(device->handle, &info, &made);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkAllocateCommandBuffers");
    batch->own[batch->own_count++] = made;
    return TRM_OK;
}

int32_t vulkan_batch_begin(struct vulkan_batch *batch)
{
    struct trm_backend_stream *stream = batch->stream;
    struct trm_backend_device *device = stream->device;
    VkCommandBufferBeginInfo info     = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    int32_t status = batch->own_used < batch->own_count ? TRM_OK : allocate_command(batch);
    if (status != TRM_OK)
        return status;
    VkCommandBuffer command = batch->own[batch->own_used];
    status                  = vulkan_batch_add_commands(batch, command);
    if (status != TRM_OK)
        return status;
    VkResult result = device->vk.vkBeginCommandBuffer(command, &info);
    if (result < 0) {
        batch->command_count--;
        return vulkan_device_fail(device, result, "vkBeginCommandBuffer");
    }
    batch->own_used++;
    batch->recording             = true;
    stream->recorder.descriptors = &batch->descriptors;
    vulkan_record_begin(&stream->recorder, command);
    return TRM_OK;
}

int32_t vulkan_batch_end(struct vulkan_batch *batch)
{
    struct trm_backend_device *device = batch->stream->device;
    if (!batch->recording)
        return TRM_OK;
    vulkan_record_end(&batch->stream->recorder);
    batch->recording = false;
    VkResult result  = device->vk.vkEndCommandBuffer(batch->commands[batch->command_count - 1]);
    return result < 0 ? vulkan_device_fail(device, result, "vkEndCommandBuffer") : TRM_OK;
}

/* ---- creating and recycling ------------------------------------------------------------------------ */

static int32_t create(struct trm_backend_stream *stream, struct vulkan_batch **result)
{
    struct trm_backend_device *device = stream->device;
    struct vulkan_batch *batch        = trm_util_allocate(device->instance->host, sizeof(*batch));
    if (batch == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a batch of operations");
    VkCommandPoolCreateInfo info = {
        .sType            = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags            = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = stream->queue->family,
    };
    VkResult made = device->vk.vkCreateCommandPool(device->handle, &info, NULL, &batch->pool);
    if (made < 0) {
        trm_util_release(device->instance->host, batch, sizeof(*batch));
        return vulkan_device_fail(device, made, "vkCreateCommandPool");
    }
    batch->stream     = stream;
    batch->queue      = stream->queue;
    batch->watch.call = vulkan_batch_watched;
    *result           = batch;
    return TRM_OK;
}

static int32_t reset(struct vulkan_batch *batch)
{
    struct trm_backend_device *device = batch->stream->device;
    VkResult result                   = VK_SUCCESS;
    if (batch->own_used != 0)
        result = device->vk.vkResetCommandPool(device->handle, batch->pool, 0);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkResetCommandPool");
    batch->own_used = 0;
    if (batch->descriptors.pool != VK_NULL_HANDLE)
        device->vk.vkResetDescriptorPool(device->handle, batch->descriptors.pool, 0);
    return TRM_OK;
}

int32_t vulkan_batch_acquire(struct trm_backend_stream *stream, struct vulkan_batch **result)
{
    struct vulkan_batch *batch = stream->spare;
    /* The stream may have changed queues since. */
    while (batch != NULL && batch->queue->family != stream->queue->family) {
        stream->spare = batch->next;
        vulkan_batch_destroy(batch);
        batch = stream->spare;
    }
    if (batch == NULL)
        return create(stream, result);
    int32_t status = reset(batch);
    if (status != TRM_OK)
        return status;
    stream->spare = batch->next;
    batch->next   = NULL;
    batch->queue  = stream->queue;
    *result       = batch;
    return TRM_OK;
}

static void drop_places(struct vulkan_wait *places, uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++)
        vulkan_timeline_release(places[i].timeline);
    *count = 0;
}

void vulkan_batch_recycle(struct vulkan_batch *batch)
{
    struct trm_backend_stream *stream = batch->stream;
    drop_places(batch->waits, &batch->wait_count);
    drop_places(batch->signals, &batch->signal_count);
    if (batch->staging != NULL)
        vulkan_staging_release(stream->device, batch->staging);
    if (batch->job != NULL)
        batch->job->release(batch->job);
    vulkan_descriptors_keep_views(stream->device, &batch->descriptors, 0);
    batch->staging       = NULL;
    batch->job           = NULL;
    batch->last_kernel   = NULL;
    batch->command_count = batch->host_copy_count = batch->operations = 0;
    batch->recording                                                  = false;
    batch->gate = batch->first = batch->value = batch->device_value = 0;
    batch->done                                                     = batch->watched;
    if (batch->watched)
        return;
    batch->next   = stream->spare;
    stream->spare = batch;
}

void vulkan_batch_destroy(struct vulkan_batch *batch)
{
    struct trm_backend_device *device           = batch->stream->device;
    const struct trm_backend_instance *instance = device->instance;
    vulkan_descriptors_fini(device, &batch->descriptors);
    device->vk.vkDestroyCommandPool(device->handle, batch->pool, NULL);
    trm_util_release(instance->host, batch->commands, batch->command_capacity * sizeof(*batch->commands));
    trm_util_release(instance->host, batch->own, batch->own_capacity * sizeof(*batch->own));
    trm_util_release(instance->host, batch->waits, batch->wait_capacity * sizeof(*batch->waits));
    trm_util_release(instance->host, batch->signals, batch->signal_capacity * sizeof(*batch->signals));
    trm_util_release(instance->host, batch->host_copies,
                     batch->host_copy_capacity * sizeof(*batch->host_copies));
    trm_util_release(instance->host, batch, sizeof(*batch));
}

/* ---- host copies ----------------------------------------------------------------------------------- */

void vulkan_batch_run_host_copies(const struct vulkan_batch *batch)
{
    for (uint32_t i = 0; i < batch->host_copy_count; i++) {
        const struct vulkan_host_copy *copy = &batch->host_copies[i];
        unsigned char *to                   = copy->destination;
        const unsigned char *from           = copy->source;
        for (uint64_t row = 0; row < copy->height; row++)
            memcpy(to + row * copy->destination_pitch, from + row * copy->source_pitch, copy->width);
    }
}
