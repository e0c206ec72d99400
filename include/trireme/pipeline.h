/* Trireme: pipelines. Stages that every token (one batch) passes: load, upload, compute, download, sink; tokens are kept
 * apart in slots, so that the stages of different tokens run at the same time.
 *
 * A pipeline is described by ports (the buffers of a token) and stages (kernels and host functions over them), not by
 * copies: what is uploaded, downloaded, kept or waited for follows from the ports. Its depth is the number of slots: 1 is
 * sequential, 2 double, 3 triple buffering.
 *
 * Three ways to drive one:
 *     run         trm_pipeline_run(pipeline, source, sink): all tokens of a source, to a sink
 *     iterate     trm_pipeline_start(pipeline, source), then trm_pipeline_next() and trm_pipeline_release() by hand
 *     serve       trm_pipeline_acquire(), fill, trm_pipeline_submit(); trm_pipeline_next(), use, trm_pipeline_release()
 *
 * Threads: unlike streams, a pipeline may be used by several threads at once (one submits, another takes results), but
 * for run and start, of which there is one at a time. All memory is allocated up front: depth × the ports. Nothing grows
 * when tokens come faster than they leave: acquire waits.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_PIPELINE_H
#define TRIREME_PIPELINE_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/kernel.h>

TRM_API_BEGIN

/* ---- ports ---------------------------------------------------------------------------------- */

enum trm_port_kind {
    TRM_PORT_INPUT   = 1, /* filled on the host for every token, and uploaded */
    TRM_PORT_OUTPUT  = 2, /* downloaded for every token, and read on the host */
    TRM_PORT_SCRATCH = 3, /* the device's alone; one for each slot; undefined when a token begins */
    TRM_PORT_SHARED  = 4, /* one for all tokens: weights, tables, state */
};

enum trm_port_flags {
    /* SHARED: no stage writes it, whatever a kernel's parameters say, so that tokens need not wait for each other */
    TRM_PORT_READ_ONLY = 1u << 0,
};

/* One buffer of a token. Ports are named by their index in the descriptor's array. */
struct trm_port {
    const char *name; /* for messages and the trace; may be NULL */
    int32_t kind;     /* enum trm_port_kind */
    uint32_t flags;   /* enum trm_port_flags */
    uint64_t size;    /* bytes at most, of one token; SHARED: ignored, the buffer's own counts */
    /* 0, or 1 + the index of an input: this port is as full as that input is, in proportion, rounded down */
    uint32_t follows;
    uint32_t reserved;
    /* of a divisible pipeline: bytes of this port that cannot be divided (an element, a row) */
    uint64_t grain;
    /* SHARED only: kept alive by the pipeline. A kernel that may write it makes the tokens' compute stages run one after the
     * other, in order */
    struct trm_buffer *buffer;
};

static inline struct trm_port trm_port_make(const char *name, int32_t kind, uint64_t size)
{
    struct trm_port port = {name, kind, 0, size, 0, 0, 0, NULL};
    return port;
}

static inline struct trm_port trm_port_input(const char *name, uint64_t size)
{
    return trm_port_make(name, TRM_PORT_INPUT, size);
}

static inline struct trm_port trm_port_output(const char *name, uint64_t size)
{
    return trm_port_make(name, TRM_PORT_OUTPUT, size);
}

static inline struct trm_port trm_port_scratch(const char *name, uint64_t size)
{
    return trm_port_make(name, TRM_PORT_SCRATCH, size);
}

static inline struct trm_port trm_port_shared(const char *name, struct trm_buffer *buffer)
{
    struct trm_port port = trm_port_make(name, TRM_PORT_SHARED, 0);
    port.buffer          = buffer;
    return port;
}

/* The same port, as full as port number `input`, which is an input: trm_port_follows(trm_port_output("y", n), 0). */
static inline struct trm_port trm_port_follows(struct trm_port port, uint32_t input)
{
    port.follows = 1 + input;
    return port;
}

/* ---- tokens --------------------------------------------------------------------------------- */

/* A token as sources, host stages and sinks see it. It belongs to the pipeline; what it points to is valid until the
 * function that was given it returns, or until it is submitted, discarded or released. */
