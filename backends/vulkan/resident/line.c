/* vulkan backend: turns.
 * SPDX-License-Identifier: MIT
 */
#include "line.h"

#include "backends/vulkan/graph/graph.h"
#include "backends/vulkan/record/record.h"

/* ---- how far it is; under the lock ------------------------------------------------------------- */

static uint32_t on_device(const struct vulkan_line *line)
{
    return (uint32_t)(line->turns - line->ended);
}

/* Asks the driver how far the turns are. */
static int32_t look(struct vulkan_line *line)
{
    uint64_t ended;
    if (line->ended == line->turns)
        return TRM_OK;
    int32_t status = vulkan_timeline_read(line->timeline, line->turns, &ended);
    if (status == TRM_OK)
        line->ended = ended;
    return status;
}

/* Notes which tokens have ended with their turns. */
static void settle(struct vulkan_resident *resident)
{
    for (uint32_t i = 0; i < VULKAN_TURNS; i++) {
        struct vulkan_departure *departure = &resident->departures[i];
        if (departure->turn == 0 || departure->turn > resident->line->ended)
            continue;
        if (departure->graph != NULL)
            vulkan_graph_land(departure->graph);
        if (resident->completed < departure->token)
            resident->completed = departure->token;
        departure->turn = 0;
    }
}

/* The turn that brings `token` about, or the next one that ends while the token waits; 0: none. */
static uint64_t turn_of(const struct vulkan_resident *resident, uint64_t token)
{
    uint64_t turn = 0;
    for (uint32_t i = 0; i < VULKAN_TURNS; i++) {
        const struct vulkan_departure *departure = &resident->departures[i];
        if (departure->turn != 0 && departure->token >= token && (turn == 0 || departure->turn < turn))
            turn = departure->turn;
    }
    return turn != 0 || on_device(resident->line) == 0 ? turn : resident->line->ended + 1;
}

static bool is_on_device(const struct vulkan_resident *resident)
{
    for (uint32_t i = 0; i < VULKAN_TURNS; i++)
        if (resident->departures[i].turn != 0)
            return true;
    return false;
}

/* The first failure, explained. */
static int32_t check(const struct vulkan_resident *resident)
{
    int32_t status = vulkan_device_check(resident->line->device);
    if (TRM_UTIL_LIKELY(status != TRM_OK || resident->failure == TRM_OK))
        return status;
    return trm_util_fail(resident->line->device->instance->host, resident->failure, resident->native,
                         "The token could not be submitted: vkQueueSubmit failed: %s (%d).",
                         vulkan_result_name(resident->native), resident->native);
}

/* ---- submitting turns; under the lock ------------------------------------------------------------ */

static void take_off(struct vulkan_line *line, struct vulkan_resident *before,
                     struct vulkan_resident *resident)
{
    if (before != NULL)
        before->next = resident->next;
    else
        line->waiting = resident->next;
    if (line->last_waiting == resident)
        line->last_waiting = before;
    resident->is_waiting = false;
    line->waiting_count--;
}

static VkResult send(struct vulkan_line *line, uint64_t turn, uint32_t count, const VkCommandBuffer *commands)
{
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType                     = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues    = &turn,
    };
    const VkSubmitInfo info = {
        .sType                = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext                = &values,
        .commandBufferCount   = count,
        .pCommandBuffers      = commands,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores    = &line->timeline->semaphore,
    };
    return vulkan_queue_send(line->device, line->queue, 1, &info);
}

/* Takes the commands of the tokens that wait, and what must stand around them. */
static uint32_t gather(struct vulkan_line *line, uint64_t turn, VkCommandBuffer *commands, uint32_t *tokens)
{
    const struct vulkan_resident *resident = line->waiting;
    VkCommandBuffer behind                 = VK_NULL_HANDLE;
    uint32_t count                         = 0;
    if (line->times != NULL)
        vulkan_turn_times_frame(line, turn, &commands[count++], &behind);
    else if (!resident->has_barrier)
        commands[count++] = line->barrier;
    for (*tokens = 0; resident != NULL && *tokens < VULKAN_TURN_MOST; resident = resident->next) {
        commands[count++] = resident->command;
        ++*tokens;
    }
    if (behind != VK_NULL_HANDLE)
        commands[count++] = behind;
    return count;
}

/* Submits a turn with the tokens that wait, and finishes those of their streams that have ended. What cannot
 * be submitted fails its stream. */
static void depart(struct vulkan_line *line)
{
    VkCommandBuffer commands[VULKAN_TURN_MOST + 2];
    uint64_t turn = line->turns + 1;
    uint32_t tokens, count = gather(line, turn, commands, &tokens);
    VkResult result = send(line, turn, count, commands);
    int32_t status  = result < 0 ? vulkan_device_fail(line->device, result, "vkQueueSubmit") : TRM_OK;
    if (result >= 0) {
        line->turns = turn;
        atomic_store(&line->timeline->submitted, turn);
    }
    for (; tokens != 0; tokens--) {
        struct vulkan_resident *resident = line->waiting;
        take_off(line, NULL, resident);
        settle(resident);
        resident->failure = status;
        resident->native  = result;
        if (result < 0)
            continue;
        resident->last_turn = turn;
        resident->departures[turn % VULKAN_TURNS] =
            (struct vulkan_departure){resident->enqueued, turn, resident->graph};
    }
}

