/* Inside the prediction: the pipeline as numbers, and the two ways to find out how long it takes.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_PREDICT_H
#define PIPELINE_REPORT_PREDICT_H

#include <stdbool.h>
#include <trireme/report.h>

#define CORE_PREDICT_DEPTH_MOST 64

/* A checked description. */
struct core_model {
    uint32_t depth;
    uint32_t processors; /* 0: never in the way */
    uint32_t one_thread;
    uint64_t tokens;
    uint64_t time[TRM_STAGES];
    uint32_t lanes[TRM_STAGES]; /* at most the depth */
};

struct core_model_times {
    uint64_t elapsed;       /* the end of the last token */
    uint64_t critical_done; /* the end of its critical stage */
    uint64_t startup;       /* the end of the first token */
    uint64_t period;        /* between tokens, in the long run; rounded */
};

/* Where stages only wait for stages before them, for lanes and for slots: exact for any number of tokens, by arithmetic. */
void core_predict_exact(const struct core_model *model, int32_t critical, struct core_model_times *times);

/* Where they also share processors or a thread: token by token, until it repeats itself; the rest by arithmetic. */
void core_predict_shared(const struct core_model *model, int32_t critical, struct core_model_times *times);

#endif
