/* The advice: one sentence that says what limits a run and what would help. Gains are predicted, by asking
 * trm_predict() how long the same tokens would take.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/advice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Per cent of the processors' time: where the program itself uses so much, other programs take little. */
#define FULL_OF_OWN_WORK 80u

/* ---- what the kinds use --------------------------------------------------------------------- */

void pipeline_advise(const struct pipeline_advisor *advisor, int32_t kind, int32_t stage, double gain,
                     const char *format, ...)
{
    va_list arguments;

    advisor->advised->kind  = kind;
    advisor->advised->stage = stage;
    advisor->advised->gain  = gain;
    va_start(arguments, format);
    vsnprintf(advisor->text, advisor->capacity, format, arguments);
    va_end(arguments);
}

uint32_t pipeline_advice_percent(uint64_t part, uint64_t whole)
{
    uint64_t share = whole == 0 ? 0 : (uint64_t)(((unsigned __int128)part * 100 + whole / 2) / whole);

    return share < 100 ? (uint32_t)share : 100;
}

uint32_t pipeline_advice_busy(const struct pipeline_advisor *advisor, int32_t stage)
{
    return pipeline_advice_percent(advisor->report->stages[stage].busy_ns, advisor->report->elapsed_ns);
}

double pipeline_advice_at_most(const struct pipeline_advisor *advisor, double gain)
{
    const struct trm_report *report = advisor->report;
    uint64_t work                   = report->processor_ns / advisor->processors;

    if (work > 0 && gain > (double)report->elapsed_ns / (double)work)
        gain = (double)report->elapsed_ns / (double)work;
    return gain;
}

uint64_t pipeline_advice_filling(const struct pipeline_advisor *advisor, uint32_t depth)
{
    uint32_t now = advisor->report->depth;

    return depth > now ? advisor->facts->slot_ns * (depth - now) : 0;
}

double pipeline_advice_gain_from(const struct pipeline_advisor *advisor, uint64_t elapsed,
                                 const struct trm_prediction_desc *desc)
{
    struct trm_prediction other = {.struct_size = sizeof(other)};
    uint64_t enqueueing         = pipeline_rates_enqueue(&advisor->facts->rates) * desc->tokens;

    if (trm_predict(desc, &other) != TRM_OK || other.elapsed_ns == 0)
        return 1;
    /* Tokens are enqueued one after the other, however their stages overlap. */
    if (other.elapsed_ns < enqueueing)
        other.elapsed_ns = enqueueing;
    other.elapsed_ns += pipeline_advice_filling(advisor, desc->depth);
    return pipeline_advice_at_most(advisor, (double)elapsed / (double)other.elapsed_ns);
}

double pipeline_advice_gain(const struct pipeline_advisor *advisor, const struct trm_prediction_desc *desc)
{
    return pipeline_advice_gain_from(advisor, advisor->now.elapsed_ns, desc);
}

char *pipeline_advice_factor(char *text, double gain)
{
    return pipeline_number_text(text, PIPELINE_ADVICE_TEXT, gain, gain < 2 ? 2 : gain < 10 ? 1 : 0);
}

/* An idle machine preempts less than twenty times a second. A program that keeps all processors busy takes
 * them from itself. */
bool pipeline_advice_is_disturbed(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t work                   = report->processor_ns / advisor->processors;

    return report->preempted >= 10 && report->preempted >= report->elapsed_ns / 1000000 / 50 &&
           pipeline_advice_percent(work, report->elapsed_ns) < FULL_OF_OWN_WORK;
}

bool pipeline_advice_is_served(const struct trm_report *report)
{
    return report->workers == 0 && report->one_thread == 0;
}

/* A program that loads in the same thread does not take results meanwhile: then load is the limit. */
bool pipeline_advice_waits_for_program(const struct pipeline_advisor *advisor, uint32_t least)
{
    const struct trm_report *report    = advisor->report;
    const struct trm_stage_report *end = &report->stages[TRM_STAGE_SINK];

    if ((!pipeline_advice_is_served(report) && !advisor->facts->is_started) || end->tokens == 0 ||
        report->efficiency >= 0.85 || pipeline_advice_busy(advisor, TRM_STAGE_LOAD) >= 50)
        return false;
    return pipeline_advice_percent(end->busy_ns + end->blocked_ns, report->elapsed_ns) >= least;
}

char *pipeline_advice_taking(const struct pipeline_advisor *advisor, char *text)
{
    return pipeline_time_text(text, PIPELINE_ADVICE_TEXT,
                              (double)advisor->report->elapsed_ns / (double)advisor->report->tokens);
}

bool pipeline_advice_can_set(const struct pipeline_advisor *advisor, const char *option)
{
    return !advisor->facts->words.are_given || option[0] != '\0';
}

