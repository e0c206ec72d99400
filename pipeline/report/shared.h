/* What the devices of a group share: how fast each copies while the others do too, and alone.
 *
 * Locks: none; the owner locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_SHARED_H
#define PIPELINE_REPORT_SHARED_H

#include <stddef.h>
#include <stdint.h>
#include <trireme/report.h>

#include "pipeline/report/measure.h"

/* A copy is compared with so many before it and after it. */
#define PIPELINE_SHARED_NEAR 16

struct pipeline_shared_copy {
    uint64_t token; /* its index */
    uint64_t begin, end, bytes;
    uint32_t device;
};

/* The copies of one direction. */
struct pipeline_shared_link {
    struct pipeline_shared_copy last[2 * PIPELINE_SHARED_NEAR];
    uint64_t count; /* copies so far */
    struct pipeline_shared_speed {
        uint64_t bytes, time, copies;
    } alone[TRM_REPORT_DEVICES], together[TRM_REPORT_DEVICES];
};

/* All zero: nothing is known. */
struct pipeline_shared {
    struct pipeline_shared_link links[PIPELINE_COPIES];
};

/* Learns from a token that has ended, in the order of ends. Tokens without times change nothing. */
void pipeline_shared_add(struct pipeline_shared *shared, const struct pipeline_token_times *times);

/* Says which copies are slower together than alone, "" if none are known to be. */
void pipeline_shared_say(const struct pipeline_shared *shared, char *text, size_t capacity);

#endif
