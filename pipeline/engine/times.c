/* Time stamps of a token's stages, taken on the device. Of a token in pieces only some pieces are stamped;
 * they tell how its time divides among the stages.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "core/event/event.h"
#include "core/stream/stream.h"
#include "pipeline/engine/away.h"
#include "pipeline/engine/spread.h"

/* When tokens are measured. The stamps of a token cost 6 µs on a GPU, up to 16 µs when the host is too busy
 * to read them, and less on a unified device.
 *
 * A longer token than LONG_TOKEN_NS is always measured: its stamps take less than a hundredth of its time.
 * While the depth is tuned, which goes by waiting times, LONG_TOKEN_TUNING_NS is the limit. Of shorter
 * tokens, one per EACH_NS is measured in the mean; every 32 ms costs 0.05 %. Tokens that time a strategy are
 * never measured, because stamps cost some strategies more than others. */
#define LONG_TOKEN_NS 5000000u
#define LONG_TOKEN_TUNING_NS 100000u
#define EACH_NS 32000000u
#define EACH_UNIFIED_NS 2000000u
#define EACH_TUNING_NS 400000u

/* For the first tokens of a run, where stamps are not slow: 1 % of the time at most, and that for 50 ms. */
#define EACH_FIRST_NS 1600000u

/* A GPU driver on the host's processors (lavapipe) hands each stamp to its rasterizing threads, which takes
 * some 60 µs; a token has one for each stage and one more. There even a trace has only some of the short
 * tokens, unless all are asked for, and tuning the depth makes do with as few. The times go by the stamps of
 * a token, and a stretch has as many tokens whatever the depth, the fewest that show the idle time between
 * two: else runs of few tokens would take longer the more slots there are, for the stamps alone. */
#define EACH_SOFTWARE_NS 8000000u
#define LONG_TOKEN_SOFTWARE_NS 6000000u
#define STRETCH_SOFTWARE 3u

/* An upload of so many bytes takes many times as long as the device needs to begin it. */
#define LARGE_UPLOAD (UINT64_C(4) << 20)

/* Independent clocks agree well enough for this long: 50 ppm of it are 25 µs. */
#define CLOCKS_AGREE_NS 500000000u

/* ---- events --------------------------------------------------------------------------------- */

/* On which other device a stamp of a sampled piece is taken; NULL: on the token's. */
static const struct pipeline_away *away_of(const struct pipeline *pipeline, uint32_t stamp)
{
    if (stamp < PIPELINE_STAMP_LAUNCHES)
        return NULL;
    return pipeline->engine->plans[(stamp - PIPELINE_STAMP_LAUNCHES) % pipeline->desc.stage_count].away;
}

bool pipeline_times_wanted(const struct pipeline *pipeline)
{
    return pipeline->desc.measure != TRM_MEASURE_NONE;
}

int32_t pipeline_times_create(struct pipeline_slot *slot)
{
    struct pipeline *pipeline        = slot->pipeline;
    struct core_context *context     = pipeline->object.context;
    struct pipeline_slot_device *own = slot->device;
    uint32_t samples                 = pipeline->engine->pieces.count > 1 ? PIPELINE_SAMPLES_MOST : 1;
    uint32_t count                   = samples * pipeline_stamps_each(pipeline);
    int32_t status                   = TRM_OK;

    own->events = core_allocate(context, count * sizeof(*own->events));
    if (own->events == NULL)
        return base_fail_memory("making a slot of a pipeline");
    own->event_count = count;
    own->stamped     = core_allocate(context, count);
    if (own->stamped == NULL)
        return base_fail_memory("making a slot of a pipeline");
    for (uint32_t i = 0; status == TRM_OK && i < count; i++) {
        const struct pipeline_away *away = away_of(pipeline, i % pipeline_stamps_each(pipeline));
        status = core_event_create(away != NULL ? away->device : pipeline->device, TRM_EVENT_TIMING,
                                   &own->events[i]);
    }
    return status;
}

void pipeline_times_destroy(struct pipeline_slot *slot)
{
    struct core_context *context     = slot->pipeline->object.context;
    struct pipeline_slot_device *own = slot->device;

    for (uint32_t i = 0; i < own->event_count; i++)
        trm_event_destroy(own->events[i]);
    core_free(context, own->events, own->event_count * sizeof(*own->events));
    core_free(context, own->stamped, own->event_count);
}

bool pipeline_times_are_slow(const struct pipeline *pipeline)
{
    uint64_t kind = 0;

    return core_timestamps_are_native(pipeline->device) &&
           core_device_info(pipeline->device, TRM_DEVICE_KIND, &kind, sizeof(kind), NULL) == TRM_OK &&
           kind == TRM_DEVICE_SOFTWARE;
}

