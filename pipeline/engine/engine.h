/* Pipelines: the object, its slots, and how the files of this folder share the work.
 *
 *     check.c       is a descriptor right?                       ports.c, stages.c    what it says, copied
 *     stage_arguments.c   arguments against parameters           pieces.c             how tokens are cut
 *     engine.c      beginning, end, recovery                     slot.c    memory and streams of a slot
 *     arguments.c   sizes, arguments and grids of a token        place.c   where its ports are
 *     enqueue.c     a token's work onto the device, by one of    strategy_*.c         the ways to do that
 *     put.c         its operations, one by one                   recording.c          the same as a graph
 *     progress.c    how far it is, and what stopped it           times.c   when did what happen
 *     choose.c      which way is the fastest                     tune.c    how many slots are best
 *     host_stage.c  stages on the host
 *
 *     queue.c       free, filled, submitted, done: who has which slot        wait.c  waiting for any of that
 *     drive.c       acquire, submit, discard, next, release                 run.c   run and start
 *     loader.c      threads that fill                                       source.c, sink.c  memory, files, functions
 *     failure.c     stop, drain, skip                                       cancel.c
 *     states.c      what others may see at any time
 *
 * The upper half (the device's side) knows nothing of queues, the lower half nothing of streams; they meet in the functions
 * below. The whole stands on the public functions of streams, events, graphs and buffers, like a program would.
 *
 * Locks, in this order:
 *     enqueue_lock   held while a token is put on the device (streams are serialised), its order decided before
 *     lock           the queues, counts, measure; short, never held while anything is called that may block
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_ENGINE_H
#define PIPELINE_ENGINE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <trireme/graph.h>
#include <trireme/pipeline.h>
#include <trireme/stream.h>

#include "base/base.h"
#include "core/device/device.h"
#include "pipeline/report/report.h"

#define CORE_PORTS_MOST 64
#define CORE_STAGES_MOST 64
#define CORE_DEPTH_MOST 64

/* How many slots a tuned pipeline has at most. */
#define CORE_DEPTH_TUNED_MOST 8

struct core_pipeline;
struct core_pipeline_queue;  /* the lower half's: queue.h */
struct core_pipeline_device; /* the upper half's: engine.h */

/* One set of buffers, and the token in it. */
struct core_slot {
    struct core_pipeline *pipeline;
    uint32_t index;
    struct trm_token token; /* data and size point to arrays that live as long as the slot */

    /* Free, loading, submitted, done …; under pipeline->lock, read without it by who only looks. While it is submitted the
     * device's side knows how far it is: core_slot_stage(). */
    _Atomic uint32_t state;       /* enum core_slot_place, queue.h */
    _Atomic uint64_t token_index; /* the same as token.index, for who only looks */

    struct core_slot *next; /* in one of the queues */
    struct base_failure
        failure;           /* status TRM_OK, or why its token failed: the sentence names token and stage */
    uint64_t submitted_at; /* base_now() */
    uint64_t load_begin, load_end, sink_begin;

    struct core_slot_device *device; /* buffers, streams, graph, points, stamps: engine.h */
};

struct core_pipeline {
    struct core_object object;
    struct core_device *device; /* kept alive */
    char name[64];

    /* The descriptor, copied; constant. Names, arguments and the like are the pipeline's own memory. */
    struct trm_pipeline_desc desc;
    struct trm_port *ports;
    struct trm_stage *stages;

    struct core_slot *slots[CORE_DEPTH_MOST];
    _Atomic uint32_t depth; /* so many of them are there; only grows */

    pthread_mutex_t enqueue_lock;
    pthread_mutex_t lock;
    struct core_measure *measure; /* under lock */

    /* What the report says of the device's side; under lock. */
    int32_t strategy; /* the one in use, AUTO while that is not known */
    uint32_t pieces;
    char reason[192];
    uint64_t device_bytes, host_bytes;

    struct base_failure failure; /* the first one of the run; status TRM_OK: none; under lock */

    struct core_pipeline_device *engine;
    struct core_pipeline_queue *queue;
};

