/* cuda backend: the device's time told in the host's. Arithmetic alone; profile.c asks the driver.
 *
 * A base is a moment of the device whose time on the host's clock has been taken. From each base to the next, host time is on a line
 * with at most one knee, and the lines join: so what is told is one rising function of the device's time, however the measurements
 * scatter and the clocks drift. Of a line, what lies before the latest moment that was told (the knee) stays as it is; behind it,
 * the line bends towards what was measured for the next base. An error that is left is worked off by the next line.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_PROFILE_CLOCK_H
#define CUDA_PROFILE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CUDA_CLOCK_SEGMENTS 64u /* a power of two; one of them is being written */

/* When a base was, on the host: between these. `guess` lies between them. */
struct cuda_clock_interval {
    uint64_t least, guess, most;
};

struct cuda_clock_segment {
    double host;        /* at the base: nanoseconds behind the clock's zero */
    double rate;        /* of the host's nanoseconds to the device's, up to the knee */
    double knee;        /* the device's nanoseconds behind the base; of no meaning for the newest line */
    double rate_behind; /* the knee */
    double measured;    /* for the base, as `host` */
    double device;      /* nanoseconds of the device behind the first base */
};

struct cuda_clock {
    uint64_t zero;  /* host time of the first base */
    uint64_t count; /* of bases; line n % CUDA_CLOCK_SEGMENTS belongs to base n */
    double told;    /* the latest moment that was told on the newest line, behind its base; negative: none */
    bool has_told;  /* any moment on any line */
    double drift;   /* host nanoseconds in one of the device's, as measured over all lines that are kept */
    struct cuda_clock_segment lines[CUDA_CLOCK_SEGMENTS];
};

/* One more base, `elapsed` device nanoseconds behind the last one (of no meaning for the first). `next` is when another is to be
 * expected: an error is worked off until then. */
void cuda_clock_add(struct cuda_clock *clock, double elapsed, const struct cuda_clock_interval *moment,
                    double next);

/* The oldest base that lines are kept of. */
uint64_t cuda_clock_oldest(const struct cuda_clock *clock);

/* Host time of the moment `elapsed` device nanoseconds behind base `number`; it is before the next base, and negative for the oldest
 * only. */
uint64_t cuda_clock_convert(struct cuda_clock *clock, uint64_t number, double elapsed);

#endif