/* ---- which tokens, which pieces ------------------------------------------------------------- */

/* Of a token. */
static uint32_t count_stamps(const struct pipeline *pipeline)
{
    return pipeline->desc.stage_count + 1;
}

/* Tokens of a stretch: an odd number, so that stretches do not keep step with times that repeat, such as of
 * key frames. */
static uint64_t stretch_of(const struct pipeline *pipeline)
{
    return pipeline->engine->stamps_are_slow
               ? STRETCH_SOFTWARE
               : 2 * (uint64_t)atomic_load_explicit(&pipeline->front->depth, memory_order_relaxed) + 1;
}

/* Whether the stamps of such tokens cost little beside their own time. */
static bool is_long(const struct pipeline *pipeline, bool tunes)
{
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t least                       = tunes ? LONG_TOKEN_TUNING_NS : LONG_TOKEN_NS;

    if (engine->stamps_are_slow)
        least = (uint64_t)LONG_TOKEN_SOFTWARE_NS * count_stamps(pipeline);
    return atomic_load_explicit(&engine->token_ns, memory_order_relaxed) > least;
}

/* Mean time from one measured token to the next. */
static uint64_t each_ns(const struct pipeline *pipeline, bool tunes)
{
    const struct pipeline_device *engine = pipeline->engine;

    if (tunes)
        return EACH_TUNING_NS;
    if (engine->stamps_are_slow)
        return (uint64_t)EACH_SOFTWARE_NS * count_stamps(pipeline);
    if (pipeline->front->sampling.measured < PIPELINE_SAMPLES_FIRST)
        return EACH_FIRST_NS;
    return engine->unified ? EACH_UNIFIED_NS : EACH_NS;
}

static bool is_among_first(struct pipeline *pipeline, uint64_t count)
{
    uint32_t anew = atomic_load_explicit(&pipeline->anew, memory_order_relaxed);

    if (pipeline->seen != anew) {
        pipeline->seen  = anew;
        pipeline->first = pipeline->engine->sequence;
    }
    return pipeline->engine->sequence - pipeline->first < count;
}

/* Whether the next token is measured; counts it. */
static bool measures_next(struct pipeline *pipeline)
{
    struct pipeline_device *engine = pipeline->engine;
    uint64_t stretch               = stretch_of(pipeline);

    if (!pipeline_times_wanted(pipeline))
        return false;
    if (pipeline->desc.measure == TRM_MEASURE_ALL ||
        (pipeline->desc.trace_tokens != 0 && !engine->stamps_are_slow))
        return true;
    bool tunes = pipeline->desc.depth == 0 && !engine->stamps_are_slow &&
                 !atomic_load_explicit(&engine->tuning.is_resting, memory_order_relaxed);
    bool is_timed = pipeline_choose_timing(pipeline);
    /* The first tokens on each of several devices decide which device gets the next. */
    if (pipeline != pipeline->front && is_among_first(pipeline, stretch) && !is_timed)
        return true;
    bool is_due = pipeline_sampling_next(&pipeline->front->sampling, stretch,
                                         stretch * each_ns(pipeline, tunes), is_timed);
    return is_due || (!is_timed && is_long(pipeline, tunes));
}

/* A kernel that stays on a device with memory of its own notes when each token began and ended, and takes no
 * other stamps. */
static bool notes_tokens(const struct pipeline *pipeline)
{
    return pipeline->engine->strategy->strategy == TRM_STRATEGY_RESIDENT && !pipeline->engine->unified;
}

void pipeline_times_begin(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;
    uint32_t room                    = own->event_count / pipeline_stamps_each(slot->pipeline);

    own->is_measured = measures_next(slot->pipeline);
    own->enqueued_at = own->is_measured ? base_now() : 0;
    own->enqueue_ns  = 0;
    own->host_begin  = 0;
    own->samples     = own->pieces < room ? own->pieces : room;
    own->is_noted    = own->is_measured && notes_tokens(slot->pipeline);
    if (!own->is_measured || own->is_noted)
        own->samples = 0;
    if (own->stamped != NULL)
        memset(own->stamped, 0, own->event_count);
}

void pipeline_slot_enqueue_end(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    if (own->is_measured && own->enqueued_at != 0)
        own->enqueue_ns = base_now() - own->enqueued_at;
}

