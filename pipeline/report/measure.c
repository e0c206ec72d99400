/* What a pipeline has measured.
 *
 * Each stage keeps the growing union of its tokens' intervals. Tokens come in the order in which they ended,
 * so their begins in a stage are out of order by at most the depth: that many intervals wait, sorted, before
 * they join the union. Where the times of a token are missing (it was not sampled) the union is closed and
 * begins anew: the time between is not idle but unknown, and is estimated from what is known.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/measure.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/object/object.h"

#define UNKNOWN UINT64_MAX

enum {
    DEPTH_MOST    = 64,
    COUNT_EACH_NS = 1000000
};

/* One token in one stage. ready: when the previous stage had ended, or, for load, when the slot was free;
 * UNKNOWN: not measured. */
struct interval {
    uint64_t begin, end, ready;
};

struct stage_measure {
    uint64_t measured; /* tokens with times */
    uint64_t missed;   /* tokens without times */
    uint64_t missed_before, missed_since;
    uint64_t sum, least, most;
    uint64_t first, last; /* the earliest begin and the latest end */
    uint64_t busy, starved, blocked;
    uint64_t unexplained; /* idle for unknown reasons */
    uint64_t until;       /* where the union ends; 0: it has not begun, or begins anew */
    uint32_t waiting;
    struct interval queue[DEPTH_MOST + 1]; /* sorted by begin */
};

/* What the process has used. */
struct usage {
    uint64_t preempted; /* how often a thread lost its processor while it had work */
    uint64_t processor_ns;
};

struct share {
    uint64_t part, whole;
};

struct pipeline_measure {
    struct core_context *context;
    size_t size; /* of the whole block */
    uint32_t depth, launch_count, trace_tokens;
    char (*launch_names)[48];

    struct usage before; /* when the run began */

    uint32_t workers;
    bool one_thread;
    uint64_t tokens, skipped, failed, cancelled, sampled;
    uint64_t first, last; /* of all stages */
    uint64_t bytes_up, bytes_down;
    /* since the run began, and when it was last counted */
    struct usage used;
    uint64_t counted_at;
    /* processor time of load and sink, and how long they took for the same tokens */
    struct share load_ran, sink_ran;
    struct pipeline_rates rates;
    uint64_t recent_tokens; /* so far; those past PIPELINE_RECENT_TOKENS replaced the oldest */
    struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    /* time that tokens held slots, and the number of those tokens */
    uint64_t in_slots, seen_in_slots;
    uint64_t slot_free[DEPTH_MOST]; /* when the slot's last token ended */
    struct stage_measure stages[TRM_STAGES];
    uint64_t launch_sum[TRM_REPORT_LAUNCHES];
    uint64_t launch_tokens;

    uint64_t traced; /* tokens traced so far; those past trace_tokens replaced the oldest */
    struct pipeline_token_times *ring;
    uint64_t *ring_ends;
};

static uint64_t above(uint64_t value, uint64_t least)
{
    return value > least ? value - least : 0;
}

static uint64_t scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    return (uint64_t)((unsigned __int128)value * numerator / denominator);
}

static uint64_t time_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

/* One system call. */
static struct usage read_usage(void)
{
    struct rusage usage;
    struct usage used = {.preempted = 0};

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return used;
    used.preempted    = usage.ru_nivcsw > 0 ? (uint64_t)usage.ru_nivcsw : 0;
    used.processor_ns = time_of(&usage.ru_utime) + time_of(&usage.ru_stime);
    return used;
}

/* ---- creation and destruction --------------------------------------------------------------- */

/* Sets where the arrays begin in the block. */
static void lay_out_arrays(struct pipeline_measure *measure)
{
    measure->ring      = (struct pipeline_token_times *)(measure + 1);
    measure->ring_ends = (uint64_t *)(measure->ring + measure->trace_tokens);
    measure->launch_names =
        (char(*)[48])(measure->ring_ends + (size_t)measure->trace_tokens * measure->launch_count);
}

static int32_t create(struct core_context *context, uint32_t depth, uint32_t trace_tokens,
                      uint32_t launch_count, struct pipeline_measure **measure)
{
    size_t token = sizeof(struct pipeline_token_times) + sizeof(uint64_t) * launch_count;
    size_t size  = sizeof(struct pipeline_measure) + token * trace_tokens + (size_t)48 * launch_count;
    struct pipeline_measure *made = core_allocate(context, size);

    if (made == NULL)
        return base_fail_memory("making room for a pipeline's times");
    made->context      = context;
    made->size         = size;
    made->depth        = depth < DEPTH_MOST ? depth : DEPTH_MOST;
    made->launch_count = launch_count;
    made->trace_tokens = trace_tokens;
    made->before       = read_usage();
    lay_out_arrays(made);
    *measure = made;
    return TRM_OK;
}

