/* Advice: what the program could do so that a stream is done earlier, and what that gains.
 *
 * Takes the stream that does nearly all of its device's work, and cuts its operations into rounds: the time
 * for which the stream was idle until the host enqueued more, then uploads, kernels and downloads, each of
 * which may be missing. Then it simulates the rounds with their measured times, by the recurrence of a flow
 * shop with a limited number of slots: as if the parts had streams of their own, or as if the host did its
 * part while the device is busy.
 *
 * Advice is a claim. So there is none unless the times of every operation are known, the device has memory of
 * its own (or copies and host share the processors with kernels), the stream waits for hardly anything else,
 * and the gain is 5 % at least.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/profile/profile.h"

#define LEAST_ROUNDS 4u
#define LEAST_GAIN 1.05

/* A part that takes less than this fraction (1 / n) of a round is ignored; so are waits of the stream, and
 * the work of the device's other streams. */
#define NEGLIGIBLE 20u

enum step {
    UPLOAD,
    KERNEL,
    DOWNLOAD,
    STEPS,
};

/* Nanoseconds. */
struct round {
    uint64_t host;
    uint64_t step[STEPS];
};

/* What one stream did. */
struct course {
    struct round *rounds;
    uint32_t count;
    uint64_t span, host, wait;
    uint64_t busy[STEPS];
    /* Operations of a step, and those that begin when one of the step before ends. */
    uint64_t operations[STEPS], behind[STEPS];
};

/* ---- rounds ----------------------------------------------------------------------------------------- */

static enum step step_of(const struct core_profile_record *record)
{
    if (record->kind == CORE_WORK_UPLOAD)
        return UPLOAD;
    return record->kind == CORE_WORK_DOWNLOAD ? DOWNLOAD : KERNEL;
}

/* Without copies a round ends when the stream is idle. */
static bool begins_round(const struct core_profile_result *result, const struct course *course,
                         enum step step, enum step last, uint64_t gap)
{
    bool has_copies = result->count[CORE_WORK_UPLOAD] + result->count[CORE_WORK_DOWNLOAD] != 0;
    return course->count == 0 || step < last || (!has_copies && gap != 0);
}

static void add_record(const struct core_profile_result *result, struct course *course,
                       const struct core_profile_record *record, enum step *last, uint64_t last_end)
{
    enum step step = step_of(record);
    uint64_t gap   = last_end != 0 && record->called > last_end ? record->called - last_end : 0;
    uint64_t ran   = record->end - record->begin;
    if (begins_round(result, course, step, *last, gap))
        course->count++;
    else if (step > *last && gap == 0)
        course->behind[step]++;
    struct round *round = &course->rounds[course->count - 1];
    round->host += gap;
    round->step[step] += ran;
    course->host += gap;
    course->busy[step] += ran;
    course->operations[step]++;
    *last = step;
}

static void read_course(const struct core_profile_result *result, struct course *course)
{
    enum step last    = UPLOAD;
    uint64_t last_end = 0;
    for (uint32_t i = 0; i < result->record_count; i++) {
        const struct core_profile_record *record = &result->records[i];
        if (record->kind == CORE_WORK_WAIT)
            course->wait += record->end - record->begin;
        else
            add_record(result, course, record, &last, last_end);
        last_end = record->end;
    }
    course->span = result->last_ns - result->first_ns;
}

/* ---- running them again ----------------------------------------------------------------------------- */

#define MOST_SLOTS 3u

/* What the rounds would take: the host works for one round while the device works for others, `slots` in all,
 * and each step has a stream of its own if `is_split`. */
static uint64_t run_again(const struct course *course, uint32_t slots, bool is_split)
{
    uint64_t done[MOST_SLOTS] = {0}, free_at[STEPS] = {0}, host = 0, now = 0;
    for (uint32_t i = 0; i < course->count; i++) {
        uint64_t *slot = &done[i % slots];
        host           = (host > *slot ? host : *slot) + course->rounds[i].host;
        now            = host;
        for (uint32_t step = 0; step < STEPS; step++) {
            uint64_t *stream = &free_at[is_split ? step : 0];
            now              = now > *stream ? now : *stream;
            now += course->rounds[i].step[step];
            *stream = now;
        }
        *slot = now;
    }
    return now;
}

static bool has_step(const struct course *course, enum step step)
{
    uint64_t all = course->busy[UPLOAD] + course->busy[KERNEL] + course->busy[DOWNLOAD];
    return course->busy[step] > all / NEGLIGIBLE;
}

static uint32_t count_steps(const struct course *course)
{
    return has_step(course, UPLOAD) + has_step(course, KERNEL) + has_step(course, DOWNLOAD);
}

/* ---- sentences -------------------------------------------------------------------------------------- */

/* "uploads, kernels and downloads" */
static void list_steps(const struct course *course, char *text, size_t capacity)
{
    static const char *const names[STEPS] = {"uploads", "kernels", "downloads"};
    uint32_t left                         = count_steps(course);
    size_t used                           = 0;
    for (uint32_t step = 0; step < STEPS; step++)
        if (has_step(course, step))
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", names[step],
                                     --left == 0 ? ""
                                     : left == 1 ? " and "
                                                 : ", ");
}

