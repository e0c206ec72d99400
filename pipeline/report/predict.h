/* Inside the prediction: the pipeline as numbers, and the two ways to compute its time.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_PREDICT_H
#define PIPELINE_REPORT_PREDICT_H

#include <stdbool.h>
#include <trireme/report.h>

#include "pipeline/report/report.h"

#define PIPELINE_PREDICT_DEPTH_MOST 64

/* A checked descriptor. Token number i is on device i modulo `devices`. */
struct pipeline_model {
    uint32_t devices;    /* 0 counts as 1 */
    uint32_t depth;      /* slots on all devices together */
    uint32_t processors; /* of a device; 0: no limit */
    bool one_thread;
    uint64_t tokens;
    uint64_t time[TRM_STAGES];
    uint32_t lanes[TRM_STAGES]; /* on all devices together, at most the depth */
    /* From the beginning of a token's first copy to that of the next token's: what the shared memory of the
     * host needs for the bytes of a token. 0: no limit */
    uint64_t host_time;
    /* Times of each token; NULL: all tokens are alike. A stage whose `time` is 0 is left out. */
    const struct pipeline_stage_times *samples;
};

static inline uint32_t pipeline_model_devices(const struct pipeline_model *model)
{
    return model->devices > 1 ? model->devices : 1;
}

static inline bool pipeline_stage_is_on_device(uint32_t stage)
{
    return stage >= TRM_STAGE_UPLOAD && stage <= TRM_STAGE_DOWNLOAD;
}

/* The stage of the first copy, which host_time spaces; TRM_STAGES: there are no copies. */
static inline uint32_t pipeline_model_first_copy(const struct pipeline_model *model)
{
    if (model->host_time == 0)
        return TRM_STAGES;
    if (model->time[TRM_STAGE_UPLOAD] > 0)
        return TRM_STAGE_UPLOAD;
    return model->time[TRM_STAGE_DOWNLOAD] > 0 ? TRM_STAGE_DOWNLOAD : TRM_STAGES;
}

struct pipeline_model_times {
    uint64_t elapsed;       /* end of the last token */
    uint64_t critical_done; /* end of its critical stage */
    uint64_t startup;       /* end of the first token */
    uint64_t period;        /* between tokens in the long run, rounded */
};

/* For stages that only wait for earlier stages, lanes and slots: exact for any number of tokens, in closed
 * form. */
void pipeline_predict_exact(const struct pipeline_model *model, int32_t critical,
                            struct pipeline_model_times *times);

/* For stages that also share processors or a thread: token by token until the state repeats, then whole
 * periods. */
void pipeline_predict_shared(const struct pipeline_model *model, int32_t critical,
                             struct pipeline_model_times *times);

/* How long the recent tokens of `facts` would take at a depth. */
uint64_t pipeline_predict_recent(const struct trm_prediction_desc *desc, uint32_t depth,
                                 const struct pipeline_report_facts *facts);

/* Makes tokens of which most take as long in a stage as the usual recent one, and so many as long as the
 * slowest that the mean is that of the description. There are two slow ones at least, which are as far
 * apart as can be. Samples tell neither their distances nor how many of all tokens are slow. */
void pipeline_even_recent(const struct trm_prediction_desc *desc, const struct pipeline_report_facts *facts,
                          int32_t stage, struct pipeline_stage_times even[PIPELINE_RECENT_TOKENS]);

/* Puts tokens in an order that hangs on nothing but their number and `turn`: one of many random ones. */
void pipeline_shuffle_recent(struct pipeline_stage_times *tokens, uint32_t count, uint32_t turn);

#endif