int32_t pipeline_measure_create(struct core_context *context, const struct pipeline_measure_desc *desc,
                                struct pipeline_measure **measure)
{
    int32_t status = create(context, desc->depth, desc->trace_tokens, desc->launch_count, measure);

    for (uint32_t i = 0; status == TRM_OK && i < desc->launch_count; i++)
        base_text_copy((*measure)->launch_names[i], 48, desc->launch_names[i]);
    return status;
}

void pipeline_measure_destroy(struct pipeline_measure *measure)
{
    if (measure != NULL)
        core_free(measure->context, measure, measure->size);
}

int32_t pipeline_measure_create_like(const struct pipeline_measure *measure, struct pipeline_measure **copy)
{
    return create(measure->context, measure->depth, measure->trace_tokens, measure->launch_count, copy);
}

void pipeline_measure_copy(struct pipeline_measure *to, const struct pipeline_measure *from)
{
    memcpy(to, from, from->size);
    lay_out_arrays(to);
    for (uint32_t i = 0; i < to->trace_tokens; i++)
        if (to->ring[i].launch_end != NULL)
            to->ring[i].launch_end = to->ring_ends + (size_t)i * to->launch_count;
}

void pipeline_measure_reset(struct pipeline_measure *measure)
{
    size_t from = offsetof(struct pipeline_measure, workers), to = offsetof(struct pipeline_measure, ring);

    memset((char *)measure + from, 0, to - from);
    measure->before = read_usage();
}

void pipeline_measure_threads(struct pipeline_measure *measure, uint32_t workers, bool one_thread)
{
    measure->workers    = workers;
    measure->one_thread = one_thread;
}

const char *pipeline_measure_launch_name(const struct pipeline_measure *measure, uint32_t number)
{
    return number < measure->launch_count ? measure->launch_names[number] : NULL;
}

/* ---- one stage ------------------------------------------------------------------------------ */

/* Splits the idle time before the earliest waiting interval at the moment when one of them became ready. A
 * stage is starved before that moment and blocked after it. Load is blocked while no slot is free, and
 * starved when one is free and nothing comes. */
static void add_idle(struct stage_measure *stage, bool is_load)
{
    uint64_t begin = stage->queue[0].begin, ready = begin;

    if (stage->queue[0].ready == UNKNOWN) {
        stage->unexplained += begin - stage->until;
        stage->until = begin;
        return;
    }
    for (uint32_t i = 0; i < stage->waiting; i++)
        if (stage->queue[i].ready < ready)
            ready = stage->queue[i].ready;
    if (ready < stage->until)
        ready = stage->until;
    *(is_load ? &stage->blocked : &stage->starved) += ready - stage->until;
    *(is_load ? &stage->starved : &stage->blocked) += begin - ready;
    stage->until = begin;
}

/* Joins the earliest waiting interval to the union. */
static void join_first(struct stage_measure *stage, bool is_load)
{
    struct interval joined = stage->queue[0];

    if (stage->until == 0)
        stage->until = joined.begin;
    if (joined.begin > stage->until)
        add_idle(stage, is_load);
    if (joined.end > stage->until) {
        stage->busy += joined.end - stage->until;
        stage->until = joined.end;
    }
    stage->waiting--;
    memmove(stage->queue, stage->queue + 1, stage->waiting * sizeof(stage->queue[0]));
}

static void join_all(struct stage_measure *stage, bool is_load)
{
    while (stage->waiting > 0)
        join_first(stage, is_load);
}

/* A token without times: the next interval does not adjoin the previous one. */
static void miss(struct stage_measure *stage, bool is_load)
{
    join_all(stage, is_load);
    stage->until = 0;
    stage->missed++;
    stage->missed_since++;
    if (stage->measured == 0)
        stage->missed_before++;
}

