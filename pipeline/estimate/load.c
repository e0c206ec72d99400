/* The load of a device.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/estimate/load.h"

/* The width is measured over so many pieces. */
#define WINDOW 16u

#define WEIGHT (1.0 / 4)

/* What a measured width may be; what is beyond is the clock's. */
#define WIDTH_LEAST 0.5
#define WIDTH_MOST 64.0

static double width_of(const struct pipeline_load *load)
{
    return load->width > 0 ? load->width : 1;
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

uint64_t pipeline_load_predict(const struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work)
{
    uint64_t alone  = later(now, ready_at) + (uint64_t)work;
    uint64_t behind = later(now, load->drained_at) + (uint64_t)(work / width_of(load));
    return later(alone, behind);
}

/* ---- the width ------------------------------------------------------------------------------ */

static void count_time(struct pipeline_load *load, uint64_t now)
{
    uint64_t passed = now > load->since ? now - load->since : 0;
    if (load->pieces == 1)
        load->single += passed;
    else if (load->pieces > 1)
        load->several += passed;
    load->since = now;
}

static void begin_window(struct pipeline_load *load)
{
    load->done       = 0;
    load->single     = 0;
    load->several    = 0;
    load->ended      = 0;
    load->is_spoiled = false;
}

static void measure(struct pipeline_load *load)
{
    double besides = load->done - (double)load->single;
    if (load->is_spoiled || load->several == 0 || load->several < load->single / 8)
        return;
    double width = besides / (double)load->several;
    if (width < WIDTH_LEAST)
        width = WIDTH_LEAST;
    if (width > WIDTH_MOST)
        width = WIDTH_MOST;
    load->width = load->width == 0 ? width : load->width + (width - load->width) * WEIGHT;
}

/* ---- pieces --------------------------------------------------------------------------------- */

void pipeline_load_begin(struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work)
{
    double share    = work / width_of(load);
    uint64_t behind = later(now, load->drained_at) + (uint64_t)share;
    uint64_t end    = pipeline_load_predict(load, now, ready_at, work);
    uint64_t free   = end - (uint64_t)work + (uint64_t)share;
    count_time(load, now);
    load->drained_at = later(behind, free);
    load->work += work;
    load->pieces++;
}

/* What is left may have begun already, so the device is drained no later than was predicted; if that time has
 * passed, what is left takes as long as it takes. */
void pipeline_load_end(struct pipeline_load *load, uint64_t now, double work)
{
    count_time(load, now);
    load->done += work;
    if (work <= 0)
        load->is_spoiled = true;
    load->work -= work;
    if (--load->pieces == 0 || load->work < 0)
        load->work = 0;
    uint64_t rest = now + (uint64_t)(load->work / width_of(load));
    if (rest < load->drained_at || load->drained_at < now)
        load->drained_at = rest;
    if (load->pieces == 0)
        load->drained_at = 0;
    if (++load->ended < WINDOW)
        return;
    measure(load);
    begin_window(load);
}
