/* What the files of the engine room share.
 *
 * A token is made of four operations (record_operations.c): upload, launch, download, stamp. Every strategy
 * goes through the same sequence; they differ in where the operations go: on one stream, on three, or into a
 * recording that is replayed.
 *
 * All functions are called under pipeline->enqueue_lock unless they say otherwise.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_ENGINE_INTERNAL_H
#define PIPELINE_ENGINE_ENGINE_INTERNAL_H

#include "core/object/object.h"
#include "pipeline/engine/engine.h"

struct core_buffer;
struct pipeline_away;
struct pipeline_cached_operations;
struct pipeline_port_image;
struct pipeline_recording;
struct pipeline_slot_device;

/* Most pieces of a measured token that get time stamps. */
#define PIPELINE_SAMPLES_MOST 8

/* Most streams for the stages of a token: those that the library chooses, and those that stages prefer. */
#define PIPELINE_LANES_CHOSEN 4
#define PIPELINE_LANES_PREFERRED 8
#define PIPELINE_LANES_MOST (PIPELINE_LANES_CHOSEN + PIPELINE_LANES_PREFERRED)

#define PIPELINE_BIT(number) (UINT64_C(1) << (number))

/* ---- the descriptor, resolved; constant ----------------------------------------------------- */

/* A stage whose arguments are in the order of the kernel's parameters, so that tokens need no names. */
struct pipeline_stage_plan {
    char *name;
    struct trm_kernel *kernel; /* the handle of a hold; NULL: a host stage */
    uint32_t argument_count;
    uint32_t number;                        /* among the host stages */
    uint32_t declared;                      /* its index in the descriptor */
    const struct trm_parameter *parameters; /* the kernel's */
    struct trm_argument *arguments;         /* ports are not resolved yet */
    uint32_t *order;                        /* position of declared argument i */
    uint32_t group_size;                    /* the kernel's, in x; 0: none */
    uint64_t writes;                        /* ports that it may write: bit i is port i */
    uint64_t reads;                         /* ports that it may read */
    uint64_t surely_writes;                 /* of `writes`, those of which it is known */

    /* Its order (branches.c). Bit i is stage i, which has a lower number. */
    uint64_t after;  /* it begins when these have ended */
    uint64_t before; /* these and those that they run after */
    uint32_t lane;
    int32_t priority;          /* enum trm_priority: of the lane that it prefers */
    int32_t prefers;           /* enum trm_stage_stream_kind */
    struct trm_stream *stream; /* GIVEN: the handle of a hold of its own */
    uint64_t waits;            /* stages on other lanes for which its lane waits before it */
    bool is_forking;           /* its lane waits for what is on lane 0 before the stages */
    bool is_awaited;           /* another lane waits for it */

    const struct pipeline_away *away; /* where it runs; NULL: on the token's device (away.h) */
    uint64_t moves_in, moves_out;     /* ports that are copied there before it, and back after it */

    bool writes_image; /* or a texel buffer: an argument that is the same for all tokens */
};

/* A buffer, an image or a sampler that the pipeline was given. */
struct pipeline_held {
    void *held;  /* the handle of the hold; the engine uses this one */
    void *given; /* the program's, which may be dead */
};

/* An image with its sampler. */
#define PIPELINE_HOLDS_OF_ARGUMENT 2

struct pipeline_holds {
    struct pipeline_held *objects;
    uint32_t count, room;
};

/* How a token is cut. count 1: not at all. */
struct pipeline_pieces {
    uint32_t count;  /* of a full token */
    uint64_t grains; /* of one piece */
};

/* Scratch ports that share a buffer of the slot (scratch.c). */
struct pipeline_scratch {
    uint64_t ports;    /* bit i is port i; 0: none */
    uint64_t bytes;    /* of the buffer */
    uint64_t *offsets; /* by port; NULL: none */
};

struct pipeline_strategy_ops {
    int32_t strategy; /* enum trm_strategy */
    bool is_recorded; /* the variant that replays graphs */
    /* Enqueues the token in a slot and sets own->uploaded, processed and finished. */
    int32_t (*enqueue)(struct pipeline_slot *slot);
};

