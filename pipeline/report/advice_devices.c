/* Advice about a device of a group that is so slow that the others wait for the few tokens by which it is
 * measured.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "pipeline/report/advice.h"

/* What the other devices of a group are like. */
struct others {
    uint64_t latency; /* the shortest of a token alone; 0: none is known */
    uint64_t busy;    /* the longest */
    double rate;      /* tokens a nanosecond, of all together */
};

static uint32_t count_of(const struct trm_report *report)
{
    return report->device_count < TRM_REPORT_DEVICES ? report->device_count : TRM_REPORT_DEVICES;
}

static struct others others_of(const struct trm_report *report, uint32_t device)
{
    struct others others = {.latency = 0};

    for (uint32_t i = 0; i < count_of(report); i++) {
        const struct trm_device_report *other = &report->devices[i];
        /* A device that waited for the slow one has long periods, but can do a token after the other. */
        bool is_busy  = other->period_ns != 0 && other->period_ns < other->latency_ns;
        uint64_t step = is_busy ? other->period_ns : other->latency_ns;
        if (i == device || other->lost != 0 || other->latency_ns == 0)
            continue;
        if (others.latency == 0 || other->latency_ns < others.latency)
            others.latency = other->latency_ns;
        if (other->busy_ns > others.busy)
            others.busy = other->busy_ns;
        others.rate += 1 / (double)step;
    }
    return others;
}

/* The time that all tokens take at least in load or the sink. */
static uint64_t ends_of(const struct trm_report *report)
{
    const struct trm_stage_report *load = &report->stages[TRM_STAGE_LOAD];
    const struct trm_stage_report *sink = &report->stages[TRM_STAGE_SINK];

    if (report->one_thread)
        return load->busy_ns + sink->busy_ns;
    return load->busy_ns > sink->busy_ns ? load->busy_ns : sink->busy_ns;
}

/* The others are held up for no longer than the device worked, and no longer than they did nothing. */
double pipeline_report_gain_without(const struct trm_report *report, uint32_t device)
{
    const struct trm_device_report *slow = &report->devices[device];
    struct others others                 = others_of(report, device);
    uint64_t idle = report->elapsed_ns > others.busy ? report->elapsed_ns - others.busy : 0;
    uint64_t held = slow->busy_ns < idle ? slow->busy_ns : idle;

    if (slow->lost != 0 || others.latency == 0 || slow->latency_ns < PIPELINE_SLOW_TIMES * others.latency ||
        report->spread_tokens != 0 || report->elapsed_ns == 0)
        return 1;
    double least = (double)report->tokens / others.rate, ends = (double)ends_of(report);
    double then = (double)(report->elapsed_ns - held);
    if (then < least)
        then = least;
    if (then < ends)
        then = ends;
    return then < (double)report->elapsed_ns ? (double)report->elapsed_ns / then : 1;
}

bool pipeline_advise_fewer_devices(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report           = advisor->report;
    const struct pipeline_report_words *words = &advisor->facts->words;
    double best                               = 1;
    uint32_t worst                            = 0;
    char slow[PIPELINE_ADVICE_TEXT], quick[PIPELINE_ADVICE_TEXT], factor[PIPELINE_ADVICE_TEXT];

    if (pipeline_advice_is_served(report) || !pipeline_advice_can_set(advisor, words->devices))
        return false;
    for (uint32_t i = 0; i < count_of(report); i++) {
        double gain = pipeline_report_gain_without(report, i);
        if (gain > best) {
            best  = gain;
            worst = i;
        }
    }
    if (best < PIPELINE_ADVICE_GAIN)
        return false;
    const struct trm_device_report *device = &report->devices[worst];
    advisor->advised->left_out             = worst + 1;
    pipeline_advise(
        advisor, TRM_ADVICE_DEVICE, -1, best,
        "%.32s takes %s for a %s where another device takes %s, and the others wait for its %" PRIu64
        " %s, %u %% of the time: leave it out of %s (predicted %s x).",
        device->device, pipeline_time_text(slow, sizeof(slow), (double)device->latency_ns),
        pipeline_advice_token(advisor),
        pipeline_time_text(quick, sizeof(quick), (double)others_of(report, worst).latency), device->tokens,
        device->tokens == 1 ? pipeline_advice_token(advisor) : pipeline_advice_tokens(advisor),
        pipeline_advice_percent(device->busy_ns, report->elapsed_ns),
        words->devices[0] != '\0' ? words->devices : "the group", pipeline_advice_factor(factor, best));
    return true;
}
