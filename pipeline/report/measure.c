/* What a pipeline has measured.
 *
 * Each stage keeps the growing union of its tokens' intervals. Tokens come in the order in which they ended,
 * so their begins in a stage are out of order by at most the depth: that many intervals wait, sorted, before
 * they join the union. Where the times of a token are missing (it was not sampled) the union is closed and
 * begins anew: the time between is not idle but unknown, and is estimated from what is known.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/report/measure_state.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/object/object.h"

static uint64_t above(uint64_t value, uint64_t least)
{
    return value > least ? value - least : 0;
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
        (char(*)[48])(measure->ring_ends + (size_t)measure->trace_tokens * measure->launch_count * 2);
}

static int32_t create(struct core_context *context, uint32_t depth, uint32_t trace_tokens,
                      uint32_t launch_count, struct pipeline_measure **measure)
{
    size_t token = sizeof(struct pipeline_token_times) + sizeof(uint64_t) * launch_count * 2;
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
    for (uint32_t i = 0; i < to->trace_tokens; i++) {
        uint64_t *ends = to->ring_ends + (size_t)i * to->launch_count * 2;
        if (to->ring[i].launch_end != NULL)
            to->ring[i].launch_end = ends;
        if (to->ring[i].launch_begin != NULL)
            to->ring[i].launch_begin = ends + to->launch_count;
    }
}

void pipeline_measure_reset(struct pipeline_measure *measure)
{
    size_t from = offsetof(struct pipeline_measure, workers), to = offsetof(struct pipeline_measure, ring);

    memset((char *)measure + from, 0, to - from);
    measure->before = read_usage();
}

void pipeline_measure_restart(struct pipeline_measure *measure)
{
    uint32_t workers = measure->workers;
    bool one_thread  = measure->one_thread;
    pipeline_measure_reset(measure);
    pipeline_measure_threads(measure, workers, one_thread);
}

void pipeline_measure_reorder(struct pipeline_measure *measure, const uint32_t *places)
{
    char names[DEPTH_MOST][sizeof(*measure->launch_names)];

    for (uint32_t i = 0; i < measure->launch_count && i < DEPTH_MOST; i++)
        memcpy(names[i], measure->launch_names[places[i]], sizeof(names[i]));
    for (uint32_t i = 0; i < measure->launch_count && i < DEPTH_MOST; i++)
        memcpy(measure->launch_names[i], names[i], sizeof(names[i]));
    pipeline_measure_restart(measure);
}

void pipeline_measure_slots(struct pipeline_measure *measure, uint32_t slots)
{
    measure->depth = slots < DEPTH_MOST ? slots : DEPTH_MOST;
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

void pipeline_stage_join_all(struct stage_measure *stage, bool is_load)
{
    while (stage->waiting > 0)
        join_first(stage, is_load);
}

void pipeline_stage_miss(struct stage_measure *stage, uint64_t tokens, bool is_load)
{
    if (tokens == 0)
        return;
    pipeline_stage_join_all(stage, is_load);
    stage->until = 0;
    stage->missed += tokens;
    stage->missed_since += tokens;
    if (stage->measured == 0)
        stage->missed_before += tokens;
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

/* Widens the run of a measure. */
static void widen(struct pipeline_measure *measure, uint64_t begin, uint64_t end)
{
    if (measure->first == 0 || begin < measure->first)
        measure->first = begin;
    if (end > measure->last)
        measure->last = end;
}

void pipeline_measure_until(struct pipeline_measure *measure, uint64_t now)
{
    if (measure->first != 0)
        widen(measure, measure->first, now);
}

/* The sink could have taken a result that was dropped: from then on it is blocked, and not starved. */
static void note_dropped(struct pipeline_measure *measure, const struct pipeline_token_times *times,
                         uint64_t ready)
{
    bool is_first = measure->dropped_ready == 0 || ready < measure->dropped_ready;

    if (times->status == PIPELINE_TOKEN_DROPPED && is_sampled(times) && is_first)
        measure->dropped_ready = ready;
}