extern const struct pipeline_strategy_ops pipeline_strategy_role_streams;
extern const struct pipeline_strategy_ops pipeline_strategy_slot_streams;
extern const struct pipeline_strategy_ops pipeline_strategy_slot_graphs;
extern const struct pipeline_strategy_ops pipeline_strategy_zero_copy;
extern const struct pipeline_strategy_ops pipeline_strategy_zero_copy_graphs;
extern const struct pipeline_strategy_ops pipeline_strategy_resident;

/* Host memory of a source or sink, imported for a run. */
struct pipeline_region {
    const unsigned char *memory; /* NULL: none */
    uint64_t size;
    struct trm_buffer *buffer; /* NULL: the import failed */
};

enum pipeline_region_use {
    PIPELINE_REGION_SOURCE = 0,
    PIPELINE_REGION_SINK   = 1,
    PIPELINE_REGIONS       = 2
};

/* Which strategies are tried, and how they did (choose.c). Under enqueue_lock, except the atomics. */
struct pipeline_choice {
    const struct pipeline_strategy_ops *candidates[PIPELINE_TRIAL_CANDIDATES];
    struct pipeline_trial trial;
    _Atomic bool is_trying;
    _Atomic uint32_t slots; /* to be in use meanwhile; 0: all */
    bool is_in_run;         /* slots rest in runs alone, not while the program submits; with enqueue_lock */
};

struct pipeline_tuning {         /* tune.c */
    uint32_t tokens, look_at;    /* ended since the last look; so many of them: when the clock is read next */
    bool is_growing, is_settled; /* a thread creates a slot; no more are added */
    bool has_probed, is_probe;   /* one was added although no stage waited; the last one was */
    uint32_t calm, doubts;       /* looks in a row: no stage waited; the last slot has brought nothing */
    _Atomic bool is_resting;     /* few tokens need to be measured for now */
    uint64_t window_begin, starved_ns, span_ns; /* of the critical stage, at the last look */
    double rate; /* tokens per nanosecond before the slot that is to be judged was added; 0: there is none */
};

/* How many slots are in use at once (slots_in_use.c). Under the front's lock. */
struct pipeline_slots_in_use {
    struct pipeline_depth_trial trial;
    bool has_begun, has_news, may_try; /* may: the library chooses, and its tokens share only the memory */
    uint32_t reason_length; /* of pipeline->reason, without what a trial found; 0: none has ended */
    uint32_t most, told;    /* without those that brought nothing; as the log was told; 0: all */
};

void pipeline_tuning_settle(struct pipeline_tuning *tuning); /* adds no more slots */
void pipeline_tuning_interrupt(struct pipeline *pipeline);   /* a run begins */

/* Host stages take tokens in the order in which they were enqueued, on whichever streams and devices. */
struct pipeline_host_turn {
    uint64_t next;   /* the sequence number whose turn it is */
    uint64_t passed; /* bit (number % 64): that token has passed, or never comes */
};

struct pipeline_host_turns {
    uint64_t sequence;    /* tokens enqueued that reached their host stages; under enqueue_lock */
    pthread_mutex_t lock; /* guards `turns`; the service's lock alone comes after it */
    pthread_cond_t passed;
    struct pipeline_host_turn turns[PIPELINE_STAGES_MOST]; /* by number of the host stage */
};

/* Make the turns of a front that has none yet. Destroy them with the front; no token is in flight. */
int32_t pipeline_host_turns_create(struct pipeline *front);