struct trm_token {
    uint64_t index;      /* 0, 1, 2, … in the order in which tokens were acquired */
    uint32_t slot;       /* 0 … depth − 1 */
    uint32_t port_count; /* of the arrays that follow */
    /* Host memory of each port: inputs to be filled, outputs to be read (also by host stages), NULL where the host has
     * none. A source may instead let an input's point to memory of its own, which then stays unchanged until the
     * token is released. */
    void **data;
    /* Bytes of each port that this token uses, at most the declared size, which it is to begin with. A source (or who
     * acquired the token) sets those of inputs; only as much travels. Those of ports that follow are set when the
     * token is submitted. */
    uint64_t *size;
    void *user; /* the program's own, from the source to the sink; NULL to begin with */
};

/* What a source or a sink may answer besides TRM_OK and errors; also given by trm_pipeline_next(). */
enum trm_token_answer {
    TRM_TOKEN_END  = 1, /* a source: there are no more tokens. The one it was given is not used */
    TRM_TOKEN_SKIP = 2, /* a source: this token is thrown away; it passes no stage and reaches no sink */
};

/* ---- stages --------------------------------------------------------------------------------- */

/* The shape of a launch for one token: called when the token is submitted, by the thread that submits. Gets grid and
 * arguments as they were declared, with ports put in; may change the grid and the values of scalars. An error fails
 * the token. */
typedef int32_t (*trm_shape_fn)(void *user, const struct trm_token *token, struct trm_grid *grid,
                                struct trm_argument *arguments);

/* A stage on the host between launches: reads and writes the ports that it named, at token->data. Called on a thread of
 * the core, for one token at a time, in order. An error fails the token: host stages after it are left out, launches after
 * it run on what there is. SHARED ports are not among what it names: it reaches those by itself. */
typedef int32_t (*trm_host_stage_fn)(void *user, const struct trm_token *token);

/* One stage: a launch, or, where `host` is set, a host stage. Stages of a token run in the order of the array. */
struct trm_stage {
    const char *name;          /* for report, trace and messages; NULL: the kernel's, or "host" */
    struct trm_kernel *kernel; /* kept alive by the pipeline */
    /* trm_arg_port() for a port, trm_arg_port_elements() for how full it is; others as for trm_launch(); copied */
    const struct trm_argument *arguments;
    uint32_t argument_count;
    /* The grid, by the first of these that is given: `shape`; as many groups (of the kernel's own size, in x) as cover
     * one work-item for every `items_bytes` bytes that the token uses of port `items_port`; `grid` as it is. */
    uint32_t items_port;
    uint64_t items_bytes; /* 0: not so */
    struct trm_grid grid;
    trm_shape_fn shape;
    trm_host_stage_fn host;
    void *user;           /* of shape and host */
    uint64_t host_reads;  /* bit i: the host stage reads port i; at most 64 ports */
    uint64_t host_writes; /* bit i: it writes port i */
};

/* A launch with one work-item for every `items_bytes` bytes of port `items_port`. */
static inline struct trm_stage trm_stage_launch(struct trm_kernel *kernel,
                                                const struct trm_argument *arguments, uint32_t argument_count,
                                                uint32_t items_port, uint64_t items_bytes)
{
    struct trm_stage stage = {NULL,
                              kernel,
                              arguments,
                              argument_count,
                              items_port,
                              items_bytes,
                              {{0, 0, 0}, {0, 0, 0}, 0, 0},
                              NULL,
                              NULL,
                              NULL,
                              0,
                              0};
    return stage;
}

/* A host stage that reads and writes the ports of the two sets (bit i is port i). */
static inline struct trm_stage trm_stage_host(trm_host_stage_fn host, void *user, uint64_t reads,
                                              uint64_t writes)
{
    struct trm_stage stage = {NULL, NULL, NULL, 0,     0,     0, {{0, 0, 0}, {0, 0, 0}, 0, 0},
                              NULL, host, user, reads, writes};
    return stage;
}

/* ---- the pipeline --------------------------------------------------------------------------- */

