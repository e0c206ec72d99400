/* Pools over groups: life and statistics.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/pool/team.h"

#include "base/base.h"
#include "core/object/object.h"

static size_t size_of(uint32_t count)
{
    return sizeof(struct pipeline_pool_team) + (size_t)count * count * sizeof(struct pipeline_transfer);
}

int32_t pipeline_pool_team_refuse(const char *call)
{
    return base_fail(TRM_ERROR_UNSUPPORTED,
                     "%s: the pool is over a group: use the pool of one of its devices "
                     "(trm_group_pool_get())",
                     call);
}

/* ---- creation ------------------------------------------------------------------------------- */

static int32_t add_member(struct pipeline_pool_team *team, uint32_t index,
                          const struct trm_stream_pool_desc *desc)
{
    struct pipeline_stream_pool *member;
    int32_t status = pipeline_pool_create(team->group->devices[index], desc, true, &member);
    if (status != TRM_OK)
        return pipeline_group_fail(team->group, index, status);
    member->is_member = true;
    core_object_retain(&member->object);
    core_object_publish(&member->object);
    team->members[index].pool = member;
    return TRM_OK;
}

/* Does not wait for the group's data: in the function of a task that uses it, no call can. */
void pipeline_pool_team_abandon(struct pipeline_pool_team *team)
{
    struct base_saved_error saved;
    base_error_save(&saved);
    for (uint32_t i = 0; i < team->count && team->members[i].pool != NULL; i++) {
        pipeline_pool_close(team->members[i].pool);
        core_object_kill(&team->members[i].pool->object);
    }
    pipeline_pool_team_free(team);
    base_error_restore(&saved);
}

static int32_t create(struct pipeline_group *group, const struct trm_stream_pool_desc *desc,
                      struct pipeline_pool_team **out)
{
    struct core_context *context    = group->object.context;
    struct pipeline_pool_team *team = core_allocate(context, size_of(group->count));
    int32_t status                  = TRM_OK;
    if (team == NULL)
        return base_fail_memory("making a stream pool");
    core_object_retain(&group->object);
    team->group   = group;
    team->context = context;
    team->count   = group->count;
    for (uint32_t i = 0; status == TRM_OK && i < team->count; i++)
        status = add_member(team, i, desc);
    if (status == TRM_OK) {
        *out = team;
        return TRM_OK;
    }
    pipeline_pool_team_abandon(team);
    return status;
}

int32_t trm_group_pool_create(struct trm_group *handle, const struct trm_stream_pool_desc *given,
                              struct trm_stream_pool **pool)
{
    struct trm_stream_pool_desc desc;
    struct pipeline_pool_team *team;
    struct pipeline_group *group = core_object_enter(handle, CORE_GROUP);
    if (group == NULL)
        return base_last_status();
    int32_t status = core_output_check(pool, "trm_group_pool_create", "pool");
    if (status == TRM_OK)
        status = pipeline_pool_desc_copy(&desc, given);
    if (status == TRM_OK)
        status = create(group, &desc, &team);
    if (status == TRM_OK)
        status = pipeline_pool_create_over(team, &desc, pool);
    core_object_leave(&group->object);
    return status;
}

/* ---- destruction ---------------------------------------------------------------------------- */

/* From here on no call enqueues a copy. */
static void end_copies(struct pipeline_pool_team *team)
{
    pipeline_group_resume_data(team->group);
    atomic_store_explicit(&team->is_closing, true, memory_order_release);
    pipeline_group_unlock_data(team->group);
    for (uint32_t i = 0; i < team->count; i++)
        if (team->members[i].copies != NULL)
            core_stream_end(team->members[i].copies);
}

int32_t pipeline_pool_team_close(struct pipeline_pool_team *team)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < team->count; i++)
        if (team->members[i].pool != NULL)
            status = pipeline_pool_check_close(team->members[i].pool);
    if (status == TRM_OK)
        status = pipeline_group_begin_wait(team->group);
    for (uint32_t i = 0; status == TRM_OK && i < team->count; i++)
        if (team->members[i].pool != NULL)
            pipeline_pool_begin_close(team->members[i].pool);
    if (status == TRM_OK)
        end_copies(team);
    for (uint32_t i = 0; status == TRM_OK && i < team->count; i++)
        if (team->members[i].pool != NULL)
            status = pipeline_pool_close(team->members[i].pool);
    for (uint32_t i = 0; status == TRM_OK && i < team->count; i++)
        if (team->members[i].pool != NULL)
            core_object_kill(&team->members[i].pool->object);
    return status;
}

