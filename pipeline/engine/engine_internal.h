/* Pipelines, the device's side: how a token gets onto the device. What the files of this half share.
 *
 * A token's work is put together from four operations (put.c): an upload, a launch, a download, a stamp. Every strategy
 * goes through the same sequence of them; what differs is where they are put: on one stream, on three, or into a recording
 * that is replayed.
 *
 * All of it is done under pipeline->enqueue_lock, but for what says that any thread may call it.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_ENGINE_INTERNAL_H
#define PIPELINE_ENGINE_ENGINE_INTERNAL_H

#include "core/object/object.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/sampling.h"
#include "pipeline/engine/trial.h"

struct core_recording;
struct core_slot_device;

/* Pieces of a token whose times are taken, when it is measured and has more of them. */
#define CORE_SAMPLES_MOST 8

#define CORE_DEPTH_TUNED_FIRST 3

#define CORE_BIT(number) (UINT64_C(1) << (number))

/* ---- what a descriptor comes to; constant ----------------------------------------------------------------------- */

/* A stage, ready to be put: its arguments are in the order of the kernel's parameters and have no names any more. */
struct core_stage_plan {
    char *name;                /* "sobel" */
    struct trm_kernel *kernel; /* NULL: a host stage */
    uint32_t argument_count;
    uint32_t number;                        /* of this one among the host stages */
    const struct trm_parameter *parameters; /* the kernel's */
    struct trm_argument *arguments;         /* ports as such */
    uint32_t *order;                        /* where declared argument i is among them */
    uint32_t group_size;                    /* the kernel's own, in x; 0: none */
    uint64_t writes;                        /* ports that it may write: bit i is port i */
    uint64_t reads;                         /* ports that it may read */
};

/* How a token is cut. count 1: it is whole. */
struct core_pieces {
    uint32_t count;  /* of a full token */
    uint64_t grains; /* of one piece */
    uint32_t small;  /* 1: device buffers are as large as a piece, and used again by each */
};

struct core_strategy_ops {
    int32_t strategy; /* enum trm_strategy */
    int32_t recorded; /* 1: by recordings, of a strategy that has another way too */
    /* Put the token in a slot on the device, and say where: own->uploaded, processed, finished. */
    int32_t (*enqueue)(struct core_slot *slot);
};

extern const struct core_strategy_ops core_strategy_role_streams;
extern const struct core_strategy_ops core_strategy_slot_streams;
extern const struct core_strategy_ops core_strategy_slot_graphs;
extern const struct core_strategy_ops core_strategy_zero_copy;
extern const struct core_strategy_ops core_strategy_zero_copy_graphs;

/* Host memory of a source or sink, made reachable for the length of a run. */
struct core_region {
    const unsigned char *memory; /* NULL: none */
    uint64_t size;
    struct trm_buffer *buffer; /* NULL: could not be made reachable */
};

enum core_region_use {
    CORE_REGION_SOURCE = 0,
    CORE_REGION_SINK   = 1,
    CORE_REGIONS       = 2
};

/* choose.c: which strategies are tried, and how they did. Under enqueue_lock, but for `trying`. */
struct core_choice {
    const struct core_strategy_ops *candidates[CORE_TRIAL_WAYS];
    struct core_trial trial;
    _Atomic int32_t trying; /* 1: the trial is not over */
};

/* tune.c */
struct core_tuning {
    uint32_t tokens;       /* that have come through since the last look */
    uint32_t growing;      /* 1: a slot is being made */
    uint32_t settled;      /* 1: no more */
    uint32_t calm;         /* looks in a row at which nothing waited */
    _Atomic int32_t rests; /* 1: what stages wait need not be known of every token for the present */
    uint64_t window_begin;
    uint64_t starved_ns, span_ns; /* of the critical stage, at the last look */
    double rate;                  /* tokens a nanosecond before the last slot; 0: none was added yet */
};

/* There will be no more slots. */
void core_tuning_settle(struct core_tuning *tuning);