/* How slots are carried out on the device. */
enum trm_strategy {
    /* zero-copy where memory is one; else the one that is the fastest for the first tokens */
    TRM_STRATEGY_AUTO = 0,
    /* a stream each for upload, compute and download, with points between them */
    TRM_STRATEGY_ROLE_STREAMS = 1,
    TRM_STRATEGY_SLOT_STREAMS = 2, /* a stream for each slot */
    TRM_STRATEGY_SLOT_GRAPHS  = 3, /* a recorded graph and a stream for each slot */
    /* kernels work where the source wrote: where memory is one, or over the bus in pinned memory (TRM_DEVICE_MAPPED; not
     * with stages on the host); UNSUPPORTED elsewhere */
    TRM_STRATEGY_ZERO_COPY = 4,
};

/* What becomes of the other tokens when one fails. The first failure is kept, and names token and stage. A lost device
 * stops in any mode. */
enum trm_failure_mode {
    TRM_FAILURE_STOP = 0, /* no token is begun any more; what is under way is thrown away */
    /* no token is begun any more; what is under way reaches the sink, but for the failed one */
    TRM_FAILURE_DRAIN = 1,
    TRM_FAILURE_SKIP  = 2, /* the failed token is left out and counted; all others go on */
};

enum trm_measure {
    TRM_MEASURE_SAMPLED = 0, /* take the times of so many tokens that it costs nothing worth speaking of */
    TRM_MEASURE_ALL     = 1, /* of every token: needed for a complete trace */
    TRM_MEASURE_NONE    = 2, /* of none: the report has counts and the whole time only */
};

enum trm_pipeline_flags {
    TRM_PIPELINE_UNORDERED = 1u << 0, /* results are given out as they come, not in the order of submission */
    /* Every token may be worked on in pieces: the stages compute grain number i of every port from grain number i of the
     * others alone. Where it helps (memory is one, tokens are larger than a cache) each piece goes through
     * all stages by itself, as if it were a smaller token: kernels get spans, counts and grids of the piece. All ports but
     * SHARED ones have a grain then, outputs and scratch that follow no input follow the first, every launch has a
     * shape or items, and there are no host stages. */
    TRM_PIPELINE_DIVISIBLE = 1u << 1,
};

struct trm_pipeline_desc {
    uint32_t struct_size;
    uint32_t flags;               /* enum trm_pipeline_flags */
    const char *name;             /* for messages, report and trace; NULL: "pipeline"; copied */
    const struct trm_port *ports; /* copied; at most 64 */
    uint32_t port_count;
    uint32_t stage_count;
    /* copied; at most 64. None is legal: tokens are uploaded and downloaded only */
    const struct trm_stage *stages;
    uint32_t depth;     /* slots, 1 to 64; 0: tuned: 3 to begin with, more while the critical stage starves */
    int32_t strategy;   /* enum trm_strategy */
    int32_t on_failure; /* enum trm_failure_mode */
    int32_t measure;    /* enum trm_measure */
    /* bytes of the device for all slots, a limit to tuning; 0: a quarter of its memory */
    uint64_t memory_budget;
    /* from submission to the end of the download; a token that takes longer fails with TIMEOUT; 0: for ever */
    uint64_t token_timeout_ns;
    uint64_t piece_bytes;  /* of the largest port, of a divisible pipeline; 0: chosen */
    uint32_t trace_tokens; /* keep the times of so many tokens (the last ones) for the trace; 0: none */
    uint32_t reserved;
};

/* Make a pipeline and all of its memory.
 *
 * Blocks      while memory is found
 * Ownership   keeps device, kernels and shared buffers alive; trm_pipeline_destroy() ends it
 * Errors      INVALID_ARGUMENT naming the port or stage and what is wrong with it; OUT_OF_DEVICE_MEMORY;
 *             UNSUPPORTED strategy, with the reason
 */
TRM_API int32_t trm_pipeline_create(struct trm_device *device, const struct trm_pipeline_desc *desc,
                                    struct trm_pipeline **pipeline);

/* Cancel, wait for what is under way, end. Blocks. NULL is fine. Not from inside its own source, sink or stage: there
 * it sets DEADLOCK as last error and does nothing. */
TRM_API void trm_pipeline_destroy(struct trm_pipeline *pipeline);

/* ---- sources and sinks ---------------------------------------------------------------------- */

/* Fill a token's inputs: token->data, and token->size where it is less than all. Answers TRM_OK, an enum
 * trm_token_answer or an error, which is a failure of the token in stage load. Called with tokens in order; with workers,
 * by several threads at once, each with a token of its own. Inside, calls that wait for the same pipeline answer
 * DEADLOCK. */
