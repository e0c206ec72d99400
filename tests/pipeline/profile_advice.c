/* The advice of profiles is right: on a device whose operations take known times a program uses streams in a
 * way that many do, reads the advice of its profile, follows it, and compares the gain with the promised one.
 * SPDX-License-Identifier: MIT
 */
#include "promise.h"

#include <math.h>

enum {
    BYTES        = 1024,
    MOST_BUFFERS = 3,
    TRIES        = 3
};

#define APART 0.25

/* What a program does again and again; nanoseconds, 0: nothing. */
struct work {
    uint64_t upload, kernel, download;
    uint64_t host; /* of the program, before each round */
    uint32_t rounds;
    bool is_waiting; /* for each round, before it works on the next */
};

/* How it does so. */
struct way {
    uint32_t streams, buffers;
    bool is_ahead; /* it waits only for the round whose buffers it uses again */
};

struct run {
    uint64_t elapsed;
    bool is_advised;
    struct trm_profile_advice advice;
};

/* ---- one run -------------------------------------------------------------------------------- */

struct program {
    const struct work *work;
    const struct way *way;
    struct trm_stream *streams[3];
    struct trm_stream *upload, *compute, *download; /* which of them */
    struct trm_buffer *in[MOST_BUFFERS], *out[MOST_BUFFERS];
    struct trm_point done[MOST_BUFFERS];
};

static void open_program(struct program *program)
{
    const struct work *work = program->work;
    char texts[2][32];
    struct trm_setting settings[] = {{"timed.upload_ns", texts[0]}, {"timed.download_ns", texts[1]}};

    snprintf(texts[0], sizeof(texts[0]), "%llu", (unsigned long long)work->upload);
    snprintf(texts[1], sizeof(texts[1]), "%llu", (unsigned long long)work->download);
    fixture_open(ON_TIMED, settings, 2);
    for (uint32_t i = 0; i < program->way->buffers; i++) {
        ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, BYTES, &program->in[i]));
        ck_ok(trm_buffer_create(the.device, TRM_MEMORY_DEVICE, BYTES, &program->out[i]));
    }
    for (uint32_t i = 0; i < program->way->streams; i++)
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &program->streams[i]));
    program->upload = program->compute = program->download = program->streams[0];
    if (program->way->streams > 1)
        program->download = program->streams[program->way->streams - 1];
    if (program->way->streams > 1 && work->upload != 0)
        program->compute = program->streams[1];
}

static void close_program(struct program *program)
{
    for (uint32_t i = 0; i < program->way->streams; i++)
        trm_stream_destroy(program->streams[i]);
    for (uint32_t i = 0; i < program->way->buffers; i++) {
        trm_buffer_destroy(program->in[i]);
        trm_buffer_destroy(program->out[i]);
    }
    fixture_close();
}

/* Lets one stream come after another. */
static void come_after(struct trm_stream *stream, struct trm_stream *other)
{
    struct trm_point point;

    if (stream == other)
        return;
    ck_ok(trm_stream_mark(other, &point));
    ck_ok(trm_stream_wait(stream, point));
}

static void enqueue_round(struct program *program, uint32_t slot)
{
    static unsigned char bytes[BYTES];
    const struct work *work         = program->work;
    struct trm_grid grid            = trm_grid_1d(1, 0);
    struct trm_argument arguments[] = {trm_arg_buffer(program->in[slot]), trm_arg_buffer(program->out[slot]),
                                       trm_arg_u64(work->kernel)};

    if (work->upload != 0)
        ck_ok(trm_upload(program->upload, trm_span_whole(program->in[slot]), bytes));
    come_after(program->compute, program->upload);
    if (work->kernel != 0)
        ck_ok(trm_launch(program->compute, the.timed, &grid, arguments, 3));
    come_after(program->download, program->compute);
    if (work->download != 0)
        ck_ok(trm_download(program->download, bytes, trm_span_whole(program->out[slot])));
    ck_ok(trm_stream_mark(program->download, &program->done[slot]));
}

static void run_rounds(struct program *program)
{
    const struct work *work = program->work;
    const struct way *way   = program->way;

    for (uint32_t i = 0; i < work->rounds; i++) {
        uint32_t slot = i % way->buffers;
        if (i >= way->buffers && way->is_ahead)
            ck_ok(trm_point_wait(program->done[slot], TRM_FOREVER));
        else if (i >= way->buffers && way->streams > 1)
            ck_ok(trm_stream_wait(program->upload, program->done[slot]));
        if (work->host != 0)
            sleep_ns(work->host);
        enqueue_round(program, slot);
        if (work->is_waiting && !way->is_ahead)
            ck_ok(trm_point_wait(program->done[slot], TRM_FOREVER));
    }
    ck_ok(trm_device_sync(the.device));
}

static struct run run(const struct work *work, const struct way *way)
{
    struct trm_profile_desc desc = {.struct_size = sizeof(desc), .interval = 1};
    struct run made              = {.advice = {.struct_size = sizeof(made.advice)}};
    struct program program       = {.work = work, .way = way};
    struct trm_profile *profile;

    open_program(&program);
    ck_ok(trm_profile_begin(the.device, &desc, &profile));
    made.elapsed = now_ns();
    run_rounds(&program);
    made.elapsed = now_ns() - made.elapsed;
    ck_ok(trm_profile_end(profile));
    made.is_advised = trm_profile_get_advice(profile, 0, &made.advice) == TRM_OK;
    trm_profile_destroy(profile);
    close_program(&program);
    return made;
}

/* ---- promises ------------------------------------------------------------------------------- */

static struct work scaled_work(const struct work *work, uint64_t scale)
{
    struct work scaled = *work;