void pipeline_pool_team_free(struct pipeline_pool_team *team)
{
    for (uint32_t i = 0; i < team->count; i++) {
        if (team->members[i].copies != NULL)
            core_object_release(&team->members[i].copies->object);
        if (team->members[i].pool != NULL)
            core_object_release(&team->members[i].pool->object);
    }
    pipeline_pool_team_free_copies(team);
    core_object_release(&team->group->object);
    core_free(team->context, team, size_of(team->count));
}

/* ---- members -------------------------------------------------------------------------------- */

/* Enters the pool. NULL: the last error tells why. */
static struct pipeline_stream_pool *enter_team(struct trm_stream_pool *handle, const char *call)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL || pool->team != NULL)
        return pool;
    core_object_leave(&pool->object);
    base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s: the pool is of a single device", call);
    return NULL;
}

int32_t trm_group_pool_get(struct trm_stream_pool *handle, uint32_t index, struct trm_stream_pool **one)
{
    struct pipeline_stream_pool *pool = enter_team(handle, "trm_group_pool_get");
    if (pool == NULL)
        return base_last_status();
    int32_t status = core_output_check(one, "trm_group_pool_get", "one");
    if (status == TRM_OK && index >= pool->team->count)
        status = pipeline_group_fail_index(pool->team->group, index);
    if (status == TRM_OK)
        *one = pool->team->members[index].pool->object.handle;
    core_object_leave(&pool->object);
    return status;
}

static int32_t find(const struct pipeline_pool_team *team, const struct trm_stream *stream, uint32_t *index)
{
    for (uint32_t i = 0; i < team->count; i++)
        if (pipeline_pool_has_stream(team->members[i].pool, stream)) {
            *index = i;
            return TRM_OK;
        }
    if (core_object_find(stream, CORE_STREAM) == NULL)
        return base_last_status();
    return base_fail_static(TRM_ERROR_NOT_FOUND, "trm_group_pool_find: the pool does not have the stream");
}

int32_t trm_group_pool_find(struct trm_stream_pool *handle, struct trm_stream *stream, uint32_t *index)
{
    struct pipeline_stream_pool *pool = enter_team(handle, "trm_group_pool_find");
    if (pool == NULL)
        return base_last_status();
    int32_t status = core_output_check(index, "trm_group_pool_find", "index");
    if (status == TRM_OK)
        status = find(pool->team, stream, index);
    core_object_leave(&pool->object);
    return status;
}

/* ---- statistics ----------------------------------------------------------------------------- */

static void add_stats(struct trm_stream_pool_stats *sum, const struct trm_stream_pool_stats *one)
{
    sum->streams += one->streams;
    sum->lent += one->lent;
    sum->busy += one->busy;
    sum->loans += one->loans;
    sum->waits += one->waits;
    sum->grown += one->grown;
    sum->shrunk += one->shrunk;
    sum->replaced += one->replaced;
    sum->tasks += one->tasks;
    sum->queues += one->queues;
    sum->sharing += one->sharing;
    sum->most += one->most;
    sum->side_by_side += one->side_by_side;
}

void pipeline_pool_team_stats(struct pipeline_stream_pool *pool, struct trm_stream_pool_stats *stats)
{
    struct pipeline_pool_team *team = pool->team;
    *stats                          = (struct trm_stream_pool_stats){.strategy = pool->strategy};
    for (uint32_t i = 0; i < team->count; i++) {
        struct trm_stream_pool_stats one;
        pipeline_pool_stats(team->members[i].pool, &one);
        add_stats(stats, &one);
    }
    base_lock_acquire(&team->lock);
    stats->copies       = team->copies;
    stats->copied_bytes = team->copied_bytes;
    base_lock_release(&team->lock);
}

void pipeline_pool_team_reset_stats(struct pipeline_pool_team *team)
{
    for (uint32_t i = 0; i < team->count; i++)
        pipeline_pool_reset_stats(team->members[i].pool);
    base_lock_acquire(&team->lock);
    team->copies       = 0;
    team->copied_bytes = 0;
    base_lock_release(&team->lock);
}