typedef int32_t (*trm_source_fn)(void *user, struct trm_token *token);

/* Where tokens come from: one of fill, memory, path, or none of them for a pipeline without inputs (then `count` says
 * how many tokens there are). */
struct trm_source {
    uint32_t struct_size;
    /* threads that fill tokens at the same time, their results kept in order; 0: the thread that runs the pipeline does it */
    uint32_t workers;
    uint64_t count; /* tokens at most; 0: until the source ends */
    trm_source_fn fill;
    void *user;
    /* cut into tokens of the only input's size; the last may be smaller. Not copied: it stays unchanged until all are
     * through, and is read in place where the strategy can */
    const void *memory;
    uint64_t memory_size; /* bytes */
    const char *path;     /* a file, cut in the same way */
};

/* Take a token's outputs, at token->data, token->size bytes each. In the order of tokens, or, in an UNORDERED pipeline, as
 * they come; one at a time, in the thread that runs the pipeline. An error is a failure of the token in stage sink. */
typedef int32_t (*trm_sink_fn)(void *user, const struct trm_token *token);

/* Where outputs go: one of consume, memory, path, or none: they are dropped. */
struct trm_sink {
    uint32_t struct_size;
    uint32_t reserved;
    trm_sink_fn consume;
    void *user;
    /* the only output of token i goes to i × the port's size; written in place where the strategy can */
    void *memory;
    uint64_t memory_size; /* bytes; OUT_OF_RANGE, in stage sink, when it is full */
    /* a file that is replaced; the only output, token after token. What was written when something fails stays */
    const char *path;
};

static inline struct trm_source trm_source_function(trm_source_fn fill, void *user)
{
    struct trm_source source = {sizeof(struct trm_source), 0, 0, fill, user, NULL, 0, NULL};
    return source;
}

static inline struct trm_source trm_source_memory(const void *memory, uint64_t size)
{
    struct trm_source source = {sizeof(struct trm_source), 0, 0, NULL, NULL, memory, size, NULL};
    return source;
}

static inline struct trm_source trm_source_file(const char *path)
{
    struct trm_source source = {sizeof(struct trm_source), 0, 0, NULL, NULL, NULL, 0, path};
    return source;
}

static inline struct trm_source trm_source_count(uint64_t count)
{
    struct trm_source source = {sizeof(struct trm_source), 0, count, NULL, NULL, NULL, 0, NULL};
    return source;
}

static inline struct trm_sink trm_sink_function(trm_sink_fn consume, void *user)
{
    struct trm_sink sink = {sizeof(struct trm_sink), 0, consume, user, NULL, 0, NULL};
    return sink;
}

static inline struct trm_sink trm_sink_memory(void *memory, uint64_t size)
{
    struct trm_sink sink = {sizeof(struct trm_sink), 0, NULL, NULL, memory, size, NULL};
    return sink;
}

static inline struct trm_sink trm_sink_file(const char *path)
{
    struct trm_sink sink = {sizeof(struct trm_sink), 0, NULL, NULL, NULL, 0, path};
    return sink;
}

/* ---- driving -------------------------------------------------------------------------------- */

/* Pass all tokens of a source through the pipeline and hand them to a sink; the report begins anew.
 *
 * sink        NULL: outputs are dropped
 * Blocks      until the last token is through, or, after a failure or a cancel, until nothing is under way any more; not for
 *             the work of tokens that took longer than token_timeout_ns
 * Errors      the first failure, its sentence naming token and stage ("token 17, compute \"sobel\": …"); CANCELLED; BUSY
 *             when it is run, started or has tokens that were acquired and not released; in mode SKIP failed tokens are
 *             no error of the run: the report counts them and has the first sentence
 */
TRM_API int32_t trm_pipeline_run(struct trm_pipeline *pipeline, const struct trm_source *source,
                                 const struct trm_sink *sink);

/* Begin a run whose results are taken by trm_pipeline_next(), which loads further tokens by itself (or workers do).
 * trm_pipeline_next() answers TRM_TOKEN_END when all are through; from then on it may be started or run again. */
TRM_API int32_t trm_pipeline_start(struct trm_pipeline *pipeline, const struct trm_source *source);

