/* vulkan backend: timestamps.
 *
 * A stamp is one query of a pool. Its ticks are converted to host time with pairs of readings of both clocks
 * (VK_EXT_calibrated_timestamps). The device's clock drifts by some parts in a million, so a new pair is
 * taken when a stamp is read and the last pair is old. Between two pairs times are interpolated, so that
 * there is no jump where they meet; after the last pair the device's nominal rate applies. A pair is as exact
 * as the deviation that the driver reports; a bad one is taken again.
 *
 * Where vkGetQueryPoolResults() would wait for the whole device, each stamp copies its ticks into memory of
 * the host. On other drivers that copy would cost the device more than the call costs the host.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/profile.h"

#include <string.h>

#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/stream/stream_object.h"

#define QUERIES_OF_A_POOL 64u
#define PAIR_AGE_NS UINT64_C(100000000) /* after this a pair is old */
#define GOOD_DEVIATION_NS UINT64_C(20000)
#define PAIR_TRIES 4u

struct pool {
    struct pool *next;
    VkQueryPool handle;
    uint64_t used; /* one bit for each query */
    /* the ticks of each query, copied by the device; NULL: the driver is asked */
    struct trm_backend_memory *ticks;
};

/* The same moment on both clocks: ticks, nanoseconds of CLOCK_MONOTONIC. */
struct pair {
    uint64_t ticks, ns;
};

struct vulkan_stamps {
    struct trm_backend_device *device;
    double period; /* nanoseconds of a tick */
    uint64_t mask; /* of the bits that ticks have on all queues with timestamps */
    pthread_mutex_t lock;
    struct pool *pools;
    struct pair older, newer; /* older.ns is 0: one pair only; newer.ns is 0: none */
};

struct trm_backend_stamp {
    struct vulkan_stamps *stamps;
    struct pool *pool;
    uint32_t index;
    _Atomic uint64_t ns; /* the converted time; 0: not read yet */
};

/* ---- capabilities ---------------------------------------------------------------------------------- */

static bool has_domain(const struct trm_backend_device *device)
{
    const struct trm_backend_instance *instance = device->instance;
    VkPhysicalDevice physical                   = device->physical->handle;
    VkTimeDomainEXT domains[8];
    uint32_t count = sizeof(domains) / sizeof(domains[0]);
    bool host = false, own = false;
    if (instance->vk.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT == NULL ||
        instance->vk.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, &count, domains) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        host |= domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
        own |= domains[i] == VK_TIME_DOMAIN_DEVICE_EXT;
    }
    return host && own;
}