/* When the sink had something to take, before the token or instead of it. */
static uint64_t sink_ready(struct pipeline_measure *measure, uint64_t ready)
{
    uint64_t dropped = measure->dropped_ready;

    measure->dropped_ready = 0;
    return dropped != 0 && dropped < ready ? dropped : ready;
}

static void note_fresh(struct pipeline_measure *measure, uint32_t stage, const struct interval *interval)
{
    uint64_t took = interval->end - interval->begin, least = measure->fresh[stage].least;

    measure->fresh[stage].tokens++;
    measure->fresh[stage].sum += took;
    if (measure->seen_in_slots > 0 && (least == 0 || took < least))
        measure->fresh[stage].least = took;
}

static void add_stages(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    bool sampled   = is_sampled(times);
    uint64_t ready = measure->slot_free[times->slot % DEPTH_MOST];
    bool is_fresh  = ready == 0;
    uint64_t first = 0, last = 0;

    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        bool is_device = i != TRM_STAGE_LOAD && i != TRM_STAGE_SINK;

        if (has_times(times, i)) {
            struct interval interval = {times->begin[i], end_of(times, i), ready};

            if (i == TRM_STAGE_SINK)
                interval.ready = sink_ready(measure, sampled ? ready : UNKNOWN);
            insert(&measure->stages[i], &interval, measure->depth, i == TRM_STAGE_LOAD);
            if (is_fresh)
                note_fresh(measure, i, &interval);
            ready = interval.end;
            last  = interval.end > last ? interval.end : last;
            first = first == 0 || interval.begin < first ? interval.begin : first;
        } else if (times->status == TRM_OK && !(is_device && sampled)) {
            pipeline_stage_miss(&measure->stages[i], 1, i == TRM_STAGE_LOAD);
        }
    }
    if (first == 0)
        return;
    note_dropped(measure, times, ready);
    measure->sampled += (uint64_t)sampled;
    measure->in_slots += last - first;
    measure->seen_in_slots++;
    measure->slot_free[times->slot % DEPTH_MOST] = last;
    widen(measure, first, last);
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

uint64_t pipeline_measure_slot_ns(const struct pipeline_measure *measure)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        uint64_t others = measure->stages[i].measured - measure->fresh[i].tokens;
        if (others > 0)
            sum += above(measure->fresh[i].least, (measure->stages[i].sum - measure->fresh[i].sum) / others);
    }
    return sum;
}

void pipeline_measure_rates(const struct pipeline_measure *measure, struct pipeline_rates *rates)
{
    *rates = measure->rates;
}

uint64_t pipeline_times_launch_begin(const struct pipeline_token_times *times, uint32_t number)
{
    uint64_t begin = times->begin[TRM_STAGE_COMPUTE];

    for (uint32_t i = 0; i < number; i++) {
        bool is_before = times->launch_after == NULL || (times->launch_after[number] >> i & 1) != 0;
        if (is_before && times->launch_end[i] > begin)
            begin = times->launch_end[i];
    }
    return times->launch_begin != NULL && times->launch_begin[number] > begin ? times->launch_begin[number]
                                                                              : begin;
}

static void add_launches(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    if (times->launch_count == 0 || times->launch_end == NULL || times->begin[TRM_STAGE_COMPUTE] == 0)
        return;
    for (uint32_t i = 0; i < times->launch_count && i < TRM_REPORT_LAUNCHES; i++)
        measure->launch_sum[i] += above(times->launch_end[i], pipeline_times_launch_begin(times, i));
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
    measure->ring[position].launch_begin = NULL;
    uint64_t *ends                       = measure->ring_ends + (size_t)position * measure->launch_count * 2;
    if (count > 0)
        measure->ring[position].launch_end = memcpy(ends, times->launch_end, count * sizeof(ends[0]));
    if (count > 0 && times->launch_begin != NULL)
        measure->ring[position].launch_begin =
            memcpy(ends + measure->launch_count, times->launch_begin, count * sizeof(ends[0]));
}