/* A host stage takes tokens in the order in which they were enqueued, whichever stream they come by. */
struct core_host_turn {
    uint64_t next;   /* the sequence number whose turn it is */
    uint64_t passed; /* bit (number % 64): it has passed, or will never come */
};

struct core_pipeline_device {
    struct trm_device *device;          /* a user of the handle: it stays good */
    const struct trm_range_ops *ranges; /* NULL: no profiler looks on */
    struct core_stage_plan *plans;
    struct core_pieces pieces;
    uint64_t host_ports;  /* ports with host memory of their own */
    uint64_t input_ports; /* by kind */
    uint64_t output_ports;
    uint64_t shared_ports;
    uint64_t kernel_writes; /* ports that any launch may write */
    uint64_t host_writes;   /* ports that any host stage writes */
    uint64_t slot_bytes;    /* device memory of one slot */
    uint32_t host_count;    /* host stages */
    uint32_t launch_count;
    int32_t in_order; /* 1: compute of tokens one after the other, since they share what they write */
    int32_t
        zero_copy; /* 1: kernels work on the host's side of a slot, for the present; for good where memory is one */
    int32_t unified;
    int32_t mapped; /* 1: memory is not one, but kernels reach the host's side of a slot */

    struct trm_buffer **kept; /* buffers that arguments name, a reference each */
    uint32_t kept_count, kept_room;

    const struct core_strategy_ops *strategy; /* the one in use; AUTO: the one tried just now */
    struct core_choice choice;
    struct core_tuning tuning;   /* under pipeline->lock */
    struct trm_stream *roles[3]; /* upload, compute, download; NULL until they are needed */
    struct trm_point last;       /* in_order: where the last token was processed; stream NULL: none */
    struct core_region regions[CORE_REGIONS];
    uint64_t sequence;                /* tokens enqueued */
    struct core_sampling sampling;    /* which of them are measured */
    uint64_t host_sequence;           /* the same of those that came as far as their host stages */
    _Atomic uint64_t host_waits;      /* times that enqueueing a token waited for a stream */
    _Atomic uint64_t pageable_copies; /* copies of tokens that could not be asynchronous */
    _Atomic uint64_t token_ns;        /* how long a token took on the device, the last that was measured */
    int64_t clock_offset;             /* added to times of the device's clock */
    uint64_t calibrated_at;           /* when it was found out; base_now() */

    pthread_mutex_t host_lock; /* guards turns; innermost */
    pthread_cond_t host_turn;
    struct core_host_turn *turns; /* one for each host stage */
};

/* ---- a slot --------------------------------------------------------------------------------------------------- */

/* Where one port of the token is: set for every token. */
struct core_port_place {
    struct trm_buffer *device; /* where kernels find it */
    uint64_t device_offset;
    struct trm_buffer
        *host; /* the other side of a copy is in this buffer, or, where it is NULL, at `memory` */
    uint64_t host_offset;
    unsigned char *memory;
    uint32_t moves;   /* 1: offsets on the device go with the piece; 0: each piece is at the beginning */
    uint32_t travels; /* 1: an input is uploaded, an output downloaded */
    uint64_t offset;  /* of the current piece in the port, and its bytes */
    uint64_t length;
};

/* A place on a stream that others look at: written under enqueue_lock. */
struct core_slot_point {
    _Atomic(struct trm_stream *) stream; /* NULL: nothing to wait for */
    _Atomic uint64_t value;
};

/* Stamps of one sampled piece: these, then the end of each launch. */
enum core_slot_stamp {
    CORE_STAMP_BEGIN     = 0, /* of the upload */
    CORE_STAMP_UPLOADED  = 1,
    CORE_STAMP_COMPUTE   = 2, /* the begin of it, where it is not the end of the upload */
    CORE_STAMP_DOWNLOAD  = 3, /* the same of the download */
    CORE_STAMP_END       = 4,
    CORE_STAMP_PROCESSED = 5,
    CORE_STAMP_LAUNCHES  = 6, /* + number of the stage */
};

