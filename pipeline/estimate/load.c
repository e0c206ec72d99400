/* The load of a device.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/estimate/load.h"

/* The width is measured over so many pieces. */
#define WINDOW 16u

#define WEIGHT (1.0 / 4)

/* Presumed pieces between two turns in which the width is measured. */
#define PATIENCE_LEAST 64u
#define PATIENCE_MOST 1024u

/* The width has changed if a turn differs from what is known by this part of it. */
#define CHANGE (1.0 / 4)

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

uint64_t pipeline_load_drained(const struct pipeline_load *load, uint64_t now)
{
    if (load->drained_at > now || load->pieces == 0)
        return later(now, load->drained_at);
    return now + (uint64_t)(load->work / width_of(load));
}

uint64_t pipeline_load_predict(const struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work)
{
    uint64_t alone  = later(now, ready_at) + (uint64_t)work;
    uint64_t behind = pipeline_load_drained(load, now) + (uint64_t)(work / width_of(load));
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

static bool differs(double width, double known)
{
    return width > known * (1 + CHANGE) || width < known * (1 - CHANGE);
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
    if (differs(width, width_of(load)))
        load->patience = 0;
    load->width = load->width == 0 ? width : load->width + (width - load->width) * WEIGHT;
}

/* The pieces of the first window after presumed ones may have run beside those. */
static void end_window(struct pipeline_load *load)
{
    measure(load);
    begin_window(load);
    if (load->rest > 0)
        return;
    if (load->was_presuming) {
        load->was_presuming = false;
        return;
    }
    load->patience = load->patience == 0 ? PATIENCE_LEAST : 2 * load->patience;
    if (load->patience > PATIENCE_MOST)
        load->patience = PATIENCE_MOST;
    load->rest = load->patience;
}

bool pipeline_load_is_measuring(const struct pipeline_load *load)
{
    return load->rest == 0;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static void queue(struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work)
{
    double share     = work / width_of(load);
    uint64_t behind  = pipeline_load_drained(load, now) + (uint64_t)share;
    uint64_t end     = pipeline_load_predict(load, now, ready_at, work);
    uint64_t free    = end - (uint64_t)work + (uint64_t)share;
    load->drained_at = later(behind, free);
}

void pipeline_load_begin(struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work)
{
    queue(load, now, ready_at, work);
    count_time(load, now);
    load->work += work;
    load->pieces++;
}

/* What is left of the presumed work. */
static double presumed_at(const struct pipeline_load *load, uint64_t now)
{
    if (load->presumed_until <= now)
        return 0;
    double most = (double)(load->presumed_until - now) * width_of(load);
    return load->presumed < most ? load->presumed : most;
}

void pipeline_load_presume(struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work)
{
    queue(load, now, ready_at, work);
    load->presumed       = presumed_at(load, now) + work;
    load->presumed_until = load->drained_at;
    load->was_presuming  = true;
    if (load->rest > 0 && --load->rest == 0)
        begin_window(load);
    load->is_spoiled = true;
}

void pipeline_load_put_right(struct pipeline_load *load, uint64_t now, uint64_t predicted)
{
    if (load->presumed_until <= predicted)
        return;
    load->presumed_until += now - predicted;
    if (now > predicted)
        load->drained_at = later(load->drained_at, load->presumed_until);
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
    double left   = load->work + presumed_at(load, now);
    uint64_t rest = now + (uint64_t)(left / width_of(load));
    if (rest < load->drained_at || load->drained_at < now)
        load->drained_at = rest;
    if (load->pieces == 0 && left <= 0)
        load->drained_at = 0;
    if (++load->ended >= WINDOW)
        end_window(load);
}
