/* Finds the fastest of several strategies, the candidates. A trial decides which candidate each token uses.
 * It is told the time and knows nothing else, so tests can feed it with made-up times.
 *
 * What is compared are ways: a candidate with a number of slots. A trial that may use fewer (pipelines whose
 * depth the library chooses) compares the two fastest candidates with one slot less as well: what is the
 * fastest with four slots need not be so with three.
 *
 * The cost of a trial is what its tokens take longer than those of the best way would have: they are work
 * of the program, so the rest of their time is not lost. It may be the time of 64 tokens of the best way,
 * whether these are short or long. So what is far behind has few tokens, and what is hardly slower has many,
 * which are needed to tell: 16 tokens show that a way takes twice as long and cost the time of 16, and 300
 * that take a fiftieth longer cost 6.
 *
 *     looks    Each candidate carries a few tokens. Those far from the best are out, for the time being.
 *     cold     Of short tokens, a round of turns of those that are left, and with fewer slots.
 *     warming  Of short tokens, the best so far goes on until the device is warm, as clocks rise with work.
 *              Others that may turn out to be better are checked now and then, and take its place if they
 *              are. What was measured before is forgotten.
 *     again    Second looks at what is out, the nearest first, as far as they cost little.
 *     rounds   Turns of those near the best, whose costs get equal parts of what may still be spent.
 *     proof    The winner runs alone and confirms its result, because a device may run a strategy fast only
 *              while it is new; long tokens do so longer. If it fails to, another way gets its chance.
 *
 * What has been spent is counted while the trial runs, by what is known then, also tokens of a way that
 * seemed the best when it had its turn. When that comes to the limit, the trial ends with the best so far.
 * Beyond the limit are only a first look at each candidate, tokens in flight of one that is given up, and a
 * proof after a way of short tokens has become slow.
 *
 * Ways take turns, forward and backward (A B C, C B A), so that slow changes, such as a rising clock,
 * favour none of them. At the beginning of a turn the slots hold tokens of another way and resources are
 * created, so the first tokens do not count. Then stretches of tokens are timed. For short stretches a
 * way's result is the upper end of its fastest third, because other work on the machine only makes
 * stretches longer; for long ones, where that matters less than how many tokens happened to end in each, it
 * is their mean. A look is a single short stretch: one that a pause takes most of is repeated.
 *
 * A way whose first turn takes far longer than the best would have, apart from single pauses, is given up at
 * once: large tokens may take many times as long where kernels reach over a bus, and those that are in
 * flight then cost more than 64 tokens. In the end the first in the list that is about as fast as the
 * fastest wins, if that also holds for its slower stretches; simpler strategies come first in the list, and
 * fewer slots last.
 *
 * Stretches are timed only while the pipeline is in flow: a run begins with empty slots, which take the
 * first tokens at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_STRATEGY_TRIAL_H
#define PIPELINE_TRIAL_STRATEGY_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define PIPELINE_TRIAL_CANDIDATES 5
#define PIPELINE_TRIAL_FEWER 2 /* of them are compared with fewer slots */
#define PIPELINE_TRIAL_WAYS (PIPELINE_TRIAL_CANDIDATES + PIPELINE_TRIAL_FEWER)
#define PIPELINE_TRIAL_SAMPLES 16

enum pipeline_trial_phase {
    PIPELINE_TRIAL_LOOKS  = 0, /* at each candidate */
    PIPELINE_TRIAL_COLD   = 1, /* a round while the device may still be cold */
    PIPELINE_TRIAL_WARMS  = 2, /* the fastest so far runs until the device is warm */
    PIPELINE_TRIAL_AGAIN  = 3, /* looks again at some that seemed slow */
    PIPELINE_TRIAL_ROUNDS = 4,
    PIPELINE_TRIAL_PROVES = 5, /* `current` is confirming its result */
};