/* A call of a host stage for the token in a slot. */
struct core_host_call {
    struct core_slot *slot;
    uint32_t stage;
    uint64_t sequence;
};

struct core_slot_device {
    void *tables; /* all arrays of the slot, but for those of times */
    uint64_t tables_size;

    /* Memory. Where host and device share it, both are the same. */
    struct trm_buffer **host; /* by port; NULL: none */
    struct trm_buffer **device;
    unsigned char **memory; /* host addresses of `host` */

    struct trm_stream *stream;            /* the slot's own; NULL until a strategy needs it */
    struct core_recording *recordings[2]; /* without and with stamps; NULL: none yet */
    int32_t recorded_zero_copy;           /* 1: of tokens without copies */

    /* The token. */
    struct core_port_place *places;
    struct trm_argument **arguments; /* by stage: positional, of the current piece */
    struct trm_argument *declared;   /* for shape functions: as many as the stage with the most has */
    struct trm_grid *grids;          /* by stage, of the current piece */
    struct trm_token view;           /* the token as host stages and shape functions see it */
    uint64_t sequence;
    uint64_t bytes_up, bytes_down;
    uint32_t pieces;
    int32_t measured;
    _Atomic int32_t partial; /* 1: not all of it could be put */
    uint64_t *launched;      /* by stage: the number of its launch on its stream; 0: not known */

    /* Odd: the points below are all that will be of this token. It grows with every token, so that who looks without a
     * lock sees that he has seen two. */
    _Atomic uint32_t epoch;
    struct core_slot_point uploaded, processed, finished;

    /* Host stages: written on their thread, before the stream goes on. */
    struct core_host_call *calls; /* by number of the host stage */
    uint32_t calls_put;           /* so many are on the stream */
    _Atomic int32_t host_failed;  /* a status; then `host_failure` says why */
    _Atomic uint32_t host_ran;    /* so many of them have begun */
    uint64_t put_at;              /* base_now() when a token that is measured was put */
    uint64_t host_begin;          /* base_now() when a host stage that comes first began; 0: not so */
    struct base_failure host_failure;

    /* Times: CORE_STAMP_LAUNCHES + stages for each sampled piece. */
    struct trm_event **events;
    uint8_t *stamped; /* by event: recorded for this token */
    uint32_t event_count;
    uint32_t samples; /* pieces of this token that are sampled */
    uint64_t *launch_end;
};

/* From "nothing of the token is put" (0) to "all is" (1). Before the points are changed, and after. */
static inline void core_slot_epoch(struct core_slot_device *own, uint32_t put)
{
    uint32_t epoch = atomic_load_explicit(&own->epoch, memory_order_relaxed);
    atomic_store_explicit(&own->epoch, epoch % 2 == put ? epoch + 2 : epoch + 1, memory_order_release);
}

static inline uint32_t core_stamps_each(const struct core_pipeline *pipeline)
{
    return CORE_STAMP_LAUNCHES + pipeline->desc.stage_count;
}

/* Bytes of the device that all slots may have. */
uint64_t core_engine_budget(const struct core_pipeline *pipeline);

/* ---- check.c, ports.c, stages.c, pieces.c: a descriptor -------------------------------------------------------- */

/* Copies it into the pipeline; core_desc_fini() ends what was copied, however far it came. */
int32_t core_ports_copy(struct core_pipeline *pipeline, const struct trm_pipeline_desc *desc);
void core_ports_fini(struct core_pipeline *pipeline);
int32_t core_stages_copy(struct core_pipeline *pipeline, const struct trm_pipeline_desc *desc);
void core_stages_fini(struct core_pipeline *pipeline);

/* `port 2 "weights"`, `stage 1 "sobel"`: for sentences. */
#define CORE_LABEL_BYTES 96
const char *core_port_label(const struct trm_port *ports, uint64_t index, char label[CORE_LABEL_BYTES]);
const char *core_stage_label(const struct trm_stage *stages, uint32_t index, char label[CORE_LABEL_BYTES]);

