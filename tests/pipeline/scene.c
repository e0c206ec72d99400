/* A pipeline of one stage on the timed device.
 * SPDX-License-Identifier: MIT
 */
#include "scene.h"

#include <inttypes.h>

const uint64_t scene_scales[SCENE_SCALES] = {1, 3, 8};

struct scene scene_scaled(const struct scene *scene, uint64_t scale)
{
    struct scene scaled = *scene;

    for (int i = 0; i < TRM_STAGES; i++)
        scaled.stage[i] *= scale;
    scaled.each_eighth *= scale;
    scaled.pageable_ns *= scale;
    scaled.enqueue_ns *= scale;
    scaled.wake_ns *= scale;
    return scaled;
}

void scene_open(const struct scene *scene)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"timed.upload_ns", scene->stage[TRM_STAGE_UPLOAD]},
        {"timed.download_ns", scene->stage[TRM_STAGE_DOWNLOAD]},
        {"timed.pageable_ns", scene->pageable_ns},
        {"timed.enqueue_ns", scene->enqueue_ns},
        {"timed.wake_ns", scene->wake_ns},
        {"timed.no_import", scene->has_pageable_output},
    };
    enum {
        COUNT = sizeof(numbers) / sizeof(numbers[0])
    };
    char texts[COUNT][32];
    struct trm_setting settings[COUNT];

    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof(texts[i]), "%" PRIu64, numbers[i].value);
        settings[i] = (struct trm_setting){numbers[i].name, texts[i]};
    }
    fixture_open(ON_TIMED, settings, COUNT);
}

struct trm_pipeline *scene_pipeline(const struct scene *scene)
{
    struct trm_advice_words words = {.struct_size = sizeof(words),
                                     .workers     = "--workers",
                                     .depth       = "--depth",
                                     .sinks       = scene->sinks > 0 ? "--sinks" : NULL,
                                     .sink_count  = scene->sinks};
    struct trm_port ports[]       = {trm_port_input("in", SCENE_BYTES), trm_port_output("out", SCENE_BYTES)};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1),
                                       trm_arg_u64(scene->stage[TRM_STAGE_COMPUTE])};
    struct trm_stage stage          = trm_stage_launch(the.timed, arguments, 3, 0, 0);
    struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                       .ports       = ports,
                                       .port_count  = 2,
                                       .stages      = &stage,
                                       .stage_count = 1,
                                       .depth       = scene->depth,
                                       .strategy    = scene->strategy,
                                       .measure     = scene->is_sampled ? TRM_MEASURE_SAMPLED : TRM_MEASURE_ALL,
                                       .memory_budget = scene->memory_budget,
                                       .words         = scene->has_options ? &words : NULL};
    struct trm_pipeline *pipeline;

    stage.grid = trm_grid_1d(1, 0);
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    return pipeline;
}

void scene_end(struct trm_pipeline *pipeline, struct trm_report *report)
{
    report->struct_size = sizeof(*report);
    ck_ok(trm_pipeline_report(pipeline, report));
    trm_pipeline_destroy(pipeline);
}
