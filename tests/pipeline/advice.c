/* Advice is right: on a device whose stages take known times each test builds a situation, reads the advice,
 * follows it, and compares the gain with the predicted one. A busy machine makes a run longer and never
 * shorter, so each test may repeat with longer times, and the best try counts.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>

#define TRIES 3

/* Gains may differ from the predicted ones by so much. */
#define APART 0.25

static const uint64_t scales[] = {1, 3, 8};

/* A pipeline and its ends. */
struct scene {
    uint64_t stage[TRM_STAGES]; /* nanoseconds of one token */
    uint32_t depth;
    uint32_t workers;
    uint64_t tokens;
    uint64_t each_eighth;              /* 0, or what every eighth token takes in load */
    uint32_t source_flags, sink_flags; /* enum trm_end_flags; PACED: a clock that does not wait */
    bool has_options;                  /* for workers and depth, not for the size of tokens */
    uint32_t sinks;                    /* 0: trm_pipeline_run(); else threads that take results */
};

struct outcome {
    struct trm_report before, after;
    double got;
};

/* ---- ends ----------------------------------------------------------------------------------- */

static void sleep_until(uint64_t time)
{
    uint64_t now = now_ns();

    if (now < time)
        sleep_ns(time - now);
}

/* Takes so long by working. */
static void work_until(uint64_t time)
{
    while (now_ns() < time)
        continue;
}

struct ends {
    const struct scene *scene;
    uint64_t begun;       /* when the first token was asked for */
    uint64_t last_loaded; /* a serial source is late only when it was asked late */
    uint64_t last_sunk;
};

static uint64_t load_time(const struct scene *scene, uint64_t index)
{
    if (scene->each_eighth != 0 && index % 8 == 7)
        return scene->each_eighth;
    return scene->stage[TRM_STAGE_LOAD];
}

static int32_t load(void *user, struct trm_token *token)
{
    struct ends *ends         = user;
    const struct scene *scene = ends->scene;
    uint64_t now              = now_ns();

    if (token->index >= scene->tokens)
        return TRM_TOKEN_END;
    if (token->index == 0)
        ends->begun = now;
    if (scene->source_flags & TRM_END_PACED)
        sleep_until(ends->begun + (token->index + 1) * scene->stage[TRM_STAGE_LOAD]);
    else if (scene->source_flags & TRM_END_SERIAL)
        work_until(now + load_time(scene, token->index));
    else if (load_time(scene, token->index) != 0)
        sleep_until(now + load_time(scene, token->index));
    return TRM_OK;
}

static int32_t sink(void *user, const struct trm_token *token)
{
    struct ends *ends         = user;
    const struct scene *scene = ends->scene;
    uint64_t now              = now_ns(), time;

    (void)token;
    time = now + scene->stage[TRM_STAGE_SINK];
    /* The reader takes the next one when it is done with the last. */
    if (scene->sink_flags & TRM_END_PACED && ends->last_sunk != 0)
        time = ends->last_sunk + scene->stage[TRM_STAGE_SINK];
    if (scene->stage[TRM_STAGE_SINK] != 0)
        sleep_until(time);
    ends->last_sunk = now > time ? now : time;
    return TRM_OK;
}

/* ---- a run ---------------------------------------------------------------------------------- */

static struct trm_pipeline *make(const struct scene *scene)
{
    struct trm_advice_words words   = {.struct_size = sizeof(words),
                                       .workers     = "--workers",
                                       .depth       = "--depth",
                                       .sinks       = scene->sinks > 0 ? "--sinks" : NULL,
                                       .sink_count  = scene->sinks};
    struct trm_port ports[]         = {trm_port_input("in", 1024), trm_port_output("out", 1024)};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1),
                                       trm_arg_u64(scene->stage[TRM_STAGE_COMPUTE])};
    struct trm_stage stage          = trm_stage_launch(the.timed, arguments, 3, 0, 0);
    struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                       .ports       = ports,
                                       .port_count  = 2,
                                       .stages      = &stage,
                                       .stage_count = 1,
                                       .depth       = scene->depth,
                                       .strategy    = TRM_STRATEGY_ROLE_STREAMS,
                                       .measure     = TRM_MEASURE_ALL,
                                       .words       = scene->has_options ? &words : NULL};
    struct trm_pipeline *pipeline;

    stage.grid = trm_grid_1d(1, 0);
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    return pipeline;
}

