/* What a pool stores for later runs: which kernels its models are of, and what earlier runs have learned of
 * them.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_POOL_STORED_MODELS_H
#define PIPELINE_POOL_STORED_MODELS_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/stream_pool.h>

#include "base/base.h"
#include "pipeline/model/model.h"

struct pipeline_stream_pool;

/* Which kernel the model at the same index of the table belongs to. */
struct pipeline_pool_identity {
    uint64_t what; /* as in the model's key: else it is of an earlier model */
    bool is_known; /* the kernel has a digest */
    uint8_t kernel[BASE_SHA256_BYTES];
    char name[64];
};

struct pipeline_pool_stored {
    struct pipeline_stored_device device;
    struct pipeline_stored *models; /* as they were read when the pool was made; NULL: none */
    struct pipeline_pool_identity identities[PIPELINE_TASK_MODELS];
};

/* Reads what earlier runs have stored, if the setting allows that. */
void pipeline_pool_stored_load(struct pipeline_stream_pool *pool);
/* Writes what was learned. No stream of the pool has work any more. */
void pipeline_pool_stored_save(struct pipeline_stream_pool *pool);
void pipeline_pool_stored_fini(struct pipeline_stream_pool *pool);

/* How many streams run side by side, as earlier runs have measured. */
struct pipeline_stored_width pipeline_pool_stored_width(const struct pipeline_stream_pool *pool);
/* Adds a measurement. Returns the largest of all. */
uint32_t pipeline_pool_stored_save_width(struct pipeline_stream_pool *pool, uint32_t streams, bool is_steady);

/* Whether the task is a launch that has no model in the pool yet. False where nothing is stored. */
bool pipeline_pool_lacks_model_locked(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                      const struct pipeline_task_key *key);
/* Makes the model of such a launch, from the stored one if there is one. Takes pool->lock. */
void pipeline_pool_stored_recall(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                 const struct pipeline_task_key *key);

#endif
