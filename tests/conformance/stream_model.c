/* What stream pools learn and keep for later runs.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/stream_model.h>

#include "groups.h"
#include "hold.h"
#include "stream_pools.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TASKS 4u
#define WORDS 1024u

/* A context and a device whose cache is a folder of the case. */
struct scene {
    char folder[64];
    struct trm_buffer *buffer;
    struct trm_kernel *kernel;
    struct trm_argument arguments[3];
    struct trm_stream_task task;
    struct world mine; /* of the fixture */
};

/* Leaves the fixture's context for one as in another process. */
static bool scene_open(struct scene *scene, const char *keeps)
{
    const struct trm_setting settings[] = {{"kernel.cache", scene->folder}, {"stream.models", keeps}};
    scene->mine                         = the;
    ck_ok(context_with(settings, 2, &the.context));
    the.device = open_device(the.context);
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &the.stream));
    scene->buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, WORDS * sizeof(float));
    if (trm_kernel_named(the.device, "fill", NULL, 0, &scene->kernel) != TRM_OK) {
        scene->kernel = NULL;
        return false;
    }
    scene->arguments[0] = trm_arg_buffer(scene->buffer);
    scene->arguments[1] = trm_arg_f32(1);
    scene->arguments[2] = trm_arg_u32(WORDS);
    scene->task         = (struct trm_stream_task){.struct_size    = sizeof(scene->task),
                                                   .kernel         = scene->kernel,
                                                   .arguments      = scene->arguments,
                                                   .argument_count = 3};
    ck_ok(trm_kernel_grid(scene->kernel, WORDS, 1, 1, &scene->task.grid));
    return true;
}

static void scene_close(struct scene *scene)
{
    trm_kernel_destroy(scene->kernel);
    trm_buffer_destroy(scene->buffer);
    trm_stream_destroy(the.stream);
    trm_device_destroy(the.device);
    trm_context_destroy(the.context);
    the = scene->mine;
}

static void folder_remove(const char *folder)
{
    char path[400];
    const struct dirent *entry;
    DIR *opened = opendir(folder);
    ck_assert_ptr_nonnull(opened);
    while ((entry = readdir(opened)) != NULL)
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
            ck_assert_int_eq(unlink(path), 0);
        }
    closedir(opened);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* False where a pool learns nothing of kernels that is kept; says why. */
static bool scene_begin(struct scene *scene, const char *keeps)
{
    memset(scene, 0, sizeof(*scene));
    snprintf(scene->folder, sizeof(scene->folder), "/tmp/conformance-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scene->folder));
    bool has_kernel = scene_open(scene, keeps);
    if (has_kernel && hold_works())
        return true;
    skip(has_kernel ? "its streams cannot be held" : "it has no installed kernels");
    scene_close(scene);
    folder_remove(scene->folder);
    return false;
}

static void scene_again(struct scene *scene, const char *keeps)
{
    scene_close(scene);
    ck_assert(scene_open(scene, keeps));
}

static void scene_end(struct scene *scene)
{
    scene_close(scene);
    folder_remove(scene->folder);
}

static int32_t hold_there(void *user, struct trm_stream *stream)
{
    struct hold **hold = user;
    *hold              = hold_begin(stream);
    return TRM_OK;
}

/* The tasks come after one that is held, so that the pool sees all of them end. */
static void learn(struct scene *scene, struct trm_stream_pool *pool)
{
    struct hold *hold           = NULL;
    struct trm_stream_task task = function_task(hold_there, &hold);
    struct trm_point held       = submit(pool, &task), last;
    scene->task.after           = &held;
    scene->task.after_count     = 1;
    for (uint32_t i = 0; i < TASKS; i++)
        last = submit(pool, &scene->task);
    scene->task.after_count = 0;
    hold_end(hold);
    ck_ok(trm_point_wait(last, TRM_FOREVER));
    while (stats_of(pool).busy > 0)
        sched_yield();
}

static void learn_and_destroy(struct scene *scene)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, TASKS + 1);
    learn(scene, pool);
    trm_stream_pool_destroy(pool);
}

