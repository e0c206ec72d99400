/* Trireme: what a pipeline did (report, trace, timeline), and how long it would take otherwise (prediction).
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * pipeline    the pipeline
 * report      a report; the caller sets its struct_size
 * Blocks      no
 * Threads     any
 * Ownership   nothing is kept
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_REPORT_H
#define TRIREME_REPORT_H

#include <trireme/api.h>
#include <trireme/pipeline.h>

TRM_API_BEGIN

/* The five stages that every token passes. COMPUTE is all kernels and host stages of a token together. */
enum trm_pipeline_stage {
    TRM_STAGE_LOAD     = 0,
    TRM_STAGE_UPLOAD   = 1,
    TRM_STAGE_COMPUTE  = 2,
    TRM_STAGE_DOWNLOAD = 3,
    TRM_STAGE_SINK     = 4,
    TRM_STAGES         = 5,
};

/* Get the name of a `stage`: "load", "upload", "compute", "download" or "sink"; "unknown" for another number.
 *
 * Ownership   the string is static
 * Errors      none
 */
TRM_API const char *trm_stage_name(int32_t stage);

/* What one stage did in a run. busy + starved + blocked is the time from the stage's first beginning to its
 * last end. When tokens are sampled, the numbers are scaled to all tokens. */
struct trm_stage_report {
    uint64_t tokens;  /* that passed it */
    uint64_t bytes;   /* that it moved; upload and download only */
    uint64_t busy_ns; /* at least one token was in it */
    /* idle, because no token had passed the stage before it; load: because the program brought no token
     * although a slot was free */
    uint64_t starved_ns;
    /* idle although a token was ready: it waited for hardware that another stage used, or for its turn; load:
     * for a free slot */
    uint64_t blocked_ns;
    uint64_t mean_ns; /* of one token; then the shortest and the longest time */
    uint64_t least_ns;
    uint64_t most_ns;
};

/* Why a source with ahead_bytes reads no token ahead. */
enum trm_ahead_none {
    TRM_AHEAD_NONE_NOTHING   = 0, /* it does, or it has no ahead_bytes */
    TRM_AHEAD_NONE_TOO_SMALL = 1, /* the inputs of a token take more bytes than ahead_bytes */
    TRM_AHEAD_NONE_MEMORY    = 2, /* its tokens are in memory already */
    TRM_AHEAD_NONE_DROPS     = 3, /* the pipeline may drop tokens (enum trm_full_mode) */
};

struct trm_launch_report {
    /* of the stage in the descriptor; equal names get numbers: "sobel 1" and "sobel 2" */
    char name[48];
    uint64_t busy_ns; /* the sum of all tokens */
};

#define TRM_REPORT_LAUNCHES 16

/* What the advice of a report is about. */
enum trm_advice_kind {
    TRM_ADVICE_NONE  = 0, /* nothing was measured, so there is no advice */
    TRM_ADVICE_BOUND = 1, /* `stage`, or the other side of a source or sink, is the limit: no setting helps */
    TRM_ADVICE_WORKERS = 2, /* set trm_source.workers to `workers`, and the depth to `depth` */
    TRM_ADVICE_DEPTH   = 3, /* set the depth to `depth` */
    TRM_ADVICE_SIZE    = 4, /* make tokens `size` times as large; below 1: smaller, so that there are more */
    TRM_ADVICE_MORE    = 5, /* more tokens: a longer run, or a program that submits more often */
    /* `stage` should take no more than `stage_ns`: load or the sink by doing less, upload or download by
     * copying from, or to, the slot's own memory, which is pinned */
    TRM_ADVICE_STAGE = 6,
    /* the machine was busy with other work; `gain` is that of an idle one, 1 where that is not known */
    TRM_ADVICE_MACHINE = 7,
    TRM_ADVICE_SINKS   = 8, /* take results in `sinks` threads, and set `workers` and the depth, too */
    TRM_ADVICE_DEVICE  = 9, /* make the group without the device `left_out` */
};

/* The advice of a report, for programs; trm_report.advice says the same in words. Each member is
 * the value to use: the run's own value where the advice does not change it. */