static void insert(struct stage_measure *stage, const struct interval *interval, uint32_t depth, bool is_load)
{
    uint64_t duration = interval->end - interval->begin;
    uint32_t position = stage->waiting;

    if (stage->measured == 0 || interval->begin < stage->first)
        stage->first = interval->begin;
    if (interval->end > stage->last)
        stage->last = interval->end;
    if (stage->measured == 0 || duration < stage->least)
        stage->least = duration;
    if (duration > stage->most)
        stage->most = duration;
    stage->sum += duration;
    stage->measured++;
    stage->missed_since = 0;

    for (; position > 0 && stage->queue[position - 1].begin > interval->begin; position--)
        stage->queue[position] = stage->queue[position - 1];
    stage->queue[position] = *interval;
    stage->waiting++;
    if (stage->waiting > depth)
        join_first(stage, is_load);
}

/* ---- tokens --------------------------------------------------------------------------------- */

static bool has_times(const struct pipeline_token_times *times, uint32_t stage)
{
    return times->begin[stage] != 0 && times->end[stage] != 0;
}

static bool is_sampled(const struct pipeline_token_times *times)
{
    return has_times(times, TRM_STAGE_UPLOAD) || has_times(times, TRM_STAGE_COMPUTE) ||
           has_times(times, TRM_STAGE_DOWNLOAD);
}

/* Device clocks are mapped to the host's with an error, so an end may come out before its begin. */
static uint64_t end_of(const struct pipeline_token_times *times, uint32_t stage)
{
    return times->end[stage] > times->begin[stage] ? times->end[stage] : times->begin[stage];
}

static void add_stages(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    bool sampled   = is_sampled(times);
    uint64_t ready = measure->slot_free[times->slot % DEPTH_MOST];
    uint64_t first = 0, last = 0;

    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        bool is_device = i != TRM_STAGE_LOAD && i != TRM_STAGE_SINK;

        if (has_times(times, i)) {
            struct interval interval = {times->begin[i], end_of(times, i), ready};

            if (i == TRM_STAGE_SINK && !sampled)
                interval.ready = UNKNOWN;
            insert(&measure->stages[i], &interval, measure->depth, i == TRM_STAGE_LOAD);
            ready = interval.end;
            last  = interval.end > last ? interval.end : last;
            first = first == 0 || interval.begin < first ? interval.begin : first;
        } else if (times->status == TRM_OK && !(is_device && sampled)) {
            miss(&measure->stages[i], i == TRM_STAGE_LOAD);
        }
    }
    if (first == 0)
        return;
    measure->sampled += (uint64_t)sampled;
    measure->in_slots += last - first;
    measure->seen_in_slots++;
    measure->slot_free[times->slot % DEPTH_MOST] = last;
    if (measure->first == 0 || first < measure->first)
        measure->first = first;
    if (last > measure->last)
        measure->last = last;
}

/* At most once a millisecond, so that small tokens do not pay for it. */
static void note_usage(struct pipeline_measure *measure)
{
    struct usage usage;

    if (measure->last < measure->counted_at + COUNT_EACH_NS)
        return;
    usage                      = read_usage();
    measure->counted_at        = measure->last;
    measure->used.preempted    = above(usage.preempted, measure->before.preempted);
    measure->used.processor_ns = above(usage.processor_ns, measure->before.processor_ns);
}

static void add_ran(struct share *share, const struct pipeline_token_times *times, uint32_t stage,
                    uint64_t ran)
{
    if (ran == 0 || !has_times(times, stage))
        return;
    share->part += ran;
    share->whole += end_of(times, stage) - times->begin[stage];
}

static void add_recent(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    struct pipeline_stage_times *recent = &measure->recent[measure->recent_tokens % PIPELINE_RECENT_TOKENS];

    if (times->status != TRM_OK || !is_sampled(times))
        return;
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        recent->time[i] = has_times(times, i) ? end_of(times, i) - times->begin[i] : 0;
    measure->recent_tokens++;
}

uint32_t pipeline_measure_recent(const struct pipeline_measure *measure,
                                 struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS])
{
    uint64_t count =
        measure->recent_tokens < PIPELINE_RECENT_TOKENS ? measure->recent_tokens : PIPELINE_RECENT_TOKENS;

    for (uint64_t i = 0; i < count; i++)
        recent[i] = measure->recent[(measure->recent_tokens - count + i) % PIPELINE_RECENT_TOKENS];
    return (uint32_t)count;
}

void pipeline_measure_rates(const struct pipeline_measure *measure, struct pipeline_rates *rates)
{
    *rates = measure->rates;
}

