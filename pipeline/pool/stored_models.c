/* What pools store between runs: models of kernels, and how many streams run side by side.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/pool/stored_models.h"

#include <string.h>

#include "core/module/module.h"
#include "core/object/object.h"
#include "core/settings/settings.h"
#include "pipeline/pool/pool.h"

void pipeline_pool_stored_load(struct pipeline_stream_pool *pool)
{
    struct core_context *context = pool->object.context;
    struct base_saved_error saved;
    if (!core_setting_flag(context, "stream.models"))
        return;
    struct pipeline_pool_stored *stored = core_allocate(context, sizeof(*stored));
    if (stored == NULL)
        return;
    base_error_save(&saved);
    pipeline_stored_device_of(pool->device, &stored->device);
    stored->models = pipeline_stored_load(context, &stored->device, 0);
    base_error_restore(&saved);
    if (stored->models != NULL)
        pool->workloads.best_rate = stored->models->head.best_rate;
    pool->stored = stored;
}

void pipeline_pool_stored_fini(struct pipeline_stream_pool *pool)
{
    if (pool->stored == NULL)
        return;
    pipeline_stored_destroy(pool->object.context, pool->stored->models);
    core_free(pool->object.context, pool->stored, sizeof(*pool->stored));
}

/* ---- the width of the device ---------------------------------------------------------------- */

struct pipeline_stored_width pipeline_pool_stored_width(const struct pipeline_stream_pool *pool)
{
    if (pool->stored == NULL || pool->stored->models == NULL)
        return (struct pipeline_stored_width){.streams = 0};
    return pool->stored->models->head.width;
}

/* The file with room for what the pool has learned, or an empty one; NULL without memory. */
static struct pipeline_stored *open_stored(struct pipeline_stream_pool *pool)
{
    struct core_context *context                = pool->object.context;
    const struct pipeline_stored_device *device = &pool->stored->device;
    struct pipeline_stored *stored              = pipeline_stored_load(context, device, PIPELINE_TASK_MODELS);
    return stored != NULL ? stored : pipeline_stored_create(context, device, PIPELINE_TASK_MODELS);
}

uint32_t pipeline_pool_stored_save_width(struct pipeline_stream_pool *pool, uint32_t streams, bool is_steady)
{
    struct base_saved_error saved;
    if (pool->stored == NULL)
        return streams;
    base_error_save(&saved);
    struct pipeline_stored *stored = open_stored(pool);
    if (stored != NULL) {
        pipeline_stored_width_add(&stored->head.width, streams, is_steady, pipeline_stored_now());
        streams = stored->head.width.streams;
        pipeline_stored_save(pool->object.context, stored);
    }
    pipeline_stored_destroy(pool->object.context, stored);
    base_error_restore(&saved);
    return streams;
}

/* ---- which kernel --------------------------------------------------------------------------- */

/* Native code of the program's has no digest, so its kernels stay unknown. */
static void identify(struct pipeline_pool_identity *identity, struct trm_kernel *handle)
{
    struct base_saved_error saved;
    base_error_save(&saved);
    struct core_kernel *kernel = core_object_enter(handle, CORE_KERNEL);
    base_error_restore(&saved);
    if (kernel == NULL)
        return;
    identity->is_known = core_kernel_digest(kernel, identity->kernel);
    base_text_copy(identity->name, sizeof(identity->name), kernel->name);
    core_object_leave(&kernel->object);
}

static void recall_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_identity *identity,
                          const struct pipeline_task_key *key)
{
    struct pipeline_pool_stored *own          = pool->stored;
    const struct pipeline_stored_model *found = NULL;
    if (pipeline_task_model_find(&pool->models, key) != NULL)
        return; /* another thread was first */
    struct pipeline_task_model *model           = pipeline_task_model_make(&pool->models, key);
    own->identities[model - pool->models.table] = *identity;
    if (identity->is_known && own->models != NULL)
        found = pipeline_stored_find(own->models, identity->kernel, key->size, key->workload);
    if (found == NULL)
        return;
    model->begun = found;
    model->least = found->least;
    model->time =
        (struct pipeline_model){.mean = found->mean, .spread = found->spread, .samples = found->samples};
}