struct trm_advice {
    int32_t kind;      /* enum trm_advice_kind */
    int32_t stage;     /* enum trm_pipeline_stage: what it is about; -1: no stage */
    uint32_t workers;  /* threads that load */
    uint32_t depth;    /* slots */
    uint32_t sinks;    /* threads that take results, where the program said how many there are; else 1 */
    uint32_t left_out; /* 1 + the index of a device in trm_report.devices; 0: none */
    double size;       /* of a token, in times of its present size */
    uint64_t stage_ns; /* of a token in `stage`; 0: as it is */
    /* how many times as fast the run would be, for a token or, with SIZE, for its bytes; 1: no faster. At
     * least 1.05 where the advice asks for a change, but for one that lets a pipeline drop tokens: they are
     * fresher then, not faster */
    double gain;
};

/* What one device of a group did for a pipeline. */
struct trm_device_report {
    char device[40]; /* "cuda:1" */
    uint32_t depth;  /* slots on it now */
    /* 1: the device is lost, or is left out because a token on it failed with another device that is lost */
    uint32_t lost;
    uint64_t tokens; /* that came out of it */
    uint64_t failed;
    /* at least one token was in upload, compute or download */
    uint64_t busy_ns;
    /* As learned from the tokens so far: of a token alone on the device, and from the end of one token to the
     * end of the next while the device is never idle. 0: not known yet */
    uint64_t latency_ns;
    uint64_t period_ns;
};

#define TRM_REPORT_DEVICES 16

