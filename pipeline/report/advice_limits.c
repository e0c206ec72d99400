/* Advice where no setting helps: what the limit is.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/report/advice.h"

enum {
    FULL_LEAST   = 85, /* per cent of time for which a thread is busy that has no other work to do */
    MACHINE_MOST = 4,  /* times as fast: what an idle machine is promised to be at most */
};

/* ---- the other side ------------------------------------------------------------------------- */

/* Whether the thread of load or sink does nothing else for most of the time, and mostly waits in it. */
static bool waits_all_the_time(const struct pipeline_advisor *advisor, int32_t stage, uint64_t waiting)
{
    const struct trm_report *report = advisor->report;
    uint64_t busy = report->stages[stage].busy_ns, thread = busy;

    if (report->one_thread)
        thread = report->stages[TRM_STAGE_LOAD].busy_ns + report->stages[TRM_STAGE_SINK].busy_ns;
    return waiting > busy / 2 && pipeline_advice_percent(thread, report->elapsed_ns) >= FULL_LEAST;
}

/* "24.9 frames/s" */
static void write_rate(const struct pipeline_advisor *advisor, char *text)
{
    double rate = (double)advisor->report->tokens / (double)advisor->report->elapsed_ns * 1e9;
    char number[PIPELINE_ADVICE_TEXT];

    pipeline_number_text(number, sizeof(number), rate, rate < 10 ? 2 : rate < 1000 ? 1 : 0);
    snprintf(text, PIPELINE_ADVICE_TEXT, "%.16s %.30s/s", number, pipeline_advice_tokens(advisor));
}

/* A source that keeps the loading thread waiting has nothing that could be taken faster; likewise a sink. */
bool pipeline_advise_pace(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report          = advisor->report;
    const struct pipeline_report_facts *know = advisor->facts;
    bool source                              = (know->source_flags & TRM_END_PACED) &&
                  waits_all_the_time(advisor, TRM_STAGE_LOAD, report->load_waiting_ns);
    bool sink = (know->sink_flags & TRM_END_PACED) &&
                waits_all_the_time(advisor, TRM_STAGE_SINK, report->sink_waiting_ns);
    char rate[PIPELINE_ADVICE_TEXT];

    if (source && sink)
        sink = report->sink_waiting_ns > report->load_waiting_ns;
    write_rate(advisor, rate);
    if (sink)
        pipeline_advise(
            advisor, TRM_ADVICE_BOUND, TRM_STAGE_SINK, 1,
            "the reader of %s takes %s and is slower than the pipeline (sink waits for it for %u %% "
            "of the time): nothing here would make it faster.",
            know->sink_name[0] != '\0' ? know->sink_name : "the sink", rate,
            pipeline_advice_percent(report->sink_waiting_ns, report->elapsed_ns));
    else if (source)
        pipeline_advise(advisor, TRM_ADVICE_BOUND, TRM_STAGE_LOAD, 1,
                        "%s delivers %s and is slower than the pipeline (load waits for it for %u %% of the "
                        "time): nothing here would make it faster.",
                        know->source_name[0] != '\0' ? know->source_name : "the source", rate,
                        pipeline_advice_percent(report->load_waiting_ns, report->elapsed_ns));
    return source || sink;
}

/* The program takes results itself, and does something else for most of the time. */
bool pipeline_advise_taking(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t waiting                = report->stages[TRM_STAGE_SINK].blocked_ns;
    char each[PIPELINE_ADVICE_TEXT];

    if (!pipeline_advice_waits_for_program(advisor, FULL_LEAST) ||
        waiting < report->stages[TRM_STAGE_SINK].busy_ns)
        return false;
    pipeline_advise(advisor, TRM_ADVICE_BOUND, TRM_STAGE_SINK, 1,
                    "Results wait for the program for %u %% of the time: it takes one every %s, and the "
                    "pipeline is quicker (%s is busy for %u %%). Only taking them sooner would help.",
                    pipeline_advice_percent(waiting, report->elapsed_ns),
                    pipeline_advice_taking(advisor, each), trm_stage_name(report->critical),
                    pipeline_advice_busy(advisor, report->critical));
    return true;
}

/* ---- the machine ---------------------------------------------------------------------------- */

/* "3.3 times as fast", for a gain that a run can come to; beyond that "much faster", since the stages alone
 * are no run: even an idle machine takes time to hand tokens on. */
