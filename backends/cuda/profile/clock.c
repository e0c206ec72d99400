/* cuda backend: the device's time told in the host's.
 * SPDX-License-Identifier: MIT
 */
#include "clock.h"

#define SHARP_NS 20000  /* of a moment that is known worse, only the bounds are taken seriously */
#define MAX_DRIFT 0.001 /* clocks differ by less; more is an error of measuring, or a computer that slept */
#define DRIFT_NS 1e8    /* over less than this it is not to be told from errors of measuring */
#define MIN_RATE 0.5    /* lines are no flatter and no steeper than this */
#define MAX_RATE 2.0
#define SOON_NS \
    1e8 /* the first base gives way to a second one that comes so soon, while nothing has been told */

static double between(double least, double value, double most)
{
    return value < least ? least : value > most ? most : value;
}

static struct cuda_clock_segment *line_of(struct cuda_clock *clock, uint64_t number)
{
    return &clock->lines[number % CUDA_CLOCK_SEGMENTS];
}

uint64_t cuda_clock_oldest(const struct cuda_clock *clock)
{
    return clock->count < CUDA_CLOCK_SEGMENTS ? 0 : clock->count - (CUDA_CLOCK_SEGMENTS - 1);
}

static double behind_zero(const struct cuda_clock *clock, uint64_t time)
{
    return (double)(int64_t)(time - clock->zero);
}

static double measured_of(const struct cuda_clock *clock, const struct cuda_clock_interval *moment,
                          double expected)
{
    if (moment->most - moment->least <= SHARP_NS)
        return behind_zero(clock, moment->guess);
    return between(behind_zero(clock, moment->least), expected, behind_zero(clock, moment->most));
}

/* Host nanoseconds in a device nanosecond, over all lines that are kept. */
static double drift_of(struct cuda_clock *clock, const struct cuda_clock_segment *newest)
{
    const struct cuda_clock_segment *oldest = line_of(clock, cuda_clock_oldest(clock));
    double length                           = newest->device - oldest->device;
    double rate = length > DRIFT_NS ? (newest->measured - oldest->measured) / length : 1;
    return rate < 1 - MAX_DRIFT || rate > 1 + MAX_DRIFT ? 1 : rate;
}

static void add_first(struct cuda_clock *clock, const struct cuda_clock_interval *moment)
{
    clock->count    = 1;
    clock->zero     = moment->guess;
    clock->told     = -1;
    clock->drift    = 1;
    clock->lines[0] = (struct cuda_clock_segment){.rate = 1, .rate_behind = 1};
}

/* The line bends behind what was told of it, so as to end at `measured`. */
static void bend(struct cuda_clock_segment *line, double told, double length, double measured)
{
    line->knee        = told;
    line->rate_behind = line->rate;
    if (length > told)
        line->rate_behind =
            between(MIN_RATE, (measured - line->host - told * line->rate) / (length - told), MAX_RATE);
}

void cuda_clock_add(struct cuda_clock *clock, double elapsed, const struct cuda_clock_interval *moment,
                    double next)
{
    if (clock->count == 0 || (clock->count == 1 && !clock->has_told && elapsed < SOON_NS)) {
        add_first(clock, moment);
        return;
    }
    struct cuda_clock_segment *last = line_of(clock, clock->count - 1), *line = line_of(clock, clock->count);
    double told     = clock->told > 0 ? clock->told : 0;
    double measured = measured_of(clock, moment, last->measured + elapsed * clock->drift);
    *line           = (struct cuda_clock_segment){
                  .rate = last->rate, .measured = measured, .device = last->device + elapsed};
    if (told >= elapsed) { /* the base is among what was told: the same line goes on from here */
        last->knee  = elapsed;
        line->host  = last->host + elapsed * last->rate;
        clock->told = told - elapsed;
        clock->count++;
        return;
    }
    bend(last, told, elapsed, measured);
    line->host   = last->host + told * last->rate + (elapsed - told) * last->rate_behind;
    clock->drift = drift_of(clock, line);
    line->rate   = between(MIN_RATE, clock->drift + (measured - line->host) / next, MAX_RATE);
    clock->told  = -1;
    clock->count++;
}

/* What was rounded on the way from the driver does not lead past the next line's beginning. */
static double tell_older(const struct cuda_clock_segment *line, const struct cuda_clock_segment *next,
                         double elapsed)
{
    double host = line->host + elapsed * line->rate;
    if (elapsed > line->knee)
        host = line->host + line->knee * line->rate + (elapsed - line->knee) * line->rate_behind;
    return host < next->host ? host : next->host;
}

uint64_t cuda_clock_convert(struct cuda_clock *clock, uint64_t number, double elapsed)
{
    const struct cuda_clock_segment *line = line_of(clock, number);
    double host;
    clock->has_told = true;
    if (number + 1 == clock->count) {
        host        = line->host + elapsed * line->rate;
        clock->told = elapsed > clock->told ? elapsed : clock->told;
    } else {
        host = tell_older(line, line_of(clock, number + 1), elapsed);
    }
    return clock->zero + (uint64_t)(int64_t)host;
}
