/* The file of models.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/model/stored.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/cache/cache.h"
#include "core/object/object.h"
#include "pipeline/model/workload.h"

#define VERSION 3u

/* A model remembers about so many samples. */
#define MEMORY 8u

/* The most bytes of a file that is read: the models and the cache's trailer. */
#define BYTES_MOST \
    (sizeof(struct pipeline_stored_head) + PIPELINE_STORED_MOST * sizeof(struct pipeline_stored_model) + 4096)

static const char magic[16] = "trireme models";

/* ---- the device ----------------------------------------------------------------------------- */

void pipeline_stored_device_of(struct core_device *device, struct pipeline_stored_device *found)
{
    struct trm_device *handle = device->object.handle;
    struct base_saved_error saved;
    base_error_save(&saved);
    memset(found, 0, sizeof(*found));
    base_text_copy(found->backend, sizeof(found->backend), device->backend->name);
    if (device->backend->table.version != NULL)
        base_text_copy(found->version, sizeof(found->version), device->backend->table.version);
    if (trm_device_get_info(handle, TRM_DEVICE_NAME, found->name, sizeof(found->name) - 1, NULL) != TRM_OK)
        memset(found->name, 0, sizeof(found->name));
    if (trm_device_get_info(handle, TRM_DEVICE_DRIVER, found->driver, sizeof(found->driver) - 1, NULL) !=
        TRM_OK)
        memset(found->driver, 0, sizeof(found->driver));
    if (trm_device_get_u64(handle, TRM_DEVICE_UNITS, &found->units) != TRM_OK)
        found->units = 0;
    base_error_restore(&saved);
}

static void key_of(const struct pipeline_stored_device *device, char *key, size_t capacity)
{
    snprintf(key, capacity, "models 3\n%s\n%s\n%s\n%s\n%" PRIu64, device->backend, device->version,
             device->name, device->driver, device->units);
}