static void write_faster(double gain, char text[PIPELINE_ADVICE_TEXT])
{
    char factor[PIPELINE_ADVICE_TEXT];

    if (gain >= MACHINE_MOST)
        snprintf(text, PIPELINE_ADVICE_TEXT, "much faster");
    else
        snprintf(text, PIPELINE_ADVICE_TEXT, "%.16s times as fast (predicted)",
                 pipeline_advice_factor(factor, gain));
}

/* The stages explain too little of the time: the threads that pass tokens on were late. */
bool pipeline_advise_machine(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint32_t explained              = pipeline_advice_percent(advisor->now.elapsed_ns, report->elapsed_ns);
    double gain                     = (double)report->elapsed_ns / (double)advisor->now.elapsed_ns;
    char faster[PIPELINE_ADVICE_TEXT];

    if (advisor->now.elapsed_ns >= report->elapsed_ns / 2)
        return false;
    for (int32_t i = 0; i < TRM_STAGES; i++)
        if (pipeline_advice_busy(advisor, i) > 50)
            return false;
    if (gain > MACHINE_MOST)
        gain = MACHINE_MOST;
    write_faster(gain, faster);
    if (pipeline_advice_is_disturbed(advisor))
        pipeline_advise(
            advisor, TRM_ADVICE_MACHINE, -1, gain,
            "The machine was busy: the threads of this program waited for a processor (preempted %" PRIu64
            " times), so the stages account for only %u %% of the time. On an idle machine it would be %s.",
            report->preempted, explained, faster);
    else
        pipeline_advise(
            advisor, TRM_ADVICE_MACHINE, -1, gain,
            "The stages account for only %u %% of the time: something else kept the machine busy, "
            "or the threads that hand %s on were late. Without that it would be %s.",
            explained, pipeline_advice_tokens(advisor), faster);
    return true;
}

/* ---- load and sink -------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t pipeline_advice_rest(const struct pipeline_advisor *advisor, uint32_t without)
{
    const struct trm_prediction_desc *desc = &advisor->desc;
    uint64_t most = 0, device = 0;

    for (int32_t i = 0; i < TRM_STAGES; i++) {
        if ((without >> i & 1) == 0)
            most = larger(most, desc->stage_ns[i] / (desc->lanes[i] != 0 ? desc->lanes[i] : 1));
        if (i != TRM_STAGE_LOAD && i != TRM_STAGE_SINK)
            device += desc->stage_ns[i];
    }
    if (desc->processors != 0)
        most = larger(most, device / desc->processors);
    return larger(most, advisor->report->processor_ns / advisor->processors / advisor->report->tokens);
}

/* How long load or sink may take so that it is no longer the limit: 0 where that cannot be. */
static uint64_t goal_of(const struct pipeline_advisor *advisor, int32_t end)
{
    const struct trm_prediction_desc *desc = &advisor->desc;
    int32_t other                          = end == TRM_STAGE_LOAD ? TRM_STAGE_SINK : TRM_STAGE_LOAD;
    uint64_t rest                          = pipeline_advice_rest(advisor, 1u << end),
             taken                         = desc->one_thread ? desc->stage_ns[other] : 0;
    uint64_t goal                          = rest > taken ? rest - taken : 0;

    if (desc->lanes[end] > 1)
        goal *= desc->lanes[end];
    return larger(goal, desc->stage_ns[end] / 4);
}

/* The end that holds the run back: -1: neither. */
static int32_t limiting_end(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report       = advisor->report;
    const struct trm_stage_report *stages = report->stages;
    uint64_t both                         = stages[TRM_STAGE_LOAD].busy_ns + stages[TRM_STAGE_SINK].busy_ns;

    if (report->critical == TRM_STAGE_LOAD || report->critical == TRM_STAGE_SINK)
        return report->critical;
    if (!report->one_thread || pipeline_advice_percent(both, report->elapsed_ns) < FULL_LEAST)
        return -1;
    return stages[TRM_STAGE_LOAD].busy_ns > stages[TRM_STAGE_SINK].busy_ns ? TRM_STAGE_LOAD : TRM_STAGE_SINK;
}