/* Settings tell the device how long copies take. */
static void open_for(const struct scene *scene)
{
    char upload[32], download[32];
    struct trm_setting settings[] = {{"timed.upload_ns", upload}, {"timed.download_ns", download}};

    snprintf(upload, sizeof(upload), "%" PRIu64, scene->stage[TRM_STAGE_UPLOAD]);
    snprintf(download, sizeof(download), "%" PRIu64, scene->stage[TRM_STAGE_DOWNLOAD]);
    fixture_open(ON_TIMED, settings, 2);
}

/* Takes results beside other threads. */
struct taker {
    const struct scene *scene;
    struct trm_pipeline *pipeline;
    pthread_t thread;
};

static void *take(void *user)
{
    const struct taker *taker = user;
    struct trm_token *token;

    while (trm_pipeline_next(taker->pipeline, TRM_FOREVER, &token) == TRM_OK) {
        sleep_ns(taker->scene->stage[TRM_STAGE_SINK]);
        ck_ok(trm_pipeline_release(taker->pipeline, token));
    }
    return NULL;
}

static void start(const struct scene *scene, struct trm_pipeline *pipeline, const struct trm_source *from)
{
    struct taker takers[64];

    ck_ok(trm_pipeline_start(pipeline, from));
    for (uint32_t i = 0; i < scene->sinks; i++) {
        takers[i] = (struct taker){.scene = scene, .pipeline = pipeline};
        ck_assert_int_eq(pthread_create(&takers[i].thread, NULL, take, &takers[i]), 0);
    }
    for (uint32_t i = 0; i < scene->sinks; i++)
        pthread_join(takers[i].thread, NULL);
}

static void run(const struct scene *scene, struct trm_report *report)
{
    struct ends ends       = {.scene = scene};
    struct trm_source from = trm_source_function(load, &ends);
    struct trm_sink to     = trm_sink_function(sink, &ends);
    struct trm_pipeline *pipeline;

    open_for(scene);
    pipeline     = make(scene);
    from.workers = scene->workers;
    from.flags   = scene->source_flags;
    from.name    = "the camera";
    to.flags     = scene->sink_flags;
    to.name      = "the display";
    if (scene->sinks > 0)
        start(scene, pipeline, &from);
    else
        ck_ok(trm_pipeline_run(pipeline, &from, &to));
    report->struct_size = sizeof(*report);
    ck_ok(trm_pipeline_report(pipeline, report));
    trm_pipeline_destroy(pipeline);
    fixture_close();
}

/* ---- following the advice ------------------------------------------------------------------- */

static struct scene follow(const struct scene *scene, const struct trm_advice *advice)
{
    struct scene next = *scene;

    next.workers = advice->workers;
    next.depth   = advice->depth;
    next.sinks   = scene->sinks > 0 ? advice->sinks : 0;
    next.tokens  = (uint64_t)((double)scene->tokens / advice->size + 0.5);
    for (int i = 0; i < TRM_STAGES; i++)
        next.stage[i] = (uint64_t)((double)scene->stage[i] * advice->size);
    if (advice->kind == TRM_ADVICE_STAGE)
        next.stage[advice->stage] = advice->stage_ns;
    if (advice->kind == TRM_ADVICE_MORE)
        next.tokens *= 12;
    return next;
}

/* For the same amount of data. */
static double gain(const struct trm_report *before, const struct trm_report *after, double size)
{
    return (double)before->elapsed_ns / (double)before->tokens /
           ((double)after->elapsed_ns / (double)after->tokens / size);
}

