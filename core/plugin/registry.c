/* The registry: finds the plugins, runs the loader's steps on those that the setting `backend` selects, and
 * sorts them by preference.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/registry.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/object/object.h"
#include "core/plugin/registry_state.h"
#include "core/settings/settings.h"

/* ---- candidates ---- */

/* `name` has `length` bytes. One that is too long for a backend's name is cut; the candidate is refused
 * later. */
static int32_t add_candidate(struct core_registry *registry, const char *name, size_t length,
                             const char *path, struct core_candidate **out)
{
    struct core_context *context = registry->context;
    if (registry->count == CORE_CANDIDATES_MAX)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "there are more than %d plugins", CORE_CANDIDATES_MAX);
    struct core_candidate *candidate = core_allocate(context, sizeof(*candidate));
    if (candidate == NULL)
        return base_fail_memory("looking for backends");
    candidate->path = core_copy_text(context, path);
    if (candidate->path == NULL) {
        core_free(context, candidate, sizeof(*candidate));
        return base_fail_memory("looking for backends");
    }
    snprintf(candidate->file_name, sizeof(candidate->file_name), "%.*s", (int)length, name);
    memcpy(candidate->name, candidate->file_name, sizeof(candidate->name));
    registry->candidates[registry->count++] = candidate;
    *out                                    = candidate;
    return TRM_OK;
}

/* An accepted candidate with that file name that was found before `self`, or NULL. */
static const struct core_candidate *find_earlier(const struct core_registry *registry,
                                                 const struct core_candidate *self, const char *name)
{
    for (uint32_t i = 0; i < registry->count && registry->candidates[i] != self; i++) {
        const struct core_candidate *candidate = registry->candidates[i];
        if (candidate->accepted && strcmp(candidate->file_name, name) == 0)
            return candidate;
    }
    return NULL;
}

/* ---- loading ---- */

/* Runs after the query, when the plugin's own name is known. */
static bool check_name(struct core_registry *registry, struct core_candidate *candidate)
{
    const struct core_selection *selection = &registry->selection;
    for (uint32_t i = 0; i < registry->count && registry->candidates[i] != candidate; i++) {
        const struct core_candidate *other = registry->candidates[i];
        if (other->accepted && strcmp(other->name, candidate->name) == 0)
            return core_loader_refuse(candidate, "shadowed by %s, which has the same name", other->path);
    }
    if (selection->mode == CORE_SELECT_OTHERS && core_selection_find(selection, candidate->name) != NULL)
        return core_loader_refuse(candidate, "excluded by %s=%s", registry->origin, registry->choice);
    return true;
}

/* Fails only without memory; every other failure of a plugin is a line of the report. */
static int32_t try_candidate(struct core_registry *registry, struct core_candidate *candidate,
                             uint32_t device)
{
    struct core_context *context = registry->context;
    candidate->backend.preferred = device == CORE_NO_DEVICE ? 0 : device;
    if (core_loader_open_file(context, candidate) && check_name(registry, candidate) &&
        core_loader_probe(context, candidate))
        core_loader_start(context, candidate);
    if (candidate->accepted)
        core_log(context, TRM_LOG_INFO, "%s: %u device%s, score %d (%s)", candidate->name,
                 candidate->backend.device_count, base_plural(candidate->backend.device_count),
                 candidate->score, candidate->path);
    else
        core_log(context, TRM_LOG_INFO, "%s: refused: %s (%s)", candidate->name, candidate->reason,
                 candidate->path);
    if (candidate->is_out_of_memory)
        return base_fail(TRM_ERROR_OUT_OF_HOST_MEMORY, "out of host memory while loading the backend %s: %s",
                         candidate->name, candidate->reason);
    return TRM_OK;
}

/* ---- finding ---- */

