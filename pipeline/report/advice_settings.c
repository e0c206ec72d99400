/* Advice about settings: threads that load, and slots.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "pipeline/report/advice.h"

enum {
    WORKERS_MOST = 16,
    SINKS_MOST   = 8,
    WORKERS_STEP = 4, /* times as many at once; the next run tells whether more would help */
    DEPTH_STEP   = 2, /* the same of slots, and one: caches that held the memory of some may not hold more */
    /* each slot gets so many tokens at least, since the first one finds its memory cold and the pipeline
     * empty */
    TOKENS_A_SLOT = 8,
    /* fewer tokens tell too little of how much their times vary */
    RECENT_LEAST = 24,
    SHUFFLES     = 4 /* orders of tokens that are tried for irregular ones */
};

/* What to set, and the gain. */
struct proposal {
    uint32_t workers, sinks, depth;
    double gain;
};

/* ---- proposals ------------------------------------------------------------------------------ */

static struct proposal as_it_is(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;

    return (struct proposal){report->workers, pipeline_advice_sinks(advisor), report->depth, 1};
}

/* Whether load mostly waits, so that more threads than processors can help. */
static bool load_waits(const struct trm_report *report)
{
    return report->load_waiting_ns > report->stages[TRM_STAGE_LOAD].busy_ns / 2;
}

/* Threads beyond this number would only wait for the other stages. */
static uint32_t useful_threads(uint64_t time, uint64_t rest, uint32_t most)
{
    uint64_t useful = rest > 0 ? time / rest + 2 : most;

    return useful < most ? (uint32_t)useful : most;
}

