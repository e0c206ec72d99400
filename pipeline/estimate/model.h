/* Models: the time of one kind of work, with its spread, learned from samples.
 *
 * Mean and spread are exponentially weighted (after the first few a new sample counts an eighth). A sample
 * far from the mean is drawn near it, so that a single outlier changes little. Several in a row on the same
 * side are a lasting change: the model then forgets what was before. Drawing near is P. J. Huber's estimator
 * ("Robust Estimation of a Location Parameter", 1964).
 *
 * A bound is what the work took at most: a time that contains a wait, too. While there are no better samples,
 * the least bound of late stands for the time. Their mean would contain the mean wait. Beside better samples
 * a bound above the mean tells nothing, and one below tells only what noise would tell, unless it is far: to
 * take those below and leave those above would draw the mean to the least time that the work ever takes.
 *
 * Locks: none; the owner locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ESTIMATE_MODEL_H
#define PIPELINE_ESTIMATE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing is known. Times are in nanoseconds. */
struct pipeline_model {
    double mean;
    double spread; /* the mean distance of samples from the mean */
    uint64_t samples;
    double misfits_sum; /* of the last samples, which were all far above the mean, or all far below */
    uint32_t misfits;   /* how many they are */
    bool is_above;      /* the side of the mean on which they are */
    uint64_t bounds;    /* of the samples, those that are bounds only */
    double least_bound; /* of the last few; 0: there is none */
    uint32_t recent;    /* how many these are */
};

/* The first sample is replaced by the second: it contains what happens only once, such as compiling. True if
 * times have changed for good, and the model has begun anew. */
bool pipeline_model_add(struct pipeline_model *model, double took);

/* Adds a bound. True if it changed the mean. */
bool pipeline_model_add_bound(struct pipeline_model *model, double most);

static inline bool pipeline_model_is_known(const struct pipeline_model *model)
{
    return model->samples > 0;
}

#endif