static void add_launches(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    uint64_t begin = times->begin[TRM_STAGE_COMPUTE];

    if (times->launch_count == 0 || times->launch_end == NULL || begin == 0)
        return;
    for (uint32_t i = 0; i < times->launch_count && i < TRM_REPORT_LAUNCHES; i++) {
        if (times->launch_end[i] <= begin)
            continue;
        measure->launch_sum[i] += times->launch_end[i] - begin;
        begin = times->launch_end[i];
    }
    measure->launch_tokens++;
}

static void trace_token(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    uint32_t position;
    uint32_t count = times->launch_count;

    if (measure->trace_tokens == 0 || (!is_sampled(times) && !has_times(times, TRM_STAGE_LOAD)))
        return;
    if (count > measure->launch_count || times->launch_end == NULL)
        count = 0;
    position                             = (uint32_t)(measure->traced++ % measure->trace_tokens);
    measure->ring[position]              = *times;
    measure->ring[position].launch_count = count;
    measure->ring[position].launch_end   = NULL;
    if (count > 0) {
        uint64_t *ends = measure->ring_ends + (size_t)position * measure->launch_count;
        memcpy(ends, times->launch_end, count * sizeof(ends[0]));
        measure->ring[position].launch_end = ends;
    }
}

void pipeline_measure_token(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    if (times->status == TRM_OK)
        measure->tokens++;
    else if (times->status == TRM_TOKEN_SKIP)
        measure->skipped++;
    else if (times->status == TRM_ERROR_CANCELLED)
        measure->cancelled++;
    else
        measure->failed++;
    measure->bytes_up += times->bytes_up;
    measure->bytes_down += times->bytes_down;
    add_stages(measure, times);
    note_usage(measure);
    add_ran(&measure->load_ran, times, TRM_STAGE_LOAD, times->load_ran);
    add_ran(&measure->sink_ran, times, TRM_STAGE_SINK, times->sink_ran);
    pipeline_rates_add(&measure->rates, times);
    add_recent(measure, times);
    add_launches(measure, times);
    trace_token(measure, times);
}

const struct pipeline_token_times *pipeline_measure_traced(const struct pipeline_measure *measure,
                                                           uint32_t number)
{
    uint64_t most = measure->trace_tokens;

    if (number >= measure->traced || number >= most)
        return NULL;
    return &measure->ring[measure->traced <= most ? number : (measure->traced + number) % most];
}

/* ---- the report ----------------------------------------------------------------------------- */

/* Splits idle time as the idle time with known reasons is split. */
static void split_idle(const struct stage_measure *stage, uint64_t idle, struct trm_stage_report *report)
{
    uint64_t known = stage->starved + stage->blocked;

    report->blocked_ns = known == 0 ? 0 : scale(idle, stage->blocked, known);
    report->starved_ns = idle - report->blocked_ns;
}

/* The sums of a stage when no token is missing. */
static void report_exact(const struct stage_measure *stage, struct trm_stage_report *report)
{
    split_idle(stage, stage->unexplained, report);
    report->busy_ns = stage->busy;
    report->starved_ns += stage->starved;
    report->blocked_ns += stage->blocked;
}

/* The sums for all tokens, estimated from those with times. Busy time grows with the number of tokens. The
 * whole time grows with the part of the run that they cover, which may have been slower than the rest, so it
 * is limited to the length of the run. */
static void report_scaled(const struct stage_measure *stage, uint64_t elapsed,
                          struct trm_stage_report *report)
{
    uint64_t total   = stage->measured + stage->missed;
    uint64_t covered = total - stage->missed_before - stage->missed_since;
    uint64_t whole   = scale(stage->last - stage->first, total, covered);
    uint64_t busy    = scale(stage->busy, total, stage->measured);

    if (whole > elapsed)
        whole = elapsed;
    report->busy_ns = busy < whole ? busy : whole;
    split_idle(stage, whole - report->busy_ns, report);
}

static void report_stage(const struct stage_measure *measured, bool is_load, uint64_t elapsed,
                         struct trm_stage_report *report)
{
    struct stage_measure stage = *measured;

    if (stage.measured == 0)
        return;
    join_all(&stage, is_load);
    report->tokens   = stage.measured + stage.missed;
    report->mean_ns  = stage.sum / stage.measured;
    report->least_ns = stage.least;
    report->most_ns  = stage.most;
    if (stage.missed == 0)
        report_exact(&stage, report);
    else
        report_scaled(&stage, elapsed, report);
}