static uint32_t fewer(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Whether the times of a stage's single tokens are known and tell more than their mean: a slow token holds up
 * those behind it, since they stay in order. */
static bool is_uneven(const struct pipeline_advisor *advisor, int32_t stage)
{
    const struct trm_stage_report *of = &advisor->report->stages[stage];

    return advisor->facts->recent_count >= RECENT_LEAST && of->most_ns >= 2 * of->mean_ns;
}

/* The gain by the times of single tokens in an order. */
static double gain_of_order(const struct pipeline_advisor *advisor, const struct trm_prediction_desc *desc,
                            const struct pipeline_report_facts *facts)
{
    const struct trm_report *report = advisor->report;
    double before                   = (double)pipeline_predict_recent(&advisor->desc, report->depth, facts);
    double after                    = (double)pipeline_predict_recent(desc, desc->depth, facts);
    double lasted     = (double)report->elapsed_ns / (double)report->tokens * facts->recent_count;
    double enqueueing = (double)pipeline_rates_enqueue(&facts->rates) * facts->recent_count;

    if (after < enqueueing)
        after = enqueueing;
    after +=
        (double)pipeline_advice_filling(advisor, desc->depth) * facts->recent_count / (double)report->tokens;
    /* What the stages do not account for stays as it is. */
    if (lasted > before) {
        after += lasted - before;
        before = lasted;
    }
    return pipeline_advice_at_most(advisor, before / after);
}

/* The gain by the times of single tokens, of which those of a stage vary. Samples do not tell how many tokens
 * are slow: the mean does. Nor do they tell how far apart those are: further slots gain more where slow
 * tokens come at regular intervals, further workers where they do not. Where irregular ones gain less,
 * halfway between is near enough to both. */
static double gain_of_recent(const struct pipeline_advisor *advisor, const struct trm_prediction_desc *desc,
                             int32_t stage)
{
    struct pipeline_stage_times times[PIPELINE_RECENT_TOKENS];
    struct pipeline_report_facts even = *advisor->facts;

    if (advisor->report->measured >= advisor->report->tokens)
        return gain_of_order(advisor, desc, advisor->facts);
    pipeline_even_recent(&advisor->desc, advisor->facts, stage, times);
    even.recent      = times;
    double regular   = gain_of_order(advisor, desc, &even);
    double irregular = 0;
    for (uint32_t i = 0; i < SHUFFLES; i++) {
        pipeline_shuffle_recent(times, even.recent_count, i);
        irregular += gain_of_order(advisor, desc, &even) / SHUFFLES;
    }
    return irregular < regular ? (regular + irregular) / 2 : regular;
}

static uint64_t ends_rest(const struct pipeline_advisor *advisor)
{
    return pipeline_advice_rest(advisor, 1u << TRM_STAGE_LOAD | 1u << TRM_STAGE_SINK);
}

static uint32_t most_workers(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint32_t most = load_waits(report) ? WORKERS_MOST : fewer(advisor->processors, WORKERS_MOST);

    if (pipeline_advice_is_served(report) || report->stages[TRM_STAGE_LOAD].tokens == 0 ||
        !pipeline_advice_can_set(advisor, advisor->facts->words.workers))
        return report->workers;
    if (advisor->facts->source_flags & TRM_END_SERIAL)
        return 1;
    most = fewer(most, WORKERS_STEP * (report->workers > 0 ? report->workers : 1));
    return useful_threads(advisor->desc.stage_ns[TRM_STAGE_LOAD], ends_rest(advisor), most);
}

static uint32_t most_sinks(const struct pipeline_advisor *advisor)
{
    if (advisor->facts->words.sinks[0] == '\0' || (advisor->facts->sink_flags & TRM_END_SERIAL))
        return pipeline_advice_sinks(advisor);
    return useful_threads(advisor->report->stages[TRM_STAGE_SINK].mean_ns, ends_rest(advisor),
                          fewer(advisor->processors, SINKS_MOST));
}

/* The most slots of which the run tells something. Where the pipeline itself has tried fewer at a time and
 * found that the others bring nothing, more would bring nothing either. */
static uint32_t most_slots(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t most                   = (uint64_t)DEPTH_STEP * report->depth + 1;

    if (!pipeline_advice_can_set(advisor, advisor->facts->words.depth) ||
        (report->slots_in_use != 0 && report->slots_in_use < report->depth))
        return report->depth;
    if (most > report->tokens / TOKENS_A_SLOT)
        most = report->tokens / TOKENS_A_SLOT;
    if (most > PIPELINE_PREDICT_DEPTH_MOST)
        most = PIPELINE_PREDICT_DEPTH_MOST;
    return most > report->depth ? (uint32_t)most : report->depth;
}

/* What so many threads would gain. */
static struct proposal with_threads(const struct pipeline_advisor *advisor, uint32_t workers, uint32_t sinks,
                                    bool is_deeper)
{
    struct trm_prediction_desc desc = advisor->desc;
    struct proposal proposal        = {workers, sinks, advisor->desc.depth, 1};
    uint32_t wanted                 = fewer(workers + sinks + 1, most_slots(advisor));

    if (is_deeper && wanted > proposal.depth)
        proposal.depth = wanted;
    desc.depth      = proposal.depth;
    desc.one_thread = workers == 0 && desc.one_thread;
    if (workers > 0)
        desc.lanes[TRM_STAGE_LOAD] = workers;
    if (sinks > pipeline_advice_sinks(advisor)) {
        desc.lanes[TRM_STAGE_SINK]    = sinks;
        desc.stage_ns[TRM_STAGE_SINK] = advisor->report->stages[TRM_STAGE_SINK].mean_ns;
    }
    proposal.gain = is_uneven(advisor, TRM_STAGE_LOAD) ? gain_of_recent(advisor, &desc, TRM_STAGE_LOAD)
                                                       : pipeline_advice_gain(advisor, &desc);
    return proposal;
}

/* The least number of threads that is nearly as good as any. */
static struct proposal propose_threads(const struct pipeline_advisor *advisor)
{
    uint32_t workers = advisor->report->workers, sinks = pipeline_advice_sinks(advisor);
    uint32_t workers_most = most_workers(advisor), sinks_most = most_sinks(advisor);
    struct proposal best = as_it_is(advisor), other;

    for (uint32_t more = 1; workers + sinks + more <= workers_most + sinks_most; more++) {
        for (uint32_t i = 0; i <= more; i++) {
            if (workers + more - i > workers_most || sinks + i > sinks_most)
                continue;
            other = with_threads(advisor, workers + more - i, sinks + i, true);
            if (other.gain > best.gain * 1.03)
                best = other;
        }
    }
    if (best.gain == 1)
        return best;
    /* They may do with the slots that there are. */
    other = with_threads(advisor, best.workers, best.sinks, false);
    return other.gain * 1.02 > best.gain ? other : best;
}

/* A program that submits too few tokens does not fill further slots. */
static bool can_fill_slots(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;

    return !pipeline_advice_is_served(report) ||
           pipeline_advice_percent(report->stages[TRM_STAGE_LOAD].starved_ns, report->elapsed_ns) < 10;
}

/* The least depth that is nearly as good as any. */
static struct proposal propose_depth(const struct pipeline_advisor *advisor)
{
    struct trm_prediction_desc desc = advisor->desc;
    struct proposal best = as_it_is(advisor), least = best;
    uint32_t most = most_slots(advisor);

    if (!can_fill_slots(advisor))
        return best;
    for (desc.depth = best.depth + 1; desc.depth <= most; desc.depth++) {
        double gain = pipeline_advice_gain(advisor, &desc);
        if (gain > best.gain)
            best = (struct proposal){best.workers, best.sinks, desc.depth, gain};
    }
    if (best.gain < PIPELINE_ADVICE_GAIN)
        return least;
    while (least.gain < best.gain * 0.98) {
        desc.depth = ++least.depth;
        least.gain = pipeline_advice_gain(advisor, &desc);
    }
    return least;
}

/* The stage whose longest time is the furthest above its mean. */
static int32_t most_uneven(const struct trm_report *report)
{
    int32_t worst = TRM_STAGE_LOAD;
    uint64_t most = 0;

    for (int32_t i = 0; i < TRM_STAGES; i++) {
        const struct trm_stage_report *stage = &report->stages[i];

        if (stage->most_ns > stage->mean_ns && stage->most_ns - stage->mean_ns > most) {
            most  = stage->most_ns - stage->mean_ns;
            worst = i;
        }
    }
    return worst;
}

/* The depth that evens out stages whose times vary, by the times of single tokens. */
static struct proposal propose_even_depth(const struct pipeline_advisor *advisor, int32_t uneven)
{
    struct trm_prediction_desc desc = advisor->desc;
    struct proposal best            = as_it_is(advisor);

    if (!is_uneven(advisor, uneven) || !can_fill_slots(advisor))
        return best;
    for (desc.depth = best.depth + 1; desc.depth <= most_slots(advisor); desc.depth++) {
        double gain = gain_of_recent(advisor, &desc, uneven);
        if (gain > best.gain * 1.03) {
            best.depth = desc.depth;
            best.gain  = gain;
        }
    }
    return best;
}

/* ---- words ---------------------------------------------------------------------------------- */

static void append(char *text, size_t capacity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t capacity, const char *format, ...)
{
    size_t at = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + at, capacity - at, format, arguments);
    va_end(arguments);
}