static double try_once(const struct scene *scene, int32_t kind, struct outcome *outcome)
{
    run(scene, &outcome->before);
    const struct trm_advice *advice = &outcome->before.advised;

    outcome->got = 0;
    if (advice->kind != kind || advice->gain < 1.05)
        return INFINITY;
    struct scene next = follow(scene, advice);
    run(&next, &outcome->after);
    outcome->got = gain(&outcome->before, &outcome->after, advice->size);
    return fabs(outcome->got / advice->gain - 1);
}

static struct scene times(const struct scene *scene, uint64_t scale)
{
    struct scene scaled = *scene;

    for (int i = 0; i < TRM_STAGES; i++)
        scaled.stage[i] *= scale;
    scaled.each_eighth *= scale;
    return scaled;
}

/* The advice is of this kind, and what it promises comes true. */
static struct outcome holds(const struct scene *scene, int32_t kind)
{
    struct outcome outcome = {.got = 0};
    double apart           = INFINITY;

    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
        struct scene scaled = times(scene, scales[i]);
        for (int j = 0; j < TRIES && apart > APART; j++)
            apart = try_once(&scaled, kind, &outcome);
        if (apart <= APART)
            return outcome;
    }
    ck_abort_msg("\"%s\": kind %d, predicted %.2f x, got %.2f x", outcome.before.advice,
                 outcome.before.advised.kind, outcome.before.advised.gain, outcome.got);
    return outcome;
}

/* The advice says that nothing can be done, with these words, and more workers and slots gain nothing. */
static void nothing_helps(const struct scene *scene, const char *words)
{
    struct outcome outcome = {.got = 0};

    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
        struct scene scaled = times(scene, scales[i]);
        for (int j = 0; j < TRIES; j++) {
            struct scene more = scaled;
            more.workers += 2;
            more.depth += 4;
            run(&scaled, &outcome.before);
            run(&more, &outcome.after);
            outcome.got = gain(&outcome.before, &outcome.after, 1);
            if (outcome.before.advised.kind == TRM_ADVICE_BOUND && outcome.before.advised.gain == 1 &&
                strstr(outcome.before.advice, words) != NULL && outcome.got < 1.05)
                return;
        }
    }
    ck_abort_msg("\"%s\" instead of \"%s\"; more workers and slots gain %.2f x", outcome.before.advice, words,
                 outcome.got);
}

/* ---- settings ------------------------------------------------------------------------------- */

START_TEST(more_slots_gain_what_is_promised)
{
    struct scene scene = {.stage = {0, 4 * MS, 5 * MS, 3 * MS, 0}, .depth = 1, .tokens = 24};

    holds(&scene, TRM_ADVICE_DEPTH);
    scene.stage[TRM_STAGE_LOAD] = scene.stage[TRM_STAGE_SINK] = 2 * MS;
    scene.depth                                               = 2;
    scene.workers                                             = 1;
    holds(&scene, TRM_ADVICE_DEPTH);
}
END_TEST

START_TEST(a_loader_beside_the_sink_gains_what_is_promised)
{
    struct scene scene     = {.stage        = {4 * MS, 1 * MS, 3 * MS, 1 * MS, 4 * MS},
                              .depth        = 5,
                              .tokens       = 24,
                              .source_flags = TRM_END_SERIAL};
    struct outcome outcome = holds(&scene, TRM_ADVICE_WORKERS);

    ck_assert_uint_eq(outcome.before.advised.workers, 1);
}
END_TEST

START_TEST(more_workers_gain_what_is_promised)
{
    struct scene scene = {
        .stage = {9 * MS, 1 * MS, 2 * MS, 1 * MS, 0}, .depth = 3, .tokens = 48, .workers = 1};
    struct outcome outcome = holds(&scene, TRM_ADVICE_WORKERS);

    ck_assert_uint_ge(outcome.before.advised.workers, 4);
    ck_assert_double_ge(outcome.got, 2.5);
    ck_assert_uint_gt(outcome.before.load_waiting_ns, outcome.before.stages[TRM_STAGE_LOAD].busy_ns / 2);
}
END_TEST