/* Spreads the samples evenly from the first piece to the last. */
uint32_t pipeline_times_sample(const struct pipeline_slot *slot, uint32_t piece)
{
    const struct pipeline_slot_device *own = slot->device;
    uint64_t last = own->pieces - 1, samples = own->samples;

    if (samples == 0)
        return UINT32_MAX;
    if (samples == 1)
        return piece == 0 ? 0 : UINT32_MAX;
    uint64_t number = (piece * (samples - 1) + last - 1) / last;
    return number * last / (samples - 1) == piece ? (uint32_t)number : UINT32_MAX;
}

static bool is_large(const struct pipeline *pipeline)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < pipeline->desc.port_count; i++)
        if (pipeline->engine->input_ports & PIPELINE_BIT(i))
            bytes += pipeline->ports[i].size;
    return bytes >= LARGE_UPLOAD;
}

/* The slot's own stream is empty, so the device reaches the stamp at once and the upload when it is done with
 * those of other slots; the stamp would tell what the host knows. It could also do harm: on a device with a
 * queue for each direction that runs a stamp where the stream's last operation ran, the stamp would wait for
 * other slots' downloads, and the upload for the stamp. */
bool pipeline_times_begin_is_known(const struct core_recorder *recorder)
{
    const struct pipeline *pipeline        = recorder->slot->pipeline;
    const struct pipeline_slot_device *own = recorder->slot->device;
    bool is_on_slot                        = recorder->recording != NULL || recorder->stream == own->stream;

    return is_on_slot && own->pieces == 1 && !pipeline->engine->unified && is_large(pipeline);
}

/* ---- the device's clock --------------------------------------------------------------------- */

/* Stamps once between two readings of the host's clock. */
static int32_t look(struct pipeline *pipeline, struct trm_stream *stream, struct trm_event *event)
{
    struct pipeline_device *engine = pipeline->engine;
    uint64_t stamped               = 0;

    uint64_t before = base_now();
    int32_t status  = trm_event_record(event, stream);
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    uint64_t after = base_now();
    if (status == TRM_OK)
        status = core_event_time(core_event_find(event), &stamped);
    if (status != TRM_OK)
        return status;
    engine->clock_offset =
        before <= stamped && stamped <= after ? 0 : (int64_t)(before + (after - before) / 2 - stamped);
    return TRM_OK;
}

void pipeline_times_calibrate(struct pipeline *pipeline)
{
    struct core_stream *made = NULL;
    struct trm_event *event  = NULL;
    struct base_saved_error saved;

    if (!pipeline_times_wanted(pipeline) || !core_timestamps_are_native(pipeline->device))
        return;
    base_error_save(&saved);
    int32_t status = core_stream_create(pipeline->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, 0, &made);
    struct trm_stream *stream = status == TRM_OK ? core_object_publish(&made->object) : NULL;
    if (status == TRM_OK)
        status = core_event_create(pipeline->device, TRM_EVENT_TIMING, &event);
    /* The first one includes one-time work of the driver. */
    for (uint32_t i = 0; status == TRM_OK && i < 2; i++)
        status = look(pipeline, stream, event);
    trm_event_destroy(event);
    trm_stream_destroy(stream);
    base_error_restore(&saved);
    pipeline->engine->calibrated_at = base_now();
}

/* Creating a stream takes some drivers a millisecond, as long as many tokens. */
void pipeline_times_calibrate_again(struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;

    if (engine->clock_offset != 0 && base_now() - engine->calibrated_at > CLOCKS_AGREE_NS)
        pipeline_times_calibrate(pipeline);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The times of one sampled piece; 0: not stamped. */
struct sample {
    const struct pipeline_slot *slot;
    uint32_t first; /* event */
};

static uint64_t time_of(const struct sample *sample, uint32_t stamp)
{
    const struct pipeline_slot_device *own = sample->slot->device;
    uint32_t number                        = sample->first + stamp;
    uint64_t time                          = 0;

    if (!own->stamped[number])
        return 0;
    struct core_event *event = core_event_find(own->events[number]);
    if (event == NULL || core_event_time(event, &time) != TRM_OK)
        return 0;
    const struct pipeline_away *away = away_of(sample->slot->pipeline, stamp);
    const struct pipeline *clock =
        away != NULL ? sample->slot->front->members[away->member] : sample->slot->pipeline;
    return time + (uint64_t)clock->engine->clock_offset;
}

/* When a stage began whose stream may have been in use for another token; 0: with what it runs after. */
static uint64_t launch_begin(const struct sample *sample, uint32_t stage)
{
    const struct pipeline *pipeline = sample->slot->pipeline;

    if (pipeline->engine->plans[stage].prefers == TRM_STAGE_STREAM_ANY)
        return 0;
    return time_of(sample, PIPELINE_STAMP_LAUNCHES + pipeline->desc.stage_count + stage);
}

/* When the first stage began: on its own stream, or with `compute` on lane 0, which may wait for other tokens
 * there. */
static uint64_t first_begin(const struct sample *sample, uint64_t compute)
{
    const struct pipeline *pipeline = sample->slot->pipeline;
    uint64_t first                  = UINT64_MAX;

    if (pipeline->engine->preferred_lanes == 0)
        return compute;
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        uint64_t begin = launch_begin(sample, i);
        if (pipeline->engine->plans[i].after != 0)
            continue;
        begin = begin != 0 ? begin : compute;
        first = begin < first ? begin : first;
    }
    return first;
}

