/* Which strategy gets most done: what TRM_STREAM_AUTO measures.
 *
 * Strategies take turns, of some tasks each. The rate of a turn is its work for each nanosecond in which a
 * stream had work; the work is the sum of the least times that its tasks are known to take. So neither
 * another mix of tasks nor a pause of the program changes a rate much. The first tasks after a change of
 * strategy are not counted. The fastest strategy stays, unless round-robin is no slower; the others get a
 * turn now and then, more rarely the longer it stays. Only the last few of its many turns are measured, for
 * comparison with the turns of the others: in all others the pool need not look at the end of each task.
 *
 * Locks: none; the pool locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_POOL_TRIAL_H
#define PIPELINE_POOL_TRIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/stream_pool.h>

#define PIPELINE_POOL_CANDIDATES 3

struct pipeline_pool_trial {
    uint32_t candidate; /* in use */
    uint32_t best;
    uint32_t
        tried; /* candidates behind the best that have had a turn in this round; 0: the best has its turns */
    uint32_t turns;          /* of the best since the others had one */
    uint32_t patience;       /* turns of the best until the others get one */
    uint32_t least_patience; /* after a change; 0: few */
    uint32_t ended;          /* tasks in this turn */
    double work;             /* nanoseconds that are counted in this turn */
    uint64_t busy;           /* nanoseconds of this turn in which streams had work, up to `busy_from` */
    uint64_t busy_from;      /* 0: no stream has work */
    uint32_t working;        /* watches */
    double rates[PIPELINE_POOL_CANDIDATES]; /* 0: not measured yet */
};

/* For devices on which measuring is expensive, since the pool has to look at each task: the first strategy
 * has many turns before the others have their first, so that a program of few tasks pays nothing; later turns
 * are as rare. */
void pipeline_pool_trial_defer(struct pipeline_pool_trial *trial);

/* The strategy to use now. */
int32_t pipeline_pool_trial_strategy(const struct pipeline_pool_trial *trial);

/* The strategy that was measured to be the best; others have a turn now and then. */
int32_t pipeline_pool_trial_best(const struct pipeline_pool_trial *trial);

/* The rate of a strategy in per cent of that of another one; 0: one of them was not measured. */
uint32_t pipeline_pool_trial_percent(const struct pipeline_pool_trial *trial, int32_t strategy,
                                     int32_t other);

/* Whether the tasks of this turn are measured. If not, each one is given to pipeline_pool_trial_add() or
 * pipeline_pool_trial_skip(). */
bool pipeline_pool_trial_is_measuring(const struct pipeline_pool_trial *trial);

/* A task was enqueued whose end the pool does not look at. */
void pipeline_pool_trial_skip(struct pipeline_pool_trial *trial);

/* Work has begun, or ended, on a stream at base_now(). */
void pipeline_pool_trial_begin(struct pipeline_pool_trial *trial, uint64_t now);
void pipeline_pool_trial_end(struct pipeline_pool_trial *trial, uint64_t now);

/* A task has ended that takes at least so many nanoseconds; 0: not known yet. Comes before the end of its
 * work. */
void pipeline_pool_trial_add(struct pipeline_pool_trial *trial, double least, uint64_t now);

#endif