    scaled.upload *= scale;
    scaled.kernel *= scale;
    scaled.download *= scale;
    scaled.host *= scale;
    return scaled;
}

static double try_once(const struct work *work, int32_t kind, struct run *before, double *got)
{
    static const struct way naive = {.streams = 1, .buffers = 1};

    *before = run(work, &naive);
    *got    = 0;
    if (!before->is_advised || before->advice.kind != kind)
        return INFINITY;
    struct way advised = {.streams  = before->advice.streams,
                          .buffers  = before->advice.buffers,
                          .is_ahead = kind != TRM_PROFILE_ADVICE_STREAMS};
    struct run after   = run(work, &advised);
    *got               = (double)before->elapsed / (double)after.elapsed;
    return fabs(*got / before->advice.gain - 1);
}

static void profile_promise_holds(const struct work *work, int32_t kind, const char *words)
{
    struct run before;
    double got = 0, apart = INFINITY;

    for (size_t i = 0; i < SCENE_SCALES && apart > APART; i++) {
        struct work scaled = scaled_work(work, scene_scales[i]);
        for (int j = 0; j < TRIES && apart > APART; j++)
            apart = try_once(&scaled, kind, &before, &got);
    }
    ck_assert_msg(apart <= APART, "\"%s\": kind %d, promised %.2f x, got %.2f x", before.advice.sentence,
                  before.advice.kind, before.advice.gain, got);
    ck_assert_msg(strstr(before.advice.sentence, words) != NULL, "%s", before.advice.sentence);
    ck_assert_double_ge(before.advice.gain, 1.05);
}

static void profile_promises_nothing(const struct work *work, const struct way *way)
{
    struct run made;

    for (size_t i = 0; i < SCENE_SCALES; i++) {
        struct work scaled = scaled_work(work, scene_scales[i]);
        for (int j = 0; j < TRIES; j++) {
            made = run(&scaled, way);
            if (!made.is_advised)
                return;
        }
    }
    ck_abort_msg("%s: %.2f x", made.advice.sentence, made.advice.gain);
}

/* ---- streams -------------------------------------------------------------------------------- */

START_TEST(a_second_stream_for_uploads_gains_what_is_promised)
{
    struct work work = {.upload = 4 * MS, .kernel = 5 * MS, .rounds = 24};

    profile_promise_holds(&work, TRM_PROFILE_ADVICE_STREAMS,
                          "wait for the upload just before them: use 2 streams");
}
END_TEST

START_TEST(a_second_stream_for_downloads_gains_what_is_promised)
{
    struct work work = {.kernel = 5 * MS, .download = 3 * MS, .rounds = 24};

    profile_promise_holds(&work, TRM_PROFILE_ADVICE_STREAMS, "one for each of kernels and downloads");
}
END_TEST

START_TEST(three_streams_gain_what_is_promised)
{
    struct work work = {.upload = 4 * MS, .kernel = 5 * MS, .download = 3 * MS, .rounds = 24};

    profile_promise_holds(&work, TRM_PROFILE_ADVICE_STREAMS,
                          "one for each of uploads, kernels and downloads, with 3 buffers in turn");
}
END_TEST

/* ---- the host ------------------------------------------------------------------------------- */

START_TEST(enqueueing_ahead_gains_what_is_promised)
{
    struct work work = {.kernel = 5 * MS, .host = 4 * MS, .rounds = 24, .is_waiting = true};

    profile_promise_holds(&work, TRM_PROFILE_ADVICE_AHEAD, "until the host enqueues more");
}
END_TEST

START_TEST(streams_and_enqueueing_ahead_gain_what_is_promised)
{
    struct work work = {.upload     = 4 * MS,
                        .kernel     = 5 * MS,
                        .download   = 3 * MS,
                        .host       = 3 * MS,
                        .rounds     = 24,
                        .is_waiting = true};

    profile_promise_holds(&work, TRM_PROFILE_ADVICE_STREAMS_AHEAD, "and enqueue ahead of the results");
}
END_TEST

/* ---- nothing -------------------------------------------------------------------------------- */

START_TEST(nothing_is_advised_where_kernels_take_nearly_all_of_the_time)
{
    struct work work = {.upload = MS / 4, .kernel = 10 * MS, .rounds = 12};
    struct way way   = {.streams = 1, .buffers = 1};

    profile_promises_nothing(&work, &way);
}
END_TEST

START_TEST(nothing_is_advised_where_the_streams_overlap_already)
{
    struct work work = {.upload = 4 * MS, .kernel = 5 * MS, .rounds = 12};
    struct way way   = {.streams = 2, .buffers = 2};

    profile_promises_nothing(&work, &way);
}
END_TEST

START_TEST(nothing_is_advised_where_the_host_takes_nearly_all_of_the_time)
{
    struct work work = {.kernel = MS / 4, .host = 10 * MS, .rounds = 12, .is_waiting = true};
    struct way way   = {.streams = 1, .buffers = 1};

    profile_promises_nothing(&work, &way);
}
END_TEST

int main(void)
{
    const struct promise_group groups[] = {
        {"streams",
         {a_second_stream_for_uploads_gains_what_is_promised,
          a_second_stream_for_downloads_gains_what_is_promised, three_streams_gain_what_is_promised}},
        {"the host",
         {enqueueing_ahead_gains_what_is_promised, streams_and_enqueueing_ahead_gain_what_is_promised}},
        {"nothing",
         {nothing_is_advised_where_kernels_take_nearly_all_of_the_time,
          nothing_is_advised_where_the_streams_overlap_already,
          nothing_is_advised_where_the_host_takes_nearly_all_of_the_time}},
    };

    return promise_main("following the advice of profiles", groups, sizeof(groups) / sizeof(groups[0]));
}