struct pipeline_device {
    const struct trm_range_ops *ranges; /* &range_table; NULL: no profiler is attached */
    struct trm_range_ops range_table;
    struct pipeline_stage_plan *plans;
    struct pipeline_pieces pieces;
    struct pipeline_scratch scratch;
    uint64_t host_ports;  /* ports with host memory of their own */
    uint64_t input_ports; /* ports of this kind */
    uint64_t output_ports;
    uint64_t shared_ports;
    uint64_t image_ports;               /* images */
    uint64_t native_ports;              /* images of the backend's */
    struct pipeline_port_image *images; /* by port (port_image.h) */
    uint64_t kernel_writes;             /* ports that any launch may write */
    uint64_t host_writes;               /* ports that any host stage writes */
    uint64_t slot_bytes;                /* device memory of one slot */
    uint32_t host_count;                /* host stages */
    uint32_t launch_count;
    bool has_order;                          /* the program gave `after` or priorities */
    bool has_branches;                       /* not all stages have an order */
    uint32_t lane_count;                     /* 1: the stages run one after the other */
    int32_t priorities[PIPELINE_LANES_MOST]; /* enum trm_priority, by lane; that of lane 0 is normal */
    uint64_t joins; /* stages on other lanes for which lane 0 waits after all stages */
    /* Lanes that stages prefer, each one stream for all tokens; and those of them whose stream is the
     * program's, which the engine neither ends nor replaces. */
    uint32_t preferred_lanes, given_lanes;
    struct pipeline_away *away; /* the other devices on which stages run (away.h) */
    uint32_t away_count;
    uint64_t *launch_after; /* by stage: after which it runs where lanes are used; NULL: there is one lane */
    /* Tokens are processed one after the other, because they share ports that they write. */
    bool writes_images; /* any launch may, of its arguments */
    bool has_shapes;    /* any launch has a shape function */
    bool in_order;
    /* Kernels work on the host's side of a slot: for good on a unified device, else for now. */
    bool zero_copy;
    bool unified, is_host; /* is_host: the host's processors, so that a thread that waits runs the work */
    bool mapped;           /* not unified, but kernels reach the host's side */
    bool stamps_are_slow;  /* a time stamp takes the device longer than many a token */

    struct pipeline_holds holds; /* buffers in shared ports, and objects in arguments */

    const struct pipeline_strategy_ops *strategy; /* in use; AUTO: the one on trial */
    bool records;                                 /* it records tokens; under pipeline->lock */
    struct pipeline_choice choice;
    struct pipeline_tuning tuning; /* under pipeline->lock */
    struct pipeline_slots_in_use slots_in_use;
    struct trm_stream *roles[3]; /* upload, compute, download; NULL until needed */
    /* Beside the role of compute, from 1 on; NULL until needed. */
    struct trm_stream *lanes[PIPELINE_LANES_MOST];
    struct trm_point last; /* in_order: where the last token was processed; stream NULL: none */
    struct pipeline_region regions[PIPELINE_REGIONS];
    uint64_t sequence;                /* tokens enqueued */
    _Atomic uint64_t host_waits;      /* enqueued operations that waited for a full stream */
    _Atomic uint64_t pageable_copies; /* copies that could not be asynchronous */
    _Atomic uint64_t token_ns;        /* device time of the last measured token */
    int64_t clock_offset;             /* added to times of the device's clock */
    uint64_t calibrated_at;           /* base_now() */
};

/* ---- a slot --------------------------------------------------------------------------------- */

/* Where one port of the token is; set for every token. */
struct pipeline_port_memory {
    struct trm_image *image;   /* the backend's, in place of `device`; NULL: none */
    struct trm_buffer *device; /* where kernels find it; they find an image of plain memory by its handle */
    uint64_t device_offset;
    struct trm_buffer *host; /* the host side of a copy; NULL: at `memory` */
    uint64_t host_offset;
    unsigned char *memory;
    /* The device buffer holds all pieces; otherwise each piece begins at its start. */
    bool is_whole_on_device;
    bool is_copied;  /* an input is uploaded, an output downloaded */
    uint64_t offset; /* of the current piece in the port */
    uint64_t length;
};

/* A point of a stream, read by observers; written under enqueue_lock. */
struct pipeline_slot_point {
    _Atomic(struct trm_stream *) stream; /* NULL: nothing to wait for */
    _Atomic uint64_t value;
};