struct trm_report {
    uint32_t struct_size;
    int32_t strategy; /* enum trm_strategy that was used; never AUTO once a token was submitted */
    uint32_t depth;   /* slots now */
    uint32_t pieces;  /* of a token, in a divisible pipeline; 1: tokens are whole */
    uint32_t workers; /* threads that load; 0: the thread that runs the pipeline, or the program */
    /* 1: one thread does load and sink, so never at the same time; 0 with 0 workers: the program serves */
    uint32_t one_thread;
    uint32_t processors; /* stages of the device that can work at the same time; 0: all */
    uint64_t tokens;     /* that came out */
    uint64_t skipped;    /* discarded by the source */
    uint64_t failed;     /* each by itself; those dropped because of it are in `cancelled` */
    uint64_t measured;   /* tokens whose times were taken */
    /* how often the system preempted a thread of the program: often on a busy machine */
    uint64_t preempted;
    /* from the load (or acquire) of the first token to the end of the last one (sink, or release) */
    uint64_t elapsed_ns;
    uint64_t bytes_up;
    uint64_t bytes_down; /* bytes that were transferred; 0 where host and device share one memory */
    struct trm_stage_report stages[TRM_STAGES];
    int32_t critical; /* enum trm_pipeline_stage: the busiest for a token; -1 when nothing was measured */
    uint32_t launch_count; /* entries of `launches`: the stages of the descriptor that fit */
    struct trm_launch_report launches[TRM_REPORT_LAUNCHES];
    /* tokens times the mean time of the critical stage: no overlap is faster. For a stage that worked on
     * several tokens at once this is its busy time, and for load the sum divided by its workers */
    uint64_t bound_ns;
    /* the sum over all stages, which is the time without overlap: tokens times the mean time of each; for a
     * stage that worked on several tokens at once, which then share its hardware, its busy time */
    uint64_t sequential_ns;
    uint64_t predicted_ns; /* trm_predict() of these stage times at this depth */
    double efficiency;     /* bound_ns / elapsed_ns; 0 when nothing was measured */
    double fill;           /* slots in use on average / depth */
    uint64_t device_bytes; /* memory of all slots */
    uint64_t host_bytes;
    /* Since the pipeline was made: */
    uint64_t host_waits;      /* waits for a stream that blocked a thread (struct trm_stream_stats) */
    uint64_t pageable_copies; /* copies that were not asynchronous */
    char name[64];            /* of the pipeline */
    char backend[48];
    char device[64];   /* "cpu:0" */
    char reason[192];  /* why this strategy was chosen */
    char advice[256];  /* one sentence: what limits the speed, and what would help */
    char failure[256]; /* the first failure's sentence; "" if there was none */
    /* Of busy_ns of load and sink in a run: the time in which their thread did not run, since it waited for a
     * disk, a pipe, a lock or a processor. Measured where a token takes more than 100 µs there; else 0. */
    uint64_t load_waiting_ns;
    uint64_t sink_waiting_ns;
    uint64_t processor_ns; /* that all threads of the process spent on processors during the run */
    struct trm_advice advised;
    /* begun, but dropped, since another token failed or the pipeline was cancelled */
    uint64_t cancelled;
    /* A pipeline of a group with several devices; 0: one device */
    uint32_t device_count;
    /* in a run with a source at most so many of `depth` are in use at a time now, since a trial of all has
     * shown that the others bring nothing; 0: all. Of several devices 1 may mean that all of them work on its
     * token. The mean of the run is `fill` */
    uint32_t slots_in_use;
    uint64_t repeated; /* tokens that a lost device left to another one */
    struct trm_device_report devices[TRM_REPORT_DEVICES];
    /* the sentence of the first device that was lost in this run while others went on, or else in an earlier
     * one; "": none */
    char loss[256];
    /* which copies of several devices are slower together than alone, as measured since the pipeline was
     * made: what their speeds are; "": none is known to be. Not of devices that run on the processors of the
     * host */
    char shared[256];
    /* What a token and several of them are called (struct trm_advice_words): "frame", "frames"; "": token */
    char token_word[24];
    char tokens_word[24];
    /* Dropped for newer ones (enum trm_full_mode); not in `cancelled`. A token that was begun counts once, in
     * tokens, skipped, failed, cancelled or dropped. */
    uint64_t dropped;
    uint64_t expired; /* of `dropped`: the deadline had passed before the token was enqueued */
    uint64_t late;    /* of `tokens`: came out after their deadline */
    /* Branches: how many stages of a token can run at once; 1: its stages run one after the other, since they
     * have no branches, or since the strategy does not overlap them */
    uint32_t branches;
    uint32_t one_by_one; /* the stages were declared with branches, but run one after the other */
    /* bit j of launch_after[i]: launch i began when launch j had ended, since the program said so or since
     * they share a stream. j is below i */
    uint64_t launch_after[TRM_REPORT_LAUNCHES];
    /* the longest path through `launches`, which is the least that the compute of all tokens takes one token
     * after the other; without branches the sum. Like their busy_ns the sum of all tokens. Bit i of `path`:
     * launch i is on it */
    uint64_t path_ns;
    uint64_t path;
    /* Reading ahead (trm_source.ahead_bytes) */
    uint32_t ahead;        /* tokens that may be read ahead of the slots, as predicted; 0: none */
    uint32_t ahead_budget; /* that fit into ahead_bytes */
    uint32_t ahead_most;   /* that were there at once, also before fewer sufficed */
    uint32_t
        ahead_none; /* enum trm_ahead_none: why there is nothing of it although ahead_bytes asks for it */
    uint64_t ahead_bytes;      /* of host memory for them */
    uint64_t source_ns;        /* that the source takes for a token, in the mean of the last hundred or so */
    uint64_t source_spread_ns; /* their standard deviation */
    uint64_t take_ns, take_spread_ns; /* the same of the time from one slot that gets free to the next */
    double
        /* the part of the time in which slots would wait for tokens; 0 also: not known yet */
        ahead_predicted;
    /* what came: the part in which the busiest stage of the device was starved, and at most the part in which
     * a slot was free: otherwise the device waits for the sink */
    double ahead_waits;
    /* The device on which a launch runs whatever the device of its token (<trireme/stage_device.h>): 1 + its
     * index in `devices`; 0: on that of its token */
    uint32_t launch_device[TRM_REPORT_LAUNCHES];
    /* of `devices`: the sentence of its loss, also when that ended the run; "": the device is not lost */
    char device_loss[TRM_REPORT_DEVICES][192];
    /* of `tokens`: all devices worked on each of them at once; it counts as a token of the device in whose
     * slot it was (doc/several-devices.md) */
    uint64_t spread_tokens;
    /* 1: tokens are replays of recorded graphs, also with ZERO_COPY, which has a form without; of several
     * devices, on the first one */
    uint32_t by_graphs;
    uint32_t reserved;
    /* of `devices`: the mean time of a token in each stage of the device; 0: not measured. The means in
     * `stages` are those of all devices together */
    uint64_t device_stage_ns[TRM_REPORT_DEVICES][TRM_STAGES];
    /* Joins of shared ports on several devices (<trireme/join.h>): how many were enqueued, and how long they
     * took together, each from the moment at which the tokens before it were done on the first device until
     * that device had the result. So it contains what the first device waited for others. 0 also: not
     * measured */
    uint64_t joins;
    uint64_t join_ns;
};

