/* Advice about tokens: how many there are, and how large.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/report/advice.h"

enum {
    /* ns; handing a token over takes microseconds, tens of them where threads sleep between tokens, so that
     * it matters for short tokens only */
    SHORT_TOKEN = 200000,
    /* Fewer tokens that each take less (ns) say nothing: threads that begin to work and caches that fill take
     * most of the time, and differ from run to run. Longer tokens outweigh that. */
    TOKENS_LEAST  = 16,
    TOKEN_LEAST   = 1000000,
    SMALLEST_PART = 100000, /* ns; tokens are not advised to become shorter */
    LARGER_MOST   = 8,      /* times at once; the next run tells whether more would help */
    PARTS_MOST    = 64,
    /* A copy and a launch take a fixed time beside the one that grows with the token. From tokens of one size
     * the two cannot be told apart, so a short token's copy is taken to move this many bytes in a nanosecond,
     * as a slow link does, and this many nanoseconds of a launch are taken to be fixed. */
    BYTES_A_NS = 6,
    LAUNCH_NS  = 2000,
};

/* " with --batch" where the user sets the size. */
static void write_option(const struct pipeline_advisor *advisor, char *text)
{
    const struct pipeline_report_words *words = &advisor->facts->words;

    snprintf(text, PIPELINE_ADVICE_TEXT, "%s%s", words->are_given ? " with " : "", words->size);
}

/* What a token takes in all stages. Of short tokens the least times count, because the means contain every
 * interruption of a thread. */
static uint64_t least_of_token(const struct trm_report *report)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < TRM_STAGES; i++)
        sum += report->stages[i].least_ns;
    return sum;
}

/* So few and so short tokens that the next run would be told something else. */
bool pipeline_advise_few_tokens(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    char elapsed[PIPELINE_ADVICE_TEXT];

    if (report->tokens >= TOKENS_LEAST || least_of_token(report) >= TOKEN_LEAST)
        return false;
    pipeline_advise(advisor, TRM_ADVICE_NONE, -1, 1,
                    "Too few %s to advise: %" PRIu64 " in %s tell little about a longer run.",
                    pipeline_advice_tokens(advisor), report->tokens,
                    pipeline_time_text(elapsed, sizeof(elapsed), (double)report->elapsed_ns));
    return true;
}

/* The program submits fewer tokens than the pipeline could take. */
bool pipeline_advise_more_tokens(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint32_t free = pipeline_advice_percent(report->stages[TRM_STAGE_LOAD].starved_ns, report->elapsed_ns);
    double gain   = pipeline_advice_gain_from(advisor, report->elapsed_ns, &advisor->desc);
    char factor[PIPELINE_ADVICE_TEXT];

    if (!pipeline_advice_is_served(report) || free < 30 || gain < PIPELINE_ADVICE_GAIN)
        return false;
    pipeline_advise(advisor, TRM_ADVICE_MORE, TRM_STAGE_LOAD, gain,
                    "A slot was free and nothing came for %u %% of the time: the pipeline could take more %s "
                    "(%s is busy for %u %%; predicted up to %s x).",
                    free, pipeline_advice_tokens(advisor), trm_stage_name(report->critical),
                    pipeline_advice_busy(advisor, report->critical), pipeline_advice_factor(factor, gain));
    return true;
}

/* The part of a stage's time that grows with the token, of `time` for a short token. Devices that share the
 * memory of the host copy nothing, and their launches are calls. */
static uint64_t growing_part(const struct trm_report *report, uint32_t stage, uint64_t time)
{
    uint64_t bytes = stage == TRM_STAGE_UPLOAD ? report->bytes_up : report->bytes_down;
    uint64_t fixed = (uint64_t)LAUNCH_NS * (report->launch_count > 0 ? report->launch_count : 1);

    if (report->bytes_up + report->bytes_down == 0)
        return time;
    if (stage == TRM_STAGE_COMPUTE)
        return time > fixed ? time - fixed : 0;
    if (stage != TRM_STAGE_UPLOAD && stage != TRM_STAGE_DOWNLOAD)
        return time;
    uint64_t moving = bytes / report->tokens / BYTES_A_NS;
    return moving < time ? moving : time;
}

/* The work on a token, which grows with it: of short tokens the least times count, because the means contain
 * every interruption of a thread. */
static uint64_t work_of(const struct pipeline_advisor *advisor)
{
    struct trm_prediction_desc desc  = advisor->desc;
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        if (advisor->report->stages[i].least_ns < desc.stage_ns[i])
            desc.stage_ns[i] = advisor->report->stages[i].least_ns;
        desc.stage_ns[i] = growing_part(advisor->report, i, desc.stage_ns[i]);
    }
    if (trm_predict(&desc, &prediction) != TRM_OK)
        return 0;
    return prediction.elapsed_ns / desc.tokens;
}