/* Time stamps of one sampled piece; the ends of launches follow. */
enum pipeline_slot_stamp {
    PIPELINE_STAMP_BEGIN     = 0, /* of the upload */
    PIPELINE_STAMP_UPLOADED  = 1,
    PIPELINE_STAMP_COMPUTE   = 2, /* only where compute does not begin when the upload ends */
    PIPELINE_STAMP_DOWNLOAD  = 3, /* only where the download does not begin when compute ends */
    PIPELINE_STAMP_END       = 4,
    PIPELINE_STAMP_PROCESSED = 5,
    PIPELINE_STAMP_LAUNCHES  = 6, /* + number of the stage; the begins of those that prefer a stream follow */
};

/* A call of a host stage for the token in a slot. */
struct pipeline_host_call {
    struct pipeline_slot *slot;
    uint32_t stage;
    uint64_t sequence;
};

struct pipeline_slot_device {
    void *tables; /* one allocation for all arrays but those of times */
    uint64_t tables_size;

    /* By port. Without copies on a unified device `memory` addresses `device` and `host` is NULL. */
    struct trm_buffer **host;    /* NULL: none */
    struct trm_buffer **device;  /* of an image of plain memory: its own, which ends with it */
    struct trm_image **images;   /* NULL: a buffer, or shared */
    unsigned char **memory;      /* host addresses of `host` */
    struct trm_buffer *scratch;  /* `device` of the ports that share it; NULL: none does */
    struct trm_buffer **mirrors; /* by device on which stages are away, and port; NULL: none */

    struct trm_stream *stream;                     /* NULL until a strategy needs it */
    struct trm_stream *lanes[PIPELINE_LANES_MOST]; /* beside `stream`, from 1 on; NULL until needed */
    struct pipeline_recording *recordings[2];      /* without and with stamps; NULL: none yet */
    bool recorded_zero_copy;                       /* of tokens without copies */

    /* The token. */
    struct pipeline_port_memory *port_memory;
    struct trm_argument **arguments; /* by stage: positional, of the current piece */
    struct trm_argument *declared;   /* for shape functions; as many as the longest stage has */
    struct trm_grid *grids;          /* by stage, of the current piece */
    /* The strategy for which these three were set by a token that fills the slot's own memory; NULL: by
     * another one. */
    const struct pipeline_strategy_ops *filled_for;
    struct pipeline_cached_operations *cached; /* its operations (cached_operations.h); NULL: none yet */
    struct pipeline_spread *spread;            /* spread.h; NULL: none yet */
    struct trm_token view;                     /* the token as host stages and shape functions see it */
    uint64_t sequence, bytes_up, bytes_down;
    uint32_t pieces;
    bool is_prepared, is_measured, is_noted; /* nothing is enqueued yet; noted: by a kernel that stays */
    bool is_spread;                          /* until the next token is enqueued, as uses_lanes */
    _Atomic bool is_partial;                 /* not all operations were enqueued */
    uint64_t *launched;                      /* by stage: number of the launch on its stream; 0: unknown */

    /* Odd: the points below are complete for this token. Grows with every token, so that an observer without
     * a lock notices when the slot went on to another token. */
    _Atomic uint32_t epoch;
    struct pipeline_slot_point uploaded, processed, finished;
    /* The last operation on each lane from 1 on, or of each part of a token that is spread; none where the
     * stages of this token are on one stream. */
    struct pipeline_slot_point lane_ends[PIPELINE_LANES_MOST];
    bool uses_lanes;         /* until the next token is enqueued, since a thread may still read the times */
    struct trm_point forked; /* where the stages begin on lane 0 */
    struct trm_point *stage_ends; /* by stage: where it ends, if another lane waits for it */

    /* Host stages; written on their thread before the stream goes on. */
    struct pipeline_host_call *calls; /* by number of the host stage */
    uint32_t calls_recorded;          /* calls that are on the stream */
    _Atomic int32_t host_failed;      /* a status; `host_failure` has the sentence */
    _Atomic uint32_t host_ran;        /* host stages that have begun */
    uint64_t enqueued_at;             /* base_now(), of a measured token */
    uint64_t enqueue_ns;              /* that enqueueing it took */
    uint64_t host_begin;              /* base_now() when a first stage on the host began; 0: none */
    struct base_failure host_failure;

