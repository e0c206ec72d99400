/* cuda backend: converts the device's time to the host's. Arithmetic only; profile.c queries the driver.
 *
 * A base is an event of the device whose host time has been measured. Between two bases, host time is a
 * segment with at most one knee, and the segments join. So converted time is one rising function of device
 * time, however the measurements scatter and the clocks drift. The part of a segment before the latest
 * time that was reported (the knee) stays as it is. Behind the knee, the segment bends towards the
 * measured time of the next base. The next segment corrects the error that remains.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_PROFILE_CLOCK_H
#define CUDA_PROFILE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CUDA_CLOCK_SEGMENTS 64u /* A power of two; one of them is being written. */

/* The host time of a base: an interval, and a guess within it. */
struct cuda_clock_interval {
    uint64_t earliest, guess, latest;
};

struct cuda_clock_segment {
    double host;       /* at the base: nanoseconds after `zero` */
    double rate;       /* host per device nanosecond, before the knee */
    double knee;       /* device nanoseconds after the base; not set in the newest segment */
    double rate_after; /* after the knee */
    double measured;   /* host time of the base as measured, like `host` */
    double device;     /* device nanoseconds after the first base */
};

struct cuda_clock {
    uint64_t zero;  /* host time of the first base */
    uint64_t count; /* of bases; segment n % CUDA_CLOCK_SEGMENTS belongs to base n */
    /* the latest device time converted with the newest segment, after its base; negative: none */
    double reported;
    bool has_reported; /* a time was converted with any segment */
    double drift;      /* host per device nanosecond, as measured over all segments that are kept */
    struct cuda_clock_segment segments[CUDA_CLOCK_SEGMENTS];
};

/* Add a base, `elapsed` device nanoseconds after the last one (unused for the first). `next`: nanoseconds
 * until another base is expected; the error is corrected over that time. */
void cuda_clock_add(struct cuda_clock *clock, double elapsed, const struct cuda_clock_interval *moment,
                    double next);

/* The oldest base whose segment is kept. */
uint64_t cuda_clock_oldest(const struct cuda_clock *clock);

/* The host time `elapsed` device nanoseconds after base `number`. It must be before the next base; only
 * for the oldest base may it be negative. */
uint64_t cuda_clock_convert(struct cuda_clock *clock, uint64_t number, double elapsed);

#endif
