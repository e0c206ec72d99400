/* Trireme: what a pipeline says of itself (report, trace, timeline), and what it would take otherwise (prediction).
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_REPORT_H
#define TRIREME_REPORT_H

#include <trireme/api.h>
#include <trireme/pipeline.h>

TRM_API_BEGIN

/* The five stages that every token passes. All kernels and host stages of a token together are COMPUTE. */
enum trm_pipeline_stage {
    TRM_STAGE_LOAD     = 0,
    TRM_STAGE_UPLOAD   = 1,
    TRM_STAGE_COMPUTE  = 2,
    TRM_STAGE_DOWNLOAD = 3,
    TRM_STAGE_SINK     = 4,
    TRM_STAGES         = 5,
};

/* "load", "upload", "compute", "download", "sink"; "unknown" for others. Static. */
TRM_API const char *trm_stage_name(int32_t stage);

/* What one stage did in a run. busy + starved + blocked is the time from the stage's first beginning to its last end.
 * Of sampled tokens: scaled to all. */
struct trm_stage_report {
    uint64_t tokens;  /* that passed it */
    uint64_t bytes;   /* that it moved: upload and download */
    uint64_t busy_ns; /* at least one token was in it */
    /* idle, because no token had come through the stage before; load: because nobody brought one, although a slot was free */
    uint64_t starved_ns;
    /* idle, although one had: it waited for hardware that another stage used, or for its turn; load: for a free slot */
    uint64_t blocked_ns;
    uint64_t mean_ns; /* of one token, and the extremes */
    uint64_t least_ns;
    uint64_t most_ns;
};

struct trm_launch_report {
    /* of the stage in the descriptor; where several are the same with a number, "sobel 1" and "sobel 2" */
    char name[48];
    uint64_t busy_ns; /* the sum of all tokens */
};

#define TRM_REPORT_LAUNCHES 16

struct trm_report {
    uint32_t struct_size;
    int32_t strategy; /* enum trm_strategy that was used, never AUTO once a token was submitted */
    uint32_t depth;   /* slots now */
    uint32_t pieces;  /* of a token, of a divisible pipeline; 1: tokens are whole */
    uint32_t workers; /* threads that load; 0: the thread that runs the pipeline, or the program */
    /* 1: load and sink are done by the same thread, so never at once; 0 with 0 workers: the program serves */
    uint32_t one_thread;
    uint32_t processors; /* stages of the device that can be at work at once; 0: all of them */
    uint64_t tokens;     /* that came out */
    uint64_t skipped;    /* thrown away by the source */
    uint64_t failed;     /* that failed */
    uint64_t measured;   /* whose times were taken */
    /* times that the system took a thread of the program off its processor although it had work: many on a busy machine */
    uint64_t preempted;
    /* from the first token's load (or acquire) to the last one's end (sink, or release) */
    uint64_t elapsed_ns;
    uint64_t bytes_up;
    uint64_t bytes_down; /* what really travelled; 0 where memory is one */
    struct trm_stage_report stages[TRM_STAGES];
    int32_t critical; /* enum trm_pipeline_stage: the busiest for a token; −1 when nothing was measured */
    uint32_t launch_count; /* entries of `launches`: the stages of the descriptor, as far as they fit */
    struct trm_launch_report launches[TRM_REPORT_LAUNCHES];
    /* tokens × the mean of the critical stage: no overlap can be faster. Of a stage that worked on several tokens at once its
     * busy time counts, and of load the sum divided by its workers */
    uint64_t bound_ns;
    /* The sum of all stages: no overlap at all. tokens × the mean of each; of a stage that worked on several tokens at once, which
     * then share what it works with, its busy time */
    uint64_t sequential_ns;
    uint64_t predicted_ns; /* trm_predict() of these stage times, at this depth */
    double efficiency;     /* bound_ns / elapsed_ns; 0 when nothing was measured */
    double fill;           /* slots in use on average / depth */
    uint64_t device_bytes; /* memory of all slots */
    uint64_t host_bytes;
    /* Since the pipeline was made: */
    uint64_t host_waits; /* times that a stream had to be waited for on the host, for want of a better way */
    uint64_t pageable_copies; /* copies that could not be asynchronous */
    char name[64];            /* of the pipeline */
    char backend[48];
    char device[64];   /* "cpu:0" */
    char reason[192];  /* why this strategy */
    char advice[256];  /* one sentence: what holds it back, and what would help */
    char failure[256]; /* the first failure's sentence; "" if there was none */
};

/* The report of the current or last run; for serving, of all since the pipeline was made. Any thread, at any time; while
 * tokens are under way it holds what is through. struct_size is set by the caller. */
TRM_API int32_t trm_pipeline_report(struct trm_pipeline *pipeline, struct trm_report *report);