struct pipeline_trial_way {
    uint32_t candidate;                  /* its number */
    uint32_t fewer;                      /* slots that rest */
    uint64_t ns[PIPELINE_TRIAL_SAMPLES]; /* per token, in each stretch */
    uint32_t count;
    uint32_t tokens;    /* enqueued since what they cost was counted */
    uint32_t excess;    /* 1/1024 of the best: what was known before; see is_cold */
    bool is_cold;       /* `ns` are of a device that may have been cold, so `excess` counts */
    bool is_long;       /* all its stretches are long */
    bool is_eliminated; /* too slow to go on */
    bool is_looked_at;  /* in this round, for the second time */
    bool is_given_up;   /* in its first turn; it stays eliminated */
    bool is_like_last;  /* reaches memory as the candidate before it does, and is given up with that */
    bool is_proven;     /* it confirmed its result; `ns` are the stretches of that */
};

struct pipeline_trial {
    struct pipeline_trial_way ways[PIPELINE_TRIAL_WAYS];
    uint32_t count;             /* of ways: the candidates, the simplest first, and those with fewer slots */
    bool may_rest;              /* slots; false: all are always in use */
    bool rests;                 /* the same for the tokens of now */
    bool is_over;               /* `current` stays */
    uint32_t current;           /* the way whose turn it is */
    uint32_t round, last_round; /* 0: the first rounds are not over */
    int32_t phase;              /* enum pipeline_trial_phase */
    bool is_long;               /* all the first stretches were */
    bool is_proof_long;         /* of long stretches */
    uint64_t spent;             /* 1/1024 of a token of the best: what the rounds have cost */
    uint32_t lead;              /* the best when the turn began */
    uint32_t before;            /* tokens of `current` when its turn began */
    uint32_t proof_tokens;      /* what the proof may take, for its cost */
    uint32_t part;              /* tokens of a turn that warms the device */
    bool is_warm;               /* the device */
    uint32_t repeats;           /* of the look of this turn */
    uint32_t stretches;         /* of this turn */
    uint32_t tokens;            /* enqueued since the turn or the run began */
    uint32_t depth;             /* of the pipeline at that time */
    uint32_t misses;            /* runs that began since the last stretch ended */
    uint32_t counted;           /* tokens since `begin`, fewer than the slots in use */
    /* earlier tokens and their time: a stretch goes on in the next run */
    uint32_t stretch_tokens;
    uint64_t stretch_ns;
    uint64_t stretch_pause; /* the longest time between two of them */
    uint64_t stretch_last;  /* when the last of them was enqueued */
    uint64_t begin;
    uint64_t began;       /* when the first token was enqueued */
    uint64_t turn_began;  /* when those of the turn before had left the slots */
    uint32_t turn_tokens; /* since then */
    uint64_t turn_last;   /* when the last of them was enqueued */
    uint64_t turn_pauses; /* the longest times between two of them that do not count */
    uint64_t turn_pause;  /* the longest since the last of those */
};

/* count: 1 to PIPELINE_TRIAL_CANDIDATES. may_rest: also with a slot less. */
void pipeline_trial_begin(struct pipeline_trial *trial, uint32_t count, bool may_rest);

/* After the beginning: a candidate reaches memory as the one before it does. Where that is given up, it is
 * not tried. */
void pipeline_trial_join(struct pipeline_trial *trial, uint32_t candidate);

/* Tells that a run begins. */
void pipeline_trial_interrupt(struct pipeline_trial *trial);

/* The way of the token that is enqueued now (nanoseconds of any clock). rests: slots may rest now. Otherwise
 * a way with fewer is the same as that with all: it is not tried, and dropped if it was. */
uint32_t pipeline_trial_next(struct pipeline_trial *trial, uint32_t depth, bool rests, uint64_t now);

/* Whether the next token counts, or fills the slots before those that do; measuring it would disturb the
 * trial. */
bool pipeline_trial_timing(const struct pipeline_trial *trial, uint32_t depth);

/* Nanoseconds per token of a way; 0: unknown. */
uint64_t pipeline_trial_result(const struct pipeline_trial *trial, uint32_t way);

#endif