const char *pipeline_advice_token(const struct pipeline_advisor *advisor)
{
    return advisor->facts->words.token[0] != '\0' ? advisor->facts->words.token : "token";
}

const char *pipeline_advice_tokens(const struct pipeline_advisor *advisor)
{
    return advisor->facts->words.tokens[0] != '\0' ? advisor->facts->words.tokens : "tokens";
}

uint32_t pipeline_advice_sinks(const struct pipeline_advisor *advisor)
{
    return advisor->facts->words.sink_count > 0 ? advisor->facts->words.sink_count : 1;
}

/* ---- the advice ----------------------------------------------------------------------------- */

static bool has_measured(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;

    if (report->measured > 0 && report->tokens > 0 && report->elapsed_ns > 0)
        return true;
    if (report->tokens == 0 && report->expired > 0)
        pipeline_advise_drops(advisor);
    else if (report->tokens == 0)
        pipeline_advise(advisor, TRM_ADVICE_NONE, -1, 1,
                        "No %s has come out yet, so there is nothing to advise.",
                        pipeline_advice_token(advisor));
    else
        pipeline_advise(advisor, TRM_ADVICE_NONE, -1, 1,
                        "No times were taken: let the pipeline measure (TRM_MEASURE_SAMPLED) to be told what "
                        "holds it back.");
    return false;
}

/* Whether the advice does not rest on times that other programs can lengthen: the pace of the program's own
 * ends is what it is, the stages of a device with hardware of its own take what they take, and what gains no
 * time was not found from times. */
static bool holds_on_busy_machine(const struct trm_report *report)
{
    const struct trm_advice *advised = &report->advised;
    bool is_end                      = advised->stage == TRM_STAGE_LOAD || advised->stage == TRM_STAGE_SINK;

    switch (advised->kind) {
    case TRM_ADVICE_NONE:
    case TRM_ADVICE_MACHINE:
        return true;
    case TRM_ADVICE_BOUND:
        return is_end || report->processors == 0;
    default:
        return advised->gain == 1;
    }
}

static void reset_advice(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;

    advisor->text[0]  = '\0';
    *advisor->advised = (struct trm_advice){.stage   = -1,
                                            .workers = report->workers,
                                            .depth   = report->depth,
                                            .sinks   = pipeline_advice_sinks(advisor),
                                            .size    = 1,
                                            .gain    = 1};
}

/* The times are those of a busy machine, so nothing is advised that rests on them. */
static void advise_idle_machine(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    double each_second              = (double)report->preempted / (double)report->elapsed_ns * 1e9;
    char rate[PIPELINE_ADVICE_TEXT];

    reset_advice(advisor);
    pipeline_advise(advisor, TRM_ADVICE_MACHINE, -1, 1,
                    "The machine was busy (%s preemptions a second), so these times, of which %s is the "
                    "longest, do not tell what a change would gain: run again on an idle one.",
                    pipeline_number_text(rate, sizeof(rate), each_second, 0),
                    trm_stage_name(report->critical));
}

/* In this order: what is left out; what keeps the stages from working at all; what can be set; what the data
 * could do; what the program could do; limits. */
static const pipeline_advice_fn kinds[] = {
    pipeline_advise_drops,       pipeline_advise_few_tokens,     pipeline_advise_fewer_devices,
    pipeline_advise_more_tokens, pipeline_advise_taking,         pipeline_advise_larger_tokens,
    pipeline_advise_machine,     pipeline_advise_pace,           pipeline_advise_settings,
    pipeline_advise_even_times,  pipeline_advise_smaller_tokens, pipeline_advise_pinned_memory,
    pipeline_advise_quicker_end, pipeline_advise_longer_run,     pipeline_advise_bound,
    pipeline_advise_nothing,
};

void pipeline_report_advise(struct trm_report *report, const struct pipeline_report_facts *facts,
                            uint32_t processors)
{
    struct pipeline_advisor advisor = {
        .report     = report,
        .facts      = facts,
        .desc       = {.struct_size = sizeof(advisor.desc)},
        .now        = {.struct_size = sizeof(advisor.now)},
        .processors = processors,
        .advised    = &report->advised,
        .text       = report->advice,
        .capacity   = sizeof(report->advice),
    };

    reset_advice(&advisor);
    if (!has_measured(&advisor))
        return;
    if (pipeline_report_describe(report, &advisor.desc) != TRM_OK ||
        trm_predict(&advisor.desc, &advisor.now) != TRM_OK)
        return;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i](&advisor))
            break;
    if (pipeline_advice_is_disturbed(&advisor) && !holds_on_busy_machine(report))
        advise_idle_machine(&advisor);
}