/* How tokens are cut: pieces of a divisible pipeline, where they help. */
void core_pieces_choose(struct core_pipeline *pipeline);

/* How many pieces the token in a slot has (its sizes are complete), and bytes of a port in a piece of it. */
uint32_t core_pieces_of(const struct core_slot *slot);
uint64_t core_piece_bytes(const struct core_pipeline *pipeline, uint32_t port);

/* ---- slot.c: memory and streams --------------------------------------------------------------------------------- */

int32_t core_slot_create(struct core_pipeline *pipeline, uint32_t index, struct core_slot **slot);
void core_slot_destroy(struct core_slot *slot); /* NULL is fine; its work has ended */
uint64_t core_slot_device_bytes(const struct core_pipeline *pipeline);
uint64_t core_slot_host_bytes(const struct core_pipeline *pipeline);

/* The slot's own stream, or the stream of a role: made at first use. role: enum trm_stream_role. */
int32_t core_slot_stream(struct core_slot *slot, struct trm_stream **stream);
int32_t core_role_stream(struct core_pipeline *pipeline, int32_t role, struct trm_stream **stream);

/* ---- arguments.c, place.c: a token ---------------------------------------------------------------------------- */

/* Check the sizes that the source gave and compute those that follow. */
int32_t core_token_complete(struct core_slot *slot);

/* Where the ports of the token are; `output` as in core_slot_enqueue(). */
int32_t core_places_set(struct core_slot *slot, void *output);

/* Make a piece the current one: lengths of the ports, arguments and grids of all launches. Of a token in pieces
 * core_put_token() does it. */
int32_t core_piece_set(struct core_slot *slot, uint32_t piece);

/* Regions of host memory for the length of a run. */
void core_regions_begin(struct core_pipeline *pipeline, const struct trm_source *source,
                        const struct trm_sink *sink);
void core_regions_end(struct core_pipeline *pipeline);

/* The buffer of a region that has all of `memory`, and the offset in it; NULL: there is none. */
struct trm_buffer *core_region_find(const struct core_pipeline *pipeline, enum core_region_use use,
                                    const void *memory, uint64_t size, uint64_t *offset);

/* ---- put.c: the operations of a token ------------------------------------------------------------------------------ */

/* Where operations go. */
struct core_put {
    struct core_slot *slot;
    struct trm_stream *stream;
    struct core_recording *recording; /* NULL: onto the stream, to be done now */
    uint32_t sample;  /* the current piece's among those that are sampled; UINT32_MAX: it is not */
    int32_t separate; /* 1: the next stage does not begin where the one before has ended */
};

/* Of the current piece. Failures name the stage: `upload: …`, `compute "sobel": …`. */
int32_t core_put_uploads(struct core_put *put);
int32_t core_put_stages(struct core_put *put);
int32_t core_put_downloads(struct core_put *put);

/* Is there anything to copy of these ports of the token? */
int32_t core_put_any(const struct core_slot *slot, uint64_t ports);

/* One port, up or down. Without a stage's name. */
int32_t core_put_port(const struct core_put *put, int32_t upload, uint32_t port);

/* Take the time, where the current piece is sampled. */
int32_t core_put_stamp(struct core_put *put, uint32_t stamp);

/* All pieces of the token on one stream, with the points that others look at (not where it records). */
int32_t core_put_token(struct core_put *put);

/* in_order: let a stream wait until the token before has been processed, and say that this one is next. */
int32_t core_put_wait_turn(struct core_put *put);
void core_put_pass_turn(struct core_slot *slot);

/* Set a point of the slot to where a stream is now. Exact: it will be waited for. */
int32_t core_slot_mark(struct core_slot_point *point, struct trm_stream *stream, int32_t exact);
void core_slot_unmark(struct core_slot_point *point);
struct trm_point core_slot_point(const struct core_slot_point *point);

/* The same exactly, as the end of what was put with `status`, which it returns, with its sentence, unless that was TRM_OK
 * and this fails. */
