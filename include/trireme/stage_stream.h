/* Trireme: the streams that stages of a pipeline prefer.
 *
 *     struct trm_stage_stream streams[] = {trm_stage_stream_own(), trm_stage_stream_given(stream)};
 *     desc.streams                      = streams; one for each stage
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_STAGE_STREAM_H
#define TRIREME_STAGE_STREAM_H

#include <trireme/api.h>

TRM_API_BEGIN

struct trm_stream;

enum trm_stage_stream_kind {
    TRM_STAGE_STREAM_ANY   = 0, /* any: the pipeline chooses */
    TRM_STAGE_STREAM_OWN   = 1, /* one that the pipeline makes for this stage alone, and for all tokens */
    TRM_STAGE_STREAM_GIVEN = 2, /* one of the program's */
};

/* The stream that a stage prefers. On a stream of its own, or on one of the program's, the stage runs for one
 * token after the other in the order of submission, while other stages run for other tokens, whatever slots
 * those have. The pipeline orders the stage behind what it runs after, and what runs after it behind the
 * stage, on the device. */
struct trm_stage_stream {
    int32_t kind; /* enum trm_stage_stream_kind */
    uint32_t reserved;
    /* of kind GIVEN: on the pipeline's device; several stages may name the same one. Else NULL.
     *
     * What the program enqueues on the stream before it submits a token comes before the stage of that token,
     * and what it enqueues afterwards behind it. Only one thread enqueues on a stream at a time: while a call
     * submits tokens or runs the pipeline, and from the start of a run whose source has workers to its end,
     * no other thread does. A failure of the stream, whatever its cause, fails every token from then on,
     * since a pipeline can only replace streams of its own. The pipeline keeps the stream alive:
     * trm_stream_destroy() ends it with the last pipeline that uses it, and its handle at once. Not the
     * stream of a thread, or of a pool */
    struct trm_stream *stream;
};

static inline struct trm_stage_stream trm_stage_stream_any(void)
{
    struct trm_stage_stream preferred = {TRM_STAGE_STREAM_ANY, 0, NULL};
    return preferred;
}

static inline struct trm_stage_stream trm_stage_stream_own(void)
{
    struct trm_stage_stream preferred = {TRM_STAGE_STREAM_OWN, 0, NULL};
    return preferred;
}

static inline struct trm_stage_stream trm_stage_stream_given(struct trm_stream *stream)
{
    struct trm_stage_stream preferred = {TRM_STAGE_STREAM_GIVEN, 0, stream};
    return preferred;
}

TRM_API_END

#endif
