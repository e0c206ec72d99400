/* Prediction in closed form.
 *
 * A token's stage begins when the previous stage has ended, when the token `lanes` before it has left the
 * stage, and, for the first stage, when the token `depth` before it has ended. So its end is the longest path
 * back to the beginning: through all stages once, and then, as often as tokens are left, round any stage
 * (`lanes` tokens back, the stage's time), round the memory of the host (one token back) or round a slot
 * (`depth` tokens back, the time of all stages). Any selection of rounds makes a path. Finding the longest
 * one is an unbounded knapsack problem: its size is the token's number, its items are the rounds.
 *
 * The number of tokens may be large: the best kind of round has the most time for each token that it goes
 * back. An optimal selection has fewer rounds of other kinds than the best kind goes back tokens, because
 * among that many others some go back a multiple of it together, and can be exchanged. So only a small rest
 * is searched, and everything else is rounds of the best kind. Compare: Gilmore and Gomory, "The theory and
 * computation of knapsack functions", Operations Research 14 (1966).
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/predict.h"

#include <string.h>

enum {
    ROUNDS_MOST = TRM_STAGES + 2,
    REST_MOST   = PIPELINE_PREDICT_DEPTH_MOST * PIPELINE_PREDICT_DEPTH_MOST
};

struct round {
    uint32_t tokens; /* that it goes back */
    uint64_t time;
};

struct rounds {
    uint32_t count, best, longest; /* longest: the most tokens that any goes back */
    struct round all[ROUNDS_MOST];
};

static void add_round(struct rounds *rounds, uint32_t tokens, uint64_t time)
{
    struct round *best = &rounds->all[rounds->best];

    if (time == 0)
        return;
    if (rounds->count > 0 && (unsigned __int128)time * best->tokens > (unsigned __int128)best->time * tokens)
        rounds->best = rounds->count;
    if (tokens > rounds->longest)
        rounds->longest = tokens;
    rounds->all[rounds->count++] = (struct round){tokens, time};
}

/* The rounds of the stages up to `last`, and of slots if slot_time is not 0. */
static struct rounds make_rounds(const struct pipeline_model *model, int32_t last, uint64_t slot_time)
{
    struct rounds rounds = {0};

    for (int32_t i = 0; i <= last; i++)
        add_round(&rounds, model->lanes[i], model->time[i]);
    if ((int32_t)pipeline_model_first_copy(model) <= last)
        add_round(&rounds, 1, model->host_time);
    add_round(&rounds, model->depth, slot_time);
    return rounds;
}

/* The most time of rounds that go back at most `tokens` together. */
static uint64_t longest_rounds(const struct rounds *rounds, uint64_t tokens)
{
    uint64_t most[REST_MOST + PIPELINE_PREDICT_DEPTH_MOST];
    const struct round *best = &rounds->all[rounds->best];
    uint64_t searched, sure = 0;

    if (rounds->count == 0)
        return 0;
    searched = (uint64_t)(best->tokens - 1) * rounds->longest;
    if (tokens > searched) {
        sure = (tokens - searched) / best->tokens;
        tokens -= sure * best->tokens;
    }
    most[0] = 0;
    for (uint64_t i = 1; i <= tokens; i++) {
        most[i] = most[i - 1];
        for (uint32_t r = 0; r < rounds->count; r++) {
            const struct round *round = &rounds->all[r];
            if (round->tokens <= i && most[i - round->tokens] + round->time > most[i])
                most[i] = most[i - round->tokens] + round->time;
        }
    }
    return most[tokens] + sure * best->time;
}

void pipeline_predict_exact(const struct pipeline_model *model, int32_t critical,
                            struct pipeline_model_times *times)
{
    uint64_t last = model->tokens - 1, all = 0, before = 0, done;

    for (int32_t i = 0; i < TRM_STAGES; i++) {
        all += model->time[i];
        before += i <= critical ? model->time[i] : 0;
    }
    struct rounds rounds       = make_rounds(model, TRM_STAGES - 1, all);
    struct rounds no_slots     = make_rounds(model, critical, 0);
    const struct round *steady = &rounds.all[rounds.best];

    times->startup = all;
    times->elapsed = all + longest_rounds(&rounds, last);
    times->period  = (steady->time + steady->tokens / 2) / steady->tokens;

    /* The last token's critical stage: later stages matter only through slots. */
    done = longest_rounds(&no_slots, last);
    if (last >= model->depth) {
        uint64_t by_slot = all + longest_rounds(&rounds, last - model->depth);
        done             = by_slot > done ? by_slot : done;
    }
    times->critical_done = before + done;
}
