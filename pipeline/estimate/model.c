/* Models of times.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/estimate/model.h"

#include "pipeline/estimate/average.h"

/* Of a new sample. */
#define WEIGHT_LEAST (1.0 / 8)

/* A sample is far from the mean beyond so many spreads and this part of the mean. */
#define FAR_SPREADS 4.0
#define FAR_PART (1.0 / 8)

/* Before so many samples none counts as far. */
#define SETTLED 4

/* So many in a row on one side are a lasting change. */
#define MISFITS 4

/* The least of so many bounds stands for the time, so that it follows times that become longer. */
#define BOUNDS 16

/* Better samples. The first is replaced by the second; beside bounds it counts for nothing, since its
 * beginning may have been told late. */
#define BETTER_LEAST 2

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
    double weight = pipeline_average_weight(model->samples, WEIGHT_LEAST);
    double size   = off < 0 ? -off : off;
    model->mean += off * weight;
    model->spread += (size - model->spread) * weight;
    model->samples++;
}

static double far_from(const struct pipeline_model *model)
{
    return FAR_SPREADS * model->spread + FAR_PART * model->mean;
}

static bool has_better(const struct pipeline_model *model)
{
    return model->samples - model->bounds >= BETTER_LEAST;
}

bool pipeline_model_add(struct pipeline_model *model, double took)
{
    double off = took - model->mean, most = far_from(model);
    if (!has_better(model)) {
        bool is_first = model->samples == model->bounds;
        model->mean   = is_first && model->bounds > 0 ? model->mean : took;
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

/* ---- bounds --------------------------------------------------------------------------------- */

static bool begin_bounds(struct pipeline_model *model, double most)
{
    bool has_changed   = model->mean != most;
    model->mean        = most;
    model->least_bound = 0;
    model->recent      = 0;
    return has_changed;
}

static bool take_bound(struct pipeline_model *model, double most)
{
    if (model->least_bound == 0 || most < model->least_bound)
        model->least_bound = most;
    if (most < model->mean) {
        double off = model->mean - most;
        model->spread += (off - model->spread) * pipeline_average_weight(model->samples, WEIGHT_LEAST);
        model->mean = most;
        return true;
    }
    return ++model->recent >= BOUNDS && begin_bounds(model, model->least_bound);
}

bool pipeline_model_add_bound(struct pipeline_model *model, double most)
{
    if (has_better(model) && most < model->mean - far_from(model)) {
        pipeline_model_add(model, most);
        return true;
    }
    model->samples++;
    model->bounds++;
    if (has_better(model))
        return false;
    return model->samples <= 2 ? begin_bounds(model, most) : take_bound(model, most);
}