/* Get the report of the current or last run; of a pipeline that serves, of everything since it was made.
 * While tokens are in flight, it covers the tokens that are done. May be called inside callbacks of the
 * pipeline. */
TRM_API int32_t trm_pipeline_report(struct trm_pipeline *pipeline, struct trm_report *report);

/* Begin the report and the trace of a pipeline anew, also while it runs or serves: from then on they cover
 * the tokens that are done later, those in flight included. What the pipeline is, its depth, its strategy and
 * why it was chosen, stays; so does its failure. May be called inside callbacks of the pipeline. */
TRM_API int32_t trm_pipeline_reset_report(struct trm_pipeline *pipeline);

enum trm_report_format {
    TRM_REPORT_TEXT = 0, /* about twenty lines of 80 columns, to be read by people */
    TRM_REPORT_JSON = 1, /* one object; members are only added from version to version */
};

/* Write a report as text with a terminating zero.
 *
 * format      enum trm_report_format
 * text        receives the text; NULL with capacity 0: only the size is wanted
 * capacity    bytes of `text`
 * needed      receives the bytes of the whole text with its zero; may be NULL
 * Errors      OUT_OF_RANGE when the text does not fit: as much of it as fits is written, with a terminating
 *             zero (`needed` is written all the same); INVALID_ARGUMENT for an unknown format, or when text
 *             is NULL and capacity is not 0
 */
TRM_API int32_t trm_report_format(const struct trm_report *report, int32_t format, char *text,
                                  size_t capacity, size_t *needed);

/* Write the report of a pipeline into a file.
 *
 * format      enum trm_report_format
 * path        of the file, which is replaced; a descriptor (/dev/stdout, /dev/fd/3) is written from its
 *             position on
 * Blocks      while the file is written
 * Errors      INVALID_ARGUMENT for an unknown format, or no path; IO for the file
 */
TRM_API int32_t trm_pipeline_report_file(struct trm_pipeline *pipeline, int32_t format, const char *path);

/* ---- trace ---------------------------------------------------------------------------------- */

enum trm_trace_format {
    /* Trace Event JSON, for ui.perfetto.dev and chrome://tracing: a track for each stage, and for the
     * stages on a device on each device of a group; a flow for each token */
    TRM_TRACE_EVENTS   = 0,
    TRM_TRACE_TIMELINE = 1, /* one HTML file that draws all tokens over time; needs no other file */
};

/* Receives a piece of text of `length` bytes. An error ends the writing and is returned. */
typedef int32_t (*trm_write_fn)(void *user, const char *text, size_t length);

/* Write the times of the tokens that are kept (trm_pipeline_desc.trace_tokens), by a function or into a file.
 *
 * format      enum trm_trace_format
 * write       called in the calling thread, several times
 * user        its first argument
 * path        of the file, which is replaced; a descriptor (/dev/stdout, /dev/fd/3) is written from its
 *             position on
 * Blocks      while the trace is written
 * Errors      INVALID_ARGUMENT for an unknown format, no function or no path, or when the pipeline keeps no
 *             tokens; BUSY during trm_pipeline_run(); IO for the file; what `write` returns
 */
TRM_API int32_t trm_pipeline_trace(struct trm_pipeline *pipeline, int32_t format, trm_write_fn write,
                                   void *user);
TRM_API int32_t trm_pipeline_trace_file(struct trm_pipeline *pipeline, int32_t format, const char *path);

/* ---- prediction ----------------------------------------------------------------------------- */