/* Tokens are short, and most of the time is not work that grows with them. Fewer and larger tokens do the
 * same work, and the fixed time of a token stays the same. */
bool pipeline_advise_larger_tokens(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t each = report->elapsed_ns / report->tokens, work = work_of(advisor);
    double gain = 1, times;
    char each_text[PIPELINE_ADVICE_TEXT], work_text[PIPELINE_ADVICE_TEXT], factor[PIPELINE_ADVICE_TEXT],
        option[PIPELINE_ADVICE_TEXT];

    if (each >= SHORT_TOKEN || work > each / 2 ||
        !pipeline_advice_can_set(advisor, advisor->facts->words.size))
        return false;
    for (times = 1; times < LARGER_MOST && gain < 0.8 * (double)each / (double)(work > 0 ? work : 1);) {
        times *= 2;
        gain = (double)each / ((double)(each - work) / times + (double)work);
    }
    if (gain < PIPELINE_ADVICE_GAIN)
        return false;
    write_option(advisor, option);
    advisor->advised->size = times;
    pipeline_advise(
        advisor, TRM_ADVICE_SIZE, report->critical, gain,
        "Handing %s over costs more than the work on them (%s each, of which %s is work): make them "
        "%.0f times as large%s (predicted %s x).",
        pipeline_advice_tokens(advisor), pipeline_time_text(each_text, sizeof(each_text), (double)each),
        pipeline_time_text(work_text, sizeof(work_text), (double)work), times, option,
        pipeline_advice_factor(factor, gain));
    return true;
}

/* Part of the time in which the pipeline fills and empties, in per cent. */
static uint32_t edges_of(const struct pipeline_advisor *advisor)
{
    const struct trm_prediction *now = &advisor->now;

    return pipeline_advice_percent(now->startup_ns > now->period_ns ? now->startup_ns - now->period_ns : 0,
                                   now->elapsed_ns);
}

/* The gain when each token is cut into so many. */
static double gain_of_parts(const struct pipeline_advisor *advisor, uint32_t parts)
{
    struct trm_prediction_desc desc = advisor->desc;

    desc.tokens *= parts;
    desc.bytes_up /= parts;
    desc.bytes_down /= parts;
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        desc.stage_ns[i] /= parts;
    return pipeline_advice_gain(advisor, &desc);
}

/* So few tokens that filling and emptying the pipeline dominates, and so long that they can be cut. */
bool pipeline_advise_smaller_tokens(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint32_t parts = 1, edges = edges_of(advisor);
    double gain = 1, best = 1;
    char factor[PIPELINE_ADVICE_TEXT], option[PIPELINE_ADVICE_TEXT];

    if (report->depth < 2 || edges < 25 || !pipeline_advice_can_set(advisor, advisor->facts->words.size))
        return false;
    for (uint32_t i = 2; i <= PARTS_MOST && advisor->now.period_ns / i >= SMALLEST_PART; i *= 2) {
        gain = gain_of_parts(advisor, i);
        if (gain > best * 1.05) {
            best  = gain;
            parts = i;
        }
    }
    if (best < PIPELINE_ADVICE_GAIN)
        return false;
    write_option(advisor, option);
    advisor->advised->size = 1.0 / parts;
    pipeline_advise(
        advisor, TRM_ADVICE_SIZE, report->critical, best,
        "%" PRIu64
        " %s: filling and emptying the pipeline is %u %% of the time; cut the data into %u times as "
        "many%s to overlap better (predicted %s x).",
        report->tokens,
        report->tokens == 1 ? pipeline_advice_token(advisor) : pipeline_advice_tokens(advisor), edges, parts,
        option, pipeline_advice_factor(factor, best));
    return true;
}

/* The stages explain the time, and a long run takes less for each token. */
bool pipeline_advise_longer_run(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t now                    = advisor->now.elapsed_ns;
    double gain                     = (double)now / (double)report->tokens / (double)advisor->now.period_ns;
    char factor[PIPELINE_ADVICE_TEXT];

    if (now < report->elapsed_ns / 10 * 9 || gain < PIPELINE_ADVICE_GAIN)
        return false;
    pipeline_advise(
        advisor, TRM_ADVICE_MORE, report->critical, gain,
        "%s is busy for %u %% of the time, and filling and emptying the pipeline takes %u %%, which "
        "more %s would hide (predicted up to %s times as fast for each %s).",
        trm_stage_name(report->critical), pipeline_advice_busy(advisor, report->critical), edges_of(advisor),
        pipeline_advice_tokens(advisor), pipeline_advice_factor(factor, gain),
        pipeline_advice_token(advisor));
    return true;
}
