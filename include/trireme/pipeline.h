/* Trireme: pipelines. Every token (one batch of data) passes the same stages: load, upload, compute,
 * download, sink. Each token has a slot with memory of its own, so that the stages of different tokens run at
 * the same time.
 *
 * A pipeline is described by ports (the buffers of a token) and stages (kernels and host functions that use
 * the ports), not by copies: the ports determine what is uploaded, downloaded, kept and waited for. The depth
 * is the number of slots: 1 is sequential, 2 double buffering, 3 triple buffering.
 *
 * There are three ways to drive a pipeline:
 *     run         trm_pipeline_run(pipeline, source, sink): all tokens of a source, to a sink
 *     iterate     trm_pipeline_start(pipeline, source), then trm_pipeline_next() and trm_pipeline_release()
 *     serve       trm_pipeline_acquire(), fill, trm_pipeline_submit(); trm_pipeline_next(), use,
 *                 trm_pipeline_release()
 *
 * All memory is allocated when the pipeline is made: the depth times the ports. Only a depth of 0 adds slots
 * later, within a budget. Nothing grows when tokens arrive faster than they leave; trm_pipeline_acquire()
 * waits instead, or drops an older token (enum trm_full_mode).
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * pipeline    the pipeline, or for trm_pipeline_create() receives it
 * timeout_ns  nanoseconds; 0 polls, TRM_FOREVER waits without a limit
 * token       a token of the pipeline
 * Blocks      no
 * Threads     any, also several at once on one pipeline: one submits, another takes results. Only one run or
 *             start is possible at a time
 * Ownership   a pipeline keeps its device, its kernels and its buffers alive, also when the program has
 *             destroyed their handles. Tokens belong to it
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_PIPELINE_H
#define TRIREME_PIPELINE_H

#include <trireme/api.h>
#include <trireme/join.h>
#include <trireme/kernel.h>
#include <trireme/port.h>
#include <trireme/stage_device.h>
#include <trireme/stage_stream.h>

TRM_API_BEGIN

/* ---- tokens --------------------------------------------------------------------------------- */

/* A token, as sources, host stages and sinks see it. What it points to is valid until the function that
 * received it returns, or until the program submits, discards or releases it. */
struct trm_token {
    uint64_t index;      /* 0, 1, 2, … in the order in which tokens were acquired */
    uint32_t slot;       /* 0 … depth − 1; in a source that reads ahead perhaps UINT32_MAX */
    uint32_t port_count; /* of the arrays that follow */
    /* Host memory of each port: inputs to fill, outputs to read (also in host stages); NULL where the host
     * has none. A source may set an input's pointer to memory of its own, which then stays unchanged until
     * the token is released. */
    void **data;
    /* Bytes of each port that this token uses: at first, and at most, the declared size. A source, or the
     * program that acquired the token, sets those of inputs; only these bytes are transferred. The sizes of
     * ports that follow an input are set when the token is submitted. */
    uint64_t *size;
    void *user; /* for the program, from the source to the sink; at first NULL */
    /* When its results are wanted, in nanoseconds of trm_clock_now(); 0, as at first: at any time. Set by a
     * source, or by the program before it submits the token. A token that comes out later is marked as late.
     * A pipeline that drops tokens (enum trm_full_mode) drops one whose deadline has passed when it would be
     * enqueued. */
    uint64_t deadline_ns;
    uint32_t late; /* 1: it came out after its deadline. For sinks and after trm_pipeline_next() */
    uint32_t reserved;
};

/* What a source may return other than TRM_OK and errors; trm_pipeline_next() also returns END. */
enum trm_token_answer {
    TRM_TOKEN_END  = 1, /* there are no more tokens; the given one is not used */
    TRM_TOKEN_SKIP = 2, /* the token is discarded; it passes no stage and reaches no sink */
};

/* ---- stages --------------------------------------------------------------------------------- */

/* Sets the shape of a launch for one token. Called when the token is submitted, in the thread that submits
 * it. Receives grid and arguments as they were declared, with spans and numbers in place of ports; may change
 * the grid and the values of scalars. An error fails the token. */