/* Does the setting select this file? Decided by its name, before any of its code runs. */
static bool check_wanted(struct core_registry *registry, struct core_candidate *candidate, uint32_t *device)
{
    const struct core_selection *selection   = &registry->selection;
    const struct core_selection_entry *entry = core_selection_find(selection, candidate->name);
    const struct core_candidate *earlier     = find_earlier(registry, candidate, candidate->file_name);
    *device                                  = CORE_NO_DEVICE;
    if (selection->mode == CORE_SELECT_OTHERS && entry != NULL)
        return core_loader_refuse(candidate, "excluded by %s=%s", registry->origin, registry->choice);
    if (selection->mode == CORE_SELECT_LISTED && entry == NULL)
        return core_loader_refuse(candidate, "not selected by %s=%s", registry->origin, registry->choice);
    if (earlier != NULL)
        return core_loader_refuse(candidate, "shadowed by %s, which was found first", earlier->path);
    if (entry != NULL)
        *device = entry->device;
    return true;
}

static int32_t found_file(void *user, const char *folder, const char *name)
{
    struct core_registry *registry = user;
    struct core_candidate *candidate;
    char path[PATH_MAX];
    uint32_t device;
    int written = snprintf(path, sizeof(path), "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    if ((size_t)written >= sizeof(path))
        return TRM_OK;
    int32_t status = add_candidate(registry, name, strlen(name) - strlen(".so"), path, &candidate);
    if (status == TRM_OK && check_wanted(registry, candidate, &device))
        status = try_candidate(registry, candidate, device);
    return status;
}

static int32_t try_path(struct core_registry *registry, const struct core_selection_entry *entry)
{
    char path[PATH_MAX];
    struct core_candidate *candidate;
    snprintf(path, sizeof(path), "%.*s",
             (int)(entry->length < sizeof(path) ? entry->length : sizeof(path) - 1), entry->text);
    const char *file = strrchr(path, '/') + 1;
    size_t length    = strlen(file);
    if (length > 3 && strcmp(file + length - 3, ".so") == 0)
        length -= 3;
    int32_t status = add_candidate(registry, file, length, path, &candidate);
    if (status == TRM_OK)
        status = try_candidate(registry, candidate, entry->device);
    return status;
}

/* The setting names a backend that no folder has. */
static int32_t report_missing(struct core_registry *registry, const struct core_selection_entry *entry)
{
    struct core_candidate *candidate;
    char where[400] = "";
    int32_t status  = add_candidate(registry, entry->text, entry->length, "", &candidate);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < registry->folders.count; i++) {
        size_t length = strlen(where);
        snprintf(where + length, sizeof(where) - length, "%s%s", i == 0 ? "" : ", ",
                 registry->folders.paths[i]);
    }
    if (where[0] == '\0')
        core_loader_refuse(candidate, "there is no file %s.so, and no folder of backends", candidate->name);
    else
        core_loader_refuse(candidate, "there is no file %s.so in %s", candidate->name, where);
    return TRM_OK;
}

static bool is_found(const struct core_registry *registry, const struct core_selection_entry *entry)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        const char *name = registry->candidates[i]->file_name;
        if (strlen(name) == entry->length && memcmp(name, entry->text, entry->length) == 0)
            return true;
    }
    return false;
}

/* Paths in the setting come before the folders, so that they win over files of the same name. */
static int32_t find_all(struct core_registry *registry)
{
    const struct core_selection *selection = &registry->selection;
    int32_t status                         = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < selection->count; i++) {
        if (selection->entries[i].is_path)
            status = try_path(registry, &selection->entries[i]);
    }
    for (uint32_t i = 0; status == TRM_OK && i < registry->folders.count; i++)
        status = core_folder_list(registry->context, &core_folders_of_backends, registry->folders.paths[i],
                                  found_file, registry);
    for (uint32_t i = 0; status == TRM_OK && i < selection->count; i++) {
        const struct core_selection_entry *entry = &selection->entries[i];
        if (selection->mode == CORE_SELECT_LISTED && !entry->is_path && !is_found(registry, entry))
            status = report_missing(registry, entry);
    }
    return status;
}

/* ---- order ---- */

/* Is `one` preferred to `other`? Equals keep the order in which they were found. */
static bool is_before(const struct core_registry *registry, const struct core_candidate *one,
                      const struct core_candidate *other)
{
    if (one->accepted != other->accepted)
        return one->accepted;
    if (registry->selection.mode == CORE_SELECT_LISTED)
        return core_registry_rank(&registry->selection, one) <
               core_registry_rank(&registry->selection, other);
    return one->score > other->score;
}