static void count_token(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    switch (times->status) {
    case TRM_OK:
        measure->tokens++;
        measure->late += times->is_late;
        break;
    case TRM_TOKEN_SKIP:
        measure->skipped++;
        break;
    case PIPELINE_TOKEN_EXPIRED:
        measure->expired++;
        measure->dropped++;
        break;
    case PIPELINE_TOKEN_DROPPED:
        measure->dropped++;
        break;
    case TRM_ERROR_CANCELLED:
        measure->cancelled++;
        break;
    default:
        measure->failed++;
    }
}

/* Counts the tokens without times so far with the others, and as missed by each stage. */
static void fold(struct pipeline_measure *measure)
{
    measure->tokens += measure->plain + measure->untimed;
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        pipeline_stage_miss(&measure->stages[i], pipeline_measure_missed(measure, i), i == TRM_STAGE_LOAD);
    measure->plain = measure->untimed = 0;
}

static bool has_any_time(const struct pipeline_token_times *times)
{
    uint64_t any = times->enqueue_ns;

    for (uint32_t i = 0; i < TRM_STAGES; i++)
        any |= times->begin[i];
    return any != 0;
}

void pipeline_measure_untimed(struct pipeline_measure *measure, bool is_late, uint64_t bytes_up,
                              uint64_t bytes_down)
{
    measure->untimed++;
    measure->late += is_late;
    measure->bytes_up += bytes_up;
    measure->bytes_down += bytes_down;
}

void pipeline_measure_token(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    if (times->status == TRM_OK && !has_any_time(times)) {
        pipeline_measure_untimed(measure, times->is_late, times->bytes_up, times->bytes_down);
        return;
    }
    if (measure->plain + measure->untimed != 0)
        fold(measure);
    count_token(measure, times);
    measure->bytes_up += times->bytes_up;
    measure->bytes_down += times->bytes_down;
    if (!has_any_time(times))
        return;
    add_stages(measure, times);
    note_usage(measure);
    add_ran(&measure->load_ran, times, TRM_STAGE_LOAD, times->load_ran);
    add_ran(&measure->sink_ran, times, TRM_STAGE_SINK, times->sink_ran);
    pipeline_rates_add(&measure->rates, times);
    add_recent(measure, times);
    add_launches(measure, times);
    trace_token(measure, times);
}

/* Widens the run of a measure by what the host did for a token. */
static void widen_by_host(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    for (uint32_t i = TRM_STAGE_LOAD; i < TRM_STAGES; i += TRM_STAGE_SINK - TRM_STAGE_LOAD)
        if (has_times(times, i))
            widen(measure, times->begin[i], end_of(times, i));
}

__attribute__((cold, noinline)) static void add_device_token(struct pipeline_measure *measure,
                                                             const struct pipeline_token_times *times)
{
    bool sampled = is_sampled(times);

    if (measure->plain + measure->untimed != 0)
        fold(measure);
    count_token(measure, times);
    measure->sampled += (uint64_t)sampled;
    for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        if (has_times(times, i)) {
            struct interval interval = {times->begin[i], end_of(times, i), UNKNOWN};
            insert(&measure->stages[i], &interval, measure->depth, false);
            widen(measure, interval.begin, interval.end);
        } else if (times->status == TRM_OK && !sampled) {
            pipeline_stage_miss(&measure->stages[i], 1, false);
        }
    }
}

/* Most tokens are plain, and look at one line of the cache: each stage has others. */
void pipeline_measure_device_token(struct pipeline_measure *measure, const struct pipeline_token_times *times)
{
    bool is_plain = times->status == TRM_OK && !times->is_late && !is_sampled(times);

    widen_by_host(measure, times);
    measure->plain += is_plain;
    if (!is_plain)
        add_device_token(measure, times);
}

const struct pipeline_token_times *pipeline_measure_traced(const struct pipeline_measure *measure,
                                                           uint32_t number)
{
    uint64_t most = measure->trace_tokens;

    if (number >= measure->traced || number >= most)
        return NULL;
    return &measure->ring[measure->traced <= most ? number : (measure->traced + number) % most];
}
