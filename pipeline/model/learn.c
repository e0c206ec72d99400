/* The table of models.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/model/learn.h"

/* A model is in one of so many places behind that of its key. */
#define NEAR 8u

/* How far a lasting change to longer times draws the least time. It may be the company of other tasks. */
#define DRIFT (1.0 / 4)

static uint32_t logarithm(uint64_t number)
{
    return number == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(number);
}

static uint64_t groups_of(const struct trm_grid *grid)
{
    uint64_t groups = 1;
    for (uint32_t i = 0; i < 3; i++)
        groups *= grid->groups[i] != 0 ? grid->groups[i] : 1;
    return groups;
}

struct pipeline_task_key pipeline_task_key_of(const struct trm_stream_task *task)
{
    struct pipeline_task_key key = {
        .what = (uintptr_t)task->kernel, .size = logarithm(task->bytes), .workload = task->workload};
    if (task->kernel == NULL)
        key.what = (uintptr_t)task->enqueue;
    else
        key.size = logarithm(groups_of(&task->grid));
    return key;
}

static uint32_t place_of(const struct pipeline_task_key *key)
{
    uint64_t mixed = (key->what ^ (uint64_t)key->size << 56 ^ (uint64_t)(uint32_t)key->workload << 48) *
                     UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 32) & (PIPELINE_TASK_MODELS - 1);
}

static bool is_same(const struct pipeline_task_key *a, const struct pipeline_task_key *b)
{
    return a->what == b->what && a->size == b->size && a->workload == b->workload;
}

static struct pipeline_task_model *model_at(struct pipeline_task_models *models, uint32_t place)
{
    return &models->table[place & (PIPELINE_TASK_MODELS - 1)];
}

struct pipeline_task_model *pipeline_task_model_find(struct pipeline_task_models *models,
                                                     const struct pipeline_task_key *key)
{
    uint32_t place = place_of(key);
    for (uint32_t i = 0; i < NEAR; i++) {
        struct pipeline_task_model *model = model_at(models, place + i);
        if (is_same(&model->key, key)) {
            model->last_use = ++models->uses;
            return model;
        }
    }
    return NULL;
}

struct pipeline_task_model *pipeline_task_model_make(struct pipeline_task_models *models,
                                                     const struct pipeline_task_key *key)
{
    uint32_t place                   = place_of(key);
    struct pipeline_task_model *made = model_at(models, place);
    for (uint32_t i = 1; i < NEAR; i++)
        if (model_at(models, place + i)->last_use < made->last_use)
            made = model_at(models, place + i);
    *made = (struct pipeline_task_model){.key = *key, .last_use = ++models->uses};
    return made;
}

static struct pipeline_task_model *find_or_make(struct pipeline_task_models *models,
                                                const struct pipeline_task_key *key)
{
    struct pipeline_task_model *model = pipeline_task_model_find(models, key);
    return model != NULL ? model : pipeline_task_model_make(models, key);
}

static void note_least(struct pipeline_task_model *model, bool has_changed)
{
    model->fresh++;
    if (model->time.samples > 1 && (model->least == 0 || model->time.mean < model->least))
        model->least = model->time.mean;
    else if (has_changed)
        model->least += (model->time.mean - model->least) * DRIFT;
}

struct pipeline_task_model *pipeline_task_model_add(struct pipeline_task_models *models,
                                                    const struct pipeline_task_key *key, double took)
{
    struct pipeline_task_model *model = find_or_make(models, key);
    note_least(model, pipeline_model_add(&model->time, took));
    return model;
}

struct pipeline_task_model *pipeline_task_model_add_bound(struct pipeline_task_models *models,
                                                          const struct pipeline_task_key *key, double most,
                                                          bool *is_taken)
{
    struct pipeline_task_model *model = find_or_make(models, key);
    *is_taken                         = pipeline_model_add_bound(&model->time, most);
    note_least(model, *is_taken);
    return model;
}