START_TEST(threads_for_the_sink_gain_what_is_promised)
{
    struct scene scene     = {.stage       = {1 * MS, 1 * MS, 4 * MS, 1 * MS, 7 * MS},
                              .depth       = 4,
                              .tokens      = 48,
                              .workers     = 1,
                              .sinks       = 1,
                              .has_options = true};
    struct outcome outcome = holds(&scene, TRM_ADVICE_SINKS);

    ck_assert_uint_ge(outcome.before.advised.sinks, 2);
}
END_TEST

START_TEST(slots_that_even_out_a_source_gain_what_is_promised)
{
    struct scene scene = {.stage        = {1 * MS, 0, 2 * MS, 0, 0},
                          .depth        = 2,
                          .tokens       = 96,
                          .workers      = 1,
                          .each_eighth  = 8 * MS,
                          .source_flags = TRM_END_SERIAL};

    holds(&scene, TRM_ADVICE_DEPTH);
}
END_TEST

/* ---- tokens --------------------------------------------------------------------------------- */

START_TEST(more_and_smaller_tokens_gain_what_is_promised)
{
    struct scene scene = {
        .stage = {0, 16 * MS, 16 * MS, 16 * MS, 0}, .depth = 3, .tokens = 3, .source_flags = TRM_END_SERIAL};

    holds(&scene, TRM_ADVICE_SIZE);
}
END_TEST

START_TEST(larger_tokens_gain_what_is_promised)
{
    struct scene scene = {.stage = {0, 1000, 1000, 1000, 0}, .depth = 3, .tokens = 6000};

    holds(&scene, TRM_ADVICE_SIZE);
}
END_TEST

START_TEST(a_longer_run_gains_what_is_promised)
{
    struct scene scene = {.stage       = {1 * MS, 4 * MS, 5 * MS, 4 * MS, 1 * MS},
                          .depth       = 6,
                          .tokens      = 6,
                          .workers     = 1,
                          .has_options = true};

    holds(&scene, TRM_ADVICE_MORE);
}
END_TEST

/* ---- load and sink -------------------------------------------------------------------------- */

START_TEST(a_quicker_sink_gains_what_is_promised)
{
    struct scene scene = {
        .stage = {1 * MS, 1 * MS, 3 * MS, 1 * MS, 8 * MS}, .depth = 5, .tokens = 24, .workers = 1};
    struct outcome outcome = holds(&scene, TRM_ADVICE_STAGE);

    ck_assert_int_eq(outcome.before.advised.stage, TRM_STAGE_SINK);
}
END_TEST

START_TEST(a_quicker_load_gains_what_is_promised)
{
    struct scene scene     = {.stage        = {8 * MS, 1 * MS, 3 * MS, 1 * MS, 1 * MS},
                              .depth        = 5,
                              .tokens       = 24,
                              .workers      = 1,
                              .source_flags = TRM_END_SERIAL};
    struct outcome outcome = holds(&scene, TRM_ADVICE_STAGE);

    ck_assert_int_eq(outcome.before.advised.stage, TRM_STAGE_LOAD);
    ck_assert_ptr_null(strstr(outcome.before.advice, "worker"));
}
END_TEST

/* ---- limits --------------------------------------------------------------------------------- */

START_TEST(nothing_helps_where_another_program_feeds_the_source)
{
    struct scene scene = {.stage        = {8 * MS, 1 * MS, 3 * MS, 1 * MS, 1 * MS},
                          .depth        = 3,
                          .tokens       = 32,
                          .workers      = 1,
                          .source_flags = TRM_END_SERIAL | TRM_END_PACED};

    nothing_helps(&scene, "the camera delivers ");
    scene.workers = 0;
    nothing_helps(&scene, "the camera delivers ");
}
END_TEST