typedef int32_t (*trm_shape_fn)(void *user, const struct trm_token *token, struct trm_grid *grid,
                                struct trm_argument *arguments);

/* A stage on the host between launches. It reads and writes the ports that it declares, at token->data.
 * Called on a thread of the library, for one token at a time, in order. An error fails the token: its later
 * host stages are skipped, and its later launches run on undefined data. It does not declare SHARED ports,
 * which it can access anyway. */
typedef int32_t (*trm_host_stage_fn)(void *user, const struct trm_token *token);

/* A stage: a launch, or a host stage where `host` is set. The stages of a token run in the order of the
 * array, or in that of trm_pipeline_set_stage_order(), unless trm_pipeline_desc.after says which runs after
 * which. */
struct trm_stage {
    const char *name;          /* for report, trace and messages; NULL: the kernel's, or "host" */
    struct trm_kernel *kernel; /* kept alive by the pipeline */
    /* trm_arg_port() and its like for a port, trm_arg_port_elements() for its number of elements; others as
     * for trm_launch(); copied. The pipeline keeps buffers, images and samplers alive. When a kernel may
     * write a storage image or a texel buffer that is no port, the compute stages of tokens run one after the
     * other, in order */
    const struct trm_argument *arguments;
    uint32_t argument_count;
    /* The first of these that is set determines the grid: `shape`; `items_bytes`, which makes as many groups
     * (of the kernel's size, in x) as one work-item for every `items_bytes` bytes in `items_port` needs;
     * `grid`. */
    uint32_t items_port;
    uint64_t items_bytes; /* 0: not set */
    struct trm_grid grid;
    trm_shape_fn shape;
    trm_host_stage_fn host;
    void *user;           /* of shape and host */
    uint64_t host_reads;  /* bit i: the host stage reads port i */
    uint64_t host_writes; /* bit i: the host stage writes port i */
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

/* A host stage that reads the ports of one set and writes those of the other (bit i is port i). */
static inline struct trm_stage trm_stage_host(trm_host_stage_fn host, void *user, uint64_t reads,
                                              uint64_t writes)
{
    struct trm_stage stage = {NULL, NULL, NULL, 0,     0,     0, {{0, 0, 0}, {0, 0, 0}, 0, 0},
                              NULL, host, user, reads, writes};
    return stage;
}

/* ---- the pipeline --------------------------------------------------------------------------- */

/* How the slots use the device. */
enum trm_strategy {
    /* zero-copy where host and device share one memory; else the one that is fastest for the first tokens */
    TRM_STRATEGY_AUTO = 0,
    /* one stream each for upload, compute and download, with points between them */
    TRM_STRATEGY_ROLE_STREAMS = 1,
    TRM_STRATEGY_SLOT_STREAMS = 2, /* one stream for each slot */
    TRM_STRATEGY_SLOT_GRAPHS  = 3, /* one recorded graph and one stream for each slot */
    /* kernels use the memory that the source wrote: where host and device share one memory, or over the bus
     * in pinned memory (TRM_DEVICE_MAPPED; not with host stages); UNSUPPORTED elsewhere */
    TRM_STRATEGY_ZERO_COPY = 4,
    /* for many small tokens: kernels that stay on the device and take tokens from memory that they share with
     * the host; on vulkan, tokens that share submissions. Never chosen by AUTO. UNSUPPORTED, with the reason,
     * where the backend has neither, and for pipelines with host stages or images; a token whose work cannot
     * be done so fails with the reason. */
    TRM_STRATEGY_RESIDENT = 5,
};

/* What happens to the other tokens when one fails. The first failure is kept; its sentence names the token
 * and the stage. The loss of the only device, or of all of a group, stops the pipeline in every mode. */
enum trm_failure_mode {
    TRM_FAILURE_STOP  = 0, /* no further token begins; tokens in flight are discarded */
    TRM_FAILURE_DRAIN = 1, /* no further token begins; those in flight reach the sink, but the failed one */
    TRM_FAILURE_SKIP  = 2, /* the failed token is skipped and counted; all others go on */
};

/* What a pipeline without a free slot does for the next token: of trm_pipeline_acquire(), or of a source with
 * workers (a source without workers is called by the thread that takes the results, and only while a slot is
 * free). Results stay in order, and the report counts dropped tokens. A token is not dropped when it has
 * failed, is with the program or the sink, or is waited for by a call of trm_pipeline_next(). The program is
 * not told what the `user` of a dropped token was; memory of a source that it used is free when its slot
 * (token->slot) has another token. */
enum trm_full_mode {
    TRM_FULL_BLOCK = 0, /* the next token waits until a slot is released; none is dropped */
    /* The oldest token whose work has ended is dropped. The newest of them stays: for a source always, with
     * trm_pipeline_acquire() while tokens after it are in flight and its time has not run out. So producers
     * wait for the device only, and a consumer finds a result. Of 3 slots the consumer has one, one has the
     * next result, and one is filled. A source with 1 slot or no workers waits as in BLOCK. */
    TRM_FULL_DROP_OLDEST = 1,
    /* The same; besides, trm_pipeline_next() and the sink get the newest token that has ended, and all before
     * it are dropped. Not in an UNORDERED pipeline. */
    TRM_FULL_LATEST = 2,
};

enum trm_measure {
    TRM_MEASURE_SAMPLED = 0, /* take the times of some tokens, at a negligible cost */
    TRM_MEASURE_ALL     = 1, /* of every token; needed for a complete trace */
    TRM_MEASURE_NONE    = 2, /* of none; the report has only counts and the total time */
};

enum trm_pipeline_flags {
    /* results come in the order in which they end, not in the order of submission */
    TRM_PIPELINE_UNORDERED = 1u << 0,
    /* Tokens may be processed in pieces: the stages compute grain i of every port from grain i of the other
     * ports only. Where it helps (host and device share one memory, and tokens are larger than a cache), each
     * piece passes all stages by itself, like a smaller token: kernels get spans, counts and grids of the
     * piece. This requires a grain for all ports except SHARED ones, a shape or items for every launch, and
     * no host stages. Outputs and scratch that follow no input then follow the first one. */
    TRM_PIPELINE_DIVISIBLE = 1u << 1,
};

/* What the user of a program can change, and how; and what reports and traces call a token. Without it the
 * advice in reports names members of this header ("use 3 loader workers and depth 5"); with it the user's
 * options ("use --workers 3 --depth 5"), and nothing that has no option. Texts have at most 23 bytes. */
struct trm_advice_words {
    uint32_t struct_size;
    uint32_t reserved;
    const char *token;   /* what a token is called: "frame"; NULL: "token" */
    const char *tokens;  /* several of them: "frames"; NULL: "tokens" */
    const char *workers; /* the option for trm_source.workers: "--workers"; NULL: there is none */
    const char *depth;   /* for the depth; NULL: there is none */
    const char *size;    /* for the size of a token; NULL: there is none */
    const char *sinks; /* for the number of threads that take results and release them; NULL: there is none */
    uint32_t sink_count; /* how many such threads there are; 0: one */
    uint32_t reserved2;
    const char *devices; /* for the devices of the group: "--devices"; NULL: there is none */
};

struct trm_pipeline_desc {
    uint32_t struct_size;
    uint32_t flags;               /* enum trm_pipeline_flags */
    const char *name;             /* for messages, report and trace; NULL: "pipeline"; copied */
    const struct trm_port *ports; /* copied; at most 64 */
    uint32_t port_count;
    uint32_t stage_count;
    const struct trm_stage *stages; /* copied; at most 64; none: tokens are only uploaded and downloaded */
    uint32_t depth;     /* slots, 1 to 64; 0: tuned, 3 or 4 at first, more while the critical stage starves */
    int32_t strategy;   /* enum trm_strategy */
    int32_t on_failure; /* enum trm_failure_mode */
    int32_t measure;    /* enum trm_measure */
    /* the most bytes of the device for all slots while the depth is tuned; 0: a quarter of its memory */
    uint64_t memory_budget;
    /* from the submission to the end of the download; a token that takes longer fails with TIMEOUT; 0: no
     * limit */
    uint64_t token_timeout_ns;
    uint64_t piece_bytes; /* in a divisible pipeline: of the largest port; 0: chosen */
    /* keep the times of the last tokens, this many, for the trace; 0: none. Where time stamps are slow (a GPU
     * driver in software), only some of the short tokens have them, unless `measure` is ALL */
    uint32_t trace_tokens;
    uint32_t reserved;
    const struct trm_advice_words *words; /* for reports and their advice; NULL: as described there; copied */
    int32_t on_full;                      /* enum trm_full_mode */
    uint32_t reserved2;
    /* Branches: one set for each stage. Bit j of after[i] says that stage i begins when stage j has ended; a
     * stage whose set is 0 begins with the token's computing. NULL: each stage runs after the one before it
     * in the array. Copied.
     *
     * Stages without an order between them may run at once, at most four of a token, where the strategy can:
     * not in recorded graphs (SLOT_GRAPHS), nor in pieces of a divisible pipeline, where they run one after
     * the other. Two stages of which one writes a port that the other uses need an order. Where a kernel does
     * not tell whether it writes, two stages that share its port get the order of the array. Host stages of a
     * token run one at a time, in the order of the array where they have no other; they say which ports they
     * write, so the rule above holds for them. Buffers and images that are arguments and no ports are not
     * looked at. In reports, stages have an order in which they can run, if it can be that of the array */
    const uint64_t *after;
    /* One for each stage, enum trm_priority: the stage prefers a stream of this priority, which is another
     * one than that of normal stages. NULL: all are normal. Where stages are on one stream (see `after`), and
     * on devices without priorities, this changes nothing. Copied */
    const int32_t *priorities;
    /* How copies of shared ports are combined (<trireme/join.h>), each port at most once; NULL: there are
     * none. Copied */
    const struct trm_join *joins;
    uint32_t join_count;
    uint32_t reserved3;
    /* One for each stage: the stream that it prefers; NULL: any. At most 8 different ones beside those that
     * the pipeline chooses. Strategies that give a token one stream by nature refuse with UNSUPPORTED
     * (SLOT_GRAPHS, RESIDENT), AUTO does not try recorded graphs, and tokens of a divisible pipeline are not
     * cut. A priority is that of a stage's own stream; a stream of the program's has its own. In a pipeline
     * of several devices stages have streams of their own on each, and no stream of the program's. Copied */
    const struct trm_stage_stream *streams;
    /* One for each stage: the device of a group that it prefers (<trireme/stage_device.h>); NULL: any. Such
     * stages use no images, write no shared port and prefer no stream; those of a device count as one of the
     * 8 streams above, and strategies refuse them alike. Copied */
    const struct trm_stage_device *devices;
};

/* Make a pipeline and all of its memory.
 *
 * device      the device
 * desc        needed during the call only
 * Blocks      while memory is allocated and the device's clock is compared with the host's
 * Ownership   the caller destroys the pipeline with trm_pipeline_destroy()
 * Errors      INVALID_ARGUMENT, naming the port or stage and what is wrong with it: with branches also the
 *             stages of a cycle, or two stages that would race and their port; OUT_OF_RANGE for a port
 *             beyond TRM_DEVICE_MAX_BUFFER_BYTES, or a preferred device outside the group; TYPE_MISMATCH and
 *             OUT_OF_RANGE for an argument, as of trm_launch(); WRONG_DEVICE for a kernel, buffer or stream
 *             of another device; OUT_OF_DEVICE_MEMORY; UNSUPPORTED for the strategy, with the reason
 */
TRM_API int32_t trm_pipeline_create(struct trm_device *device, const struct trm_pipeline_desc *desc,
                                    struct trm_pipeline **pipeline);

/* Set the order in which the stages of a token run, while the pipeline is idle: no run, no token with the
 * program or in flight. Its report and trace begin anew. Stages keep their names, and where scratch ports
 * share memory they get other places in it.
 *
 * order       the indexes of the stages in the descriptor, each once: first the stage that runs first
 * count       elements of `order`: as many as the pipeline has stages
 * Blocks      while memory is allocated, where scratch ports need more of it in this order
 * Errors      BUSY when the pipeline is not idle; UNSUPPORTED for a pipeline with branches, or priorities,
 *             streams or devices of stages; INVALID_ARGUMENT for an order that is none, or in which a stage
 *             reads a scratch port or an output that only a later stage writes, though in the descriptor an
 *             earlier one did; OUT_OF_DEVICE_MEMORY; DEADLOCK inside its own callbacks. The order stays then
 */
TRM_API int32_t trm_pipeline_set_stage_order(struct trm_pipeline *pipeline, const uint32_t *order,
                                             uint32_t count);

/* Cancel a pipeline, which wakes calls that wait, and destroy it. The program's tokens become invalid.
 *
 * Blocks      until nothing is in flight; with streams that the program has destroyed, until they are empty
 * Errors      the last error is DEADLOCK inside a source, sink, stage or shape function of the pipeline, and
 *             inside a callback on a stream of one of its stages; nothing happens then
 */
TRM_API void trm_pipeline_destroy(struct trm_pipeline *pipeline);

/* ---- sources and sinks ---------------------------------------------------------------------- */

/* Fills the inputs of a token: token->data, and token->size where a token is not full. Returns TRM_OK, enum
 * trm_token_answer, or an error, which fails the token in stage load. Called with the tokens in order; with
 * workers, by several threads at once, each with a token of its own. Inside, calls that wait for the same
 * pipeline return DEADLOCK. */
typedef int32_t (*trm_source_fn)(void *user, struct trm_token *token);

/* Facts about a source or sink that the library cannot find out by itself. It knows them of a `path`. */
enum trm_end_flags {
    /* a source that gives one token at a time: a decoder, a pipe. It gets at most one worker */
    TRM_END_SERIAL = 1u << 0,
    /* Another program or a device sets the pace: a pipe, a camera, a display. A source or sink that waits is
     * then waiting for it, and the report says so. */
    TRM_END_PACED = 1u << 1,
};

/* Where tokens come from: one of fill, memory and path; or none of them in a pipeline without inputs, where
 * `count` is the number of tokens. */
struct trm_source {
    uint32_t struct_size;
    /* threads that fill tokens at the same time; the tokens stay in order; 0: the thread that runs the
     * pipeline fills them */
    uint32_t workers;
    uint64_t count; /* the most tokens; 0: until the source ends */
    trm_source_fn fill;
    void *user;
    /* split into tokens of the only input's size; the last one may be smaller. Not copied: it stays unchanged
     * until the run has ended, and is read in place where the strategy can */
    const void *memory;
    uint64_t memory_size; /* bytes */
    const char *path;     /* a file or pipe, split in the same way; copied */
    const char *name;     /* for the report: "standard input"; NULL: the path, or "the source"; copied */
    uint32_t flags;       /* enum trm_end_flags */
    uint32_t reserved;
    /* The most bytes of host memory for tokens that workers read ahead while no slot is free; 0: none are. As
     * many are read ahead as the measured times of source and device need so that the device does not wait
     * for a source that is fast enough but irregular: the report says how many, and what was predicted. It
     * costs one copy of such a token on the host, and a thread that does it; token->slot is UINT32_MAX in the
     * source. Needs workers. Not for `memory`, in a pipeline that may drop tokens, or for less than a token:
     * see trm_report.ahead_none */
    uint64_t ahead_bytes;
};

/* Takes the outputs of a token: token->size bytes each, at token->data. Called in the order of tokens, in an
 * UNORDERED pipeline as they end; for one at a time, in the thread that runs the pipeline. An error fails the
 * token in stage sink. */
typedef int32_t (*trm_sink_fn)(void *user, const struct trm_token *token);

/* Where outputs go: one of consume, memory and path; or none of them: outputs are discarded. */
struct trm_sink {
    uint32_t struct_size;
    uint32_t flags; /* enum trm_end_flags; PACED alone has a meaning */
    trm_sink_fn consume;
    void *user;
    /* the only output of token i goes to i times the port's size; written in place where the strategy can */
    void *memory;
    uint64_t memory_size; /* bytes; a token beyond them fails with OUT_OF_RANGE in stage sink */
    /* a file, which is replaced, or a pipe: the only output, token after token. After a failure the file
     * keeps what was written; copied */
    const char *path;
    const char *name; /* for the report: "standard output"; NULL: the path, or "the sink"; copied */
};

static inline struct trm_source trm_source_function(trm_source_fn fill, void *user)
{
    struct trm_source source = {sizeof(struct trm_source), 0, 0, fill, user, NULL, 0, NULL, NULL, 0, 0, 0};
    return source;
}

static inline struct trm_source trm_source_memory(const void *memory, uint64_t size)
{
    struct trm_source source = {
        sizeof(struct trm_source), 0, 0, NULL, NULL, memory, size, NULL, NULL, 0, 0, 0};
    return source;
}

static inline struct trm_source trm_source_file(const char *path)
{
    struct trm_source source = {sizeof(struct trm_source), 0, 0, NULL, NULL, NULL, 0, path, NULL, 0, 0, 0};
    return source;
}

static inline struct trm_source trm_source_count(uint64_t count)
{
    struct trm_source source = {
        sizeof(struct trm_source), 0, count, NULL, NULL, NULL, 0, NULL, NULL, 0, 0, 0};
    return source;
}

static inline struct trm_sink trm_sink_function(trm_sink_fn consume, void *user)
{
    struct trm_sink sink = {sizeof(struct trm_sink), 0, consume, user, NULL, 0, NULL, NULL};
    return sink;
}

static inline struct trm_sink trm_sink_memory(void *memory, uint64_t size)
{
    struct trm_sink sink = {sizeof(struct trm_sink), 0, NULL, NULL, memory, size, NULL, NULL};
    return sink;
}

static inline struct trm_sink trm_sink_file(const char *path)
{
    struct trm_sink sink = {sizeof(struct trm_sink), 0, NULL, NULL, NULL, 0, path, NULL};
    return sink;
}

/* ---- driving -------------------------------------------------------------------------------- */

/* Pass all tokens of a source through the pipeline to a sink. The report begins anew.
 *
 * source      where tokens come from; needed during the call only
 * sink        where outputs go; NULL: they are discarded
 * Blocks      until the last token is done; after a failure or a cancel, until nothing is in flight. Does not
 *             wait for tokens that exceeded token_timeout_ns
 * Errors      the first failure, with a sentence that names token and stage ("token 17, compute \"sobel\":
 *             …"); CANCELLED; INVALID_ARGUMENT for a source or sink that does not fit the ports; IO for a
 *             file; BUSY when the pipeline is run or started, or has tokens that were acquired and not
 *             returned; DEADLOCK inside its own callbacks. In mode SKIP failed tokens are not an error of the
 *             run: the report counts them and has the first sentence
 */
TRM_API int32_t trm_pipeline_run(struct trm_pipeline *pipeline, const struct trm_source *source,
                                 const struct trm_sink *sink);

/* Begin a run whose results the program takes with trm_pipeline_next(), which also loads further tokens
 * unless workers do. When trm_pipeline_next() has returned TRM_TOKEN_END, the pipeline can be started or run
 * again.
 *
 * source      where tokens come from; what it points to stays until the end of the run
 * Blocks      until work that an earlier run left on the device is done
 * Errors      INVALID_ARGUMENT for a source that does not fit the ports; IO for a file; BUSY and DEADLOCK as
 *             for trm_pipeline_run(); CANCELLED
 */
TRM_API int32_t trm_pipeline_start(struct trm_pipeline *pipeline, const struct trm_source *source);

/* Acquire a token in a free slot. The caller fills it and then submits or discards it.
 *
 * token       receives the token
 * Blocks      until a slot is free; where tokens may be dropped (enum trm_full_mode), until one is. The
 *             library cannot detect that a program which takes no results waits for itself: use a timeout, or
 *             have another thread cancel or destroy the pipeline, which wakes the call
 * Ownership   the token is the caller's until it is submitted or discarded
 * Errors      TIMEOUT; CANCELLED; in modes STOP and DRAIN the first failure of the pipeline, until it is
 *             cancelled, run or started; BUSY while it is run or started; DEADLOCK inside its own callbacks
 */
TRM_API int32_t trm_pipeline_acquire(struct trm_pipeline *pipeline, uint64_t timeout_ns,
                                     struct trm_token **token);

/* Submit a filled token: enqueue its work, or drop it where its deadline has passed and the pipeline may drop
 * tokens, which is no error. When enqueueing fails, the token is gone and its slot free. A failure
 * that an earlier token in flight may have caused is not returned here but by trm_pipeline_next(), which
 * names the right token.
 *
 * token       an acquired token
 * Blocks      no; after the failure of another token in modes DRAIN and SKIP, until the device has recovered
 * Ownership   the token is the pipeline's again
 * Errors      INVALID_ARGUMENT for a token that is not acquired; errors of the token's sizes and launches,
 *             and of its shape functions; CANCELLED; the first failure when the pipeline has stopped;
 *             DEADLOCK inside a shape function of the pipeline
 */
TRM_API int32_t trm_pipeline_submit(struct trm_pipeline *pipeline, struct trm_token *token);

/* Return an acquired token without using it.
 *
 * token       an acquired token
 * Errors      INVALID_ARGUMENT for a token that is not acquired
 */
TRM_API int32_t trm_pipeline_discard(struct trm_pipeline *pipeline, struct trm_token *token);

/* Take the next token that is done, in the order of submission, in an UNORDERED pipeline any, with
 * TRM_FULL_LATEST the newest. Returns
 * TRM_TOKEN_END when what was started is over: its source has ended and all tokens were taken, or its failure
 * or CANCELLED was returned before.
 *
 * token       receives the token
 * Blocks      until a token is done. After trm_pipeline_start() without workers it also calls the source
 * Ownership   token and slot are the caller's until trm_pipeline_release()
 * Errors      TIMEOUT, also when no token was submitted; the failure of a token, which is then gone with its
 *             slot free (the sentence names it), such as TIME_LIMIT where it was given up; the first failure
 *             again when a pipeline that serves has stopped and no token is left; CANCELLED; BUSY while the
 *             pipeline is run; DEADLOCK inside its own callbacks
 */
TRM_API int32_t trm_pipeline_next(struct trm_pipeline *pipeline, uint64_t timeout_ns,
                                  struct trm_token **token);

/* Release a token that trm_pipeline_next() returned: its slot is free. May add a slot where the depth is
 * tuned.
 *
 * token       a token that trm_pipeline_next() returned
 * Ownership   the token is the pipeline's again
 * Errors      INVALID_ARGUMENT for another token
 */
TRM_API int32_t trm_pipeline_release(struct trm_pipeline *pipeline, struct trm_token *token);

/* Get a descriptor that becomes readable when a token can be taken, for poll(), epoll and event loops: when
 * its work and that of all tokens before it has ended, well or badly; in an UNORDERED pipeline and with
 * TRM_FULL_LATEST, when its own has. trm_pipeline_next() with a timeout of 0, called until it times out, then
 * takes it. It is readable at once when the token is done or gone.
 *
 * A token that is dropped or cancelled makes its descriptor readable too, as does one that is taken: then
 * trm_pipeline_next() does not return it. After a failure the descriptor may be readable early: other work of
 * the failed token may still run, and in modes DRAIN and SKIP, or on another device of a group, a token that
 * failed with another one runs again. So when trm_pipeline_next() times out before it has returned the token,
 * get another descriptor. The library looks at token_timeout_ns when trm_pipeline_next() is called: a program
 * that has set it also calls that when the time is over.
 *
 * token       the index of a token that was submitted, in trm_token.index
 * descriptor  receives an eventfd, close-on-exec and non-blocking. A read of 8 bytes resets it; it is written
 *             once
 * Blocks      while another thread enqueues a token; as trm_pipeline_submit(), while the device recovers.
 *             Where the backend has no notifications of its own, a thread of the library waits for the token
 * Ownership   the program closes the descriptor, at any time, also after it has destroyed the pipeline. Until
 *             the token has come out and its work has ended the library holds a second descriptor of the same
 *             file, which keeps it in an epoll set: take it out with EPOLL_CTL_DEL before it is closed
 * Errors      OUT_OF_RANGE for the index of a token that has not been acquired yet; INVALID_ARGUMENT for one
 *             that has not been submitted yet; BACKEND where the process or the system has no descriptors
 *             left; DEADLOCK inside a shape function of the pipeline
 */
TRM_API int32_t trm_pipeline_token_fd(struct trm_pipeline *pipeline, uint64_t token, int32_t *descriptor);

/* Cancel: no further token begins, calls that wait return CANCELLED, and tokens in flight are discarded.
 * Afterwards the pipeline can be used again: a call that begins later waits as before, so a thread that
 * serves in a loop looks at a flag of the program's before each call. Tokens that the program has stay its
 * own until it discards or releases them. trm_pipeline_run() returns as soon as the program's function that
 * it calls has returned, at most 100 ms after the cancel, whatever the device does.
 *
 * timeout_ns  how long to wait until nothing is in flight; 0 does not wait
 * Blocks      as long as timeout_ns says
 * Threads     any; inside sources, sinks and stages with timeout_ns 0
 * Errors      TIMEOUT when something is still in flight: it is discarded when it ends, and until then a
 *             device that hangs may use memory of a source or sink; DEADLOCK with another timeout_ns than 0
 *             inside the pipeline's own callbacks
 */
TRM_API int32_t trm_pipeline_cancel(struct trm_pipeline *pipeline, uint64_t timeout_ns);

/* Get the time of the clock of deadlines: nanoseconds of CLOCK_MONOTONIC.
 *
 * Errors      none
 */
TRM_API uint64_t trm_clock_now(void);

/* ---- observing ------------------------------------------------------------------------------ */

enum trm_slot_state {
    TRM_SLOT_FREE        = 0,
    TRM_SLOT_LOADING     = 1, /* acquired: a source or the program fills it */
    TRM_SLOT_UPLOADING   = 2, /* submitted: until its uploads end */
    TRM_SLOT_PROCESSING  = 3,
    TRM_SLOT_DOWNLOADING = 4,
    TRM_SLOT_DONE        = 5, /* done: waits to be taken, or is with the sink or the program */
};

struct trm_slot {
    int32_t state; /* enum trm_slot_state */
    uint32_t reserved;
    uint64_t token; /* the index of its token; of the last one when FREE */
};

/* Get the state of the slots at this moment. May be called inside callbacks.
 *
 * slots       receives the states, as many as fit
 * capacity    elements of `slots`
 * count       receives the number of slots: the depth, which grows while it is tuned
 * Errors      INVALID_ARGUMENT when slots is NULL and capacity is not 0
 */
TRM_API int32_t trm_pipeline_slots(struct trm_pipeline *pipeline, struct trm_slot *slots, uint32_t capacity,
                                   uint32_t *count);

/* Get the name of a `state` of enum trm_slot_state ("uploading"), or of a `strategy` of enum trm_strategy
 * ("slot streams"); "unknown" for another number.
 *
 * Ownership   the string is static
 * Errors      none
 */
TRM_API const char *trm_slot_state_name(int32_t state);
TRM_API const char *trm_strategy_name(int32_t strategy);

TRM_API_END

#endif