/* "use 3 loader workers instead of 1 and depth 5"; "use --workers 3 instead of 1, --sink-workers 2 instead of
 * 1 and --depth 6" */
static void write_use(const struct pipeline_advisor *advisor, const struct proposal *proposal, char *text,
                      size_t capacity)
{
    const struct pipeline_report_words *words = &advisor->facts->words;
    const struct trm_report *report           = advisor->report;
    uint32_t sinks                            = pipeline_advice_sinks(advisor);
    bool is_deeper                            = proposal->depth > report->depth;

    snprintf(text, capacity, "use");
    if (proposal->workers > report->workers && words->are_given)
        append(text, capacity, " %s %u", words->workers, proposal->workers);
    else if (proposal->workers > report->workers)
        append(text, capacity, " %u loader worker%s", proposal->workers, base_plural(proposal->workers));
    if (proposal->workers > report->workers && report->workers > 0)
        append(text, capacity, " instead of %u", report->workers);
    if (proposal->sinks > sinks)
        append(text, capacity, "%s %s %u instead of %u",
               proposal->workers == report->workers ? ""
               : is_deeper                          ? ","
                                                    : " and",
               words->sinks, proposal->sinks, sinks);
    if (is_deeper)
        append(text, capacity, " and %s %u", words->are_given ? words->depth : "depth", proposal->depth);
}

static void keep(const struct pipeline_advisor *advisor, const struct proposal *proposal)
{
    advisor->advised->workers = proposal->workers;
    advisor->advised->sinks   = proposal->sinks;
    advisor->advised->depth   = proposal->depth;
}

static void advise_threads(const struct pipeline_advisor *advisor, const struct proposal *proposal)
{
    const struct trm_report *report = advisor->report;
    uint64_t load = report->stages[TRM_STAGE_LOAD].busy_ns, sink = report->stages[TRM_STAGE_SINK].busy_ns;
    int32_t end   = proposal->workers > report->workers ? TRM_STAGE_LOAD : TRM_STAGE_SINK;
    bool has_both = end == TRM_STAGE_LOAD && proposal->sinks > pipeline_advice_sinks(advisor);
    char use[2 * PIPELINE_ADVICE_TEXT], factor[PIPELINE_ADVICE_TEXT], waits[PIPELINE_ADVICE_TEXT] = "";

    keep(advisor, proposal);
    write_use(advisor, proposal, use, sizeof(use));
    pipeline_advice_factor(factor, proposal->gain);
    if (has_both) {
        pipeline_advise(advisor, TRM_ADVICE_SINKS, report->critical, proposal->gain,
                        "load and sink hold it back (%u %% and %u %% busy): %s (predicted %s x).",
                        pipeline_advice_busy(advisor, TRM_STAGE_LOAD),
                        pipeline_advice_busy(advisor, TRM_STAGE_SINK), use, factor);
        return;
    }
    if (end == TRM_STAGE_SINK) {
        pipeline_advise(advisor, TRM_ADVICE_SINKS, end, proposal->gain,
                        "sink holds it back (%u %% busy): %s (predicted %s x).",
                        pipeline_advice_busy(advisor, end), use, factor);
        return;
    }
    if (report->one_thread && proposal->workers == 1) {
        pipeline_advise(
            advisor, TRM_ADVICE_WORKERS, TRM_STAGE_LOAD, proposal->gain,
            "load and sink take turns in one thread (%u %% busy), which holds it back: %s, so that "
            "load and sink overlap (predicted %s x).",
            pipeline_advice_percent(load + sink, report->elapsed_ns), use, factor);
        return;
    }
    if (load_waits(report))
        snprintf(waits, sizeof(waits), ", of which it waits %u %%",
                 pipeline_advice_percent(report->load_waiting_ns, load));
    pipeline_advise(advisor, TRM_ADVICE_WORKERS, TRM_STAGE_LOAD, proposal->gain,
                    "load holds it back (%u %% busy%s): %s (predicted %s x).",
                    pipeline_advice_busy(advisor, TRM_STAGE_LOAD), waits, use, factor);
}