    /* Time stamps: pipeline_stamps_each() for each sampled piece. */
    struct trm_event **events;
    bool *stamped;                 /* by event: recorded for this token */
    uint32_t event_count, samples; /* samples: sampled pieces of this token */
    uint64_t *launch_end, *launch_begin;
};

/* Begins a change of the points (false) or ends it (true). */
static inline void pipeline_slot_epoch(struct pipeline_slot_device *own, bool is_complete)
{
    uint32_t epoch = atomic_load_explicit(&own->epoch, memory_order_relaxed);
    atomic_store_explicit(&own->epoch, epoch % 2 == is_complete ? epoch + 2 : epoch + 1,
                          memory_order_release);
}

static inline uint32_t pipeline_stamps_each(const struct pipeline *pipeline)
{
    uint32_t each = pipeline->engine->preferred_lanes != 0 ? 2 : 1;

    return PIPELINE_STAMP_LAUNCHES + each * pipeline->desc.stage_count;
}

/* Bytes of device memory that all slots together may use. */
uint64_t pipeline_engine_budget(const struct pipeline *pipeline);

/* ---- check.c, ports.c, stages.c, pieces.c: a descriptor ------------------------------------- */

/* Copies a descriptor into the pipeline. The _fini functions free what was copied, also after a failure.
 * holds.c: add() holds an object of the program and writes the handle of the hold to `held`, a pointer to a
 * handle; given() finds the program's handle of a held object, and returns any other as it is. */
int32_t pipeline_holds_create(struct pipeline *pipeline, const struct trm_pipeline_desc *desc);
int32_t pipeline_holds_add(struct pipeline *pipeline, enum core_type type, void *given, void *held);
void *pipeline_holds_given(const struct pipeline *pipeline, void *held);
void pipeline_holds_destroy(struct pipeline *pipeline);

/* WRONG_DEVICE for a buffer that is not on the device, which the message calls `place`. */
int32_t pipeline_check_buffer(const struct core_device *device, const char *place,
                              const struct core_buffer *buffer);
int32_t pipeline_ports_copy(struct pipeline *pipeline, const struct trm_pipeline_desc *desc);
void pipeline_ports_fini(struct pipeline *pipeline);
int32_t pipeline_stages_copy(struct pipeline *pipeline, const struct trm_pipeline_desc *desc);
void pipeline_stages_fini(struct pipeline *pipeline);

/* `port 2 "weights"`, `stage 1 "sobel"`, for error sentences. */
#define PIPELINE_LABEL_BYTES 96
const char *pipeline_port_label(const struct trm_port *ports, uint64_t index,
                                char label[PIPELINE_LABEL_BYTES]);
const char *pipeline_stage_label(const struct trm_stage *stages, uint32_t index,
                                 char label[PIPELINE_LABEL_BYTES]);

/* Fails, since `length` bytes of a port are not a whole number of elements of `bytes`. */
int32_t pipeline_fail_elements(const struct trm_port *ports, uint64_t index, uint64_t length, uint64_t bytes);

/* Decides whether tokens are cut into pieces. */
void pipeline_pieces_choose(struct pipeline *pipeline);
/* Pieces of the token in a slot (its sizes are complete), and bytes of a port in one piece. */
uint32_t pipeline_pieces_of(const struct pipeline_slot *slot);
uint64_t pipeline_piece_bytes(const struct pipeline *pipeline, uint32_t port);
/* Whether the port's memory on the device holds one piece, and each piece uses it again. */
bool pipeline_piece_is_held(const struct pipeline *pipeline, uint32_t port);

/* ---- slot.c: memory and streams ------------------------------------------------------------- */

int32_t pipeline_slot_create(struct pipeline *pipeline, uint32_t index, struct pipeline_slot **slot);
void pipeline_slot_destroy(struct pipeline_slot *slot); /* after its work has ended; NULL is fine */
void pipeline_slot_forget(struct pipeline_slot *slot);  /* what was enqueued of a token */
/* Where the port begins in the slot's device buffer; images, and scratch ports that share one, not at 0. */
uint64_t pipeline_port_device_offset(const struct pipeline *pipeline, uint32_t port);

