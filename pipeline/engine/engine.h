/* What the engine room shows: the pipeline object, its slots, and the device side, which enqueues tokens.
 *
 *     check.c              checks a descriptor                  ports.c, stages.c  copy a descriptor
 *     stage_arguments.c    arguments against parameters         pieces.c           how tokens are cut
 *     engine.c             creation, destruction, recovery      slot.c             memory, streams of a slot
 *     arguments.c          sizes, arguments, grids of a token   port_memory.c      where its ports are
 *     enqueue.c            enqueues a token by a strategy       strategy_*.c       the strategies
 *     cached_operations.c  operations cached from one token to the next
 *     record_operations.c  the operations of a token            recording.c        a token as a graph
 *     progress.c           how far a token is, why it failed    times.c            time stamps of a token
 *     choose.c             the fastest strategy                 tune.c             the best number of slots
 *     host_stage.c         stages on the host                   port_image.c       ports that are images
 *     range.h              profiler ranges
 *     copy.c               copies of a port                 scratch.c          ports that share memory
 *     branches.c           the order of stages, branches at once
 *     away.c               stages on another device than their token's
 *     reorder.c            stages in another order
 *     slots_in_use.c       fewer slots at a time, where caches gain from it
 *     spread.c             tokens on which all devices work at once
 *
 * What is found out while a pipeline runs is in the room pipeline/trial.
 *
 * The engine knows nothing of queues, sources and sinks; the queue room knows nothing of streams. Both meet
 * in the functions below.
 *
 * Locks, in this order:
 *     enqueue_lock   held while a token is enqueued: serialises its streams and fixes the order of tokens
 *     lock           guards queues, counts and the measure; never held during a call that may block
 *     host->lock     guards the turns of host stages (engine_internal.h)
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_ENGINE_H
#define PIPELINE_ENGINE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <trireme/graph.h>
#include <trireme/pipeline.h>
#include <trireme/stream.h>

#include "base/base.h"
#include "core/device/device.h"
#include "pipeline/report/report.h"
#include "pipeline/trial/trial.h"

#define PIPELINE_PORTS_MOST 64
#define PIPELINE_STAGES_MOST 64
#define PIPELINE_DEPTH_MOST 64
#define PIPELINE_MEMBERS_MOST TRM_REPORT_DEVICES

/* Slots of a pipeline whose depth is tuned: at first, unless they are small, and at most. */
#define PIPELINE_DEPTH_TUNED_FIRST 3
#define PIPELINE_DEPTH_TUNED_MOST 8

struct core_signal; /* core/stream/signal.h */
struct core_waiter; /* core/stream/waiter.h */
struct pipeline;
struct pipeline_joins;      /* queue/join.h */
struct pipeline_queue;      /* queue.h */
struct pipeline_device;     /* engine_internal.h */
struct pipeline_host_turns; /* engine_internal.h */

/* One set of buffers, and the token in it. */
struct pipeline_slot {
    struct pipeline *pipeline; /* on whose device it is */
    struct pipeline *front;    /* whose queues have it: pipeline->front */
    uint32_t index;            /* among the slots of its device */
    uint32_t number;           /* among all slots of the front; the queue room sets it */
    struct trm_token token;    /* its arrays data and size live as long as the slot */

    /* The slot's state and its token's index: PIPELINE_PLACE() of queue.h. One word, so that observers, which
     * read it without a lock, see both of the same moment. Written under pipeline->lock. */
    _Atomic uint64_t place;

    struct pipeline_slot *next; /* in one of the queues */
    /* Status TRM_OK, or why its token failed: the sentence names the token and the stage. */
    struct base_failure failure;
    uint64_t submitted_at; /* base_now() */
    uint64_t load_begin, load_end, sink_begin;
    uint64_t sink_end;           /* of the sink of a run; before sink_begin: not known */
    uint64_t load_ran, sink_ran; /* processor time of the thread that does it; 0: not measured */

    struct pipeline_slot_device *device; /* buffers, streams, recordings, points, stamps */
};

/* A device of a pipeline, and the descriptor with the kernels and buffers of this device; those of a stage
 * that prefers a device are of that one. */
struct pipeline_place {
    struct core_device *device;
    const struct trm_pipeline_desc *desc;
};

/* A pipeline has a front, which has the handle and the queues, and a member for each device, which has an
 * engine and slots. A pipeline on one device is its own and only member; on a group of devices the front has
 * no engine. */
