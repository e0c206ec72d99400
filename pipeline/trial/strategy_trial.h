/* Finds the fastest of several strategies, the candidates. A trial decides which candidate each token uses.
 * It is told the time and knows nothing else, so tests can feed it with made-up times.
 *
 * Candidates take turns, forward and backward (A B C, C B A), so that slow changes, such as a rising clock,
 * favour none of them. At the beginning of a turn the slots hold tokens of another candidate and resources
 * are created, so the first tokens do not count. Then stretches of tokens are timed. For short stretches a
 * candidate's result is the upper end of its fastest third, because other work on the machine only makes
 * stretches longer; for long ones, where that matters less than how many tokens happened to end in each, it
 * is their mean.
 *
 * A candidate whose first turn takes far longer than the best would have, apart from single pauses, is given
 * up at once: large tokens may take many times as long where kernels reach over a bus. After the first rounds
 * only candidates near the best go on. In the end the first in the list that is nearly as fast as the fastest
 * wins, if that also holds for its slower stretches; simpler strategies come first in the list. The winner
 * then has to confirm its result in further stretches, because a device may run a strategy fast only while it
 * is new; if it fails to, another candidate gets its chance.
 *
 * Stretches are timed only while the pipeline is in flow: a run begins with empty slots, which take the first
 * tokens at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_STRATEGY_TRIAL_H
#define PIPELINE_TRIAL_STRATEGY_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define PIPELINE_TRIAL_WAYS 5
#define PIPELINE_TRIAL_SAMPLES 16

struct pipeline_trial_way {
    uint64_t ns[PIPELINE_TRIAL_SAMPLES]; /* per token, in each stretch */
    uint32_t count;
    bool is_long;       /* all its stretches are long */
    bool is_eliminated; /* too slow to go on */
    bool is_given_up;   /* in its first turn; it stays eliminated */
    bool is_proven;     /* it confirmed its result; `ns` are the stretches of that */
};

struct pipeline_trial {
    struct pipeline_trial_way ways[PIPELINE_TRIAL_WAYS];
    uint32_t count;   /* of candidates, the simplest first */
    bool is_over;     /* `current` stays */
    uint32_t current; /* the candidate whose turn it is */
    uint32_t round;
    bool is_proving;    /* `current` is confirming its result */
    uint32_t stretches; /* of this turn */
    uint32_t tokens;    /* enqueued since the turn or the run began */
    uint32_t depth;     /* slots at that time */
    uint32_t misses;    /* runs that began since the last stretch ended */
    uint32_t counted;   /* tokens since `begin`, fewer than the depth */
    /* earlier tokens and their time: a stretch goes on in the next run */
    uint32_t stretch_tokens;
    uint64_t stretch_ns;
    uint64_t begin;
    uint64_t began;       /* when the first token was enqueued */
    uint64_t turn_began;  /* when those of the turn before had left the slots */
    uint32_t turn_tokens; /* since then */
    uint64_t turn_last;   /* when the last of them was enqueued */
    uint64_t turn_pauses; /* the longest times between two of them that do not count */
    uint64_t turn_pause;  /* the longest since the last of those */
};

/* count: 1 to PIPELINE_TRIAL_WAYS candidates. */
void pipeline_trial_begin(struct pipeline_trial *trial, uint32_t count);

/* Tells that a run begins. */
void pipeline_trial_interrupt(struct pipeline_trial *trial);

/* The candidate of the token that is enqueued now (nanoseconds of any clock). */
uint32_t pipeline_trial_next(struct pipeline_trial *trial, uint32_t depth, uint64_t now);

/* Whether the next token counts, or fills the slots before those that do; measuring it would disturb the
 * trial. */
bool pipeline_trial_timing(const struct pipeline_trial *trial, uint32_t depth);

/* Nanoseconds per token of a candidate; 0: unknown. */
uint64_t pipeline_trial_result(const struct pipeline_trial *trial, uint32_t way);

#endif