/* Tasks that a new pool has learned from. */
static uint64_t samples_known(const struct scene *scene)
{
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};
    struct trm_stream_pool *pool            = make_pool(TRM_STREAM_DEFAULT, 1);
    int32_t status                          = trm_stream_pool_predict(pool, &scene->task, &prediction);
    trm_stream_pool_destroy(pool);
    if (status != TRM_OK)
        ck_assert_int_eq(status, TRM_ERROR_NOT_FOUND);
    return status == TRM_OK ? prediction.samples : 0;
}

struct seen {
    uint32_t count;
    int32_t answer;
    uint64_t samples, groups, mean;
    char kernel[64];
    size_t digits;
};

static int32_t see(void *user, const struct trm_stream_model *model)
{
    struct seen *seen = user;
    seen->count++;
    seen->samples = model->samples;
    seen->groups  = model->groups;
    seen->mean    = model->mean_ns;
    seen->digits  = strlen(model->digest);
    snprintf(seen->kernel, sizeof(seen->kernel), "%s", model->kernel);
    ck_assert_uint_ge(model->learned, 1000000000);
    ck_assert_uint_gt(strlen(model->backend), 0);
    ck_assert_uint_gt(strlen(model->device), 0);
    return seen->answer;
}

static uint32_t models_listed(void)
{
    struct seen seen = {.count = 0};
    ck_ok(trm_stream_model_list(the.context, see, &seen));
    return seen.count;
}

START_TEST(what_a_pool_has_learned_of_a_kernel_is_known_in_the_next_context)
{
    struct scene scene;
    if (!scene_begin(&scene, "yes"))
        return;
    ck_assert_uint_eq(samples_known(&scene), 0);
    learn_and_destroy(&scene);
    scene_again(&scene, "yes");
    ck_assert_uint_eq(samples_known(&scene), TASKS);
    learn_and_destroy(&scene);
    scene_again(&scene, "yes");
    ck_assert_uint_ge(samples_known(&scene), TASKS); /* fewer than twice if its times have changed */
    scene_end(&scene);
}
END_TEST