/* ---- the device's side: called by the lower half ------------------------------------------------------------ */

/* Is a descriptor right, as far as that can be told without its kernels? */
int32_t core_desc_check(const struct core_device *device, const struct trm_pipeline_desc *desc);

/* Make everything of it, with the slots that the depth says, and end it (all work has ended). */
int32_t core_engine_create(struct core_pipeline *pipeline);
void core_engine_destroy(struct core_pipeline *pipeline);

/* A run begins: what was chosen in an earlier one stays; regions of host memory that source or sink will use in place are
 * made reachable where the strategy can (failing to is no failure). Of the source its count is looked at, too. */
void core_engine_begin(struct core_pipeline *pipeline, const struct trm_source *source,
                       const struct trm_sink *sink);
void core_engine_end(struct core_pipeline *pipeline); /* nothing is under way any more */

/* Empty a slot for a new token: data to its own memory, sizes to the declared ones, user NULL, no failure. */
void core_slot_prepare(struct core_slot *slot);

/* Put a filled token on the device: its sizes are checked and completed first. Holds enqueue_lock, not lock. Never waits for
 * the device. When it fails the last error names the stage, and what was enqueued of it may still run: core_slot_wait()
 * is asked for in any case before the slot is used again.
 * `output`: where the only output is wanted (a memory sink), or NULL for the slot's own memory; token.data says where it
 * is in the end. */
int32_t core_slot_enqueue(struct core_slot *slot, void *output);

/* Submit whatever is held back for it. */
void core_slot_flush(struct core_slot *slot);

/* Is what was measured of tokens so short that it is best left to the thread that waits for it? */
int32_t core_slot_is_short(const struct core_slot *slot);

/* Has its work ended? TRM_OK, TIMEOUT, or its failure, the sentence naming the stage (the token is put before it by the
 * lower half). wait blocks until a deadline of base_now(); both from any thread. */
int32_t core_slot_poll(struct core_slot *slot);
int32_t core_slot_wait(struct core_slot *slot, uint64_t deadline);

/* For an UNORDERED pipeline: sleep until one of several submitted slots may have ended, or until a deadline of base_now().
 * May come back early and says nothing of failures: who called polls them. Any thread; count is at least 1. */
void core_slots_wait_any(struct core_slot *const *slots, uint32_t count, uint64_t deadline);

/* How far a submitted slot is: enum trm_slot_state, UPLOADING to DONE. Any thread; only looks. */
int32_t core_slot_stage(struct core_slot *slot);

/* What was measured of upload, compute and download; the rest of `times` is left alone. After its work has ended. */
void core_slot_times(struct core_slot *slot, struct core_token_times *times);

/* Bytes that its submission moves. */
void core_slot_bytes(const struct core_slot *slot, uint64_t *up, uint64_t *down);

/* After a failure: everything submitted has ended (the caller has waited for each slot); replace streams that have failed, so
 * that tokens can go on. A lost device answers its loss. Holds enqueue_lock, so that nothing is enqueued between the wait
 * and what the caller enqueues again. */
int32_t core_engine_recover(struct core_pipeline *pipeline);

/* Can a token that failed only since another one did be enqueued once more? 0 where a kernel may have changed its
 * inputs. */
int32_t core_slot_repeatable(const struct core_slot *slot);

/* Told under `lock`, whenever a token has come through: may decide that another slot would help (depth 0). 1: yes; then the
 * caller calls core_engine_grow() without `lock`, which makes slots[depth] and counts it, and gives the slot to the free ones. */
int32_t core_engine_wants_slot(struct core_pipeline *pipeline);
int32_t core_engine_grow(struct core_pipeline *pipeline);

/* Fills in who the pipeline is and what the engine knows of it; the rest of the report is left alone. With `lock`. */
void core_engine_report(const struct core_pipeline *pipeline, struct trm_report *report);

/* Is the calling thread inside one of its host stages? */
int32_t core_engine_inside(const struct core_pipeline *pipeline);

#endif