/* Finds out which scratch ports share memory; once ports, stages and pieces are known. Errors: no memory. */
int32_t pipeline_scratch_plan(struct pipeline *pipeline);
void pipeline_scratch_fini(struct pipeline *pipeline);

/* The bytes of the buffer of ports that share memory, and the place of each in it, if the stages ran in
 * another order: first the one that is at places[0] now. 0: more than the device has in one buffer. */
uint64_t pipeline_scratch_places(const struct pipeline *pipeline, const uint32_t *places,
                                 uint64_t offsets[PIPELINE_PORTS_MOST]);

uint64_t pipeline_slot_device_bytes(const struct pipeline *pipeline);
uint64_t pipeline_slot_host_bytes(const struct pipeline *pipeline);

/* The slot's own stream, the stream of a role (enum trm_stream_role), or that of a lane beside one of them;
 * created at first use. */
int32_t pipeline_slot_stream(struct pipeline_slot *slot, struct trm_stream **stream);
int32_t pipeline_role_stream(struct pipeline *pipeline, int32_t role, struct trm_stream **stream);
int32_t pipeline_lane_stream(struct pipeline_slot *slot, const struct trm_stream *beside, uint32_t lane,
                             struct trm_stream **stream);

/* ---- arguments.c, port_memory.c: a token ---------------------------------------------------- */

/* Checks the sizes that the source set and computes those that follow. */
int32_t pipeline_token_complete(struct pipeline_slot *slot);

/* Finds where the ports of the token are; `output` as in pipeline_slot_enqueue(). */
int32_t pipeline_port_memory_set(struct pipeline_slot *slot, void *output);

/* Makes a piece the current one: sets lengths of ports, arguments and grids of launches. For a token of
 * several pieces pipeline_record_token() calls it. */
int32_t pipeline_piece_set(struct pipeline_slot *slot, uint32_t piece);

/* Imports the host memory of a source and a sink for a run. */
void pipeline_regions_begin(struct pipeline *pipeline, const struct trm_source *source,
                            const struct trm_sink *sink);
void pipeline_regions_end(struct pipeline *pipeline);

/* The region's buffer that contains all of `memory`, and the offset in it; NULL: none. */
struct trm_buffer *pipeline_region_find(const struct pipeline *pipeline, enum pipeline_region_use use,
                                        const void *memory, uint64_t size, uint64_t *offset);

/* ---- record_operations.c: the operations of a token ----------------------------------------- */

/* Where operations go. */
struct core_recorder {
    struct pipeline_slot *slot;
    struct trm_stream *stream;
    struct pipeline_recording *recording; /* NULL: onto the stream */
    uint32_t sample;  /* number of the current piece among the sampled ones; UINT32_MAX: not sampled */
    bool is_separate; /* the next stage does not begin where the previous one ended */
};

/* Of the current piece. Failures name the stage: `upload: …`, `compute "sobel": …`. */
int32_t pipeline_record_uploads(struct core_recorder *recorder);
int32_t pipeline_record_stages(struct core_recorder *recorder);
int32_t pipeline_record_downloads(struct core_recorder *recorder);

/* Whether any of these ports of the token is copied. */
bool pipeline_slot_has_copies(const struct pipeline_slot *slot, uint64_t ports);

/* Copies one port. Failures do not name the stage. */
int32_t pipeline_record_copy(const struct core_recorder *recorder, bool upload, uint32_t port);

/* Stamps the time where the current piece is sampled. */
int32_t pipeline_record_stamp(struct core_recorder *recorder, uint32_t stamp);

/* All pieces of the token on one stream, with the points for observers unless it is recorded. */
int32_t pipeline_record_token(struct core_recorder *recorder);

/* in_order: makes a stream wait until the previous token is processed; makes this token the previous one. */
int32_t pipeline_record_wait_turn(struct core_recorder *recorder);
void pipeline_slot_pass_turn(struct pipeline_slot *slot);