/* Submits what waits, as far as there is room on the device. */
static void depart_all(struct vulkan_line *line)
{
    while (line->waiting != NULL && on_device(line) < VULKAN_TURNS)
        depart(line);
}

static bool is_turn_due(const struct vulkan_line *line)
{
    uint32_t turns = on_device(line);
    if (turns == 0)
        return true;
    return turns < VULKAN_TURNS && (line->sleepers != 0 || 2 * line->waiting_count >= line->streams ||
                                    line->waiting_count >= VULKAN_TURN_MOST);
}

/* Sleeps until the turn has ended. The lock is released meanwhile. */
static int32_t sleep_for(struct vulkan_line *line, uint64_t turn, uint64_t timeout_ns)
{
    line->sleepers++;
    trm_util_lock_release(&line->lock);
    int32_t status = vulkan_timeline_wait(line->timeline, turn, timeout_ns);
    trm_util_lock_acquire(&line->lock);
    line->sleepers--;
    return status == TRM_ERROR_TIMEOUT ? TRM_OK : status;
}

void vulkan_line_relieve(struct vulkan_line *line)
{
    int32_t status = look(line);
    if (status == TRM_OK && on_device(line) >= VULKAN_TURNS)
        status = sleep_for(line, line->ended + 1, TRM_FOREVER);
    if (status == TRM_OK && look(line) == TRM_OK)
        depart_all(line);
}

/* ---- tokens ---------------------------------------------------------------------------------------- */

/* A turn has one token of a stream, so an earlier one that still waits goes first. */
static int32_t send_earlier(struct vulkan_resident *resident)
{
    int32_t status = check(resident);
    while (status == TRM_OK && resident->is_waiting) {
        vulkan_line_relieve(resident->line);
        status = check(resident);
    }
    return status;
}

int32_t vulkan_line_submit(struct vulkan_resident *resident, uint64_t token,
                           const struct trm_backend_graph *unfinished, VkCommandBuffer command,
                           bool has_barrier)
{
    struct vulkan_line *line = resident->line;
    trm_util_lock_acquire(&line->lock);
    int32_t status = send_earlier(resident);
    if (status == TRM_OK) {
        resident->enqueued    = token;
        resident->command     = command;
        resident->has_barrier = has_barrier;
        resident->graph       = unfinished;
        resident->is_waiting  = true;
        resident->next        = NULL;
        if (line->waiting == NULL)
            line->waiting = resident;
        else
            line->last_waiting->next = resident;
        line->last_waiting = resident;
        line->waiting_count++;
        if (is_turn_due(line))
            depart(line);
        else
            vulkan_guard_alert(line);
        status = check(resident);
    }
    trm_util_lock_release(&line->lock);
    return status;
}

/* Looks whether the token has ended, unless that is known, and submits what waits. A failure shows when
 * nothing of the stream is on the device any more. Under the lock. */
static int32_t advance(struct vulkan_resident *resident, uint64_t token)
{
    settle(resident);
    if (resident->completed >= token)
        return TRM_OK;
    int32_t status = look(resident->line);
    settle(resident);
    if (status == TRM_OK)
        depart_all(resident->line);
    if (status != TRM_OK || resident->completed >= token)
        return status;
    return is_on_device(resident) ? vulkan_device_check(resident->line->device) : check(resident);
}

int32_t vulkan_line_query(struct vulkan_resident *resident, uint64_t *completed)
{
    trm_util_lock_acquire(&resident->line->lock);
    int32_t status = advance(resident, resident->enqueued);
    *completed     = resident->completed;
    trm_util_lock_release(&resident->line->lock);
    return status;
}

int32_t vulkan_line_wait(struct vulkan_resident *resident, uint64_t token, uint64_t timeout_ns)
{
    struct vulkan_line *line = resident->line;
    uint64_t deadline        = trm_util_deadline(timeout_ns);
    trm_util_lock_acquire(&line->lock);
    int32_t status = advance(resident, token);
    while (status == TRM_OK && resident->completed < token) {
        uint64_t turn = turn_of(resident, token), left = trm_util_remaining(deadline);
        if (turn == 0 || left == 0) {
            status = TRM_ERROR_TIMEOUT;
            break;
        }
        status = sleep_for(line, turn, left);
        if (status == TRM_OK)
            status = advance(resident, token);
    }
    trm_util_lock_release(&line->lock);
    if (status != TRM_ERROR_TIMEOUT)
        return status;
    return trm_util_fail(line->device->instance->host, TRM_ERROR_TIMEOUT, 0,
                         "The stream has not reached this point yet.");
}