static bool is_same_device(const struct pipeline_stored_device *one,
                           const struct pipeline_stored_device *other)
{
    return strcmp(one->backend, other->backend) == 0 && strcmp(one->version, other->version) == 0 &&
           strcmp(one->name, other->name) == 0 && strcmp(one->driver, other->driver) == 0 &&
           one->units == other->units;
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t bytes_of(uint32_t capacity)
{
    return sizeof(struct pipeline_stored) + capacity * sizeof(struct pipeline_stored_model);
}

static struct pipeline_stored *allocate(struct core_context *context, uint32_t capacity)
{
    struct pipeline_stored *made = core_allocate(context, bytes_of(capacity));
    if (made != NULL)
        made->capacity = capacity;
    return made;
}

struct pipeline_stored *pipeline_stored_create(struct core_context *context,
                                               const struct pipeline_stored_device *device, uint32_t capacity)
{
    struct pipeline_stored *made = allocate(context, capacity);
    if (made == NULL)
        return NULL;
    memcpy(made->head.magic, magic, sizeof(magic));
    made->head.version = VERSION;
    made->head.device  = *device;
    return made;
}

void pipeline_stored_destroy(struct core_context *context, struct pipeline_stored *stored)
{
    if (stored != NULL)
        core_free(context, stored, bytes_of(stored->capacity));
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool is_text(const char *text, size_t capacity)
{
    return memchr(text, 0, capacity) != NULL;
}

static bool is_time(double time)
{
    return isfinite(time) && time >= 0 && time < 1e18;
}

static bool is_sound_model(const struct pipeline_stored_model *model)
{
    return is_text(model->name, sizeof(model->name)) && model->size <= 64 &&
           model->workload >= TRM_STREAM_WORKLOAD_FOUND && model->workload < PIPELINE_TASK_WORKLOADS &&
           model->samples >= 2 && is_time(model->mean) && is_time(model->spread) && is_time(model->least);
}

static bool is_sound_head(const struct pipeline_stored_head *head, uint64_t size)
{
    const struct pipeline_stored_device *device = &head->device;
    return memcmp(head->magic, magic, sizeof(magic)) == 0 && head->version == VERSION &&
           head->count <= PIPELINE_STORED_MOST &&
           size >= sizeof(*head) + head->count * sizeof(struct pipeline_stored_model) &&
           is_text(device->backend, sizeof(device->backend)) &&
           is_text(device->version, sizeof(device->version)) && is_text(device->name, sizeof(device->name)) &&
           is_text(device->driver, sizeof(device->driver)) && isfinite(head->best_rate) &&
           head->best_rate >= 0 && head->width.streams <= TRM_STREAM_POOL_MOST;
}

/* Copies what a file says, if it makes sense. */
static struct pipeline_stored *parse(struct core_context *context, const void *bytes, uint64_t size,
                                     uint32_t more)
{
    struct pipeline_stored_head head;
    if (size < sizeof(head))
        return NULL;
    memcpy(&head, bytes, sizeof(head));
    if (!is_sound_head(&head, size))
        return NULL;
    struct pipeline_stored *made = allocate(context, head.count + more);
    if (made == NULL)
        return NULL;
    made->head = head;
    memcpy(made->models, (const uint8_t *)bytes + sizeof(head), head.count * sizeof(*made->models));
    for (uint32_t i = 0; i < head.count; i++)
        if (!is_sound_model(&made->models[i])) {
            pipeline_stored_destroy(context, made);
            return NULL;
        }
    return made;
}

struct pipeline_stored *pipeline_stored_read(struct core_context *context, const char *path, uint32_t more)
{
    struct pipeline_stored *made = NULL;
    struct base_arena arena;
    const void *bytes;
    uint64_t size;
    base_arena_init(&arena, &context->allocator);
    int32_t error = base_read_file(&arena, path, BYTES_MOST, &bytes, &size);
    if (error == 0)
        made = parse(context, bytes, size, more);
    base_arena_fini(&arena);
    if (made == NULL)
        core_log(context, TRM_LOG_WARNING, "the models in %s are ignored: %s", path,
                 error != 0 ? "the file cannot be read" : "they are of another version, or damaged");
    return made;
}

struct pipeline_stored *pipeline_stored_load(struct core_context *context,
                                             const struct pipeline_stored_device *device, uint32_t more)
{
    char key[512], path[TRM_PATH_MOST];
    key_of(device, key, sizeof(key));
    if (core_cache_find(context, key, PIPELINE_STORED_EXTENSION, path) != TRM_OK)
        return NULL;
    struct pipeline_stored *made = pipeline_stored_read(context, path, more);
    if (made == NULL || is_same_device(&made->head.device, device))
        return made;
    core_log(context, TRM_LOG_WARNING, "the models in %s are ignored: they are of another device", path);
    pipeline_stored_destroy(context, made);
    return NULL;
}

/* ---- merging -------------------------------------------------------------------------------- */

const struct pipeline_stored_model *pipeline_stored_find(const struct pipeline_stored *stored,
                                                         const uint8_t kernel[BASE_SHA256_BYTES],
                                                         uint32_t size, int32_t workload)
{
    for (uint32_t i = 0; i < stored->head.count; i++) {
        const struct pipeline_stored_model *model = &stored->models[i];
        if (model->size == size && model->workload == workload &&
            memcmp(model->kernel, kernel, BASE_SHA256_BYTES) == 0)
            return model;
    }
    return NULL;
}

static double weight_of(uint64_t samples)
{
    return samples < MEMORY ? (double)samples : MEMORY;
}

/* Another process has learned too. */
static void average(struct pipeline_stored_model *theirs, const struct pipeline_stored_news *news)
{
    const struct pipeline_stored_model *ours = &news->model;
    double weight = weight_of(news->fresh), part = weight / (weight + weight_of(theirs->samples));
    theirs->mean += (ours->mean - theirs->mean) * part;
    theirs->spread += (ours->spread - theirs->spread) * part;
    if (ours->least != 0 && (theirs->least == 0 || ours->least < theirs->least))
        theirs->least = ours->least;
    theirs->samples += news->fresh;
    theirs->learned = ours->learned > theirs->learned ? ours->learned : theirs->learned;
}

void pipeline_stored_merge(struct pipeline_stored *stored, const struct pipeline_stored_news *news)
{
    const struct pipeline_stored_model *model = &news->model;
    const struct pipeline_stored_model *found =
        pipeline_stored_find(stored, model->kernel, model->size, model->workload);
    if (found == NULL) {
        stored->models[stored->head.count++] = *model;
        return;
    }
    struct pipeline_stored_model *theirs = &stored->models[found - stored->models];
    bool is_unchanged                    = news->begun != NULL && news->begun->learned == theirs->learned &&
                        news->begun->samples == theirs->samples;
    if (is_unchanged)
        *theirs = *model;
    else
        average(theirs, news);
}

/* ---- writing -------------------------------------------------------------------------------- */

static int compare_learned(const void *one, const void *other)
{
    const struct pipeline_stored_model *a = one, *b = other;
    return (a->learned < b->learned) - (a->learned > b->learned);
}

static int32_t write_file(const char *path, const struct pipeline_stored *stored)
{
    int file;
    int32_t error = base_file_open_own(path, O_WRONLY, &file);
    if (error != 0)
        return error;
    error = base_file_write(file, &stored->head, sizeof(stored->head), 0);
    if (error == 0)
        error = base_file_write(file, stored->models, stored->head.count * sizeof(*stored->models),
                                sizeof(stored->head));
    close(file);
    return error;
}

void pipeline_stored_save(struct core_context *context, struct pipeline_stored *stored)
{
    char key[512], begun[TRM_PATH_MOST], path[TRM_PATH_MOST];
    struct base_saved_error saved;
    base_error_save(&saved);
    if (stored->head.count > PIPELINE_STORED_MOST) {
        qsort(stored->models, stored->head.count, sizeof(*stored->models), compare_learned);
        stored->head.count = PIPELINE_STORED_MOST;
    }
    key_of(&stored->head.device, key, sizeof(key));
    if (core_cache_begin(context, key, PIPELINE_STORED_EXTENSION, begun) != TRM_OK)
        goto restore_error;
    int32_t error = write_file(begun, stored);
    if (error != 0) {
        core_log(context, TRM_LOG_WARNING, "the models of %s are not kept: %s cannot be written: %s",
                 stored->head.device.name, begun, strerror(error));
        core_cache_discard(context, begun);
    } else if (core_cache_commit(context, key, PIPELINE_STORED_EXTENSION, begun, path) == TRM_OK) {
        core_log(context, TRM_LOG_DEBUG, "kept %" PRIu32 " models of %s in %s", stored->head.count,
                 stored->head.device.name, path);
    }

restore_error:
    base_error_restore(&saved);
}