/* Sets a point of the slot to the stream's latest operation. Exact: the point can be waited for. */
int32_t pipeline_slot_mark(struct pipeline_slot_point *point, struct trm_stream *stream, bool exact);
void pipeline_slot_unmark(struct pipeline_slot_point *point);
void pipeline_slot_unmark_lanes(struct pipeline_slot_device *own);
struct trm_point pipeline_slot_point(const struct pipeline_slot_point *point);

/* Sets the exact end of a token that was enqueued with `status`. Returns `status` and keeps its sentence; if
 * it was TRM_OK, returns the result of setting the point. */
int32_t pipeline_finish_point(struct pipeline_slot_point *point, struct trm_stream *stream, int32_t status);

/* Whether it failed before any of its launches began, as far as the backend tells. */
bool pipeline_slot_is_untouched(const struct pipeline_slot *slot);

/* Why a token could not be enqueued: an earlier failure of its stream, else `status`. */
int32_t pipeline_slot_cause(const struct pipeline_slot *slot, int32_t status);

/* Put the stage before the last error's sentence. */
int32_t pipeline_fail_stage(int32_t status, const char *stage);
int32_t pipeline_fail_compute(int32_t status, const char *name);

/* Enqueues a token on its slot's stream, operation by operation. */
int32_t pipeline_enqueue_on_slot_stream(struct pipeline_slot *slot);

/* Enqueues a token on its slot's stream by replaying a recording; operation by operation where it does not
 * fit. */
int32_t pipeline_enqueue_recording(struct pipeline_slot *slot);

/* ---- branches.c: the order of the stages ----------------------------------------------------- */

/* Inside the engine stages have the numbers of an order in which they can run one after the other: none comes
 * before a stage that it runs after. The order of the descriptor stays where it is such an order. */

/* Checks trm_pipeline_desc.after and priorities. Errors: INVALID_ARGUMENT, with the names of a cycle. */
int32_t pipeline_branches_check(const struct trm_pipeline_desc *desc);

/* Finds the order: stage number i is `declared[i]` in the checked descriptor. Sets `after` of the plans. */
void pipeline_branches_sort(const struct trm_pipeline_desc *desc, struct pipeline_stage_plan *plans,
                            uint32_t declared[PIPELINE_STAGES_MOST]);

/* Once the plans know what their stages read and write: refuses stages without an order that would race, adds
 * what else orders stages, and gives each stage a lane. Errors: INVALID_ARGUMENT, no memory. */
int32_t pipeline_branches_plan(struct pipeline *pipeline);
void pipeline_branches_fini(struct pipeline *pipeline);

/* ---- branches of a token at once ---------------------------------------------------- */

/* Whether the strategy, unless it records, should run branches of the next token at once. Threads: any. */
bool pipeline_lanes_help(const struct pipeline *pipeline);

/* Begins the stages of the current piece. `main` has lane 0. */
int32_t pipeline_lanes_begin(const struct core_recorder *main);

/* Readies the lane of a stage: `recorder` then goes on it. After the stage, notes where it ends. */
int32_t pipeline_lane_enter(const struct core_recorder *main, uint32_t stage, struct core_recorder *recorder);
int32_t pipeline_lane_leave(const struct core_recorder *recorder, uint32_t stage);

/* Lets lane 0 wait for the others, unless `status` is a failure; notes where each ends. Returns a failure. */
int32_t pipeline_lanes_join(const struct core_recorder *main, int32_t status);

/* ---- recording.c: a token as a graph -------------------------------------------------------- */

/* Called by record_operations.c where it records. Notes the operation, or compares it with the noted one and
 * updates the graph where they differ. Launches use the slot's current arguments. */
int32_t pipeline_recording_transfer(struct pipeline_recording *recording, bool upload, uint32_t port);
int32_t pipeline_recording_launch(struct pipeline_recording *recording, uint32_t stage);
int32_t pipeline_recording_stamp(struct pipeline_recording *recording, uint32_t event);

/* Records the token in a slot, or updates its recording. On any failure the caller calls
 * pipeline_recording_restart(), which resets the counts, and enqueues the token directly. */
