/* When the width of a device is measured again.
 * SPDX-License-Identifier: MIT
 */
#include <time.h>

#include "pipeline/model/stored.h"

#define MINUTE (UINT64_C(60) * 1000000000)

/* So many undisturbed measurements settle it, or so many in all. */
#define STEADY_MOST 3u
#define MADE_MOST 12u

uint64_t pipeline_stored_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* A minute after the first one, then after two, four and so on. A clock that was put back does not count. */
bool pipeline_stored_width_is_due(const struct pipeline_stored_width *width, uint64_t now)
{
    if (width->made == 0)
        return true;
    if (width->steady >= STEADY_MOST || width->made >= MADE_MOST)
        return false;
    return now < width->measured || now - width->measured >= MINUTE << (width->made - 1);
}

void pipeline_stored_width_add(struct pipeline_stored_width *width, uint32_t streams, bool is_steady,
                               uint64_t now)
{
    if (streams > width->streams)
        width->streams = streams;
    width->made += width->made < MADE_MOST;
    width->steady += is_steady && width->steady < STEADY_MOST;
    width->measured = now;
}
