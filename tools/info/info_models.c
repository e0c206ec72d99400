/* Trireme: `trireme info --models` and `--forget-models`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/info/info.h"

#include "tools/command/command.h"
#include "tools/output/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The workload that the program gave to the tasks; "none": it left that to the pool. */
static const char *given_workload(int32_t workload)
{
    static const char *const names[] = {
        [TRM_STREAM_WORKLOAD_FOUND]        = "none",
        [TRM_STREAM_WORKLOAD_COMPUTE]      = "compute",
        [TRM_STREAM_WORKLOAD_MEMORY]       = "memory",
        [TRM_STREAM_WORKLOAD_MIXED]        = "mixed",
        [TRM_STREAM_WORKLOAD_COORDINATION] = "coordination",
    };

    if (workload < 0 || (size_t)workload >= sizeof(names) / sizeof(names[0]))
        return "none";
    return names[workload];
}

/* ---- text ---- */

#define DEVICE_BYTES 400

static void name_device(char name[DEVICE_BYTES], const char *backend, const char *device, const char *driver)
{
    snprintf(name, DEVICE_BYTES, "%s: %s%s%s%s", backend, device, *driver ? " (" : "", driver,
             *driver ? ")" : "");
}

static void print_heading(const char *text)
{
    fputs(output_style(OUTPUT_BOLD), stdout);
    output_text(stdout, text);
    printf("%s\n", output_style(OUTPUT_PLAIN));
}

/* The table of one device. */
struct listing {
    char *device; /* the device of the models so far; NULL: there are none */
    struct table models;
    bool has_widths;
};

static int32_t print_width(void *user, const struct trm_stream_width *width)
{
    struct listing *listing = user;
    char device[DEVICE_BYTES];

    name_device(device, width->backend, width->device, width->driver);
    if (!listing->has_widths)
        print_heading("streams side by side");
    listing->has_widths = true;
    printf("  %4" PRIu32 "  ", width->side_by_side);
    output_text(stdout, device);
    printf(", measured %" PRIu32 " %s, %" PRIu32 " undisturbed\n", width->measurements,
           width->measurements == 1 ? "time" : "times", width->undisturbed);
    return TRM_OK;
}

static void end_device(struct listing *listing)
{
    if (!listing->device)
        return;
    print_heading(listing->device);
    table_print(&listing->models, stdout, 2, 1);
    table_fini(&listing->models);
    free(listing->device);
    listing->device = NULL;
}

static void begin_device(struct listing *listing, const char *device)
{
    static const char *const heading[] = {"kernel",  "groups",    "given workload",
                                          "mean us", "spread us", "samples"};
    static const uint32_t numbers      = 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5;

    end_device(listing);
    listing->device = output_copy(device);
    table_init(&listing->models, 6, numbers);
    for (int i = 0; i < 6; i++)
        table_add(&listing->models, heading[i]);
}

static void add_count(struct table *table, uint64_t count)
{
    char text[32];

    snprintf(text, sizeof(text), "%" PRIu64, count);
    table_add(table, text);
}

static void add_time(struct table *table, uint64_t nanoseconds)
{
    char text[32];

    output_number(text, sizeof(text), (double)nanoseconds / 1e3);
    table_add(table, text);
}

static int32_t add_row(void *user, const struct trm_stream_model *model)
{
    struct listing *listing = user;
    char device[DEVICE_BYTES];

    name_device(device, model->backend, model->device, model->driver);
    if (!listing->device || strcmp(listing->device, device) != 0)
        begin_device(listing, device);
    table_add(&listing->models, model->kernel);
    add_count(&listing->models, model->groups);
    table_add(&listing->models, given_workload(model->workload));
    add_time(&listing->models, model->mean_ns);
    add_time(&listing->models, model->spread_ns);
    add_count(&listing->models, model->samples);
    return TRM_OK;
}

static int32_t print_text(struct trm_context *context)
{
    struct listing listing = {0};
    int32_t status         = trm_stream_model_list(context, add_row, &listing);

    if (status == TRM_OK && !listing.device)
        puts("Stream pools have stored no models of kernels.");
    end_device(&listing);
    return status == TRM_OK ? trm_stream_width_list(context, print_width, &listing) : status;
}

/* ---- JSON ---- */

static int32_t write_model(void *user, const struct trm_stream_model *model)
{
    struct json *json = user;

    json_object_begin(json, NULL);
    json_text(json, "backend", model->backend);
    json_text(json, "device", model->device);
    json_text(json, "driver", model->driver);
    json_text(json, "kernel", model->kernel);
    json_text(json, "digest", model->digest);
    json_text(json, "workload", given_workload(model->workload));
    json_count(json, "groups", model->groups);
    json_count(json, "mean_ns", model->mean_ns);
    json_count(json, "spread_ns", model->spread_ns);
    json_count(json, "samples", model->samples);
    json_count(json, "learned", model->learned);
    json_object_end(json);
    return TRM_OK;
}

static int32_t write_width(void *user, const struct trm_stream_width *width)
{
    struct json *json = user;

    json_object_begin(json, NULL);
    json_text(json, "backend", width->backend);
    json_text(json, "device", width->device);
    json_text(json, "driver", width->driver);
    json_count(json, "side_by_side", width->side_by_side);
    json_count(json, "measurements", width->measurements);
    json_count(json, "undisturbed", width->undisturbed);
    json_count(json, "measured", width->measured);
    json_object_end(json);
    return TRM_OK;
}

static int32_t print_json(struct trm_context *context)
{
    struct json json;
    int32_t status = TRM_OK;

    json_begin(&json, stdout, true);
    json_object_begin(&json, NULL);
    json_text(&json, "version", trm_version());
    json_array_begin(&json, "models");
    if (context)
        status = trm_stream_model_list(context, write_model, &json);
    json_array_end(&json);
    json_array_begin(&json, "widths");
    if (context && status == TRM_OK)
        status = trm_stream_width_list(context, write_width, &json);
    json_array_end(&json);
    json_text(&json, "failure", status == TRM_OK && context ? NULL : trm_last_error().sentence);
    json_object_end(&json);
    json_end(&json);
    return status;
}

void info_models_failure_json(void)
{
    (void)print_json(NULL);
}

int info_models(struct trm_context *context, bool json)
{
    int32_t status = json ? print_json(context) : print_text(context);

    return status == TRM_OK ? COMMAND_OK : command_failed("the models cannot be read");
}

int info_forget_models(struct trm_context *context)
{
    uint32_t count;

    if (trm_stream_model_forget(context, &count) != TRM_OK)
        return command_failed("the models cannot be removed");
    printf("Removed the models of %" PRIu32 " %s.\n", count, count == 1 ? "device" : "devices");
    return COMMAND_OK;
}
