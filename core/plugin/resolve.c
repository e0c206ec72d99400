/* Resolves the id of a device to a backend and a device number, or explains why it is not available.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "core/object/object.h"
#include "core/plugin/device_match.h"
#include "core/plugin/registry_state.h"
#include "core/settings/settings.h"

static bool is_named(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

uint32_t core_registry_rank(const struct core_selection *selection, const struct core_candidate *candidate)
{
    for (uint32_t i = 0; i < selection->count; i++) {
        const struct core_selection_entry *entry = &selection->entries[i];
        if (is_named(entry->is_path ? candidate->path : candidate->file_name, entry->text, entry->length))
            return i;
    }
    return UINT32_MAX;
}

/* Writes "cuda: no driver; vulkan: no devices". */
static void list_reasons(const struct core_registry *registry, char *text, size_t capacity)
{
    size_t length = 0;
    text[0]       = '\0';
    for (uint32_t i = 0; i < registry->count && length < capacity; i++) {
        const struct core_candidate *candidate = registry->candidates[i];
        const char *reason                     = candidate->accepted ? "available" : candidate->reason;
        length += (size_t)snprintf(text + length, capacity - length, "%s%s: %s", i == 0 ? "" : "; ",
                                   candidate->name, reason);
    }
}

static int32_t fail_none(const struct core_registry *registry)
{
    char reasons[1600];
    if (registry->count == 0)
        return base_fail(TRM_ERROR_NOT_FOUND, "no backend was found: no folder that is searched has one");
    list_reasons(registry, reasons, sizeof(reasons));
    return base_fail(TRM_ERROR_NOT_FOUND, "no backend is available: %s", reasons);
}

static int32_t fail_unknown(const struct core_registry *registry, const char *id)
{
    char reasons[1600];
    if (registry->count == 0)
        return fail_none(registry);
    list_reasons(registry, reasons, sizeof(reasons));
    return base_fail(TRM_ERROR_NOT_FOUND, "there is no backend for the device \"%.100s\": %s", id, reasons);
}

int32_t core_registry_status(const struct core_registry *registry)
{
    const struct core_selection *selection = &registry->selection;
    if (selection->mode != CORE_SELECT_LISTED || selection->count != 1 || registry->backend_count != 0)
        return TRM_OK;
    return base_fail(TRM_ERROR_NOT_FOUND, "the backend %.200s is not available: %s", registry->choice,
                     registry->candidates[0]->reason);
}

static int32_t resolve_default(const struct core_registry *registry, struct core_backend **backend,
                               uint32_t *index)
{
    int32_t status = core_registry_status(registry);
    if (status != TRM_OK)
        return status;
    if (registry->backend_count == 0)
        return fail_none(registry);
    *backend = &registry->candidates[0]->backend;
    *index   = (*backend)->preferred;
    return TRM_OK;
}

static struct core_candidate *find_candidate(const struct core_registry *registry,
                                             const struct core_device_id *wanted)
{
    for (uint32_t i = 0; i < registry->count; i++) {
        if (is_named(registry->candidates[i]->name, wanted->backend, wanted->length))
            return registry->candidates[i];
    }
    return NULL;
}

int32_t core_registry_resolve(struct core_registry *registry, const char *id, struct core_backend **backend,
                              uint32_t *index)
{
    struct core_device_id wanted;
    if (id == NULL)
        id = core_setting_text(registry->context, "device");
    else if (id[0] == '\0')
        return base_fail(TRM_ERROR_NOT_FOUND, "the name of the device is empty");
    if (id[0] == '\0')
        return resolve_default(registry, backend, index);
    if (!core_device_id_parse(id, &wanted))
        return base_fail(TRM_ERROR_NOT_FOUND,
                         "\"%.100s\" is not the name of a device, such as cpu, cuda:1 or cuda:name=*H200*",
                         id);

    struct core_candidate *candidate = find_candidate(registry, &wanted);
    if (candidate == NULL)
        return fail_unknown(registry, id);
    if (!candidate->accepted)
        return base_fail(TRM_ERROR_NOT_FOUND, "the device %s is not available: %s", id, candidate->reason);
    uint32_t number = 0;
    int32_t status  = core_device_find_number(&candidate->backend, id, &wanted, &number);
    if (status != TRM_OK)
        return status;
    *backend = &candidate->backend;
    *index   = number;
    return TRM_OK;
}