static void read_sample(const struct sample *sample, uint64_t *begin, uint64_t *end)
{
    const struct pipeline_slot_device *own = sample->slot->device;

    memset(begin, 0, TRM_STAGES * sizeof(*begin));
    memset(end, 0, TRM_STAGES * sizeof(*end));
    uint64_t uploaded  = time_of(sample, PIPELINE_STAMP_UPLOADED),
             compute   = time_of(sample, PIPELINE_STAMP_COMPUTE);
    uint64_t processed = time_of(sample, PIPELINE_STAMP_PROCESSED),
             download  = time_of(sample, PIPELINE_STAMP_DOWNLOAD);
    uint64_t last      = time_of(sample, PIPELINE_STAMP_END);

    if (uploaded != 0) {
        uint64_t begun          = time_of(sample, PIPELINE_STAMP_BEGIN);
        begin[TRM_STAGE_UPLOAD] = begun != 0 ? begun : own->enqueued_at;
        end[TRM_STAGE_UPLOAD]   = uploaded;
    }
    if (processed != 0 && sample->slot->pipeline->desc.stage_count != 0) {
        begin[TRM_STAGE_COMPUTE] = first_begin(sample, compute != 0 ? compute : uploaded);
        /* Waiting for other tokens' host stages is not computing. */
        if (own->host_begin > begin[TRM_STAGE_COMPUTE] && own->host_begin <= processed)
            begin[TRM_STAGE_COMPUTE] = own->host_begin;
        end[TRM_STAGE_COMPUTE] = processed;
    }
    if (last != 0) {
        begin[TRM_STAGE_DOWNLOAD] = download != 0 ? download : processed;
        end[TRM_STAGE_DOWNLOAD]   = last;
    }
}

static void read_launches(const struct sample *sample, uint64_t processed)
{
    const struct pipeline_slot_device *own = sample->slot->device;
    uint32_t count                         = sample->slot->pipeline->desc.stage_count;

    for (uint32_t i = 0; i < count; i++) {
        own->launch_end[i]   = count > 1 ? time_of(sample, PIPELINE_STAMP_LAUNCHES + i) : processed;
        own->launch_begin[i] = launch_begin(sample, i);
    }
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Sums over the sampled pieces. */
struct sum {
    uint64_t first, last; /* of the token */
    uint64_t stage[TRM_STAGES];
    uint64_t launch[PIPELINE_STAGES_MOST];
    uint64_t all;
};

static void add_launches(const struct sample *sample, uint64_t begin, struct sum *sum)
{
    uint32_t count = sample->slot->pipeline->desc.stage_count;

    for (uint32_t i = 0; count > 1 && i < count; i++) {
        uint64_t end = time_of(sample, PIPELINE_STAMP_LAUNCHES + i);
        if (end > begin)
            sum->launch[i] += end - begin;
        begin = end;
    }
}

static void add_sample(const struct sample *sample, struct sum *sum)
{
    uint64_t begin[TRM_STAGES], end[TRM_STAGES];

    read_sample(sample, begin, end);
    for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        if (end[i] == 0)
            continue;
        uint64_t length = end[i] > begin[i] ? end[i] - begin[i] : 0;
        sum->stage[i] += length;
        sum->all += length;
        sum->first = sum->first == 0 ? begin[i] : sum->first;
        sum->last  = end[i];
    }
    add_launches(sample, begin[TRM_STAGE_COMPUTE], sum);
}

static uint64_t share(const struct sum *sum, uint64_t part)
{
    return (uint64_t)((double)(sum->last - sum->first) * (double)part / (double)sum->all);
}

/* Lays out the stages one after the other, each as long as in all pieces together. */
static void spread(const struct pipeline_slot *slot, const struct sum *sum,
                   struct pipeline_token_times *times)
{
    const struct pipeline_slot_device *own = slot->device;
    uint32_t count                         = slot->pipeline->desc.stage_count;
    uint64_t at                            = sum->first;

