/* The load of a device: which work it has, and when new work would end.
 *
 * Work is counted by the time that it takes alone. The width is how much of it the device does in a
 * nanosecond while it has several pieces: 1 where they run one after another, more where they run side by
 * side. With a single piece it is 1 by definition, so the width is what was done besides, for each nanosecond
 * with several pieces.
 *
 * Locks: none; the owner locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ESTIMATE_LOAD_H
#define PIPELINE_ESTIMATE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: idle, and nothing is known. Times are in nanoseconds, on one clock. */
struct pipeline_load {
    double work;         /* of the pieces that have not ended */
    uint32_t pieces;     /* that have not ended */
    uint64_t drained_at; /* when they will have ended */
    double width;        /* 0: not measured yet; 1 stands for it */
    /* What is measured now. */
    double done;              /* work that has ended */
    uint64_t single, several; /* nanoseconds with one piece, and with more */
    uint64_t since;           /* up to where they are counted */
    uint32_t ended;           /* pieces */
    bool is_spoiled;          /* a piece was of unknown length */
};

/* When a piece would end that takes `work` alone (0: not known) and whose data is there at `ready_at`. */
uint64_t pipeline_load_predict(const struct pipeline_load *load, uint64_t now, uint64_t ready_at,
                               double work);

/* The device gets such a piece, and ends one. */
void pipeline_load_begin(struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work);
void pipeline_load_end(struct pipeline_load *load, uint64_t now, double work);

#endif
