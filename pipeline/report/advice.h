/* Inside the advice: what its files share. Each kind of advice is a function that looks at a run; if it
 * applies, it writes the sentence with pipeline_advise() and returns true.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_ADVICE_H
#define PIPELINE_REPORT_ADVICE_H

#include "pipeline/report/predict.h"
#include "pipeline/report/report_internal.h"

#define PIPELINE_ADVICE_TEXT 64

/* Advice that gains less is not given. */
#define PIPELINE_ADVICE_GAIN 1.05

struct pipeline_advisor {
    const struct trm_report *report;
    const struct pipeline_report_facts *facts;
    struct trm_prediction_desc desc; /* of the run as it was */
    struct trm_prediction now;
    uint32_t processors; /* of the host */
    struct trm_advice *advised;
    char *text;
    size_t capacity;
};

/* ---- advice.c: what the kinds use ----------------------------------------------------------- */

/* Writes the sentence, and what it is about. gain: as in struct trm_advice. */
void pipeline_advise(const struct pipeline_advisor *advisor, int32_t kind, int32_t stage, double gain,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* At most 100. */
uint32_t pipeline_advice_percent(uint64_t part, uint64_t whole);
uint32_t pipeline_advice_busy(const struct pipeline_advisor *advisor, int32_t stage);

/* How many times as fast the run would be: as its stages alone were, or as it was in `elapsed`. Never more
 * than the processors of the host and the enqueueing of tokens allow. */
double pipeline_advice_gain(const struct pipeline_advisor *advisor, const struct trm_prediction_desc *desc);
double pipeline_advice_gain_from(const struct pipeline_advisor *advisor, uint64_t elapsed,
                                 const struct trm_prediction_desc *desc);

/* The gain, but no more than the work on processors allows, which stays the same, however it overlaps. */
double pipeline_advice_at_most(const struct pipeline_advisor *advisor, double gain);

/* What it takes to fill the slots that a deeper pipeline has besides those of the run, whose memory is
 * touched for the first time: as long as the run's own slots took. */
uint64_t pipeline_advice_filling(const struct pipeline_advisor *advisor, uint32_t depth);

/* "2.2", for "predicted 2.2 x". text: PIPELINE_ADVICE_TEXT bytes; returned. */
char *pipeline_advice_factor(char *text, double gain);

/* Whether other programs took processors from the run so often that its times do not tell what it could
 * do. */
bool pipeline_advice_is_disturbed(const struct pipeline_advisor *advisor);

/* Whether the program submits tokens itself. */
bool pipeline_advice_is_served(const struct trm_report *report);

/* Whether the program takes results so seldom that they wait for it, in `least` per cent of the time, while
 * no stage is at its limit. */
bool pipeline_advice_waits_for_program(const struct pipeline_advisor *advisor, uint32_t least);

/* How often the program takes a result: "9.00 ms". text: PIPELINE_ADVICE_TEXT bytes; returned. */
char *pipeline_advice_taking(const struct pipeline_advisor *advisor, char *text);

/* Whether the user can set it: there is an option, or the user is a programmer. */
bool pipeline_advice_can_set(const struct pipeline_advisor *advisor, const char *option);

/* Threads that take results. */
uint32_t pipeline_advice_sinks(const struct pipeline_advisor *advisor);

/* What a token takes at least when load (1 << TRM_STAGE_LOAD) or the sink takes no time. */
uint64_t pipeline_advice_rest(const struct pipeline_advisor *advisor, uint32_t without);

/* "token" or what the program calls one; several. */
const char *pipeline_advice_token(const struct pipeline_advisor *advisor);
const char *pipeline_advice_tokens(const struct pipeline_advisor *advisor);

/* ---- the kinds ------------------------------------------------------------------------------ */

typedef bool (*pipeline_advice_fn)(const struct pipeline_advisor *advisor);

/* advice_devices.c: a device of a group that holds up the others. */
bool pipeline_advise_fewer_devices(const struct pipeline_advisor *advisor);

/* advice_settings.c: workers or depth, by stage times and by the times of single tokens. */
bool pipeline_advise_settings(const struct pipeline_advisor *advisor);
bool pipeline_advise_even_times(const struct pipeline_advisor *advisor);

/* advice_tokens.c: how many tokens there are, and how large. */
bool pipeline_advise_few_tokens(const struct pipeline_advisor *advisor);
bool pipeline_advise_more_tokens(const struct pipeline_advisor *advisor);
bool pipeline_advise_larger_tokens(const struct pipeline_advisor *advisor);
bool pipeline_advise_smaller_tokens(const struct pipeline_advisor *advisor);
bool pipeline_advise_longer_run(const struct pipeline_advisor *advisor);

/* advice_drops.c: tokens that are left out. */
bool pipeline_advise_drops(const struct pipeline_advisor *advisor);

/* advice_limits.c: limits that no setting moves. The last one always applies. */
bool pipeline_advise_pace(const struct pipeline_advisor *advisor);
bool pipeline_advise_taking(const struct pipeline_advisor *advisor);
bool pipeline_advise_machine(const struct pipeline_advisor *advisor);
bool pipeline_advise_quicker_end(const struct pipeline_advisor *advisor);
bool pipeline_advise_pinned_memory(const struct pipeline_advisor *advisor);
bool pipeline_advise_bound(const struct pipeline_advisor *advisor);
bool pipeline_advise_nothing(const struct pipeline_advisor *advisor);

#endif