enum trm_report_format {
    TRM_REPORT_TEXT = 0, /* some twenty lines for a person, 80 columns */
    TRM_REPORT_JSON = 1, /* one object; members are only added from version to version */
};

/* Spell a report out, with a zero at the end. As for trm_device_get_info(): `needed` is written in any case (it may be
 * NULL), OUT_OF_RANGE when it does not fit. */
TRM_API int32_t trm_report_format(const struct trm_report *report, int32_t format, char *text,
                                  size_t capacity, size_t *needed);

/* The report of a pipeline, spelled out into a file, which is replaced.
 * Errors      as of trm_pipeline_report() and trm_report_format(); TRM_ERROR_IO for the file */
TRM_API int32_t trm_pipeline_report_file(struct trm_pipeline *pipeline, int32_t format, const char *path);

/* ---- trace ---------------------------------------------------------------------------------- */

enum trm_trace_format {
    /* Trace Event JSON, for ui.perfetto.dev and chrome://tracing: a track for each stage, a flow for each token */
    TRM_TRACE_EVENTS   = 0,
    TRM_TRACE_TIMELINE = 1, /* one HTML file with a drawing of all tokens over time; needs nothing else */
};

/* Takes a piece of text; any error ends the writing and is returned. */
typedef int32_t (*trm_write_fn)(void *user, const char *text, size_t length);

/* Write the times of the tokens that are kept (trm_pipeline_desc.trace_tokens).
 * Errors      INVALID_ARGUMENT when the pipeline keeps none; BUSY while it is run; TRM_ERROR_IO for the file */
TRM_API int32_t trm_pipeline_trace(struct trm_pipeline *pipeline, int32_t format, trm_write_fn write,
                                   void *user);
TRM_API int32_t trm_pipeline_trace_file(struct trm_pipeline *pipeline, int32_t format, const char *path);

/* ---- prediction ----------------------------------------------------------------------------- */

/* What is known of a pipeline: how long each stage takes for a token. */
struct trm_prediction_desc {
    uint32_t struct_size;
    uint32_t depth; /* slots, at most 64; 0 counts as 3 */
    uint64_t tokens;
    uint64_t stage_ns[TRM_STAGES]; /* of one token, alone */
    uint32_t lanes[TRM_STAGES];    /* tokens that a stage works on at once (loader threads); 0 counts as 1 */
    /* 0: each stage has hardware of its own; else no more of them are at work at once than this (upload, compute and download
     * on a cpu are all its cores' work) */
    uint32_t processors;
    uint32_t one_thread; /* 1: load and sink are done by the same thread, so never at once */
    uint32_t reserved;
    /* Other links: bytes of a token, and how fast they would travel, in bytes a second; where both are not 0 they replace
     * stage_ns of the upload or download. */
    uint64_t bytes_up, bytes_down;
    double up_speed, down_speed;
};

struct trm_prediction {
    uint32_t struct_size;
    int32_t critical;       /* enum trm_pipeline_stage: the longest */
    uint64_t elapsed_ns;    /* of all tokens at this depth */
    uint64_t sequential_ns; /* tokens × the sum of the stages: depth 1 */
    uint64_t bound_ns;      /* tokens × the longest stage (by its lanes; by all processors): any depth */
    uint64_t startup_ns;    /* until the first token is through */
    uint64_t drain_ns;      /* from the end of the last token's critical stage to the end of all */
    uint64_t period_ns;     /* from one token to the next, once it runs */
    double speedup;         /* sequential_ns / elapsed_ns */
};

/* How long would it take? Every token passes the stages in order; a stage takes tokens in order, as many at a time as it
 * has lanes; a token begins when a slot is free. No device is touched. Cost: some microseconds, however many
 * tokens; where stages share processors or a thread, up to some milliseconds with 64 slots.
 * Who loads and sinks in one thread loads while a slot is free. Exact; only where stages share processors or a thread and do not
 * repeat themselves within 4,096 tokens, the rest is taken to go on as these did.
 * Errors      INVALID_ARGUMENT for no tokens, more than 64 slots, stages that take no time, speeds below 0, or times that
 *             overflow */
TRM_API int32_t trm_predict(const struct trm_prediction_desc *desc, struct trm_prediction *prediction);

/* What a report knows, to be asked with another depth, links or number of loader threads (lanes[TRM_STAGE_LOAD], and one_thread
 * 0). A load or sink that worked on several tokens at once gets as many lanes as that were on average; upload, compute and
 * download get one, in which a token takes its share of the time that the stage was busy.
 * Errors      INVALID_ARGUMENT when nothing was measured */
TRM_API int32_t trm_report_prediction(const struct trm_report *report, struct trm_prediction_desc *desc);

TRM_API_END

#endif
