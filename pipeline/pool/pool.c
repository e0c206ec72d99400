/* Stream pools: the object.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/pool/pool.h"

#include <inttypes.h>

#include "core/object/object.h"
#include "pipeline/pool/team.h"

/* Bytes of the structures in their first versions. */
#define DESC_LEAST 24
#define STATS_LEAST 64

#define DEFAULT_MOST 8

#define PRIORITIES 3

/* trm_stream_pool_destroy() has ended the streams. */
static void pool_retire(struct core_object *object)
{
    struct pipeline_stream_pool *pool = (struct pipeline_stream_pool *)object;
    if (!pool->is_part)
        core_device_uncount_child(pool->device, CORE_STREAM_POOL);
}

void pipeline_pool_make_part(struct pipeline_stream_pool *pool)
{
    pool->is_part = true;
    core_device_uncount_child(pool->device, CORE_STREAM_POOL);
}

static void pool_release(struct core_object *object)
{
    struct pipeline_stream_pool *pool = (struct pipeline_stream_pool *)object;
    struct core_device *device        = pool->device;
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].stream != NULL)
            core_object_release(&pool->slots[i].stream->object);
    for (uint32_t i = 0; i < TRM_STREAM_POOL_MOST; i++)
        if (pool->retained[i] != NULL)
            core_object_release(&pool->retained[i]->object);
    pipeline_pool_free_watches(pool);
    pipeline_pool_stored_fini(pool);
    core_free(object->context, pool, sizeof(*pool));
    core_object_release(&device->object);
}

static const char *pool_device_id(const struct core_object *object)
{
    return ((const struct pipeline_stream_pool *)object)->device->id;
}

static void team_release(struct core_object *object)
{
    struct pipeline_stream_pool *pool = (struct pipeline_stream_pool *)object;
    pipeline_pool_team_free(pool->team);
    core_free(object->context, pool, sizeof(*pool));
}

static const struct core_object_ops pool_ops = {
    .type      = CORE_STREAM_POOL,
    .name      = "stream pool",
    .source    = __FILE__,
    .device_id = pool_device_id,
    .retire    = pool_retire,
    .release   = pool_release,
};

static const struct core_object_ops team_ops = {
    .type    = CORE_STREAM_POOL,
    .name    = "stream pool over a group",
    .source  = __FILE__,
    .release = team_release,
};

/* ---- creation ------------------------------------------------------------------------------- */

static uint32_t limit_of(int32_t strategy)
{
    return strategy == TRM_STREAM_PRIORITY ? TRM_STREAM_POOL_MOST / PRIORITIES : TRM_STREAM_POOL_MOST;
}

static int32_t check_desc(struct trm_stream_pool_desc *desc)
{
    if (trm_stream_strategy_name(desc->strategy) == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a strategy of a stream pool",
                         desc->strategy);
    if (desc->role < TRM_STREAM_ANY || desc->role > TRM_STREAM_SLOT)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a role of a stream", desc->role);
    uint32_t limit = limit_of(desc->strategy);
    if (desc->most > limit)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "a stream pool has at most %" PRIu32 " streams%s, not %" PRIu32, limit,
                         desc->strategy == TRM_STREAM_PRIORITY ? " of each priority" : "", desc->most);
    uint32_t most = desc->most != 0 ? desc->most : limit;
    if (desc->least > most)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a stream pool of at most %" PRIu32 " streams cannot keep %" PRIu32, most,
                         desc->least);
    if (desc->priority < TRM_PRIORITY_LOW)
        desc->priority = TRM_PRIORITY_LOW;
    if (desc->priority > TRM_PRIORITY_HIGH)
        desc->priority = TRM_PRIORITY_HIGH;
    return TRM_OK;
}

/* A property of the device, or `absent`. */
static uint64_t ask(struct core_device *device, uint32_t key, uint64_t absent)
{
    struct base_saved_error saved;
    uint64_t found = absent;
    base_error_save(&saved);
    if (trm_device_get_u64(device->object.handle, key, &found) != TRM_OK) {
        base_error_restore(&saved);
        return absent;
    }
    return found;
}

bool pipeline_pool_saves_notifications(struct core_device *device)
{
    return ask(device, TRM_DEVICE_KIND, 0) != TRM_DEVICE_CPU;
}

/* The default of the most streams: as many as the device runs side by side, but enough for a program that
 * borrows several, or that asks for at least `least`. */
