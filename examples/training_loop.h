/* A training loop to copy: it passes batches through a pipeline that trains, reports the mean loss of each
 * batch, and hands out the weights now and then, to save them.
 *
 * The pipeline has the weights as shared ports, which its kernels change, and an output with the loss of each
 * sample. See 29-training-loop.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_EXAMPLES_TRAINING_LOOP_H
#define TRIREME_EXAMPLES_TRAINING_LOOP_H

#include <trireme/trireme.h>

#include <stdlib.h>

/* What one step of the model is, and where its loss comes out. */
struct training_model {
    struct trm_pipeline *pipeline;
    uint32_t loss_port;          /* an output of floats, one for each sample */
    uint32_t weight_count;       /* of arrays below */
    struct trm_buffer **weights; /* of the shared ports, floats */
};

struct training_loop {
    struct training_model model;
    uint64_t batches;

    /* Fills the inputs of batch token->index. Called by a thread of the library, one batch after the
     * other. */
    int32_t (*load)(void *user, struct trm_token *token);

    /* The mean loss of a batch; a status other than TRM_OK ends the training. May be NULL. */
    int32_t (*metrics)(void *user, uint64_t batch, double loss);

    /* After every `checkpoint_every` batches (0: never): the weights after `batches` batches, in host memory
     * until the call returns. No batch is in flight meanwhile. */
    int32_t (*checkpoint)(void *user, uint64_t batches, float *const *weights, const uint64_t *counts);
    uint64_t checkpoint_every;

    void *user; /* of the three functions */

    uint64_t done; /* batches so far; set before the call to go on with weights that were saved */
};

/* ---- one stretch between two checkpoints ------------------------------------------------------ */

static int32_t training_load(void *user, struct trm_token *token)
{
    struct training_loop *loop = user;
    uint64_t index             = token->index;

    token->index   = loop->done + index;
    int32_t status = loop->load(loop->user, token);
    token->index   = index;
    return status;
}

static int32_t training_note(void *user, const struct trm_token *token)
{
    struct training_loop *loop = user;
    const float *losses        = token->data[loop->model.loss_port];
    uint64_t count             = token->size[loop->model.loss_port] / sizeof(float);
    double sum                 = 0.0;

    for (uint64_t i = 0; i < count; i++)
        sum += (double)losses[i];
    return loop->metrics != NULL ? loop->metrics(loop->user, loop->done + token->index, sum / (double)count)
                                 : TRM_OK;
}

/* ---- checkpoints ------------------------------------------------------------------------------ */

static int32_t training_read(struct trm_stream *stream, const struct training_model *model, float **copies,
                             uint64_t *counts)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < model->weight_count; i++) {
        uint64_t bytes = 0;
        status         = trm_buffer_size(model->weights[i], &bytes);
        if (status != TRM_OK)
            break;
        counts[i] = bytes / sizeof(float);
        copies[i] = malloc(bytes);
        status    = copies[i] != NULL ? trm_download(stream, copies[i], trm_span_whole(model->weights[i]))
                                      : TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    int32_t synced = trm_stream_sync(stream);
    return status == TRM_OK ? synced : status;
}

static int32_t training_checkpoint(struct training_loop *loop, struct trm_stream *stream)
{
    const struct training_model *model = &loop->model;
    float **copies                     = calloc(model->weight_count + 1u, sizeof(*copies));
    uint64_t *counts                   = calloc(model->weight_count + 1u, sizeof(*counts));
    int32_t status = copies != NULL && counts != NULL ? training_read(stream, model, copies, counts)
                                                      : TRM_ERROR_OUT_OF_HOST_MEMORY;

    if (status == TRM_OK)
        status = loop->checkpoint(loop->user, loop->done, copies, counts);
    for (uint32_t i = 0; copies != NULL && i < model->weight_count; i++)
        free(copies[i]);
    free(copies);
    free(counts);
    return status;
}

/* ---- the loop --------------------------------------------------------------------------------- */

/* Trains until `batches` are done. `stream` is of the pipeline's device, and carries the weights to the host.
 * Returns the first status that is not TRM_OK, of the library or of a function of the loop. */
static inline int32_t training_run(struct training_loop *loop, struct trm_stream *stream)
{
    struct trm_source source = trm_source_function(training_load, loop);
    struct trm_sink sink     = trm_sink_function(training_note, loop);
    int32_t status           = TRM_OK;

    source.workers = 1; /* loads batches while others are computed */
    while (status == TRM_OK && loop->done < loop->batches) {
        uint64_t left = loop->batches - loop->done, every = loop->checkpoint_every;
        source.count = every != 0 && every < left ? every : left;
        status       = trm_pipeline_run(loop->model.pipeline, &source, &sink);
        if (status != TRM_OK)
            return status;
        loop->done += source.count;
        if (every != 0 && loop->checkpoint != NULL)
            status = training_checkpoint(loop, stream);
    }
    return status;
}

#endif