/* Load or sink is the limit, and its time decides. */
bool pipeline_advise_quicker_end(const struct pipeline_advisor *advisor)
{
    static const char *const remedies[] = {
        [TRM_STAGE_LOAD] = "less work in it", [TRM_STAGE_SINK] = "less work, or threads of its own"};
    struct trm_prediction_desc desc = advisor->desc;
    int32_t end                     = limiting_end(advisor);
    char now[PIPELINE_ADVICE_TEXT], then[PIPELINE_ADVICE_TEXT], factor[PIPELINE_ADVICE_TEXT];

    if (end < 0 || pipeline_advice_busy(advisor, end) < 50 || advisor->facts->words.are_given)
        return false;
    desc.stage_ns[end] = goal_of(advisor, end);
    double gain        = pipeline_advice_gain(advisor, &desc);
    if (gain < PIPELINE_ADVICE_GAIN)
        return false;
    advisor->advised->stage_ns = desc.stage_ns[end];
    pipeline_advise(advisor, TRM_ADVICE_STAGE, end, gain,
                    "%s holds it back (%u %% busy): it takes %s for a %s, and with %s (%s) the run would be "
                    "faster (predicted %s x).",
                    trm_stage_name(end), pipeline_advice_busy(advisor, end),
                    pipeline_time_text(now, sizeof(now), (double)advisor->desc.stage_ns[end]),
                    pipeline_advice_token(advisor),
                    pipeline_time_text(then, sizeof(then), (double)desc.stage_ns[end]), remedies[end],
                    pipeline_advice_factor(factor, gain));
    return true;
}

/* The gain if all copies of a direction were of pinned memory; *time: what a token takes then. */
static double gain_of_pinned(const struct pipeline_advisor *advisor, uint32_t direction, uint64_t *time)
{
    int32_t stage                   = direction == PIPELINE_COPIES_UP ? TRM_STAGE_UPLOAD : TRM_STAGE_DOWNLOAD;
    struct trm_prediction_desc desc = advisor->desc;
    double factor                   = pipeline_rates_pinned(&advisor->facts->rates, direction);

    desc.stage_ns[stage] = (uint64_t)((double)desc.stage_ns[stage] * factor);
    *time                = desc.stage_ns[stage];
    return factor < 1 ? pipeline_advice_gain(advisor, &desc) : 1;
}

/* Pinned copies of the same run tell how fast they are here. */
bool pipeline_advise_pinned_memory(const struct pipeline_advisor *advisor)
{
    static const char *const remedies[] = {
        [PIPELINE_COPIES_UP] =
            "from pageable memory: fill token->data, which is pinned, instead of pointing it elsewhere",
        [PIPELINE_COPIES_DOWN] = "to pageable memory: read token->data, which is pinned, in a sink function"};
    static const int32_t stages[] = {
        [PIPELINE_COPIES_UP] = TRM_STAGE_UPLOAD, [PIPELINE_COPIES_DOWN] = TRM_STAGE_DOWNLOAD};
    uint64_t times[PIPELINE_COPIES];
    double gains[PIPELINE_COPIES];
    char now[PIPELINE_ADVICE_TEXT], then[PIPELINE_ADVICE_TEXT], factor[PIPELINE_ADVICE_TEXT];

    for (uint32_t i = 0; i < PIPELINE_COPIES; i++)
        gains[i] = gain_of_pinned(advisor, i, &times[i]);
    uint32_t best =
        gains[PIPELINE_COPIES_DOWN] > gains[PIPELINE_COPIES_UP] ? PIPELINE_COPIES_DOWN : PIPELINE_COPIES_UP;
    int32_t stage = stages[best];
    if (advisor->facts->words.are_given || gains[best] < PIPELINE_ADVICE_GAIN)
        return false;
    advisor->advised->stage_ns = times[best];
    pipeline_advise(advisor, TRM_ADVICE_STAGE, stage, gains[best],
                    "%s takes %s for a %s %s, and it takes %s, as this run's copies of pinned memory do "
                    "(predicted %s x).",
                    trm_stage_name(stage),
                    pipeline_time_text(now, sizeof(now), (double)advisor->desc.stage_ns[stage]),
                    pipeline_advice_token(advisor), remedies[best],
                    pipeline_time_text(then, sizeof(then), (double)times[best]),
                    pipeline_advice_factor(factor, gains[best]));
    return true;
}

/* ---- at the limit --------------------------------------------------------------------------- */

/* "faster kernels (sobel takes 61 % of it) or a faster device"; "a faster function of the program for stage
 * host, which takes 79 % of compute" where that is the longest, which no device helps. */