static uint32_t default_most(const struct pipeline_stream_pool *pool)
{
    uint32_t limit = limit_of(pool->strategy);
    uint32_t most  = pool->side_by_side > DEFAULT_MOST ? pool->side_by_side : DEFAULT_MOST;
    if (most < pool->least)
        most = pool->least;
    return most < limit ? most : limit;
}

/* The driver spreads streams over queues, and work that shares a queue with low work waits behind it,
 * whatever its priority. So the streams of all priorities together, and some of the rest of the program, must
 * fit into the queues. */
static void fit_in_queues(struct pipeline_stream_pool *pool)
{
    uint64_t queues = pool->queues != 0 ? pool->queues : UINT32_MAX, share = queues / (PRIORITIES + 1);
    if (share == 0)
        share = 1;
    if (pool->most > share)
        pool->most = (uint32_t)share;
    if (pool->least > pool->most)
        pool->least = pool->most;
}

static uint32_t queues_of(struct core_device *device)
{
    uint64_t queues = ask(device, TRM_DEVICE_QUEUES, 0);
    return queues < UINT32_MAX ? (uint32_t)queues : UINT32_MAX;
}

/* Does not use the measured `side_by_side`, which is too low if other programs ran during the measurement. */
static uint32_t at_once_of(const struct pipeline_stream_pool *pool)
{
    uint64_t units = pool->is_host ? ask(pool->device, TRM_DEVICE_UNITS, 0) : 0;
    return units != 0 && units < pool->most ? (uint32_t)units : pool->most;
}

static void set_size(struct pipeline_stream_pool *pool, uint32_t most)
{
    pool->side_by_side = pipeline_pool_width(pool, most == 0);
    pool->most         = most != 0 ? most : default_most(pool);
    pool->at_once      = at_once_of(pool);
    pool->slot_count   = pool->most;
    if (pool->strategy != TRM_STREAM_PRIORITY)
        return;
    pool->holds_back = ask(pool->device, TRM_DEVICE_PRIORITIES, 1) < 2;
    if (!pool->holds_back)
        fit_in_queues(pool);
    pool->slot_count = PRIORITIES * pool->most;
}

static void log_sharing(const struct pipeline_stream_pool *pool)
{
    if (pool->queues != 0 && pool->slot_count > pool->queues)
        core_log(pool->object.context, TRM_LOG_INFO,
                 "the driver of %s spreads streams over %" PRIu32 " queues: of %" PRIu32
                 " streams of a pool some share one, and wait for each other",
                 pool->device->id, pool->queues, pool->slot_count);
}

int32_t pipeline_pool_create(struct core_device *device, const struct trm_stream_pool_desc *desc,
                             bool is_stored, struct pipeline_stream_pool **out)
{
    static const char *const names[] = {"pool low", "pool", "pool high"};
    struct core_context *context     = device->object.context;
    int32_t status                   = core_device_check(device);
    if (status != TRM_OK)
        return status;
    struct pipeline_stream_pool *pool = core_allocate(context, sizeof(*pool));
    if (pool == NULL)
        return base_fail_memory("making a stream pool");
    pool->device        = device;
    pool->strategy      = desc->strategy;
    pool->told_strategy = TRM_STREAM_LEAST_LOADED;
    pool->role          = desc->role;
    pool->priority      = desc->priority;
    pool->least         = desc->least;
    pool->queues        = queues_of(device);
    pool->is_host       = !pipeline_pool_saves_notifications(device);
    pool->stream_flags  = CORE_STREAM_OF_POOL;
    pool->stream_names  = names;
    if (!pool->is_host)
        pipeline_pool_trial_defer(&pool->trial);
    status = core_object_init(&pool->object, &pool_ops, context);
    if (status != TRM_OK) {
        core_free(context, pool, sizeof(*pool));
        return status;
    }
    if (is_stored)
        pipeline_pool_stored_load(pool);
    set_size(pool, desc->most);
    log_sharing(pool);
    core_device_add_child(device, CORE_STREAM_POOL);
    *out = pool;
    return TRM_OK;
}