START_TEST(nothing_helps_where_the_reader_is_slow)
{
    struct scene scene = {.stage      = {1 * MS, 1 * MS, 3 * MS, 1 * MS, 8 * MS},
                          .depth      = 3,
                          .tokens     = 32,
                          .workers    = 1,
                          .sink_flags = TRM_END_PACED};

    nothing_helps(&scene, "the reader of the display takes ");
}
END_TEST

START_TEST(nothing_helps_where_the_device_is_busy_all_the_time)
{
    struct scene scene = {
        .stage = {1 * MS, 2 * MS, 6 * MS, 2 * MS, 1 * MS}, .depth = 6, .tokens = 48, .workers = 1};

    nothing_helps(&scene, "compute is the bound");
}
END_TEST

/* ---- serving -------------------------------------------------------------------------------- */

/* So many requests, each of which waits for its result, or not; then a pause. */
static void serve(const struct scene *scene, bool waits, struct trm_report *report)
{
    struct trm_pipeline *pipeline;
    struct trm_token *token;
    uint64_t sent = 0, got = 0;

    open_for(scene);
    pipeline = make(scene);
    while (got < scene->tokens) {
        if (sent < scene->tokens && sent - got < (waits ? 1 : scene->depth)) {
            ck_ok(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token));
            ck_ok(trm_pipeline_submit(pipeline, token));
            sent++;
            continue;
        }
        ck_ok(trm_pipeline_next(pipeline, TRM_FOREVER, &token));
        ck_ok(trm_pipeline_release(pipeline, token));
        got++;
    }
    report->struct_size = sizeof(*report);
    ck_ok(trm_pipeline_report(pipeline, report));
    trm_pipeline_destroy(pipeline);
    fixture_close();
}

START_TEST(a_server_that_submits_ahead_gains_what_is_promised)
{
    struct scene scene     = {.stage = {0, 3 * MS, 5 * MS, 3 * MS, 0}, .depth = 4, .tokens = 32};
    struct outcome outcome = {.got = 0};

    for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
        struct scene scaled = times(&scene, scales[i]);
        for (int j = 0; j < TRIES; j++) {
            serve(&scaled, true, &outcome.before);
            serve(&scaled, false, &outcome.after);
            outcome.got = gain(&outcome.before, &outcome.after, 1);
            if (outcome.before.advised.kind == TRM_ADVICE_MORE &&
                fabs(outcome.got / outcome.before.advised.gain - 1) <= APART)
                return;
        }
    }
    ck_abort_msg("\"%s\": predicted %.2f x, got %.2f x", outcome.before.advice, outcome.before.advised.gain,
                 outcome.got);
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *const *tests)
{
    TCase *group = tcase_create(name);

    tcase_set_timeout(group, 180);
    for (; *tests != NULL; tests++)
        tcase_add_test(group, *tests);
    suite_add_tcase(suite, group);
}

int main(void)
{
    Suite *suite;
    SRunner *runner;
    int failed;

    if (!backend_there(ON_TIMED) || scaled(0, 1))
        /* a sanitizer takes time of its own, and a quick check may run other tests beside */
        return 77;
    suite = suite_create("following advice");
    add(suite, "settings",
        (const TTest *[]){more_slots_gain_what_is_promised, a_loader_beside_the_sink_gains_what_is_promised,
                          more_workers_gain_what_is_promised, threads_for_the_sink_gain_what_is_promised,
                          slots_that_even_out_a_source_gain_what_is_promised, NULL});
    add(suite, "tokens",
        (const TTest *[]){more_and_smaller_tokens_gain_what_is_promised, larger_tokens_gain_what_is_promised,
                          a_longer_run_gains_what_is_promised, NULL});
    add(suite, "ends",
        (const TTest *[]){a_quicker_sink_gains_what_is_promised, a_quicker_load_gains_what_is_promised,
                          a_server_that_submits_ahead_gains_what_is_promised, NULL});
    add(suite, "limits",
        (const TTest *[]){nothing_helps_where_another_program_feeds_the_source,
                          nothing_helps_where_the_reader_is_slow,
                          nothing_helps_where_the_device_is_busy_all_the_time, NULL});

    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