    for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        if (sum->stage[i] == 0)
            continue;
        times->begin[i] = at;
        at += share(sum, sum->stage[i]);
        times->end[i] = at;
    }
    at = times->begin[TRM_STAGE_COMPUTE];
    for (uint32_t i = 0; i < count; i++) {
        at += count > 1 ? share(sum, sum->launch[i]) : 0;
        own->launch_end[i] = count > 1 ? at : times->end[TRM_STAGE_COMPUTE];
    }
}

static void read_pieces(const struct pipeline_slot *slot, struct pipeline_token_times *times)
{
    struct sum sum = {.first = 0};

    for (uint32_t i = 0; i < slot->device->samples; i++) {
        struct sample sample = {.slot = slot, .first = i * pipeline_stamps_each(slot->pipeline)};
        add_sample(&sample, &sum);
    }
    if (sum.all != 0 && sum.last > sum.first)
        spread(slot, &sum, times);
}

/* ---- a whole token -------------------------------------------------------------------------- */

static void note_length(struct pipeline_device *engine, const struct pipeline_token_times *times)
{
    uint64_t first = 0, last = 0;

    for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
        first = first == 0 ? times->begin[i] : first;
        last  = times->end[i] != 0 ? times->end[i] : last;
    }
    if (last > first)
        atomic_store_explicit(&engine->token_ns, last - first, memory_order_relaxed);
}

/* The stages of a token are one, its compute. */
static void read_noted(struct pipeline_slot *slot, struct pipeline_token_times *times)
{
    struct pipeline_slot_device *own = slot->device;
    struct trm_point finished        = pipeline_slot_point(&own->finished);
    uint64_t begin = 0, end = 0;
    struct base_saved_error saved;

    struct core_stream *stream =
        finished.stream != NULL ? core_object_enter(finished.stream, CORE_STREAM) : NULL;
    if (stream == NULL)
        return;
    base_error_save(&saved);
    int32_t status = core_stream_resident_times(stream, finished.value, &begin, &end);
    core_object_leave(&stream->object);
    base_error_restore(&saved);
    if (status != TRM_OK)
        return;
    times->enqueue_ns               = own->enqueue_ns;
    times->begin[TRM_STAGE_COMPUTE] = begin;
    times->end[TRM_STAGE_COMPUTE]   = end;
    if (slot->pipeline->desc.stage_count == 1) {
        own->launch_end[0]  = end;
        times->launch_count = 1;
    }
    note_length(slot->pipeline->engine, times);
}

bool pipeline_slot_is_measured(const struct pipeline_slot *slot)
{
    return slot->device->is_measured;
}

bool pipeline_slot_is_stamped(const struct pipeline_slot *slot)
{
    return slot->device->samples != 0;
}

void pipeline_slot_times(struct pipeline_slot *slot, struct pipeline_token_times *times)
{
    struct pipeline_slot_device *own = slot->device;
    struct sample whole              = {.slot = slot};

    for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++)
        times->begin[i] = times->end[i] = 0;
    times->launch_count = 0;
    times->launch_end   = own->launch_end;
    times->launch_after = own->uses_lanes ? slot->pipeline->engine->launch_after : NULL;
    times->launch_begin =
        own->uses_lanes && slot->pipeline->engine->preferred_lanes != 0 ? own->launch_begin : NULL;
    /* The slot may be free by now and prepared for another token, which is not enqueued yet (queue.c). */
    if (own->is_noted)
        read_noted(slot, times);
    if (own->samples == 0)
        return;
    times->enqueue_ns = own->enqueue_ns;
    if (own->pieces > 1) {
        read_pieces(slot, times);
    } else {
        uint64_t begin[TRM_STAGES], end[TRM_STAGES];
        read_sample(&whole, begin, end);
        if (end[TRM_STAGE_COMPUTE] != 0)
            end[TRM_STAGE_COMPUTE] = pipeline_spread_end(slot, end[TRM_STAGE_COMPUTE]);
        for (uint32_t i = TRM_STAGE_UPLOAD; i <= TRM_STAGE_DOWNLOAD; i++) {
            times->begin[i] = begin[i];
            times->end[i]   = end[i];
        }
        read_launches(&whole, end[TRM_STAGE_COMPUTE]);
    }
    times->launch_count = times->end[TRM_STAGE_COMPUTE] != 0 ? slot->pipeline->desc.stage_count : 0;
    note_length(slot->pipeline->engine, times);
}