static uint64_t mask_of(uint32_t bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t common_mask(const struct vulkan_queue *queues, uint32_t count)
{
    uint64_t mask = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (queues[i].timestamp_bits != 0)
            mask &= mask_of(queues[i].timestamp_bits);
    return mask;
}

/* Transfer queues need no timestamps: a stream can always move to a compute queue. */
static bool has_timestamps(const struct trm_backend_device *device)
{
    const struct vulkan_queues *queues = &device->queues;
    for (uint32_t i = 0; i < queues->compute_count; i++)
        if (queues->compute[i].timestamp_bits == 0)
            return false;
    return queues->compute_count != 0 && device->physical->properties.limits.timestampPeriod > 0 &&
           device->vk.vkGetCalibratedTimestampsEXT != NULL && has_domain(device);
}

int32_t vulkan_stamps_create(struct trm_backend_device *device, struct vulkan_stamps **out)
{
    const struct vulkan_queues *queues = &device->queues;
    if (!has_timestamps(device)) {
        *out = NULL;
        return TRM_OK;
    }
    struct vulkan_stamps *stamps = trm_util_allocate(device->instance->host, sizeof(*stamps));
    if (stamps == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a device");
    stamps->device = device;
    stamps->period = (double)device->physical->properties.limits.timestampPeriod;
    stamps->mask   = common_mask(queues->compute, queues->compute_count) &
                   common_mask(queues->transfer, queues->transfer_count);
    pthread_mutex_init(&stamps->lock, NULL);
    *out = stamps;
    return TRM_OK;
}

void vulkan_stamps_destroy(struct vulkan_stamps *stamps)
{
    if (stamps == NULL)
        return;
    struct trm_backend_device *device = stamps->device;
    while (stamps->pools != NULL) {
        struct pool *next = stamps->pools->next;
        device->vk.vkDestroyQueryPool(device->handle, stamps->pools->handle, NULL);
        if (stamps->pools->ticks != NULL)
            vulkan_heap_free(stamps->pools->ticks);
        trm_util_release(device->instance->host, stamps->pools, sizeof(struct pool));
        stamps->pools = next;
    }
    pthread_mutex_destroy(&stamps->lock);
    trm_util_release(device->instance->host, stamps, sizeof(*stamps));
}

/* ---- both clocks ----------------------------------------------------------------------------------- */

static int32_t read_clocks(struct vulkan_stamps *stamps, struct pair *pair, uint64_t *deviation)
{
    struct trm_backend_device *device             = stamps->device;
    const VkCalibratedTimestampInfoEXT domains[2] = {
        {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_DEVICE_EXT},
        {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, NULL, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
    };
    uint64_t values[2];
    VkResult result = device->vk.vkGetCalibratedTimestampsEXT(device->handle, 2, domains, values, deviation);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkGetCalibratedTimestampsEXT");
    pair->ticks = values[0] & stamps->mask;
    pair->ns    = values[1];
    return TRM_OK;
}

static int32_t take_pair(struct vulkan_stamps *stamps, struct pair *best)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < PAIR_TRIES && least > GOOD_DEVIATION_NS; i++) {
        struct pair pair   = {0, 0};
        uint64_t deviation = 0;
        int32_t status     = read_clocks(stamps, &pair, &deviation);
        if (status != TRM_OK)
            return status;
        if (i != 0 && deviation >= least)
            continue;
        least = deviation;
        *best = pair;
    }
    return TRM_OK;
}

/* Ticks after the pair; negative before it. Assumes less than half a wrap-around between them. */
static double ticks_behind(const struct vulkan_stamps *stamps, uint64_t ticks, const struct pair *pair)
{
    uint64_t distance = (ticks - pair->ticks) & stamps->mask;
    if (distance > stamps->mask / 2)
        return -(double)((pair->ticks - ticks) & stamps->mask);
    return (double)distance;
}

/* The caller holds the lock. */
static int32_t calibrate(struct vulkan_stamps *stamps)
{
    struct pair pair = {0, 0};
    if (stamps->newer.ns != 0 && trm_util_now() < stamps->newer.ns + PAIR_AGE_NS)
        return TRM_OK;
    int32_t status = take_pair(stamps, &pair);
    if (status != TRM_OK)
        return status;
    stamps->older = stamps->newer;
    stamps->newer = pair;
    return TRM_OK;
}

/* Times before the older pair are on the same line: they are read late, and rarely compared with recent
 * ones. */
static uint64_t to_host(const struct vulkan_stamps *stamps, uint64_t ticks)
{
    const struct pair *older = &stamps->older, *newer = &stamps->newer;
    double behind = ticks_behind(stamps, ticks, newer), rate = stamps->period;
    double between = older->ns != 0 ? -ticks_behind(stamps, older->ticks, newer) : 0;
    if (behind < 0 && between > 0)
        rate = (double)(newer->ns - older->ns) / between;
    return newer->ns + (uint64_t)(int64_t)(behind * rate);
}

/* ---- stamps ---------------------------------------------------------------------------------------- */

static struct pool *pool_with_room(struct vulkan_stamps *stamps)
{
    struct pool *pool = stamps->pools;
    while (pool != NULL && pool->used == UINT64_MAX)
        pool = pool->next;
    return pool;
}

static int32_t pool_make(struct vulkan_stamps *stamps, struct pool **out)
{
    struct trm_backend_device *device = stamps->device;
    struct pool *pool                 = trm_util_allocate(device->instance->host, sizeof(*pool));
    if (pool == NULL)
        return trm_util_fail_host_memory(device->instance->host, "timestamps");
    const VkQueryPoolCreateInfo info = {
        .sType      = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType  = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = QUERIES_OF_A_POOL,
    };
    VkResult result = device->vk.vkCreateQueryPool(device->handle, &info, NULL, &pool->handle);
    if (result < 0) {
        trm_util_release(device->instance->host, pool, sizeof(*pool));
        return vulkan_device_fail(device, result, "vkCreateQueryPool");
    }
    if (device->physical->queries_wait) {
        int32_t status = vulkan_heap_allocate(device->heap, TRM_MEMORY_PINNED,
                                              QUERIES_OF_A_POOL * sizeof(uint64_t), 64, &pool->ticks);
        if (status != TRM_OK) {
            device->vk.vkDestroyQueryPool(device->handle, pool->handle, NULL);
            trm_util_release(device->instance->host, pool, sizeof(*pool));
            return status;
        }
    }
    pool->next    = stamps->pools;
    stamps->pools = pool;
    *out          = pool;
    return TRM_OK;
}

static int32_t take_query(struct vulkan_stamps *stamps, struct trm_backend_stamp *stamp)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&stamps->lock);
    struct pool *pool = pool_with_room(stamps);
    if (pool == NULL)
        status = pool_make(stamps, &pool);
    if (pool != NULL) {
        stamp->pool  = pool;
        stamp->index = (uint32_t)__builtin_ctzll(~pool->used);
        pool->used |= UINT64_C(1) << stamp->index;
    }
    pthread_mutex_unlock(&stamps->lock);
    return status;
}

static int32_t stamp_create(struct trm_backend_device *device, struct trm_backend_stamp **result)
{
    struct vulkan_stamps *stamps = device->stamps;
    if (stamps == NULL)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "%s has no timestamps that can be converted to host time.",
                             device->physical->properties.deviceName);
    struct trm_backend_stamp *stamp = trm_util_allocate(device->instance->host, sizeof(*stamp));
    if (stamp == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a timestamp");
    stamp->stamps  = stamps;
    int32_t status = take_query(stamps, stamp);
    if (status != TRM_OK) {
        trm_util_release(device->instance->host, stamp, sizeof(*stamp));
        return status;
    }
    *result = stamp;
    return TRM_OK;
}