int32_t pipeline_recording_ready(struct pipeline_slot *slot, struct trm_graph_exec **exec);
/* The same for a slot whose tokens must be recorded: one that does not fit is recorded anew at once. */
int32_t pipeline_recording_ready_anew(struct pipeline_slot *slot, struct trm_graph_exec **exec);
void pipeline_recording_give_up_stamps(struct pipeline_slot *slot); /* that then gives UNSUPPORTED for them */
void pipeline_recording_restart(struct pipeline_slot *slot);
void pipeline_recordings_drop(struct pipeline_slot *slot);
void pipeline_recordings_forget_regions(struct pipeline_slot *slot); /* drops those that use a region */

/* ---- host_stage.c --------------------------------------------------------------------------- */

int32_t pipeline_record_host_stage(struct core_recorder *recorder, uint32_t stage);

/* Begin the token's turns at its host stages; pass those that it will not reach. */
void pipeline_host_stages_begin(struct pipeline_slot *slot);
void pipeline_host_stages_pass(struct pipeline_slot *slot);

/* Marks the calling thread while it runs a callback of the program: pipeline_engine_is_inside(). */
struct pipeline_host_calling {
    const struct pipeline *pipeline;
    struct pipeline_host_calling *outer;
};
void pipeline_host_calling_push(struct pipeline_host_calling *inside, const struct pipeline *pipeline);
void pipeline_host_calling_pop(const struct pipeline_host_calling *inside);

/* ---- choose.c, times.c ---------------------------------------------------------------------- */

/* Decides the strategy or its candidates before the first token. Errors: UNSUPPORTED, with the reason. */
int32_t pipeline_choose_begin(struct pipeline *pipeline);

/* Bytes of a token's inputs and outputs. */
uint64_t pipeline_token_bytes(const struct pipeline *pipeline);

/* Lets the pipeline use fewer slots than it has; whether it may; whether so many fit into a processor's
 * cache; with the front's lock: whether a trial goes on, and how many slots are in use besides; 0: all. */
void pipeline_slots_allow_fewer(struct pipeline *pipeline);
bool pipeline_slots_may_rest(const struct pipeline *pipeline);
bool pipeline_slots_are_small(const struct pipeline *pipeline, uint32_t count);
bool pipeline_slots_are_tried(const struct pipeline *pipeline);
void pipeline_slots_rest(struct pipeline *pipeline, uint32_t most); /* for good; no others are added */
uint32_t pipeline_slots_chosen(const struct pipeline *pipeline);

/* The strategy of the next token. pipeline_choose_interrupt(): a run begins with empty slots. */
const struct pipeline_strategy_ops *pipeline_choose(struct pipeline *pipeline);
void pipeline_choose_interrupt(struct pipeline *pipeline);
/* Whether the next token times a candidate; whether the strategy is still on trial (threads: any). */
bool pipeline_choose_timing(const struct pipeline *pipeline);
bool pipeline_is_choosing(const struct pipeline *pipeline);

bool pipeline_times_wanted(const struct pipeline *pipeline);
bool pipeline_times_are_slow(const struct pipeline *pipeline);
int32_t pipeline_times_create(struct pipeline_slot *slot);
void pipeline_times_destroy(struct pipeline_slot *slot);
/* The length of tokens after a wait for one, which is little proof: others may have run the token. */
uint64_t pipeline_length_of_waits(uint64_t before, uint64_t took);

/* Finds the offset of the device's clock to the host's. Failing to is not a failure. */
void pipeline_times_calibrate(struct pipeline *pipeline);
/* Calibrates again before a run if clocks may have drifted. No work is in flight. */
void pipeline_times_calibrate_again(struct pipeline *pipeline);

/* Decide whether the next token is measured, and which pieces of it. */
void pipeline_times_begin(struct pipeline_slot *slot);
uint32_t pipeline_times_sample(const struct pipeline_slot *slot, uint32_t piece);

/* Whether the next upload begins at once, as far as the host can tell; it then needs no stamp. */
bool pipeline_times_begin_is_known(const struct core_recorder *recorder);

#endif