/* The times of a pipeline's stages. */
struct trm_prediction_desc {
    uint32_t struct_size;
    uint32_t depth; /* slots, at most 64; 0 counts as 3 */
    uint64_t tokens;
    uint64_t stage_ns[TRM_STAGES]; /* of one token alone */
    uint32_t lanes[TRM_STAGES];    /* tokens that a stage works on at once (loader threads); 0 counts as 1 */
    /* 0: each stage has hardware of its own; else at most this many of upload, compute and download work at
     * once (on a cpu each of them uses all cores) */
    uint32_t processors;
    uint32_t one_thread; /* 1: one thread does load and sink, so never at the same time */
    uint32_t reserved;
    /* Other links: bytes of a token, and the speed of the link in bytes a second. Where both are not 0, they
     * replace stage_ns of the upload or download. */
    uint64_t bytes_up, bytes_down;
    double up_speed, down_speed;
    /* Equal devices that take tokens by turns, each with `depth` slots, `processors`, and hardware of its own
     * for upload, compute and download; 0 counts as 1. Load and sink are the same for all. At most 64 slots
     * together. */
    uint32_t devices;
    uint32_t reserved_devices;
    /* What all devices share: bytes a second that the memory of the host moves up and down together; 0: no
     * limit */
    double host_speed;
    /* The stages of compute, at most TRM_REPORT_LAUNCHES; 0: stage_ns says how long compute takes. Else it
     * takes the longest path through them where `branches` is above 1, and their sum where they run one after
     * the other */
    uint32_t launch_count;
    uint32_t branches; /* how many of them can run at once; 0 counts as 1 */
    uint64_t launch_ns[TRM_REPORT_LAUNCHES];
    uint64_t
        launch_after[TRM_REPORT_LAUNCHES]; /* bit j of launch_after[i]: i begins when j, below i, has ended */
};

struct trm_prediction {
    uint32_t struct_size;
    int32_t critical;       /* enum trm_pipeline_stage: the longest */
    uint64_t elapsed_ns;    /* of all tokens at this depth */
    uint64_t sequential_ns; /* tokens times the sum of the stages: depth 1 */
    uint64_t bound_ns;      /* tokens times the longest stage (by its lanes; by all processors): any depth */
    uint64_t startup_ns;    /* until the first token is done */
    uint64_t drain_ns;      /* from the end of the last token's critical stage to the end of everything */
    uint64_t period_ns;     /* from one token to the next in the steady state */
    double speedup;         /* sequential_ns / elapsed_ns */
    double throughput;      /* tokens a second in the steady state */
    uint32_t host_bound;    /* 1: host_speed is the limit, not the critical stage */
    uint32_t reserved;
};

/* Predict how long a pipeline takes. Uses no device.
 *
 * In the model every token passes the stages in order. A stage takes tokens in order, as many at a time as it
 * has lanes. A token begins when a slot is free; one thread that does load and sink loads while a slot is
 * free. Tokens go to several devices by turns; the memory of the host moves the bytes of one token after the
 * other, so a copy begins no sooner after that of the token before than this takes. The result is exact for
 * this model, except where stages share processors or a thread and their pattern does not repeat within 4,096
 * tokens: then the other tokens are assumed to continue like these.
 *
 * The exact result is a longest path, found as an unbounded knapsack problem: Gilmore and Gomory, "The theory
 * and computation of knapsack functions", Operations Research 14 (1966).
 *
 * desc        the stages
 * prediction  the caller sets its struct_size
 * Blocks      no; takes some microseconds for any number of tokens, and where stages share processors or a
 *             thread up to some milliseconds with 64 slots
 * Errors      INVALID_ARGUMENT for no tokens, more than 64 slots on all devices, stages that take no time,
 *             speeds below 0, times that overflow, more than TRM_REPORT_LAUNCHES launches, or a launch after
 *             one that is not before it
 */
TRM_API int32_t trm_predict(const struct trm_prediction_desc *desc, struct trm_prediction *prediction);

/* Make the description of a prediction from a report. The program then changes its depth, links or number of
 * loader threads (lanes[TRM_STAGE_LOAD], with one_thread 0), or sets the number of devices. A pipeline of a
 * group is described as one device that is as fast as all of them together. A load or sink that worked on
 * several tokens at once gets the average number of them as lanes. Where tokens are read ahead, a load takes
 * as long as the source. Upload, compute and download get one lane, in which a token takes its share of the
 * stage's busy time. Of a pipeline with branches it has the launches, whose longest path is that share: with
 * `branches` 1 the prediction is of the same stages one after the other.
 *
 * desc        receives the description; the caller sets its struct_size
 * Errors      INVALID_ARGUMENT when nothing was measured
 */
TRM_API int32_t trm_report_prediction(const struct trm_report *report, struct trm_prediction_desc *desc);

TRM_API_END

#endif