bool pipeline_pool_lacks_model_locked(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                      const struct pipeline_task_key *key)
{
    return pool->stored != NULL && task != NULL && task->kernel != NULL &&
           pipeline_task_model_find(&pool->models, key) == NULL;
}

void pipeline_pool_stored_recall(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                 const struct pipeline_task_key *key)
{
    struct pipeline_pool_identity identity = {.what = key->what};
    identify(&identity, task->kernel);
    base_lock_acquire(&pool->lock);
    recall_locked(pool, &identity, key);
    base_lock_release(&pool->lock);
}

/* ---- saving --------------------------------------------------------------------------------- */

/* The identity of a model that is worth storing; NULL: it is not. */
static const struct pipeline_pool_identity *news_of_locked(const struct pipeline_stream_pool *pool,
                                                           uint32_t place)
{
    const struct pipeline_task_model *model       = &pool->models.table[place];
    const struct pipeline_pool_identity *identity = &pool->stored->identities[place];
    bool is_news = model->key.what != 0 && model->fresh > 0 && model->time.samples > 1;
    return is_news && identity->is_known && identity->what == model->key.what ? identity : NULL;
}

static void merge_locked(const struct pipeline_stream_pool *pool, uint32_t place, uint64_t now,
                         struct pipeline_stored *stored)
{
    const struct pipeline_task_model *model       = &pool->models.table[place];
    const struct pipeline_pool_identity *identity = news_of_locked(pool, place);
    if (identity == NULL)
        return;
    struct pipeline_stored_news news = {.begun = model->begun, .fresh = model->fresh};
    news.model                       = (struct pipeline_stored_model){
                              .size     = model->key.size,
                              .workload = model->key.workload,
                              .samples  = model->time.samples,
                              .learned  = now,
                              .mean     = model->time.mean,
                              .spread   = model->time.spread,
                              .least    = model->least,
    };
    memcpy(news.model.kernel, identity->kernel, sizeof(news.model.kernel));
    base_text_copy(news.model.name, sizeof(news.model.name), identity->name);
    pipeline_stored_merge(stored, &news);
}

static void merge_rate_locked(const struct pipeline_stream_pool *pool, struct pipeline_stored *stored)
{
    double begun = pool->stored->models != NULL ? pool->stored->models->head.best_rate : 0;
    double ours = pool->workloads.best_rate, *theirs = &stored->head.best_rate;
    if (*theirs == begun || ours > *theirs)
        *theirs = ours;
}

static bool has_news(struct pipeline_stream_pool *pool)
{
    bool found = false;
    base_lock_acquire(&pool->lock);
    for (uint32_t i = 0; i < PIPELINE_TASK_MODELS && !found; i++)
        found = news_of_locked(pool, i) != NULL;
    base_lock_release(&pool->lock);
    return found;
}

/* Does not wait for the last notifications of ended streams, which may still arrive. */
static void merge_all(struct pipeline_stream_pool *pool, struct pipeline_stored *stored)
{
    uint64_t now = pipeline_stored_now();
    base_lock_acquire(&pool->lock);
    for (uint32_t i = 0; i < PIPELINE_TASK_MODELS; i++)
        merge_locked(pool, i, now, stored);
    merge_rate_locked(pool, stored);
    base_lock_release(&pool->lock);
}

void pipeline_pool_stored_save(struct pipeline_stream_pool *pool)
{
    struct core_context *context = pool->object.context;
    struct base_saved_error saved;
    if (pool->stored == NULL || !has_news(pool))
        return;
    base_error_save(&saved);
    struct pipeline_stored *stored = open_stored(pool);
    if (stored != NULL) {
        if (stored->head.width.streams == 0)
            stored->head.width.streams = pool->side_by_side;
        merge_all(pool, stored);
        pipeline_stored_save(context, stored);
    }
    pipeline_stored_destroy(context, stored);
    base_error_restore(&saved);
}
