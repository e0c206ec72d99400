/* Inside the prediction: the pipeline as numbers, and the two ways to compute its time.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_PREDICT_H
#define PIPELINE_REPORT_PREDICT_H

#include <stdbool.h>
#include <trireme/report.h>

#include "pipeline/report/report.h"

#define PIPELINE_PREDICT_DEPTH_MOST 64

/* A checked descriptor. */
struct pipeline_model {
    uint32_t depth;
    uint32_t processors; /* 0: no limit */
    bool one_thread;
    uint64_t tokens;
    uint64_t time[TRM_STAGES];
    uint32_t lanes[TRM_STAGES]; /* at most the depth */
    /* Times of each token; NULL: all tokens are alike. A stage whose `time` is 0 is left out. */
    const struct pipeline_stage_times *samples;
};

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

#endif