static void sort_candidates(struct core_registry *registry)
{
    for (uint32_t i = 1; i < registry->count; i++) {
        struct core_candidate *candidate = registry->candidates[i];
        uint32_t place                   = i;
        for (; place > 0 && is_before(registry, candidate, registry->candidates[place - 1]); place--)
            registry->candidates[place] = registry->candidates[place - 1];
        registry->candidates[place] = candidate;
    }
    while (registry->backend_count < registry->count &&
           registry->candidates[registry->backend_count]->accepted)
        registry->backend_count++;
}

/* ---- life ---- */

static const char *origin_of_choice(const struct core_context *context)
{
    int32_t origin = TRM_ORIGIN_DEFAULT;
    (void)core_setting_get(context, "backend", NULL, 0, NULL, &origin);
    return origin == TRM_ORIGIN_ENVIRONMENT ? "TRIREME_BACKEND"
           : origin == TRM_ORIGIN_FILE      ? "the configuration file's backend"
                                            : "the program's setting backend";
}

static int32_t registry_create(struct core_context *context, struct core_registry **out)
{
    char unused[256];
    struct base_saved_error before, failure;
    base_error_save(&before);
    struct core_registry *registry = core_allocate(context, sizeof(*registry));
    if (registry == NULL)
        return base_fail_memory("looking for backends");
    registry->context = context;
    registry->choice  = core_setting_text(context, "backend");
    registry->origin  = origin_of_choice(context);
    core_selection_parse(registry->choice, &registry->selection, unused, sizeof(unused));
    int32_t status = core_folders_create(context, &core_folders_of_backends, &registry->folders);
    if (status == TRM_OK)
        status = find_all(registry);
    if (status != TRM_OK) {
        base_error_save(&failure); /* closing a backend may set the last error */
        core_registry_destroy(registry);
        base_error_restore(&failure);
        return status;
    }
    sort_candidates(registry);
    base_error_restore(&before); /* the failures of single plugins are in the report */
    *out = registry;
    return TRM_OK;
}

void core_registry_destroy(struct core_registry *registry)
{
    struct core_context *context = registry->context;
    for (uint32_t i = 0; i < registry->count; i++) {
        struct core_candidate *candidate = registry->candidates[i];
        if (candidate->accepted)
            core_loader_stop(candidate);
        core_free(context, candidate->path, strlen(candidate->path) + 1);
        core_free(context, candidate, sizeof(*candidate));
    }
    core_folders_destroy(context, &registry->folders);
    core_free(context, registry, sizeof(*registry));
}

/* ---- asking ---- */

uint32_t core_registry_candidate_count(const struct core_registry *registry)
{
    return registry->count;
}

void core_registry_candidate(const struct core_registry *registry, uint32_t index, struct trm_candidate *out)
{
    const struct core_candidate *candidate = registry->candidates[index];
    out->accepted                          = candidate->accepted;
    out->stage                             = candidate->stage;
    out->score                             = candidate->score;
    out->name                              = candidate->name;
    out->path                              = candidate->path;
    out->version                           = candidate->version;
    out->reason                            = candidate->reason;
}

uint32_t core_registry_backend_count(const struct core_registry *registry)
{
    return registry->backend_count;
}

struct core_backend *core_registry_backend(const struct core_registry *registry, uint32_t index)
{
    return &registry->candidates[index]->backend;
}

/* Backends and the program's log callback run while the registry loads, so the lock is released meanwhile;
 * other threads wait for the condition. */
int32_t core_registry_get(struct core_context *context, struct core_registry **registry)
{
    int32_t status = TRM_OK;
    pthread_mutex_lock(&context->lock);
    while (context->is_registry_loading)
        pthread_cond_wait(&context->registry_loaded, &context->lock);
    if (context->registry == NULL) {
        struct core_registry *loaded = NULL;
        context->is_registry_loading = true;
        pthread_mutex_unlock(&context->lock);
        status = registry_create(context, &loaded);
        pthread_mutex_lock(&context->lock);
        context->is_registry_loading = false;
        context->registry            = loaded;
        pthread_cond_broadcast(&context->registry_loaded);
    }
    if (status == TRM_OK)
        *registry = context->registry;
    pthread_mutex_unlock(&context->lock);
    return status;
}
