/* The models of a pool: how long tasks take, by what they run, how large they are and which workload they
 * are.
 *
 * A table of fixed size: a model that has no place takes that of the one that was used longest ago nearby.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_MODEL_LEARN_H
#define PIPELINE_MODEL_LEARN_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/status.h>
#include <trireme/stream_pool.h>

#include "pipeline/estimate/estimate.h"

#define PIPELINE_TASK_MODELS 256 /* a power of two */

struct pipeline_stored_model;

/* Which model a task has. */
struct pipeline_task_key {
    uint64_t what;    /* the kernel's handle, or the function's address; 0: of a loan, which has no model */
    uint32_t size;    /* class: the logarithm of the groups of a launch, or of the bytes, by the base 2 */
    int32_t workload; /* given by the program */
};

struct pipeline_task_model {
    struct pipeline_task_key key;
    uint64_t last_use;
    struct pipeline_model time; /* without samples: the kernel is known, but not how long it takes */
    /* The least that the mean has been, of at least two samples, drawn towards the mean when times change for
     * good; 0: not known. */
    double least;
    uint64_t fresh;     /* samples of this pool */
    uint64_t last_end;  /* base_now() when such a task ended; 0: none has */
    uint32_t unsampled; /* such tasks since one was watched by itself (pool room) */
    /* In a pool over a group: such tasks, and those that are watched and have not ended. */
    uint64_t submitted;
    uint32_t measuring;
    const struct pipeline_stored_model *begun; /* what was kept of it; NULL: nothing */
};

struct pipeline_task_models {
    uint64_t uses;
    struct pipeline_task_model table[PIPELINE_TASK_MODELS];
};

struct pipeline_task_key pipeline_task_key_of(const struct trm_stream_task *task);

/* The model of a key; NULL if there is none. */
struct pipeline_task_model *pipeline_task_model_find(struct pipeline_task_models *models,
                                                     const struct pipeline_task_key *key);
/* A new model in the place of one that has been used longest ago. */
struct pipeline_task_model *pipeline_task_model_make(struct pipeline_task_models *models,
                                                     const struct pipeline_task_key *key);
/* Adds a sample to the model of a key, which may be new, and returns it. */
struct pipeline_task_model *pipeline_task_model_add(struct pipeline_task_models *models,
                                                    const struct pipeline_task_key *key, double took);
/* The same of a time that the task took at most. *is_taken: it changed the mean. */
struct pipeline_task_model *pipeline_task_model_add_bound(struct pipeline_task_models *models,
                                                          const struct pipeline_task_key *key, double most,
                                                          bool *is_taken);

#endif
