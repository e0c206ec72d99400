/* vulkan backend: when turns ran.
 *
 * On a device with memory of its own the core takes no time stamps of a resident token's parts, since those
 * would cost each token more than its submission; it asks when the token ran. A turn has two time stamps, so
 * its tokens have the same times. They are kept for TURNS_KEPT turns: a program reads them when it takes a
 * token's result.
 * SPDX-License-Identifier: MIT
 */
#include "line.h"

#define TURNS_KEPT 16u

struct turn {
    struct trm_backend_stamp *begin, *end;
    VkCommandBuffer before, behind;
};

struct vulkan_turn_times {
    struct turn turns[TURNS_KEPT]; /* by the number of the turn */
};

static int32_t record_stamp(struct vulkan_line *line, bool has_barrier, struct trm_backend_stamp **stamp,
                            VkCommandBuffer *commands)
{
    struct trm_backend_device *device = line->device;
    struct vulkan_recorder recorder   = {.device = device, .can_compute = true};
    int32_t status                    = vulkan_profile_ops.stamp_create(device, stamp);
    if (status == TRM_OK)
        status = vulkan_line_begin_commands(line, commands);
    if (status != TRM_OK)
        return status;
    vulkan_record_begin(&recorder, *commands);
    if (has_barrier)
        vulkan_record_barrier_all(&recorder);
    vulkan_stamp_take(&recorder, *stamp);
    vulkan_record_end(&recorder);
    VkResult result = device->vk.vkEndCommandBuffer(*commands);
    return result < 0 ? vulkan_device_fail(device, result, "vkEndCommandBuffer") : TRM_OK;
}

int32_t vulkan_turn_times_create(struct vulkan_line *line)
{
    struct trm_backend_device *device = line->device;
    int32_t status                    = TRM_OK;
    if (device->physical->unified || device->stamps == NULL || device->vk.vkResetQueryPool == NULL)
        return TRM_OK;
    line->times = trm_util_allocate(device->instance->host, sizeof(*line->times));
    if (line->times == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a resident stream");
    for (uint32_t i = 0; i < TURNS_KEPT && status == TRM_OK; i++) {
        struct turn *turn = &line->times->turns[i];
        status            = record_stamp(line, true, &turn->begin, &turn->before);
        if (status == TRM_OK)
            status = record_stamp(line, false, &turn->end, &turn->behind);
    }
    return status;
}

void vulkan_turn_times_destroy(struct vulkan_line *line)
{
    if (line->times == NULL)
        return;
    for (uint32_t i = 0; i < TURNS_KEPT; i++) {
        struct turn *turn = &line->times->turns[i];
        if (turn->begin != NULL)
            vulkan_profile_ops.stamp_destroy(turn->begin);
        if (turn->end != NULL)
            vulkan_profile_ops.stamp_destroy(turn->end);
    }
    trm_util_release(line->device->instance->host, line->times, sizeof(*line->times));
    line->times = NULL;
}

/* The turn that had these stamps before has ended: fewer turns are on the device than are kept. */
void vulkan_turn_times_frame(struct vulkan_line *line, uint64_t number, VkCommandBuffer *before,
                             VkCommandBuffer *behind)
{
    struct turn *turn = &line->times->turns[number % TURNS_KEPT];
    vulkan_stamp_renew(turn->begin, NULL);
    vulkan_stamp_renew(turn->end, NULL);
    *before = turn->before;
    *behind = turn->behind;
}

int32_t vulkan_turn_times_read(struct vulkan_line *line, uint64_t number, uint64_t *begin, uint64_t *end)
{
    if (line->times == NULL)
        return trm_util_fail(line->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The times of resident tokens are not known on this device.");
    if (line->turns - number >= TURNS_KEPT)
        return trm_util_fail(line->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The token's times are no longer known.");
    const struct turn *turn = &line->times->turns[number % TURNS_KEPT];
    int32_t status          = vulkan_profile_ops.stamp_read(turn->begin, begin);
    return status == TRM_OK ? vulkan_profile_ops.stamp_read(turn->end, end) : status;
}