struct pipeline {
    struct core_object object; /* of a member that is not the front: without a handle */
    struct pipeline *front;
    struct pipeline *members[PIPELINE_MEMBERS_MOST]; /* of a front */
    uint32_t member_count;
    uint32_t member; /* of a member: its number */
    /* of a front: all its devices, while it is made; and those that stages prefer: bit i is member i */
    const struct pipeline_place *places;
    uint32_t preferred_members;
    struct core_device *device; /* holds a reference; NULL: a front of several devices */
    char name[64];

    /* The descriptor, copied; constant. The pipeline owns its names, arguments and arrays. */
    struct trm_pipeline_desc desc;
    struct trm_port *ports;
    struct trm_stage *stages;

    struct pipeline_slot *slots[PIPELINE_DEPTH_MOST];
    _Atomic uint32_t depth;    /* number of slots; only grows */
    _Atomic bool is_spreading; /* of a front: tokens of the run are spread (spread.h) */

    /* Of a front; its members use them. */
    struct base_biased_lock enqueue_lock;
    struct base_biased_lock lock;
    struct pipeline_sampling sampling;  /* under enqueue_lock */
    struct pipeline_host_turns *host;   /* NULL: there are no host stages */
    struct pipeline_measure *measure;   /* under `lock`; a member has its own */
    struct pipeline_report_words words; /* constant */

    /* What the engine tells the report; under `lock`. */
    int32_t strategy; /* in use; AUTO until it is known */
    uint32_t pieces;
    char reason[192];
    uint64_t device_bytes, host_bytes;

    struct base_failure failure;     /* the first of the run; TRM_OK: none; under `lock` */
    struct base_failure loss;        /* the first device that was lost while others went on */
    struct base_failure loss_of_run; /* the first one of the run; TRM_OK: none */

    /* Of a member: `anew` grows when tokens are to be measured as the first ones are. Under enqueue_lock:
     * what it was when the member had had `first` tokens. */
    _Atomic uint32_t anew;
    uint32_t seen;
    uint64_t first;

    struct pipeline_device *engine;
    struct pipeline_queue *queue;
    struct pipeline_joins *joins; /* queue/join.h; NULL: there are none */
    _Atomic bool
        has_lost_work; /* of a front: a token failed, so copies are not joined before they are made anew */
};

/* Checks the arrays of a descriptor, and as much of the rest as is possible without kernels, for a device. */
int32_t pipeline_desc_counts_check(const struct trm_pipeline_desc *desc);
int32_t pipeline_desc_check(const struct core_device *device, const struct trm_pipeline_desc *desc);

/* Checks the devices that stages prefer, of so many; the counts have been checked. Errors: INVALID_ARGUMENT,
 * OUT_OF_RANGE. */
int32_t pipeline_desc_devices_check(const struct trm_pipeline_desc *desc, uint32_t device_count);

/* The device that a stage of the descriptor prefers, or `own`. */
uint32_t pipeline_desc_device(const struct trm_pipeline_desc *desc, uint32_t stage, uint32_t own);

/* Fails with a sentence that names it if a device is lost that stages prefer. */
int32_t pipeline_front_check_preferred(const struct pipeline *front);

/* Several devices: refuses what each device would have a copy of and change, but for the ports of `joined`.
 * Errors: UNSUPPORTED. */
int32_t pipeline_engine_check_copies(const struct pipeline *pipeline, uint64_t joined);

/* Whether a kernel writes a shared port, so that tokens are processed in order. */
bool pipeline_engine_writes_shared(const struct pipeline *pipeline, uint32_t port);

/* Of tokens in order: where the last one was processed (stream NULL: there is none), and another place
 * that the next one waits for. With enqueue_lock. */
struct trm_point pipeline_engine_last(const struct pipeline *pipeline);
void pipeline_engine_set_last(struct pipeline *pipeline, struct trm_point point);

/* Creates the engine with its first slots; destroys it after all work has ended. */
int32_t pipeline_engine_create(struct pipeline *pipeline);
void pipeline_engine_destroy(struct pipeline *pipeline);

/* Destroys what the engines of a front share. */
void pipeline_host_turns_destroy(struct pipeline *front);