/* The part of a stage's busy time in which its thread did not run. */
static uint64_t waiting_of(const struct share *ran, const struct trm_stage_report *stage)
{
    if (ran->whole == 0 || ran->part >= ran->whole)
        return 0;
    return scale(stage->busy_ns, ran->whole - ran->part, ran->whole);
}

static void report_launches(const struct pipeline_measure *measure, struct trm_report *report)
{
    report->launch_count =
        measure->launch_count < TRM_REPORT_LAUNCHES ? measure->launch_count : TRM_REPORT_LAUNCHES;
    for (uint32_t i = 0; i < report->launch_count; i++) {
        base_text_copy(report->launches[i].name, sizeof(report->launches[i].name), measure->launch_names[i]);
        if (measure->launch_tokens > 0)
            report->launches[i].busy_ns = scale(
                measure->launch_sum[i], report->stages[TRM_STAGE_COMPUTE].tokens, measure->launch_tokens);
    }
}

/* The least a stage takes for all tokens while it works on as many at once as it did. */
static uint64_t bound_of(const struct trm_report *report, uint32_t stage)
{
    const struct trm_stage_report *of = &report->stages[stage];
    uint64_t busy                     = of->busy_ns;

    if (of->tokens == 0)
        return 0;
    if (stage == TRM_STAGE_LOAD && report->workers > 1 &&
        scale(of->mean_ns, of->tokens, report->workers) < busy)
        busy = scale(of->mean_ns, of->tokens, report->workers);
    return scale(busy, report->tokens, of->tokens);
}

/* The time of a stage when nothing else runs. Tokens that were in a stage at once shared its resources and
 * took longer, so their busy time counts, not the sum. */
static uint64_t alone_of(const struct trm_report *report, uint32_t stage)
{
    const struct trm_stage_report *of = &report->stages[stage];
    uint64_t sum                      = scale(of->mean_ns, of->tokens, 1);

    if (of->tokens == 0)
        return 0;
    return scale(of->busy_ns < sum ? of->busy_ns : sum, report->tokens, of->tokens);
}

static void report_bounds(struct trm_report *report)
{
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        uint64_t bound = bound_of(report, i);

        report->sequential_ns += alone_of(report, i);
        if (report->critical < 0 || bound > report->bound_ns) {
            report->critical = (int32_t)i;
            report->bound_ns = bound;
        }
    }
    if (report->elapsed_ns > 0)
        report->efficiency = (double)report->bound_ns / (double)report->elapsed_ns;
}

void pipeline_measure_report(const struct pipeline_measure *measure, struct trm_report *report)
{
    uint32_t depth = report->depth != 0 ? report->depth : measure->depth;

    report->workers       = measure->workers;
    report->one_thread    = measure->one_thread;
    report->tokens        = measure->tokens;
    report->skipped       = measure->skipped;
    report->failed        = measure->failed;
    report->cancelled     = measure->cancelled;
    report->measured      = measure->sampled;
    report->preempted     = measure->used.preempted;
    report->processor_ns  = measure->used.processor_ns;
    report->elapsed_ns    = measure->last - measure->first;
    report->bytes_up      = measure->bytes_up;
    report->bytes_down    = measure->bytes_down;
    report->critical      = -1;
    report->bound_ns      = 0;
    report->sequential_ns = 0;
    report->efficiency    = 0;
    report->fill          = 0;
    memset(report->stages, 0, sizeof(report->stages));
    memset(report->launches, 0, sizeof(report->launches));
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        report_stage(&measure->stages[i], i == TRM_STAGE_LOAD, report->elapsed_ns, &report->stages[i]);
    report->stages[TRM_STAGE_UPLOAD].bytes   = measure->bytes_up;
    report->stages[TRM_STAGE_DOWNLOAD].bytes = measure->bytes_down;
    report_launches(measure, report);
    report->load_waiting_ns = waiting_of(&measure->load_ran, &report->stages[TRM_STAGE_LOAD]);
    report->sink_waiting_ns = waiting_of(&measure->sink_ran, &report->stages[TRM_STAGE_SINK]);
    if (report->elapsed_ns > 0 && measure->seen_in_slots > 0) {
        uint64_t all  = measure->tokens + measure->skipped + measure->failed + measure->cancelled;
        uint64_t held = scale(measure->in_slots, all, measure->seen_in_slots);
        double fill   = (double)held / ((double)report->elapsed_ns * depth);
        report->fill  = fill < 1 ? fill : 1;
    }
    if (measure->sampled > 0)
        report_bounds(report);
}