START_TEST(models_of_kernels_are_listed)
{
    struct scene scene;
    struct seen seen = {.count = 0};
    if (!scene_begin(&scene, "yes"))
        return;
    ck_assert_uint_eq(models_listed(), 0);
    learn_and_destroy(&scene);
    ck_ok(trm_stream_model_list(the.context, see, &seen));
    ck_assert_uint_eq(seen.count, 1);
    ck_assert_uint_eq(seen.samples, TASKS);
    ck_assert_uint_eq(seen.digits, 64);
    ck_assert_str_eq(seen.kernel, "fill");
    ck_assert_uint_ge(scene.task.grid.groups[0], seen.groups);
    ck_assert_uint_lt(scene.task.grid.groups[0], 2 * seen.groups);
    seen.answer = TRM_ERROR_CANCELLED;
    ck_assert_int_eq(trm_stream_model_list(the.context, see, &seen), TRM_ERROR_CANCELLED);
    ck_status(trm_stream_model_list(the.context, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    scene_end(&scene);
}
END_TEST

START_TEST(models_that_are_forgotten_are_not_known)
{
    struct scene scene;
    uint32_t count = 7;
    if (!scene_begin(&scene, "yes"))
        return;
    ck_ok(trm_stream_model_forget(the.context, &count));
    ck_assert_uint_eq(count, 0);
    learn_and_destroy(&scene);
    ck_ok(trm_stream_model_forget(the.context, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(models_listed(), 0);
    ck_assert_uint_eq(samples_known(&scene), 0);
    ck_ok(trm_stream_model_forget(the.context, NULL));
    scene_end(&scene);
}
END_TEST

START_TEST(models_of_two_pools_are_merged)
{
    struct scene scene;
    if (!scene_begin(&scene, "yes"))
        return;
    struct trm_stream_pool *one   = make_pool(TRM_STREAM_DEFAULT, TASKS + 1);
    struct trm_stream_pool *other = make_pool(TRM_STREAM_DEFAULT, TASKS + 1);
    learn(&scene, one);
    learn(&scene, other);
    trm_stream_pool_destroy(one);
    trm_stream_pool_destroy(other);
    ck_assert_uint_eq(samples_known(&scene), 2 * (uint64_t)TASKS);
    ck_assert_uint_eq(models_listed(), 1);
    scene_end(&scene);
}
END_TEST

START_TEST(models_of_tasks_for_all_streams_are_kept)
{
    struct scene scene;
    struct hold *hold = NULL;
    struct trm_point points[TRM_STREAM_POOL_MOST];
    uint32_t count;
    if (!scene_begin(&scene, "yes"))
        return;
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 1);
    struct trm_stream_task task  = function_task(hold_there, &hold);
    submit(pool, &task);
    for (uint32_t i = 0; i < TASKS; i++)
        ck_ok(trm_stream_pool_submit_all(pool, &scene.task, points, &count));
    ck_assert_uint_eq(count, 1);
    hold_end(hold);
    ck_ok(trm_point_wait(points[0], TRM_FOREVER));
    while (stats_of(pool).busy > 0)
        sched_yield();
    trm_stream_pool_destroy(pool);
    ck_assert_uint_eq(samples_known(&scene), TASKS);
    scene_end(&scene);
}
END_TEST

START_TEST(without_the_setting_nothing_is_kept_and_nothing_known)
{
    struct scene scene;
    if (!scene_begin(&scene, "no"))
        return;
    learn_and_destroy(&scene);
    ck_assert_uint_eq(models_listed(), 0);
    scene_again(&scene, "yes");
    learn_and_destroy(&scene);
    scene_again(&scene, "no");
    ck_assert_uint_eq(models_listed(), 1);
    ck_assert_uint_eq(samples_known(&scene), 0);
    scene_end(&scene);
}
END_TEST

/* Writes over the middle of the file of models. */
static void damage(const char *folder)
{
    char path[400] = "";
    const struct dirent *entry;
    DIR *opened = opendir(folder);
    ck_assert_ptr_nonnull(opened);
    while ((entry = readdir(opened)) != NULL)
        if (strstr(entry->d_name, ".models") != NULL)
            snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    closedir(opened);
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 200, SEEK_SET), 0);
    ck_assert_int_ge(fputs("no longer what it was", file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(damaged_models_are_ignored_and_learned_anew)
{
    struct scene scene;
    if (!scene_begin(&scene, "yes"))
        return;
    learn_and_destroy(&scene);
    damage(scene.folder);
    log_forget();
    scene_again(&scene, "yes");
    ck_assert_uint_eq(samples_known(&scene), 0);
    ck_assert(log_has(TRM_LOG_WARNING, "damaged"));
    learn_and_destroy(&scene);
    ck_assert_uint_eq(samples_known(&scene), TASKS);
    scene_end(&scene);
}
END_TEST

START_TEST(a_kernel_takes_as_long_as_was_kept_until_it_is_measured)
{
    struct scene scene;
    struct seen seen                        = {.count = 0};
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};
    if (!scene_begin(&scene, "yes"))
        return;
    learn_and_destroy(&scene);
    scene_again(&scene, "yes");
    ck_ok(trm_stream_model_list(the.context, see, &seen));
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_LEAST_LOADED, 1);
    ck_ok(trm_stream_pool_predict(pool, &scene.task, &prediction));
    ck_assert_uint_eq(prediction.mean_ns, seen.mean);
    scene.task.workload = TRM_STREAM_WORKLOAD_MEMORY; /* another model */
    ck_status(trm_stream_pool_predict(pool, &scene.task, &prediction), TRM_ERROR_NOT_FOUND);
    trm_stream_pool_destroy(pool);
    scene_end(&scene);
}
END_TEST

void add_stream_model(Suite *suite)
{
    TCase *group = group_make(suite, "models of stream pools");
    CASE(group, what_a_pool_has_learned_of_a_kernel_is_known_in_the_next_context);
    CASE(group, models_of_kernels_are_listed);
    CASE(group, models_that_are_forgotten_are_not_known);
    CASE(group, models_of_two_pools_are_merged);
    CASE(group, models_of_tasks_for_all_streams_are_kept);
    CASE(group, without_the_setting_nothing_is_kept_and_nothing_known);
    CASE(group, damaged_models_are_ignored_and_learned_anew);
    CASE(group, a_kernel_takes_as_long_as_was_kept_until_it_is_measured);
}
