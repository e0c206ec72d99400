/* Inside the prediction: the pipeline as numbers, and the two ways to compute its time.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_PREDICT_H
#define PIPELINE_REPORT_PREDICT_H

#include <stdbool.h>
#include <trireme/report.h>

#define CORE_PREDICT_DEPTH_MOST 64

/* A checked descriptor. */
struct core_model {
    uint32_t depth;
    uint32_t processors; /* 0: no limit */
    bool one_thread;
    uint64_t tokens;
    uint64_t time[TRM_STAGES];
    uint32_t lanes[TRM_STAGES]; /* at most the depth */
};

struct core_model_times {
    uint64_t elapsed;       /* end of the last token */
    uint64_t critical_done; /* end of its critical stage */
    uint64_t startup;       /* end of the first token */
    uint64_t period;        /* between tokens in the long run, rounded */
};

/* For stages that only wait for earlier stages, lanes and slots: exact for any number of tokens, in closed
 * form. */
void core_predict_exact(const struct core_model *model, int32_t critical, struct core_model_times *times);

/* For stages that also share processors or a thread: token by token until the state repeats, then whole
 * periods. */
void core_predict_shared(const struct core_model *model, int32_t critical, struct core_model_times *times);

#endif
