/* The load of a device: which work it has, and when new work would end.
 *
 * Work is counted by the time that it takes alone. The width is how much of it the device does in a
 * nanosecond while it has several pieces: 1 where they run one after another, more where they run side by
 * side. With a single piece it is 1 by definition, so the width is what was done besides, for each nanosecond
 * with several pieces.
 *
 * The owner need not know when each piece ends. What is presumed to end as predicted is not counted, and
 * tells nothing of the width; so the width is measured in turns, with more and more presumed pieces between
 * them while it stays the same.
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
    bool is_spoiled;          /* a piece was of unknown length, or presumed */
    /* Pieces whose end is presumed. */
    double presumed;         /* their work, at most */
    uint64_t presumed_until; /* when they will have ended */
    bool was_presuming;      /* in the window that is measured now, or right before it */
    uint32_t patience, rest; /* of them between two turns; how many are left until the next one; 0: none */
};

/* When a piece would end that takes `work` alone (0: not known) and whose data is there at `ready_at`. */
uint64_t pipeline_load_predict(const struct pipeline_load *load, uint64_t now, uint64_t ready_at,
                               double work);

/* When all pieces will have ended; not before now. What is overdue takes as long as it takes from now on. */
uint64_t pipeline_load_drained(const struct pipeline_load *load, uint64_t now);

/* The device gets such a piece, and ends one. */
void pipeline_load_begin(struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work);
void pipeline_load_end(struct pipeline_load *load, uint64_t now, double work);

/* The width is measured now: each piece has to begin and end. */
bool pipeline_load_is_measuring(const struct pipeline_load *load);
/* The device gets such a piece, and nothing will tell of its end. */
void pipeline_load_presume(struct pipeline_load *load, uint64_t now, uint64_t ready_at, double work);
/* A piece that was predicted to end at `predicted` ends now, before pipeline_load_end(): so what is presumed
 * to end behind it ends earlier or later. */
void pipeline_load_put_right(struct pipeline_load *load, uint64_t now, uint64_t predicted);

#endif