int32_t pipeline_pool_create_over(struct pipeline_pool_team *team, const struct trm_stream_pool_desc *desc,
                                  struct trm_stream_pool **out)
{
    struct core_context *context      = team->context;
    struct pipeline_stream_pool *pool = core_allocate(context, sizeof(*pool));
    int32_t status                    = pool != NULL ? core_object_init(&pool->object, &team_ops, context)
                                                     : base_fail_memory("making a stream pool");
    if (status != TRM_OK) {
        core_free(context, pool, sizeof(*pool));
        pipeline_pool_team_abandon(team);
        return status;
    }
    pool->team     = team;
    pool->strategy = desc->strategy;
    *out           = core_object_publish(&pool->object);
    return TRM_OK;
}

int32_t pipeline_pool_desc_copy(struct trm_stream_pool_desc *desc, const struct trm_stream_pool_desc *given)
{
    *desc = (struct trm_stream_pool_desc){.struct_size = sizeof(*desc)};
    if (given != NULL && !core_struct_copy_in(desc, sizeof(*desc), given, DESC_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_pool_desc.struct_size is %" PRIu32 ", but its size is %zu",
                         given->struct_size, sizeof(*desc));
    return check_desc(desc);
}

static int32_t create_checked(struct core_device *device, const struct trm_stream_pool_desc *given,
                              struct trm_stream_pool **out)
{
    struct trm_stream_pool_desc desc;
    struct pipeline_stream_pool *pool;
    int32_t status = core_output_check(out, "trm_stream_pool_create", "pool");
    if (status == TRM_OK)
        status = pipeline_pool_desc_copy(&desc, given);
    if (status == TRM_OK)
        status = pipeline_pool_create(device, &desc, true, &pool);
    if (status == TRM_OK)
        *out = core_object_publish(&pool->object);
    return status;
}

int32_t trm_stream_pool_create(struct trm_device *handle, const struct trm_stream_pool_desc *desc,
                               struct trm_stream_pool **pool)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = create_checked(device, desc, pool);
    core_object_leave(&device->object);
    return status;
}

/* ---- destruction ---------------------------------------------------------------------------- */

static bool is_inside_locked(const struct pipeline_stream_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        const struct core_stream *stream = pool->slots[i].stream;
        if (stream != NULL && core_callback_is_inside(stream))
            return true;
    }
    for (uint32_t i = 0; i < TRM_STREAM_POOL_MOST; i++)
        if (pool->retained[i] != NULL && core_callback_is_inside(pool->retained[i]))
            return true;
    return false;
}

static void begin_close_locked(struct pipeline_stream_pool *pool)
{
    pool->is_closing = true;
    pipeline_pool_wake_locked(pool);
}

void pipeline_pool_begin_close(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    begin_close_locked(pool);
    base_lock_release(&pool->lock);
}

/* Refuses further calls that lend or take back, and waits for those that are inside. */
static void wait_for_transits_locked(struct pipeline_stream_pool *pool)
{
    begin_close_locked(pool);
    while (pool->transits > 0) {
        uint32_t epoch = atomic_load_explicit(&pool->epoch, memory_order_relaxed);
        pool->sleepers++;
        base_lock_release(&pool->lock);
        core_service_block(); /* the pool's job runs there */
        base_futex_wait(&pool->epoch, epoch, BASE_NEVER);
        core_service_unblock();
        base_lock_acquire(&pool->lock);
        pool->sleepers--;
    }
}

/* The streams stay in their slots until the pool is freed, since their last notifications may still
 * arrive. */
static void end_streams(struct pipeline_stream_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].stream != NULL)
            core_stream_end(pool->slots[i].stream);
    for (uint32_t i = 0; i < TRM_STREAM_POOL_MOST; i++)
        if (pool->retained[i] != NULL)
            core_stream_end(pool->retained[i]);
}

static int32_t check_close_locked(const struct pipeline_stream_pool *pool)
{
    if (pool->users > 0)
        return base_fail_static(TRM_ERROR_BUSY,
                                "trm_stream_pool_destroy: destroy the coordinator that uses the pool first");
    if (is_inside_locked(pool))
        return base_fail_static(TRM_ERROR_DEADLOCK,
                                "trm_stream_pool_destroy: called in a callback of one of its streams");
    return TRM_OK;
}

int32_t pipeline_pool_check_close(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    int32_t status = check_close_locked(pool);
    base_lock_release(&pool->lock);
    return status;
}