int32_t vulkan_line_times(struct vulkan_resident *resident, uint64_t token, uint64_t *begin, uint64_t *end)
{
    struct vulkan_line *line = resident->line;
    trm_util_lock_acquire(&line->lock);
    settle(resident);
    bool is_last   = resident->enqueued == token && resident->completed == token;
    int32_t status = is_last ? vulkan_turn_times_read(line, resident->last_turn, begin, end)
                             : trm_util_fail(line->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                                             "The token is not the last one that has ended.");
    trm_util_lock_release(&line->lock);
    return status;
}

/* ---- life ------------------------------------------------------------------------------------------ */

int32_t vulkan_line_begin_commands(struct vulkan_line *line, VkCommandBuffer *commands)
{
    struct trm_backend_device *device      = line->device;
    const VkCommandBufferAllocateInfo info = {
        .sType              = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool        = line->pool,
        .level              = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkResult result = device->vk.vkAllocateCommandBuffers(device->handle, &info, commands);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkAllocateCommandBuffers");
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
    };
    result = device->vk.vkBeginCommandBuffer(*commands, &begin);
    return result < 0 ? vulkan_device_fail(device, result, "vkBeginCommandBuffer") : TRM_OK;
}

static int32_t make_pool(struct vulkan_line *line)
{
    struct trm_backend_device *device  = line->device;
    const VkCommandPoolCreateInfo info = {
        .sType            = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = line->queue->family,
    };
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &info, NULL, &line->pool);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateCommandPool") : TRM_OK;
}

static int32_t record_barrier(struct vulkan_line *line)
{
    struct trm_backend_device *device = line->device;
    struct vulkan_recorder recorder   = {.device = device, .can_compute = true};
    int32_t status                    = vulkan_line_begin_commands(line, &line->barrier);
    if (status != TRM_OK)
        return status;
    vulkan_record_begin(&recorder, line->barrier);
    vulkan_record_barrier_all(&recorder);
    VkResult result = device->vk.vkEndCommandBuffer(line->barrier);
    return result < 0 ? vulkan_device_fail(device, result, "vkEndCommandBuffer") : TRM_OK;
}

/* No stream is left, so nothing waits. */
static void destroy(struct vulkan_line *line)
{
    struct trm_backend_device *device = line->device;
    vulkan_guard_stop(line);
    if (line->turns != 0 && !vulkan_device_is_lost(device))
        (void)vulkan_timeline_sleep(line->timeline, line->turns, TRM_FOREVER);
    vulkan_turn_times_destroy(line);
    if (line->pool != VK_NULL_HANDLE)
        device->vk.vkDestroyCommandPool(device->handle, line->pool, NULL);
    vulkan_timeline_release(line->timeline);
    vulkan_queue_release(line->queue);
    trm_util_release(device->instance->host, line, sizeof(*line));
}

static int32_t create(struct trm_backend_device *device, struct vulkan_line **result)
{
    struct vulkan_line *line = trm_util_allocate(device->instance->host, sizeof(*line));
    if (line == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a resident stream");
    line->device = device;
    line->queue =
        vulkan_queue_retain(vulkan_queue_choose(device, TRM_STREAM_SLOT, TRM_PRIORITY_NORMAL, true));
    int32_t status = vulkan_timeline_create(device, &line->timeline);
    if (status == TRM_OK)
        status = make_pool(line);
    if (status == TRM_OK)
        status = record_barrier(line);
    if (status == TRM_OK)
        status = vulkan_turn_times_create(line);
    if (status == TRM_OK)
        status = vulkan_guard_start(line);
    if (status == TRM_OK)
        *result = line;
    else
        destroy(line);
    return status;
}

static void count_stream(struct vulkan_line *line, int32_t difference)
{
    trm_util_lock_acquire(&line->lock);
    line->streams += (uint32_t)difference;
    trm_util_lock_release(&line->lock);
}

int32_t vulkan_line_join(struct trm_backend_device *device, struct vulkan_resident *resident)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&device->lazy_lock);
    if (device->line == NULL)
        status = create(device, &device->line);
    if (device->line != NULL) {
        resident->line = device->line;
        count_stream(device->line, 1);
    }
    pthread_mutex_unlock(&device->lazy_lock);
    return status;
}

static void drop_waiting(struct vulkan_resident *resident)
{
    struct vulkan_resident *before = NULL, *other = resident->line->waiting;
    for (; other != resident; other = other->next)
        before = other;
    take_off(resident->line, before, resident);
}

void vulkan_line_leave(struct vulkan_resident *resident)
{
    struct vulkan_line *line          = resident->line;
    struct trm_backend_device *device = line->device;
    trm_util_lock_acquire(&line->lock);
    if (resident->is_waiting)
        drop_waiting(resident);
    settle(resident);
    while (is_on_device(resident) && !vulkan_device_is_lost(device)) {
        if (sleep_for(line, line->ended + 1, TRM_FOREVER) == TRM_OK)
            (void)look(line);
        settle(resident);
    }
    trm_util_lock_release(&line->lock);
    pthread_mutex_lock(&device->lazy_lock);
    count_stream(line, -1);
    if (line->streams == 0) {
        device->line = NULL;
        destroy(line);
    }
    pthread_mutex_unlock(&device->lazy_lock);
}