/* A free slot, to be filled by the caller and then submitted or discarded. Blocks until there is one.
 *
 * timeout_ns  as in trm_point_wait()
 * Errors      TIMEOUT; CANCELLED; the first failure of the pipeline in modes STOP and DRAIN, until trm_pipeline_cancel(), or
 *             until it is run or started; BUSY while it is run or started; DEADLOCK inside its own callbacks. A program whose
 *             only thread has all slots waits for itself, which cannot be told from one whose other threads come later: where
 *             nobody else takes results, give a time-out
 */
TRM_API int32_t trm_pipeline_acquire(struct trm_pipeline *pipeline, uint64_t timeout_ns,
                                     struct trm_token **token);

/* Hand a filled token over: its work is enqueued. Does not wait for the device (but after the failure of another token, where
 * the others go on). When this fails the token is lost and its slot free again. A failure that may come of another token under
 * way is not told here, but by trm_pipeline_next(), so that the right one is named. */
TRM_API int32_t trm_pipeline_submit(struct trm_pipeline *pipeline, struct trm_token *token);

/* Give an acquired token back unused. */
TRM_API int32_t trm_pipeline_discard(struct trm_pipeline *pipeline, struct trm_token *token);

/* The next token that is through, in the order of submission (or, UNORDERED, any). Blocks until there is one. Its slot is
 * the caller's until trm_pipeline_release().
 *
 * Errors      TIMEOUT, also when nothing was submitted that it could wait for; the failure of the token, which is then
 *             gone (its slot is free), the sentence names it; the first failure, again, when a pipeline that serves has stopped
 *             and nothing is left to be given out; CANCELLED; BUSY while it is run; DEADLOCK inside its own callbacks
 * Answers     TRM_TOKEN_END when what was started is over: its source has ended and all is out, or its failure or CANCELLED
 *             has been told
 */
TRM_API int32_t trm_pipeline_next(struct trm_pipeline *pipeline, uint64_t timeout_ns,
                                  struct trm_token **token);

/* The program is done with a token: its slot is free. */
TRM_API int32_t trm_pipeline_release(struct trm_pipeline *pipeline, struct trm_token *token);

/* Stop: no token is begun any more, what waits returns with CANCELLED, what is under way is thrown away. From any thread,
 * also from inside sources, sinks and stages (with timeout_ns 0). Afterwards the pipeline can be used again.
 *
 * timeout_ns  how long to wait until nothing is under way; TIMEOUT when something still is then (it is thrown away when
 *             it ends; until then a device that hangs may still use memory of a source or sink). trm_pipeline_run() itself
 *             returns as soon as the function of the program that it is in has returned, at most 100 ms after the cancel,
 *             whatever the device does
 */
TRM_API int32_t trm_pipeline_cancel(struct trm_pipeline *pipeline, uint64_t timeout_ns);

/* ---- looking at it -------------------------------------------------------------------------- */

enum trm_slot_state {
    TRM_SLOT_FREE        = 0,
    TRM_SLOT_LOADING     = 1, /* acquired; a source or the program fills it */
    TRM_SLOT_UPLOADING   = 2, /* submitted; up to the end of its uploads */
    TRM_SLOT_PROCESSING  = 3,
    TRM_SLOT_DOWNLOADING = 4,
    TRM_SLOT_DONE        = 5, /* through; waits to be taken out, or is with the sink or the program */
};

struct trm_slot {
    int32_t state; /* enum trm_slot_state */
    uint32_t reserved;
    uint64_t token; /* the index of the token in it; that of the last one when FREE */
};

/* The state of every slot at this moment. Any thread, at any time, also inside callbacks.
 *
 * slots       room for `capacity`; so many are written as fit
 * count       how many slots there are: the depth, which grows when it is tuned
 */
TRM_API int32_t trm_pipeline_slots(struct trm_pipeline *pipeline, struct trm_slot *slots, uint32_t capacity,
                                   uint32_t *count);

/* The text of an enum trm_slot_state ("uploading"), enum trm_strategy ("slot streams"). Static; "unknown" for others. */
TRM_API const char *trm_slot_state_name(int32_t state);
TRM_API const char *trm_strategy_name(int32_t strategy);

TRM_API_END

#endif