static void write_compute_remedy(const struct pipeline_advisor *advisor, char *text, size_t capacity)
{
    const struct trm_report *report = advisor->report;
    uint64_t whole                  = 0;
    uint32_t most                   = 0;
    char part[96]                   = "";

    for (uint32_t i = 0; i < report->launch_count && i < TRM_REPORT_LAUNCHES; i++) {
        whole += report->launches[i].busy_ns;
        if (report->launches[i].busy_ns > report->launches[most].busy_ns)
            most = i;
    }
    bool is_host   = (advisor->facts->host_stages >> most & 1) != 0;
    uint32_t share = pipeline_advice_percent(report->launches[most].busy_ns, whole);
    if (report->launch_count > 1 && whole > 0)
        snprintf(part, sizeof(part), "%s%s takes %u %% of %s", is_host ? ", which" : " (",
                 is_host ? "" : report->launches[most].name, share, is_host ? "compute," : "it)");
    if (is_host)
        snprintf(text, capacity, "a faster function of the program for stage %s%s",
                 report->launches[most].name, part);
    else
        snprintf(text, capacity, "faster kernels%s or a faster device", part);
}

/* What alone would help, as the end of a sentence. */
static void write_remedy(const struct pipeline_advisor *advisor, char *text, size_t capacity)
{
    const struct trm_report *report = advisor->report;
    const char *name                = advisor->facts->source_name;

    switch (report->critical) {
    case TRM_STAGE_COMPUTE:
        write_compute_remedy(advisor, text, capacity);
        break;
    case TRM_STAGE_LOAD:
        if (advisor->facts->source_flags & TRM_END_SERIAL)
            snprintf(text, capacity, "a quicker source (%s gives one %s at a time)",
                     name[0] != '\0' ? name : "it", pipeline_advice_token(advisor));
        else
            snprintf(text, capacity, "a quicker load");
        break;
    case TRM_STAGE_SINK:
        snprintf(text, capacity, "a quicker sink");
        break;
    default:
        snprintf(text, capacity, "smaller data or a faster link");
        break;
    }
}

/* The pipeline is as fast as its longest stage. */
bool pipeline_advise_bound(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    char remedy[160], share[PIPELINE_ADVICE_TEXT];

    if (report->efficiency < 0.9)
        return false;
    write_remedy(advisor, remedy, sizeof(remedy));
    pipeline_advise(
        advisor, TRM_ADVICE_BOUND, report->critical, 1,
        "%s is the bound and the pipeline reaches %s %% of the possible rate: only %s would help.",
        trm_stage_name(report->critical),
        pipeline_number_text(share, sizeof(share), report->efficiency * 100, 1), remedy);
    return true;
}

/* Neither a setting nor a stage stands out. Says where the time goes. */
bool pipeline_advise_nothing(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    int32_t stage                   = report->critical;
    uint64_t work                   = report->processor_ns / advisor->processors;
    uint64_t left =
        report->elapsed_ns > advisor->now.elapsed_ns ? report->elapsed_ns - advisor->now.elapsed_ns : 0;
    char each[PIPELINE_ADVICE_TEXT];

    if (pipeline_advice_percent(work, report->elapsed_ns) >= 80)
        pipeline_advise(advisor, TRM_ADVICE_BOUND, stage, 1,
                        "The processors are busy for %u %% of the time, with all stages together: only less "
                        "work or more processors would help (%s takes the longest).",
                        pipeline_advice_percent(work, report->elapsed_ns), trm_stage_name(stage));
    else if (pipeline_advice_percent(left, report->elapsed_ns) >= 5)
        pipeline_advise(
            advisor, TRM_ADVICE_BOUND, stage, 1,
            "No setting is known to help: %s is the longest stage (%u %% busy), and %s pass between the "
            "stages for each %s, while it is handed on or waits for a processor.",
            trm_stage_name(stage), pipeline_advice_busy(advisor, stage),
            pipeline_time_text(each, sizeof(each), (double)left / (double)report->tokens),
            pipeline_advice_token(advisor));
    else
        pipeline_advise(
            advisor, TRM_ADVICE_BOUND, stage, 1,
            "No setting is known to help: %s is the longest stage (%u %% busy), and the stages share "
            "what they run on.",
            trm_stage_name(stage), pipeline_advice_busy(advisor, stage));
    return true;
}