/* Begins a run. An earlier choice of strategy stays. Imports the memory of a source or sink where the
 * strategy can work in place; an import that fails is not a failure. Also reads the source's count. */
void pipeline_engine_begin(struct pipeline *pipeline, const struct trm_source *source,
                           const struct trm_sink *sink);
void pipeline_engine_end(struct pipeline *pipeline); /* after all work has ended */

/* Empties a slot for a new token: data in its own memory, declared sizes, user NULL, no failure. */
void pipeline_slot_prepare(struct pipeline_slot *slot);

/* Checks and completes the sizes of a filled token and enqueues it. The caller holds enqueue_lock, not lock.
 * Never waits for the device. On failure the last error names the stage, and operations that were enqueued
 * may still run: call pipeline_slot_wait() before the slot is used again.
 *
 * output  memory for the only output (a memory sink), or NULL for the slot's own; token.data tells the
 * result */
int32_t pipeline_slot_enqueue(struct pipeline_slot *slot, void *output);

/* Submits deferred work of the slot. */
void pipeline_slot_flush(struct pipeline_slot *slot);

/* Its enqueueing has ended: a measured token keeps how long it took. With enqueue_lock. */
void pipeline_slot_enqueue_end(struct pipeline_slot *slot);

/* Whether tokens are so short that the waiting thread should run them itself. */
bool pipeline_slot_is_short(const struct pipeline_slot *slot);

/* Whether the wait for the token is timed, to learn how long tokens are: then the waiting thread should run
 * it itself, too. */
bool pipeline_slot_times_wait(const struct pipeline_slot *slot);

/* TRM_OK when its work has ended, TIMEOUT, or its failure with a sentence that names the stage (the queue
 * room adds the token). pipeline_slot_wait() blocks until a deadline of base_now(), pipeline_slot_wait_for()
 * for so many nanoseconds without asking what time it is. Threads: any. */
int32_t pipeline_slot_poll(struct pipeline_slot *slot);
int32_t pipeline_slot_wait_for(struct pipeline_slot *slot, uint64_t timeout_ns);
int32_t pipeline_slot_wait(struct pipeline_slot *slot, uint64_t deadline);

/* Whether the device runs the token while no thread waits for it. The processors of the host may leave it to
 * the thread that does. */
bool pipeline_slot_runs_alone(const struct pipeline_slot *slot);

/* For an UNORDERED pipeline: sleeps until one of the submitted slots may have ended, or until a deadline of
 * base_now(). May return early and reports no failures, so the caller polls the slots. count is at least 1.
 * Threads: any. */
void pipeline_slots_wait_any(struct pipeline_slot *const *slots, uint32_t count, uint64_t deadline);

/* Adds to a signal what tokens still wait for on the device: nothing when their work has ended, well or
 * badly. Submits deferred work. slots: submitted ones, oldest first. With enqueue_lock, so that the slots are
 * not enqueued again. Errors: those of core_notify(). */
int32_t pipeline_slots_signal(struct pipeline_slot *const *slots, uint32_t count, struct core_signal *signal);

/* Wakes a waiter when one of these slots has ended, or stops for another reason. Submits deferred work. count
 * is at least
 * 1. Threads: any. Errors: those of core_notify(). */
int32_t pipeline_slots_watch(struct pipeline_slot *const *slots, uint32_t count, struct core_waiter *waiter);

/* How far a submitted slot is: enum trm_slot_state, UPLOADING to DONE. Threads: any. */
int32_t pipeline_slot_stage(struct pipeline_slot *slot);

/* Fills in the times of upload, compute and download after the slot's work has ended; leaves the rest
 * alone. */
void pipeline_slot_times(struct pipeline_slot *slot, struct pipeline_token_times *times);

/* Whether pipeline_slot_times() has stamps to read. On a GPU that takes microseconds, so it is called when
 * the slot is free for its next token, which is not enqueued before. */
bool pipeline_slot_is_stamped(const struct pipeline_slot *slot);

/* Whether the token in the slot was chosen to be measured: otherwise it has no times on the device. */
bool pipeline_slot_is_measured(const struct pipeline_slot *slot);

/* Whether several devices work on it. */
bool pipeline_slot_is_spread(const struct pipeline_slot *slot);

/* Fills in the bytes that its submission copies, and whether from pageable memory. */
void pipeline_slot_bytes(const struct pipeline_slot *slot, struct pipeline_token_times *times);

