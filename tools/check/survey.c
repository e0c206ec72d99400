/* Trireme: `trireme check` looks at settings, backends and devices.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/check.h"

#include "tools/output/output.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings ---- */

/* Appends ", NAME" to a list that may be cut. */
static void append(char *list, size_t capacity, const char *name)
{
    size_t length = strlen(list);

    snprintf(list + length, capacity - length, "%s%s", length > 0 ? ", " : "", name);
}

static void report_origins(struct report *report, struct trm_context *context)
{
    char variables[512] = "", keys[512] = "";
    uint32_t count = trm_setting_count();

    for (uint32_t i = 0; i < count; i++) {
        struct trm_setting_info info = {.struct_size = sizeof(info)};
        int32_t origin               = TRM_ORIGIN_DEFAULT;
        size_t needed                = 0;

        if (trm_setting_describe(i, &info) != TRM_OK)
            continue;
        trm_context_setting(context, info.name, NULL, 0, &needed, &origin);
        if (origin == TRM_ORIGIN_ENVIRONMENT)
            append(variables, sizeof(variables), info.variable);
        if (origin == TRM_ORIGIN_FILE)
            append(keys, sizeof(keys), info.name);
    }
    if (!*variables && !*keys)
        report_add(report, FINDING_OK, "", NULL, "all have their defaults");
    else
        report_add(report, FINDING_OK, "", NULL, "valid; from the environment: %s; from trireme.conf: %s",
                   *variables ? variables : "none", *keys ? keys : "none");
}

/* ---- backends ---- */

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* True for a plugin that the settings leave out, or that another file of its name stands before. */
static bool is_left_out(const struct trm_candidate *candidate)
{
    return begins_with(candidate->reason, "excluded by") || begins_with(candidate->reason, "not selected") ||
           begins_with(candidate->reason, "shadowed by");
}

static const char *candidate_remedy(const struct trm_candidate *candidate)
{
    switch (candidate->stage) {
    case TRM_CANDIDATE_FOUND:
        if (begins_with(candidate->reason, "not trusted"))
            return "Only you and root may be able to write the file and the folders above it: chmod go-w, "
                   "or move it.";
        return "Name a backend that is there, or set TRIREME_BACKEND_PATH to the folder that it is in.";
    case TRM_CANDIDATE_FILE:
        return "Install what the sentence names, or build the plugin again on this machine.";
    case TRM_CANDIDATE_LOADED:
    case TRM_CANDIDATE_SYMBOL:
        return "Build the plugin against this version's trireme/backend.h, or take the file out of the "
               "folder.";
    case TRM_CANDIDATE_TABLES:
        return "Install the driver if this machine has such a device; else there is nothing to do.";
    default:
        return "Look at the driver of this backend; TRIREME_LOG=debug shows its calls.";
    }
}

/* A plugin whose probe says that there is nothing for it on this machine is no failure, unless the user asked
 * for it. */
static enum finding_state candidate_state(const struct check *check, const struct trm_candidate *candidate)
{
    if (candidate->accepted)
        return FINDING_OK;
    if (is_left_out(candidate))
        return FINDING_ABSENT;
    return candidate->stage == TRM_CANDIDATE_TABLES && !check->options.plugin ? FINDING_ABSENT
                                                                              : FINDING_FAILED;
}

static void report_candidate(const struct check *check, struct report *report,
                             const struct trm_candidate *candidate)
{
    enum finding_state state = candidate_state(check, candidate);

    report->subject = candidate->name;
    if (state == FINDING_ABSENT && is_left_out(candidate) &&
        (check->options.backend || check->options.plugin))
        return; /* as the command line says */
    if (state == FINDING_OK)
        report_add(report, state, "", NULL, "version %s, score %d: %s", candidate->version,
                   (int)candidate->score, candidate->path);
    else
        report_add(report, state, "", is_left_out(candidate) ? NULL : candidate_remedy(candidate), "%s%s%s",
                   candidate->reason, *candidate->path ? ": " : "", candidate->path);
}

