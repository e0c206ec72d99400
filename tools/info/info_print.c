/* Trireme: writing what `trireme info` has collected.
 * SPDX-License-Identifier: MIT
 */
#include "tools/info/info.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <string.h>

static int name_width(const struct info *info)
{
    int width = 0;

    for (uint32_t i = 0; i < info->candidate_count; i++)
        if ((int)strlen(info->candidates[i].name) > width)
            width = (int)strlen(info->candidates[i].name);
    for (uint32_t i = 0; i < info->absent_count; i++)
        if ((int)strlen(info->absent[i].name) > width)
            width = (int)strlen(info->absent[i].name);
    return width;
}

static void print_name(const char *name, int width)
{
    fputs("  ", stdout);
    output_text(stdout, name);
    printf("%*s  ", width - (int)strlen(name), "");
}

static void print_candidate(const struct trm_candidate *candidate, int width, bool is_verbose)
{
    print_name(candidate->name, width);
    if (candidate->accepted) {
        printf("%saccepted%s, score %d, version ", output_style(OUTPUT_GOOD), output_style(OUTPUT_PLAIN),
               (int)candidate->score);
        output_text(stdout, candidate->version);
    } else {
        printf("%srefused%s: ", output_style(OUTPUT_BAD), output_style(OUTPUT_PLAIN));
        output_text(stdout, candidate->reason);
    }
    printf("\n  %*s  %s", width, "", output_style(OUTPUT_FAINT));
    output_text(stdout, candidate->path);
    if (!candidate->accepted && is_verbose)
        printf(" (stage reached: %s)", info_stage_name(candidate->stage));
    printf("%s\n", output_style(OUTPUT_PLAIN));
}

static void print_backends(const struct info *info, bool is_verbose)
{
    int width = name_width(info);

    printf("\n%sBackends%s\n", output_style(OUTPUT_BOLD), output_style(OUTPUT_PLAIN));
    for (uint32_t i = 0; i < info->candidate_count; i++)
        print_candidate(&info->candidates[i], width, is_verbose);
    for (uint32_t i = 0; i < info->absent_count; i++) {
        print_name(info->absent[i].name, width);
        output_text(stdout, info->absent[i].reason);
        fputc('\n', stdout);
    }
}

static void print_device(const struct info_device *device)
{
    printf("  %s", output_style(OUTPUT_BOLD));
    output_text(stdout, device->summary.id);
    printf("%s  ", output_style(OUTPUT_PLAIN));
    output_text(stdout, device->summary.name);
    fputc('\n', stdout);
    if (device->device) {
        info_properties_text(device->device, 6);
        return;
    }
    printf("      %scannot be opened%s: ", output_style(OUTPUT_BAD), output_style(OUTPUT_PLAIN));
    output_text(stdout, device->reason);
    fputc('\n', stdout);
}

void info_print_text(const struct info *info, bool is_verbose)
{
    printf("trireme %s\n", trm_version());
    print_backends(info, is_verbose);
    printf("\n%sDevices%s\n", output_style(OUTPUT_BOLD), output_style(OUTPUT_PLAIN));
    for (uint32_t i = 0; i < info->device_count; i++)
        print_device(&info->devices[i]);
    if (info->device_count == 0)
        puts("  none");
}

static void write_candidate(struct json *json, const struct trm_candidate *candidate)
{
    json_object_begin(json, NULL);
    json_text(json, "name", candidate->name);
    json_text(json, "path", candidate->path);
    json_bool(json, "accepted", candidate->accepted != 0);
    json_text(json, "reason", candidate->reason);
    json_text(json, "stage", info_stage_name(candidate->stage));
    json_integer(json, "score", candidate->score);
    json_text(json, "version", candidate->version);
    json_object_end(json);
}

static void write_device(struct json *json, const struct info_device *device)
{
    const struct trm_device_summary *summary = &device->summary;

    json_object_begin(json, NULL);
    json_text(json, "id", summary->id);
    json_text(json, "backend", summary->backend);
    json_text(json, "name", summary->name);
    json_text(json, "kind", info_kind_name(summary->kind));
    json_count(json, "memory_bytes", summary->memory_bytes);
    json_bool(json, "unified", summary->unified != 0);
    json_integer(json, "score", summary->score);
    json_bool(json, "opened", device->device != NULL);
    json_text(json, "reason", device->reason ? device->reason : "");
    if (device->device)
        info_properties_json(device->device, json);
    json_object_end(json);
}

void info_print_json(const struct info *info)
{
    struct json json;

    json_begin(&json, stdout, true);
    json_object_begin(&json, NULL);
    json_text(&json, "version", trm_version());
    json_array_begin(&json, "candidates");
    for (uint32_t i = 0; i < info->candidate_count; i++)
        write_candidate(&json, &info->candidates[i]);
    json_array_end(&json);
    json_array_begin(&json, "absent");
    for (uint32_t i = 0; i < info->absent_count; i++) {
        json_object_begin(&json, NULL);
        json_text(&json, "name", info->absent[i].name);
        json_text(&json, "reason", info->absent[i].reason);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_array_begin(&json, "devices");
    for (uint32_t i = 0; i < info->device_count; i++)
        write_device(&json, &info->devices[i]);
    json_array_end(&json);
    json_text(&json, "failure", info->failure);
    json_object_end(&json);
    json_end(&json);
}
