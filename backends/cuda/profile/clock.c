/* cuda backend: converts the device's time to the host's.
 * SPDX-License-Identifier: MIT
 */
#include "clock.h"

/* An interval that is wider than this is used only for its bounds. */
#define SHARP_NS 20000
/* Clocks differ by less. A larger drift is an error of measurement, or a computer that was suspended. */
#define MAX_DRIFT 0.001
/* Over less than this, drift cannot be told from errors of measurement. */
#define DRIFT_NS 1e8
/* The slope of a segment is within these. */
#define MIN_RATE 0.5
#define MAX_RATE 2.0
/* A second base that comes sooner than this replaces the first, unless a time has been converted. */
#define SOON_NS 1e8

static double clamp(double earliest, double value, double latest)
{
    return value < earliest ? earliest : value > latest ? latest : value;
}

static struct cuda_clock_segment *segment_of(struct cuda_clock *clock, uint64_t number)
{
    return &clock->segments[number % CUDA_CLOCK_SEGMENTS];
}

uint64_t cuda_clock_oldest(const struct cuda_clock *clock)
{
    return clock->count < CUDA_CLOCK_SEGMENTS ? 0 : clock->count - (CUDA_CLOCK_SEGMENTS - 1);
}

static double after_zero(const struct cuda_clock *clock, uint64_t time)
{
    return (double)(int64_t)(time - clock->zero);
}

static double measured_of(const struct cuda_clock *clock, const struct cuda_clock_interval *moment,
                          double expected)
{
    if (moment->latest - moment->earliest <= SHARP_NS)
        return after_zero(clock, moment->guess);
    return clamp(after_zero(clock, moment->earliest), expected, after_zero(clock, moment->latest));
}

/* Host nanoseconds per device nanosecond, over all segments that are kept. */
static double drift_of(struct cuda_clock *clock, const struct cuda_clock_segment *newest)
{
    const struct cuda_clock_segment *oldest = segment_of(clock, cuda_clock_oldest(clock));
    double length                           = newest->device - oldest->device;
    double rate = length > DRIFT_NS ? (newest->measured - oldest->measured) / length : 1;
    return rate < 1 - MAX_DRIFT || rate > 1 + MAX_DRIFT ? 1 : rate;
}

static void add_first(struct cuda_clock *clock, const struct cuda_clock_interval *moment)
{
    clock->count       = 1;
    clock->zero        = moment->guess;
    clock->reported    = -1;
    clock->drift       = 1;
    clock->segments[0] = (struct cuda_clock_segment){.rate = 1, .rate_after = 1};
}

/* Bend the segment at `reported`, so that it ends at `measured`. */
static void bend(struct cuda_clock_segment *segment, double reported, double length, double measured)
{
    segment->knee       = reported;
    segment->rate_after = segment->rate;
    if (length > reported)
        segment->rate_after = clamp(
            MIN_RATE, (measured - segment->host - reported * segment->rate) / (length - reported), MAX_RATE);
}

void cuda_clock_add(struct cuda_clock *clock, double elapsed, const struct cuda_clock_interval *moment,
                    double next)
{
    if (clock->count == 0 || (clock->count == 1 && !clock->has_reported && elapsed < SOON_NS)) {
        add_first(clock, moment);
        return;
    }
    struct cuda_clock_segment *last    = segment_of(clock, clock->count - 1),
                              *segment = segment_of(clock, clock->count);
    double reported                    = clock->reported > 0 ? clock->reported : 0;
    double measured                    = measured_of(clock, moment, last->measured + elapsed * clock->drift);
    *segment                           = (struct cuda_clock_segment){
                                  .rate = last->rate, .measured = measured, .device = last->device + elapsed};
    if (reported >= elapsed) { /* a time behind the base was reported: the same line continues */
        last->knee      = elapsed;
        segment->host   = last->host + elapsed * last->rate;
        clock->reported = reported - elapsed;
        clock->count++;
        return;
    }
    bend(last, reported, elapsed, measured);
    segment->host   = last->host + reported * last->rate + (elapsed - reported) * last->rate_after;
    clock->drift    = drift_of(clock, segment);
    segment->rate   = clamp(MIN_RATE, clock->drift + (measured - segment->host) / next, MAX_RATE);
    clock->reported = -1;
    clock->count++;
}

/* A rounding error of the driver does not lead past the beginning of the next segment. */
static double convert_older(const struct cuda_clock_segment *segment, const struct cuda_clock_segment *next,
                            double elapsed)
{
    double host = segment->host + elapsed * segment->rate;
    if (elapsed > segment->knee)
        host =
            segment->host + segment->knee * segment->rate + (elapsed - segment->knee) * segment->rate_after;
    return host < next->host ? host : next->host;
}

uint64_t cuda_clock_convert(struct cuda_clock *clock, uint64_t number, double elapsed)
{
    const struct cuda_clock_segment *segment = segment_of(clock, number);
    double host;
    clock->has_reported = true;
    if (number + 1 == clock->count) {
        host            = segment->host + elapsed * segment->rate;
        clock->reported = elapsed > clock->reported ? elapsed : clock->reported;
    } else {
        host = convert_older(segment, segment_of(clock, number + 1), elapsed);
    }
    return clock->zero + (uint64_t)(int64_t)host;
}
