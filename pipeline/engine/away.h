/* Stages that are away: on another device than their token's, because they prefer it.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_AWAY_H
#define PIPELINE_ENGINE_AWAY_H

#include "pipeline/engine/engine_internal.h"
#include "pipeline/engine/stages.h"

/* A device on which stages are away. */
struct pipeline_away {
    struct core_device *device; /* the front keeps it alive */
    uint32_t member;            /* of the front: the device's number there */
    uint32_t number;            /* among those of the engine */
    uint32_t lane;              /* of its stages */
    bool is_direct;             /* its kernels take the ports where they are */
    uint64_t mirrored;          /* ports that have memory on it, too */
};

/* Notes that a stage of the descriptor runs away, if it does; before its arguments are looked at. Errors: no
 * memory. */
int32_t pipeline_away_note(struct pipeline *pipeline, const struct trm_pipeline_desc *desc, uint32_t number,
                           struct pipeline_stage_plan *plan);

/* The device on which a stage runs. */
struct core_device *pipeline_stage_device(const struct pipeline *pipeline,
                                          const struct pipeline_stage_plan *plan);

/* What messages call that device. */
const char *pipeline_stage_place(const struct pipeline_stage_plan *plan);

/* A stage that is away uses a port: makes a shared one an argument, the buffer of the device. Errors:
 * UNSUPPORTED for an image, or a shared port that it writes. */
int32_t pipeline_away_port(const struct pipeline_stage_subject *subject, uint32_t access,
                           struct trm_argument *argument);

/* Finds what is copied before and after each stage; the order of the stages is known. Errors:
 * UNSUPPORTED. */
int32_t pipeline_away_plan(struct pipeline *pipeline);
void pipeline_away_fini(struct pipeline *pipeline);

/* Bytes of a slot's memory on other devices; makes it; frees it. */
uint64_t pipeline_away_bytes(const struct pipeline *pipeline);
int32_t pipeline_away_make(struct pipeline_slot *slot);
void pipeline_away_end(struct pipeline_slot *slot);

/* The memory of a port on the stage's device; NULL: the kernel takes it where it is. */
struct trm_buffer *pipeline_away_mirror(const struct pipeline_slot *slot,
                                        const struct pipeline_stage_plan *plan, uint64_t port);

/* Enqueue the copies before and after a stage, on its stream. */
int32_t pipeline_away_bring(const struct core_recorder *recorder, const struct pipeline_stage_plan *plan);
int32_t pipeline_away_return(const struct core_recorder *recorder, const struct pipeline_stage_plan *plan);

#endif