/* "raise the depth from 1 to 2"; "use --depth 2 instead of 1" */
static void write_depth(const struct pipeline_advisor *advisor, uint32_t depth, char *text, size_t capacity)
{
    const struct pipeline_report_words *words = &advisor->facts->words;

    if (words->are_given)
        snprintf(text, capacity, "use %s %u instead of %u", words->depth, depth, advisor->report->depth);
    else
        snprintf(text, capacity, "raise the depth from %u to %u", advisor->report->depth, depth);
}

static void advise_depth(const struct pipeline_advisor *advisor, const struct proposal *proposal)
{
    const struct trm_report *report = advisor->report;
    char use[PIPELINE_ADVICE_TEXT], factor[PIPELINE_ADVICE_TEXT];

    keep(advisor, proposal);
    write_depth(advisor, proposal->depth, use, sizeof(use));
    pipeline_advise(advisor, TRM_ADVICE_DEPTH, report->critical, proposal->gain,
                    "%s is idle for %u %% of the time, since %s wait for free slots: %s (predicted %s x).",
                    trm_stage_name(report->critical), 100 - pipeline_advice_busy(advisor, report->critical),
                    pipeline_advice_tokens(advisor), use, pipeline_advice_factor(factor, proposal->gain));
}

/* ---- advice --------------------------------------------------------------------------------- */

bool pipeline_advise_settings(const struct pipeline_advisor *advisor)
{
    struct proposal threads = propose_threads(advisor), depth = propose_depth(advisor);
    struct proposal even = propose_even_depth(advisor, most_uneven(advisor->report));

    /* pipeline_advise_even_times() says it. */
    if (even.gain > threads.gain * 0.97 && even.gain > depth.gain && even.gain >= PIPELINE_ADVICE_GAIN)
        return false;
    if (threads.gain < PIPELINE_ADVICE_GAIN && depth.gain < PIPELINE_ADVICE_GAIN)
        return false;
    if (depth.gain > threads.gain * 0.97)
        advise_depth(advisor, &depth);
    else
        advise_threads(advisor, &threads);
    return true;
}

/* A stage's times vary between tokens, so that the next one runs dry now and then. The times of the last
 * tokens tell how much further slots would even out. */
bool pipeline_advise_even_times(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report      = advisor->report;
    int32_t uneven                       = most_uneven(report);
    const struct trm_stage_report *stage = &report->stages[uneven];
    struct proposal proposal             = propose_even_depth(advisor, uneven);
    char least[PIPELINE_ADVICE_TEXT], most[PIPELINE_ADVICE_TEXT], use[PIPELINE_ADVICE_TEXT],
        factor[PIPELINE_ADVICE_TEXT];

    if (proposal.gain < PIPELINE_ADVICE_GAIN)
        return false;
    keep(advisor, &proposal);
    write_depth(advisor, proposal.depth, use, sizeof(use));
    pipeline_time_text(least, sizeof(least), (double)stage->least_ns);
    pipeline_time_text(most, sizeof(most), (double)stage->most_ns);
    pipeline_advise(
        advisor, TRM_ADVICE_DEPTH, uneven, proposal.gain,
        "%s takes from %s to %s for a %s, so that other stages wait for it now and then: %s, which "
        "evens that out (predicted %s x).",
        trm_stage_name(uneven), least, most, pipeline_advice_token(advisor), use,
        pipeline_advice_factor(factor, proposal.gain));
    return true;
}