static void stamp_destroy(struct trm_backend_stamp *stamp)
{
    struct vulkan_stamps *stamps = stamp->stamps;
    pthread_mutex_lock(&stamps->lock);
    stamp->pool->used &= ~(UINT64_C(1) << stamp->index);
    pthread_mutex_unlock(&stamps->lock);
    trm_util_release(stamps->device->instance->host, stamp, sizeof(*stamp));
}

/* ---- recording ------------------------------------------------------------------------------------- */

void vulkan_stamp_renew(struct trm_backend_stamp *stamp, const struct vulkan_recorder *recorder)
{
    const struct trm_backend_device *device = stamp->stamps->device;
    atomic_store_explicit(&stamp->ns, 0, memory_order_relaxed);
    if (recorder != NULL)
        device->vk.vkCmdResetQueryPool(recorder->command, stamp->pool->handle, stamp->index, 1);
    else if (device->vk.vkResetQueryPool != NULL)
        device->vk.vkResetQueryPool(device->handle, stamp->pool->handle, stamp->index, 1);
}

void vulkan_stamp_take(struct vulkan_recorder *recorder, const struct trm_backend_stamp *stamp)
{
    const struct vulkan_device_functions *vk = &recorder->device->vk;
    const struct pool *pool                  = stamp->pool;
    vk->vkCmdWriteTimestamp(recorder->command, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool->handle,
                            stamp->index);
    if (pool->ticks == NULL)
        return;
    vk->vkCmdCopyQueryPoolResults(recorder->command, pool->handle, stamp->index, 1, pool->ticks->buffer,
                                  pool->ticks->base + stamp->index * sizeof(uint64_t), sizeof(uint64_t),
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    recorder->host_written |= VULKAN_TRANSFER;
}

/* Transfer queues cannot reset queries; the host can if the device supports that. */
static bool needs_compute(const struct trm_backend_stream *stream)
{
    return stream->queue->timestamp_bits == 0 ||
           (!stream->queue->can_compute && stream->device->vk.vkResetQueryPool == NULL);
}

static int32_t record_locked(struct trm_backend_stream *stream, uint64_t value,
                             struct trm_backend_stamp *stamp)
{
    bool by_host = stream->device->vk.vkResetQueryPool != NULL;
    struct vulkan_batch *batch;
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK && needs_compute(stream))
        status = vulkan_stream_to_compute(stream);
    if (status == TRM_OK)
        status = vulkan_stream_open(stream, value, &batch);
    if (status != TRM_OK)
        return status;
    vulkan_stamp_renew(stamp, by_host ? NULL : &stream->recorder);
    vulkan_stamp_take(&stream->recorder, stamp);
    return vulkan_stream_note(stream, value, 0);
}

static int32_t stamp_record(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_stamp *stamp)
{
    vulkan_stream_lock(stream);
    int32_t status = record_locked(stream, value, stamp);
    vulkan_stream_unlock(stream);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------------- */

static int32_t read_ticks(const struct trm_backend_stamp *stamp, uint64_t *ticks)
{
    struct trm_backend_device *device = stamp->stamps->device;
    if (stamp->pool->ticks != NULL) {
        memcpy(ticks, stamp->pool->ticks->host + stamp->index * sizeof(*ticks), sizeof(*ticks));
        return TRM_OK;
    }
    VkResult result =
        device->vk.vkGetQueryPoolResults(device->handle, stamp->pool->handle, stamp->index, 1, sizeof(*ticks),
                                         ticks, sizeof(*ticks), VK_QUERY_RESULT_64_BIT);
    if (result == VK_NOT_READY)
        return trm_util_fail(device->instance->host, TRM_ERROR_BACKEND, result,
                             "A timestamp has no value although its stream has passed it.");
    return result < 0 ? vulkan_device_fail(device, result, "vkGetQueryPoolResults") : TRM_OK;
}

static int32_t stamp_read(struct trm_backend_stamp *stamp, uint64_t *nanoseconds)
{
    struct vulkan_stamps *stamps = stamp->stamps;
    uint64_t ticks, ns = atomic_load_explicit(&stamp->ns, memory_order_relaxed);
    if (ns == 0) {
        int32_t status = read_ticks(stamp, &ticks);
        if (status != TRM_OK)
            return status;
        pthread_mutex_lock(&stamps->lock);
        status = calibrate(stamps);
        if (status == TRM_OK)
            ns = to_host(stamps, ticks & stamps->mask);
        pthread_mutex_unlock(&stamps->lock);
        if (status != TRM_OK)
            return status;
        atomic_store_explicit(&stamp->ns, ns, memory_order_relaxed);
    }
    *nanoseconds = ns;
    return TRM_OK;
}

const struct trm_profile_ops vulkan_profile_ops = {
    .struct_size   = sizeof(vulkan_profile_ops),
    .stamp_create  = stamp_create,
    .stamp_destroy = stamp_destroy,
    .stamp_record  = stamp_record,
    .stamp_read    = stamp_read,
};
