/* cuda backend: the device's clock beside the host's, by tokens of kernels that stay.
 * SPDX-License-Identifier: MIT
 */
#include "clock.h"

#define DRIFT_EACH 10000u /* clocks drift apart by less than 1 ns in so many (100 ppm) */

void cuda_resident_clock_note(struct cuda_resident_clock *clock, uint64_t submitted, uint64_t seen,
                              uint64_t begin, uint64_t end)
{
    int64_t low = (int64_t)(submitted - begin), high = (int64_t)(seen - end);
    if (clock->noted != 0) {
        int64_t drift = (int64_t)((seen - clock->noted) / DRIFT_EACH);
        int64_t least = clock->low - drift, most = clock->high + drift;
        bool agrees = least <= high && most >= low;
        /* A clock that was set, or drifts faster, starts anew. */
        if (agrees) {
            low  = least > low ? least : low;
            high = most < high ? most : high;
        }
    }
    *clock = (struct cuda_resident_clock){.noted = seen, .low = low, .high = high};
}

uint64_t cuda_resident_clock_convert(const struct cuda_resident_clock *clock, uint64_t device)
{
    return device + (uint64_t)(clock->low + (clock->high - clock->low) / 2);
}