static void report_candidates(struct check *check, struct report *report, struct trm_context *context)
{
    uint32_t count = 0;

    report->section = "Backends";
    report->subject = "all";
    report_begin(report, "loading the plugins and asking the drivers for devices");
    if (trm_context_candidate_count(context, &count) != TRM_OK) {
        report_failure(report, "", "the plugins cannot be listed");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct trm_candidate candidate = {.struct_size = sizeof(candidate)};

        if (trm_context_candidate(context, i, &candidate) != TRM_OK)
            continue;
        report_candidate(check, report, &candidate);
        check->survey->is_plugin_readable |= candidate.stage >= TRM_CANDIDATE_TABLES;
    }
}

/* ---- devices ---- */

static bool is_wanted(const struct check *check, const struct trm_device_summary *summary)
{
    char *list = output_copy(check->options.devices ? check->options.devices : "*");
    char *rest = list, *item;
    bool found = false;

    while ((item = strsep(&rest, ",")) != NULL && !found)
        found = fnmatch(item, summary->id, 0) == 0 || strcmp(item, summary->backend) == 0;
    free(list);
    return found;
}

static void list_devices(struct check *check, struct report *report, struct trm_context *context)
{
    struct check_survey *survey = check->survey;
    uint32_t count              = 0;

    report->section = "Devices";
    report->subject = "all";
    if (trm_device_count(context, &count) != TRM_OK) {
        if (check->options.plugin)
            return; /* its line has said why */
        report_add(report, FINDING_FAILED, "", "The lines of the backends say what each needs.", "%s",
                   trm_last_error().sentence);
        return;
    }
    for (uint32_t i = 0; i < count && survey->device_count < CHECK_DEVICES; i++) {
        struct trm_device_summary *summary = &survey->devices[survey->device_count];

        summary->struct_size = sizeof(*summary);
        if (trm_device_describe(context, i, summary) == TRM_OK && is_wanted(check, summary))
            survey->device_count++;
    }
    if (survey->device_count > 0)
        return;
    if (count > 0)
        report_add(report, FINDING_FAILED, "", "trireme info lists the devices.",
                   "none of the %u devices is named by --devices %s", count, check->options.devices);
    else
        report_add(report, FINDING_FAILED, "", "The lines of the backends say what each needs.",
                   "no backend found a device");
}

/* ---- what programs get that name no device */

static bool is_set(struct trm_context *context, const char *name)
{
    size_t needed = 0;

    trm_context_setting(context, name, NULL, 0, &needed, NULL);
    return needed > 1;
}

static void check_default(struct report *report, struct trm_context *context)
{
    struct trm_device *device = NULL;
    struct trm_group *group   = NULL;

    report->section = "Devices";
    report->subject = "default";
    report_begin(report, "opening the default device");
    if (is_set(context, "device") && trm_device_open(context, NULL, &device) != TRM_OK)
        report_add(report, FINDING_FAILED, "", "Correct the setting device, or take it out.", "%s",
                   trm_last_error().sentence);
    if (is_set(context, "devices") && trm_group_create(context, NULL, &group) != TRM_OK)
        report_add(report, FINDING_FAILED, "", "Correct the setting devices, or take it out.", "%s",
                   trm_last_error().sentence);
    trm_device_destroy(device);
    trm_group_destroy(group);
}

void check_survey_job(struct report *report, void *user)
{
    struct check *check = user;
    struct trm_context *context;

    report_begin(report, "reading the settings");
    if (check_context(check, report, NULL, 0, &context) != TRM_OK)
        return;
    report_origins(report, context);
    report_candidates(check, report, context);
    list_devices(check, report, context);
    if (!check->options.backend && !check->options.plugin)
        check_default(report, context);
    check->survey->is_complete = true;
    trm_context_destroy(context);
}

bool check_survey(struct check *check)
{
    bool has_ended = apart_run(&check->apart, "Settings", "settings", check_survey_job, check);

    apart_freeze(check->survey, sizeof(*check->survey));
    return has_ended && check->survey->is_complete && check->survey->device_count <= CHECK_DEVICES;
}

void check_devices(struct check *check)
{
    for (uint32_t i = 0; i < check->survey->device_count; i++) {
        struct check_device device = {.check = check, .summary = &check->survey->devices[i]};

        apart_run(&check->apart, "Devices", device.summary->id, check_device_job, &device);
    }
}
