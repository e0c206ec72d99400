/* Models of times.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/estimate/model.h"

/* Of a new sample, once there are so many that the plain average is slower. */
#define WEIGHT_LEAST (1.0 / 8)

/* A sample is far from the mean beyond so many spreads and this part of the mean. */
#define FAR_SPREADS 4.0
#define FAR_PART (1.0 / 8)

/* Before so many samples none counts as far. */
#define SETTLED 4

/* So many in a row on one side are a lasting change. */
#define MISFITS 4

static double weight_of(uint64_t samples)
{
    double weight = 1.0 / (double)samples;
    return weight > WEIGHT_LEAST ? weight : WEIGHT_LEAST;
}

/* True if the model has begun anew. */
static bool note_misfit(struct pipeline_model *model, double took, bool is_above)
{
    if (model->is_above != is_above)
        model->misfits = 0;
    if (model->misfits == 0)
        model->misfits_sum = 0;
    model->is_above = is_above;
    model->misfits_sum += took;
    if (++model->misfits < MISFITS)
        return false;
    double mean = model->misfits_sum / MISFITS;
    double off  = took > mean ? took - mean : mean - took;
    *model      = (struct pipeline_model){.mean = mean, .spread = off, .samples = MISFITS};
    return true;
}

static void blend(struct pipeline_model *model, double off)
{
    double weight = weight_of(model->samples);
    double size   = off < 0 ? -off : off;
    model->mean += off * weight;
    model->spread += (size - model->spread) * weight;
    model->samples++;
}

bool pipeline_model_add(struct pipeline_model *model, double took)
{
    double off = took - model->mean, most = FAR_SPREADS * model->spread + FAR_PART * model->mean;
    if (model->samples < 2) {
        model->mean = took;
        model->samples++;
        return false;
    }
    bool is_above = off > most, is_below = -off > most;
    if (model->samples < SETTLED || !(is_above || is_below)) {
        model->misfits = 0;
        blend(model, off);
    } else {
        if (note_misfit(model, took, is_above))
            return true;
        blend(model, is_above ? most : -most);
    }
    return false;
}
