/* A pipeline of one stage on the timed device, whose stages take known times.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_SCENE_H
#define PIPELINE_SCENE_H

#include "fixture.h"

#define SCENE_BYTES 1024 /* of a token, up and down */

struct scene {
    uint64_t stage[TRM_STAGES]; /* nanoseconds of one token; load and sink: for the program's functions */
    uint32_t depth;
    uint32_t workers;
    int32_t strategy;
    uint64_t tokens;
    uint64_t memory_budget;
    uint64_t pageable_ns;     /* that a copy takes besides if its memory on the host is pageable */
    uint64_t enqueue_ns;      /* for which enqueueing a token keeps its thread */
    uint64_t wake_ns;         /* by which a thread that waited for the device wakes late */
    bool has_fixed_times;     /* of the device: they do not grow with the tokens */
    bool is_sampled;          /* not all tokens are measured */
    bool has_pageable_input;  /* the source leaves its input in its own memory */
    bool has_pageable_output; /* the sink is memory that cannot be imported */
    bool has_yielders;        /* other threads of the program keep taking processors off each other */
    uint64_t each_eighth;     /* 0, or what every eighth token takes in load */
    uint32_t source_flags, sink_flags; /* enum trm_end_flags; PACED: a clock that does not wait */
    bool has_options;                  /* for workers and depth, not for the size of tokens */
    uint32_t sinks;                    /* 0: trm_pipeline_run(); else threads that take results */
};

/* Beside longer times the delays of a busy machine are small: factors to try one after the other. */
#define SCENE_SCALES 3
extern const uint64_t scene_scales[SCENE_SCALES];

/* All times so many times as long. */
struct scene scene_scaled(const struct scene *scene, uint64_t scale);

/* fixture_open() with a device that takes the times of the scene. */
void scene_open(const struct scene *scene);

/* A pipeline of the scene. */
struct trm_pipeline *scene_pipeline(const struct scene *scene);

/* Gets the report of a pipeline and destroys it. */
void scene_end(struct trm_pipeline *pipeline, struct trm_report *report);

#endif