int32_t pipeline_pool_close(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    int32_t status = check_close_locked(pool);
    bool is_first  = status == TRM_OK && !pool->is_ending;
    if (is_first) {
        pool->is_ending = true;
        wait_for_transits_locked(pool);
    }
    base_lock_release(&pool->lock);
    if (status != TRM_OK)
        return status;
    if (is_first) {
        end_streams(pool);
        pipeline_pool_stored_save(pool);
    }
    return TRM_OK;
}

void trm_stream_pool_destroy(struct trm_stream_pool *handle)
{
    if (handle == NULL)
        return;
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return;
    int32_t status = TRM_OK;
    if (pool->is_member)
        status = base_fail_static(TRM_ERROR_BUSY,
                                  "trm_stream_pool_destroy: the pool belongs to a pool over a group");
    else
        status = pool->team != NULL ? pipeline_pool_team_close(pool->team) : pipeline_pool_close(pool);
    if (status == TRM_OK)
        core_object_kill(&pool->object);
    core_object_leave(&pool->object);
}

/* ---- statistics ----------------------------------------------------------------------------- */

static void subtract(struct trm_stream_pool_stats *stats, const struct trm_stream_pool_stats *since)
{
    stats->loans -= since->loans;
    stats->waits -= since->waits;
    stats->grown -= since->grown;
    stats->shrunk -= since->shrunk;
    stats->replaced -= since->replaced;
    stats->tasks -= since->tasks;
}

void pipeline_pool_stats(struct pipeline_stream_pool *pool, struct trm_stream_pool_stats *stats)
{
    pipeline_pool_settle(pool, false);
    base_lock_acquire(&pool->lock);
    *stats = pool->stats;
    subtract(stats, &pool->since);
    stats->streams  = pool->streams;
    stats->lent     = pool->lent;
    stats->strategy = pipeline_pool_strategy_locked(pool);
    stats->queues   = pool->queues;
    if (pool->queues != 0 && pool->streams > pool->queues)
        stats->sharing = pool->streams - pool->queues + 1;
    stats->most         = pool->slot_count;
    stats->side_by_side = pool->side_by_side;
    stats->operation_ns = pipeline_estimate_ahead(&pool->operation, 0);
    for (uint32_t i = 0; i < pool->slot_count; i++)
        stats->busy += pool->slots[i].watches > 0 && pool->slots[i].state != PIPELINE_POOL_SLOT_LENT &&
                       pool->slots[i].state != PIPELINE_POOL_SLOT_DRAWN;
    base_lock_release(&pool->lock);
}

void pipeline_pool_reset_stats(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    pool->since = pool->stats;
    base_lock_release(&pool->lock);
}

int32_t trm_stream_pool_reset_stats(struct trm_stream_pool *handle)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    if (pool->team != NULL)
        pipeline_pool_team_reset_stats(pool->team);
    else
        pipeline_pool_reset_stats(pool);
    core_object_leave(&pool->object);
    return TRM_OK;
}

void pipeline_pool_tell_strategy(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    int32_t before      = pool->told_strategy;
    int32_t best        = pipeline_pool_trial_best(&pool->trial);
    uint32_t percent    = pipeline_pool_trial_percent(&pool->trial, best, before);
    pool->told_strategy = best;
    base_lock_release(&pool->lock);
    if (best != before)
        core_object_log(&pool->object, TRM_LOG_INFO,
                        "auto moves from %s to %s, which gets %" PRIu32 " %% of the work done in that time",
                        trm_stream_strategy_name(before), trm_stream_strategy_name(best), percent);
}

static int32_t get_stats(struct pipeline_stream_pool *pool, struct trm_stream_pool_stats *stats)
{
    struct trm_stream_pool_stats ours;
    int32_t status = core_output_check(stats, "trm_stream_pool_get_stats", "stats");
    if (status != TRM_OK)
        return status;
    if (pool->team != NULL)
        pipeline_pool_team_stats(pool, &ours);
    else
        pipeline_pool_stats(pool, &ours);
    if (!core_struct_copy_out(stats, &ours, sizeof(ours), STATS_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_pool_stats.struct_size is %" PRIu32 ", but its size is %zu",
                         stats->struct_size, sizeof(ours));
    return TRM_OK;
}

int32_t trm_stream_pool_get_stats(struct trm_stream_pool *handle, struct trm_stream_pool_stats *stats)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    int32_t status = get_stats(pool, stats);
    core_object_leave(&pool->object);
    return status;
}