/* Replaces failed streams so that tokens can go on. The caller holds enqueue_lock and has waited for every
 * submitted slot. Errors: DEVICE_LOST. */
int32_t pipeline_engine_recover(struct pipeline *pipeline);

/* Whether a token that failed only because another one did can be enqueued again; false where a kernel may
 * have changed its inputs. */
bool pipeline_slot_is_repeatable(const struct pipeline_slot *slot);

/* Gives a prepared slot the token of another slot, whose device is lost: inputs, sizes, index and user. The
 * caller owns both. */
void pipeline_slot_repeat(struct pipeline_slot *slot, const struct pipeline_slot *from);

/* How many slots may be in use at once, on all devices together and without those whose token the program or
 * the sink has, or was dropped; 0: all. For the front under `lock`, when `rest` tokens of a source have ended
 * since the last call, which said so. pipeline_engine_slots_interrupt(): a run begins; it reads in `rest` how
 * many of these tokens have not ended, and says after how many of the run the call comes.
 * pipeline_engine_slots_are_first(): these are the first slots, also with the sink, as if there were no more.
 * Which slots are in use may matter as much as how many, since their streams share the device's queues: of
 * five slots on two queues, three of the four in use can be on one.
 * pipeline_engine_slots_tell() logs a number that is new, and releases the lock meanwhile. */
uint32_t pipeline_engine_slots_in_use(struct pipeline *front, uint32_t *rest);
bool pipeline_engine_slots_are_first(const struct pipeline *front);
void pipeline_engine_slots_interrupt(struct pipeline *front, uint32_t *rest);
void pipeline_engine_slots_tell(struct pipeline *front);

/* Whether the times of all stages of the member's tokens may still decide how many slots it gets. With
 * `lock`. */
bool pipeline_engine_needs_stages(const struct pipeline *pipeline);

/* Called under `lock` after each token: whether another slot would help (depth 0). If so, the caller calls
 * pipeline_engine_grow() without `lock`, which adds slots[depth]; the caller then makes it a free one. */
bool pipeline_engine_wants_slot(struct pipeline *pipeline);
int32_t pipeline_engine_grow(struct pipeline *pipeline);

/* Stages in another order. Only while the pipeline is idle and no slot is made, with enqueue_lock.
 *
 * pipeline_order_check() turns an order of the stages' indexes in the descriptor into `places`: where the
 * stages that are to run first, second, … are now. Errors: INVALID_ARGUMENT. pipeline_reorder_begin() gets
 * memory for a member's new order. Errors: no memory. pipeline_reorder_commit(), with `lock` too, changes the
 * order, and pipeline_reorder_end() frees what is left over, also after a failure. */
struct pipeline_reorder {
    uint32_t places[PIPELINE_STAGES_MOST];
    uint64_t scratch_bytes; /* of the buffer of scratch ports that share memory; 0: there is none */
    uint64_t scratch_offsets[PIPELINE_PORTS_MOST];
    struct trm_buffer *scratch[PIPELINE_DEPTH_MOST]; /* larger ones for the slots; NULL: the old ones do */
};

int32_t pipeline_order_check(const struct pipeline *member, const uint32_t *order, uint32_t count,
                             uint32_t places[PIPELINE_STAGES_MOST]);
int32_t pipeline_reorder_begin(struct pipeline *member, struct pipeline_reorder *reorder);
void pipeline_reorder_commit(struct pipeline *member, struct pipeline_reorder *reorder);
void pipeline_reorder_end(struct pipeline_reorder *reorder);

/* Fills in the pipeline's identity and what the engine knows; leaves the rest alone. With `lock`. */
void pipeline_engine_report(const struct pipeline *pipeline, struct trm_report *report);

/* Of a front: the number of the member that the stage prefers; PIPELINE_MEMBERS_MOST when it prefers none. */
uint32_t pipeline_front_stage_member(const struct pipeline *front, uint32_t stage);

/* What it counts begins at 0 again. */
void pipeline_engine_reset_report(struct pipeline *pipeline);

/* Whether the calling thread is inside a callback on a stream of the program's that a stage of the member
 * prefers. */
bool pipeline_engine_is_on_stream(const struct pipeline *member);

/* Whether the calling thread is inside a host stage of this front. */
bool pipeline_engine_is_inside(const struct pipeline *pipeline);

#endif
