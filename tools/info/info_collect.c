/* Trireme: collecting what `trireme info` shows.
 * SPDX-License-Identifier: MIT
 */
#include "tools/info/info.h"

#include "tools/output/output.h"

#include <stdlib.h>
#include <string.h>

/* The core knows no backend by name, so the program lists those that users expect. */
static const char *const known_backends[INFO_KNOWN_BACKENDS] = {"cuda", "vulkan", "cpu"};

static char *last_sentence(void)
{
    return output_copy(trm_last_error().sentence);
}

static void collect_candidates(struct info *info)
{
    uint32_t count = 0;

    if (trm_context_candidate_count(info->context, &count) != TRM_OK) {
        info->failure = last_sentence();
        return;
    }
    info->candidates = output_allocate(count, sizeof(*info->candidates));
    for (uint32_t i = 0; i < count; i++) {
        struct trm_candidate *candidate = &info->candidates[info->candidate_count];

        candidate->struct_size = sizeof(*candidate);
        if (trm_context_candidate(info->context, i, candidate) == TRM_OK)
            info->candidate_count++;
    }
}

static void open_device(struct info *info, struct info_device *device)
{
    if (trm_device_open(info->context, device->summary.id, &device->device) == TRM_OK) {
        info->opened_count++;
        return;
    }
    device->device = NULL;
    device->reason = last_sentence();
}

static void collect_devices(struct info *info)
{
    uint32_t count = 0;

    if (trm_device_count(info->context, &count) != TRM_OK) {
        if (!info->failure)
            info->failure = last_sentence();
        return;
    }
    info->devices = output_allocate(count, sizeof(*info->devices));
    for (uint32_t i = 0; i < count; i++) {
        struct info_device *device = &info->devices[info->device_count];

        device->summary.struct_size = sizeof(device->summary);
        if (trm_device_describe(info->context, i, &device->summary) != TRM_OK)
            continue;
        open_device(info, device);
        info->device_count++;
    }
}

static bool is_candidate(const struct info *info, const char *name)
{
    for (uint32_t i = 0; i < info->candidate_count; i++)
        if (strcmp(info->candidates[i].name, name) == 0)
            return true;
    return false;
}

/* True if `name` is one of the comma-separated words in `list`. */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (;;) {
        size_t word = strcspn(list, ",");

        if (word == length && strncmp(list, name, length) == 0)
            return true;
        if (list[word] == '\0')
            return false;
        list += word + 1;
    }
}

/* The reason why a known backend is not among the candidates. Those that the setting `backend` names always
 * are. */
static char *reason_of_absence(struct trm_context *context, const char *name)
{
    char choice[256] = "", text[384];

    trm_context_setting(context, "backend", choice, sizeof(choice), NULL, NULL);
    if (choice[0] == '\0' || (choice[0] == '^' && !is_listed(choice + 1, name)))
        return output_copy("not installed: none of the searched folders has a plugin of this name");
    snprintf(text, sizeof(text), "not tried: the setting backend is \"%s\"", choice);
    return output_copy(text);
}

static void collect_absent(struct info *info)
{
    for (int i = 0; i < INFO_KNOWN_BACKENDS; i++) {
        struct info_absent *absent = &info->absent[info->absent_count];

        if (is_candidate(info, known_backends[i]))
            continue;
        absent->name   = known_backends[i];
        absent->reason = reason_of_absence(info->context, known_backends[i]);
        info->absent_count++;
    }
}

void info_collect_failure(struct info *info)
{
    memset(info, 0, sizeof(*info));
    info->failure = last_sentence();
}

void info_collect(struct info *info, struct trm_context *context)
{
    memset(info, 0, sizeof(*info));
    info->context = context;
    collect_candidates(info);
    collect_devices(info);
    collect_absent(info);
    if (info->opened_count > 0 || info->failure)
        return;
    if (info->device_count > 0)
        info->failure = output_copy(info->devices[0].reason);
    else
        info->failure = output_copy("no backend found a device; the list of backends has the reasons");
}

void info_release(struct info *info)
{
    for (uint32_t i = 0; i < info->device_count; i++) {
        trm_device_destroy(info->devices[i].device);
        free(info->devices[i].reason);
    }
    for (uint32_t i = 0; i < info->absent_count; i++)
        free(info->absent[i].reason);
    free(info->devices);
    free(info->candidates);
    free(info->failure);
}

const char *info_stage_name(int32_t stage)
{
    static const char *const names[] = {
        [TRM_CANDIDATE_FOUND] = "found",   [TRM_CANDIDATE_FILE] = "file",
        [TRM_CANDIDATE_LOADED] = "loaded", [TRM_CANDIDATE_SYMBOL] = "symbol",
        [TRM_CANDIDATE_TABLES] = "tables", [TRM_CANDIDATE_PROBED] = "probed",
        [TRM_CANDIDATE_OPENED] = "opened",
    };

    if (stage < 0 || (size_t)stage >= sizeof(names) / sizeof(names[0]))
        return "unknown";
    return names[stage];
}

const char *info_kind_name(int32_t kind)
{
    static const char *const names[] = {
        [TRM_DEVICE_OTHER] = "other", [TRM_DEVICE_CPU] = "cpu",         [TRM_DEVICE_GPU] = "gpu",
        [TRM_DEVICE_IGPU] = "igpu",   [TRM_DEVICE_VIRTUAL] = "virtual", [TRM_DEVICE_SOFTWARE] = "software",
    };

    if (kind < 0 || (size_t)kind >= sizeof(names) / sizeof(names[0]))
        return "other";
    return names[kind];
}