/* Of the operations that could begin earlier. */
static void say_streams(const struct course *course, struct trm_profile_advice *advice)
{
    static const char *const names[STEPS] = {"upload", "launches", "downloads"};
    enum step first                       = has_step(course, UPLOAD) ? UPLOAD : KERNEL;
    enum step second                      = first == UPLOAD && has_step(course, KERNEL) ? KERNEL : DOWNLOAD;
    const char *ahead =
        advice->kind == TRM_PROFILE_ADVICE_STREAMS ? "" : ", and enqueue ahead of the results";
    char steps[48];
    list_steps(course, steps, sizeof(steps));
    snprintf(advice->sentence, sizeof(advice->sentence),
             "%" PRIu64 " %% of the %s on stream %" PRIu32 " wait for the %s just before them: use %" PRIu32
             " streams, one for each of %s, with %" PRIu32 " buffers in turn%s",
             course->behind[second] * 100 / course->operations[second], names[second], advice->stream,
             first == UPLOAD ? names[UPLOAD] : "launch", advice->streams, steps, advice->buffers, ahead);
}

static void say_ahead(const struct course *course, struct trm_profile_advice *advice)
{
    snprintf(advice->sentence, sizeof(advice->sentence),
             "stream %" PRIu32 " stands still for %" PRIu64
             " %% of its time until the host enqueues more: enqueue the next round before the last one is "
             "done, with 2 buffers in turn",
             advice->stream, course->host * 100 / course->span);
}

/* ---- advice ----------------------------------------------------------------------------------------- */

/* Prefers the change that is less work if the other one gains hardly more. */
static bool advise_course(const struct course *course, struct trm_profile_advice *advice)
{
    uint32_t steps  = count_steps(course);
    bool is_waiting = course->host > course->span / NEGLIGIBLE;
    double ahead    = (double)course->span / (double)run_again(course, 2, false);
    double split    = steps < 2 ? 0 : (double)course->span / (double)run_again(course, steps, true);
    advice->buffers = 2;
    advice->streams = 1;
    advice->gain    = ahead;
    advice->kind    = TRM_PROFILE_ADVICE_AHEAD;
    if (split >= ahead * LEAST_GAIN) {
        advice->buffers = advice->streams = steps;
        advice->gain                      = split;
        advice->kind = is_waiting ? TRM_PROFILE_ADVICE_STREAMS_AHEAD : TRM_PROFILE_ADVICE_STREAMS;
    }
    if (advice->gain < LEAST_GAIN)
        return false;
    if (advice->kind == TRM_PROFILE_ADVICE_AHEAD)
        say_ahead(course, advice);
    else
        say_streams(course, advice);
    return true;
}

static bool is_complete(const struct core_profile_result *result)
{
    uint64_t operations = 0;
    for (uint32_t i = 0; i < CORE_WORK_KINDS; i++)
        operations += result->count[i];
    return result->record_count == operations && operations != 0;
}

static uint64_t busy_of(const struct core_profile_result *result)
{
    uint64_t busy = 0;
    for (uint32_t i = 0; i < CORE_WORK_WAIT; i++)
        busy += pipeline_profile_scale(result->busy_ns[i], result->count[i], result->timed[i]);
    return busy;
}

/* The stream that does nearly all of the device's work; NULL: there is none. */
static const struct core_profile_result *find_main(const struct core_profile_part *part)
{
    const struct core_profile_result *busiest = NULL;
    uint64_t all                              = 0;
    for (const struct core_profile_result *each = part->results; each != NULL; each = each->next) {
        all += busy_of(each);
        if (busiest == NULL || busy_of(each) > busy_of(busiest))
            busiest = each;
    }
    return busiest != NULL && all - busy_of(busiest) <= all / NEGLIGIBLE ? busiest : NULL;
}

static bool advise_part(const struct pipeline_profile_view *view, const struct core_profile_part *part,
                        struct trm_profile_advice *advice)
{
    const struct core_profile_result *busiest = part->has_own_memory ? find_main(part) : NULL;
    struct course course                      = {0};
    bool is_advised                           = false;
    if (busiest == NULL || !is_complete(busiest))
        return false;
    size_t size   = busiest->record_count * sizeof(struct round);
    course.rounds = core_allocate(view->context, size);
    if (course.rounds == NULL)
        return false;
    read_course(busiest, &course);
    advice->stream = busiest->number;
    if (course.count >= LEAST_ROUNDS && course.wait <= course.span / NEGLIGIBLE)
        is_advised = advise_course(&course, advice);
    core_free(view->context, course.rounds, size);
    return is_advised;
}

bool pipeline_profile_advise(const struct pipeline_profile_view *view, uint32_t index,
                             struct trm_profile_advice *advice)
{
    uint32_t device = 0, found = 0;
    for (const struct core_profile_part *part = view->profile->parts; part != NULL; part = part->next) {
        *advice = (struct trm_profile_advice){.struct_size = sizeof(*advice), .device = device};
        device++;
        if (advise_part(view, part, advice) && found++ == index)
            return true;
    }
    return false;
}

/* ---- why there is none ------------------------------------------------------------------------------ */

static const char *why_none(const struct core_profile_part *part)
{
    if (!part->has_own_memory)
        return "shares the memory of the host, so what streams of their own would gain is not known";
    const struct core_profile_result *busiest = find_main(part);
    if (busiest == NULL)
        return "has no stream that does nearly all of its work";
    if (!is_complete(busiest) && busiest->record_count == CORE_PROFILE_RECORDS)
        return "has more operations on a stream than a profile keeps, which are 65536";
    if (!is_complete(busiest))
        return "has operations whose times were not taken (an interval of 1 takes all)";
    return "has no rounds of uploads, kernels and downloads that would gain 5 % by other streams or by "
           "enqueueing ahead";
}

void pipeline_profile_no_advice(const struct pipeline_profile_view *view, char *text, size_t capacity)
{
    text[0] = '\0';
    if (view->stream_count == 0)
        return;
    const struct core_profile_part *part = pipeline_profile_part(view->profile, view->streams[0].device);
    snprintf(text, capacity, "%.60s %s.", part->device_id, why_none(part));
}