int32_t core_finish_point(struct core_slot_point *point, struct trm_stream *stream, int32_t status);

/* It failed before any launch of it began, as far as that is known. */
int32_t core_slot_untouched(const struct core_slot *slot);

/* The failure of a token that could not be put: `status`, with its sentence, or what had failed of it before. */
int32_t core_slot_cause(const struct core_slot *slot, int32_t status);

/* Failures with the stage put before the last error's sentence. */
int32_t core_fail_stage(int32_t status, const char *stage);
int32_t core_fail_compute(int32_t status, const char *name);

/* Strategies with a stream a slot: the token operation by operation, the end of it in own->finished. */
int32_t core_put_on_slot(struct core_slot *slot);

/* The same by a recording; operation by operation where the token does not go with it. */
int32_t core_put_recorded(struct core_slot *slot);

/* ---- recording.c: a token's operations, recorded ------------------------------------------------------------------- */

/* What put.c does instead where it records: note the operation, or, while it is compared, replace it where it differs.
 * A launch is of the slot's current arguments. */
int32_t core_recording_transfer(struct core_recording *recording, int32_t upload, uint32_t port);
int32_t core_recording_launch(struct core_recording *recording, uint32_t stage);
int32_t core_recording_stamp(struct core_recording *recording, uint32_t event);

/* What replays the token in a slot: recorded first, or brought up to date. Any failure: the token is to be put directly,
 * after core_recording_restart(), which forgets what going through it has counted. */
int32_t core_recording_ready(struct core_slot *slot, struct trm_graph_exec **exec);
void core_recording_restart(struct core_slot *slot);
void core_recordings_drop(struct core_slot *slot);
void core_recordings_forget_regions(struct core_slot *slot); /* those that use a region go */

/* ---- host_stage.c ---------------------------------------------------------------------------------------------- */

int32_t core_host_stage_put(struct core_put *put, uint32_t stage);

/* A token's turns at its host stages begin when it is enqueued; those that it will not come to are passed over. */
void core_host_stages_begin(struct core_slot *slot);
void core_host_stages_pass(struct core_slot *slot);

/* Around a call of the program's in the calling thread: core_engine_inside(). */
struct core_inside {
    const struct core_pipeline *pipeline;
    struct core_inside *outer;
};
void core_inside_push(struct core_inside *inside, const struct core_pipeline *pipeline);
void core_inside_pop(const struct core_inside *inside);

/* ---- choose.c, times.c ----------------------------------------------------------------------------------------------- */

/* Before the first token: which strategy, or which candidates. Errors: UNSUPPORTED, with the reason. */
int32_t core_choose_begin(struct core_pipeline *pipeline);

/* The strategy of the next token. */
const struct core_strategy_ops *core_choose(struct core_pipeline *pipeline);

/* A run begins with empty slots. */
void core_choose_interrupt(struct core_pipeline *pipeline);

/* Is the next token one by which a candidate is timed? */
int32_t core_choose_timing(const struct core_pipeline *pipeline);

/* Is it still open which strategy it will be? Any thread. */
int32_t core_choosing(const struct core_pipeline *pipeline);

int32_t core_times_wanted(const struct core_pipeline *pipeline);
int32_t core_times_create(struct core_slot *slot);
void core_times_destroy(struct core_slot *slot);

/* Find out how the device's clock stands to the host's. A guess that fails is no failure. */
void core_times_calibrate(struct core_pipeline *pipeline);
/* The same before a run, if it is long ago and clocks drift apart. Nothing is under way. */
void core_times_calibrate_again(struct core_pipeline *pipeline);

/* For the next token: is it measured, and which pieces of it? */
void core_times_begin(struct core_slot *slot);
uint32_t core_times_sample(const struct core_slot *slot, uint32_t piece);

/* Does the upload that is put now begin when it is put, as far as anybody can tell? Then it needs no stamp for that. */
int32_t core_times_begin_is_known(const struct core_put *put);

#endif
