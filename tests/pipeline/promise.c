/* Follows the advice of pipelines.
 * SPDX-License-Identifier: MIT
 */
#include "promise.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define TRIES 3 /* for each of the scales */

/* Gains may differ from the predicted ones by so much. */
#define APART 0.25

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
    unsigned char input[SCENE_BYTES];
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
    if (scene->has_pageable_input)
        token->data[0] = ends->input;
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

/* ---- a busy machine ------------------------------------------------------------------------- */

/* Two threads on one processor that keep giving it to each other, which the system counts as taking it. */
struct yielders {
    pthread_t threads[2];
    atomic_bool stop;
};

static void *yield_always(void *user)
{
    struct yielders *yielders = user;
    cpu_set_t all, one;

    sched_getaffinity(0, sizeof(all), &all);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof(one), &one);
    while (!atomic_load(&yielders->stop))
        sched_yield();
    return NULL;
}

static void yielders_begin(struct yielders *yielders)
{
    atomic_init(&yielders->stop, false);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&yielders->threads[i], NULL, yield_always, yielders), 0);
}

static void yielders_end(struct yielders *yielders)
{
    atomic_store(&yielders->stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(yielders->threads[i], NULL);
}

/* ---- a run ---------------------------------------------------------------------------------- */

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

static void take_all(const struct scene *scene, struct trm_pipeline *pipeline, const struct trm_source *from)
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

static void run_all(const struct scene *scene, struct trm_pipeline *pipeline)
{
    struct ends ends       = {.scene = scene};
    struct trm_source from = trm_source_function(load, &ends);
    struct trm_sink to     = trm_sink_function(sink, &ends);
    uint64_t size          = scene->tokens * SCENE_BYTES;
    void *results          = scene->has_pageable_output ? malloc(size) : NULL;

    if (results != NULL)
        to = trm_sink_memory(results, size);
    from.workers = scene->workers;
    from.flags   = scene->source_flags;
    from.name    = "the camera";
    to.flags     = scene->sink_flags;
    to.name      = "the display";
    if (scene->sinks > 0)
        take_all(scene, pipeline, &from);
    else
        ck_ok(trm_pipeline_run(pipeline, &from, &to));
    free(results);
}

void promise_run(const struct scene *scene, struct trm_report *report)
{
    struct yielders yielders;
    struct trm_pipeline *pipeline;

    scene_open(scene);
    pipeline = scene_pipeline(scene);
    if (scene->has_yielders)
        yielders_begin(&yielders);
    run_all(scene, pipeline);
    if (scene->has_yielders)
        yielders_end(&yielders);
    scene_end(pipeline, report);
    fixture_close();
}

/* ---- following the advice ------------------------------------------------------------------- */

static struct scene follow(const struct scene *scene, const struct trm_advice *advice)
{
    struct scene next = *scene;

    next.workers = advice->workers;
    next.depth   = advice->depth;
    next.sinks   = scene->sinks > 0 ? advice->sinks : 0;
    /* Larger tokens are as many, so that both runs take about as long and meet the same machine. */
    if (advice->size < 1)
        next.tokens = (uint64_t)((double)scene->tokens / advice->size + 0.5);
    for (int i = 0; i < TRM_STAGES; i++)
        if (!scene->has_fixed_times || i == TRM_STAGE_LOAD || i == TRM_STAGE_SINK)
            next.stage[i] = (uint64_t)((double)scene->stage[i] * advice->size);
    if (advice->kind == TRM_ADVICE_STAGE && advice->stage == TRM_STAGE_UPLOAD)
        next.has_pageable_input = false;
    else if (advice->kind == TRM_ADVICE_STAGE && advice->stage == TRM_STAGE_DOWNLOAD)
        next.has_pageable_output = false;
    else if (advice->kind == TRM_ADVICE_STAGE)
        next.stage[advice->stage] = advice->stage_ns;
    if (advice->kind == TRM_ADVICE_MORE)
        next.tokens *= 12;
    if (advice->kind == TRM_ADVICE_MACHINE) {
        next.wake_ns      = 0;
        next.has_yielders = false;
    }
    return next;
}

/* For the same amount of data. */
static double gain(const struct trm_report *before, const struct trm_report *after, double size)
{
    return (double)before->elapsed_ns / (double)before->tokens /
           ((double)after->elapsed_ns / (double)after->tokens / size);
}

/* after: NULL: the advice is followed. */
struct promise {
    int32_t kind;
    promise_run_fn before, after;
};

static double try_once(const struct promise *promise, const struct scene *scene, struct outcome *outcome)
{
    promise->before(scene, &outcome->before);
    const struct trm_advice *advice = &outcome->before.advised;

    outcome->got = 0;
    if (advice->kind != promise->kind || advice->gain < 1.05)
        return INFINITY;
    struct scene next = follow(scene, advice);
    if (promise->after != NULL)
        promise->after(scene, &outcome->after);
    else
        promise_run(&next, &outcome->after);
    outcome->got = gain(&outcome->before, &outcome->after, advice->size);
    return fabs(outcome->got / advice->gain - 1);
}

/* Did the system take processors from the run for other programs? The report of such a run says that and
 * nothing else. */
static bool is_disturbed(const struct trm_report *report)
{
    return report->preempted >= 10 && report->preempted >= report->elapsed_ns / MS / 50;
}

/* Where other programs had the processors in every run, no report tells what a change would gain. */
static void skip(void)
{
    printf("SKIP a promise of \"%s\": other programs took the processors in every run\n", tcase_name());
}

static struct outcome keep(const struct promise *promise, const struct scene *scene)
{
    struct outcome outcome = {.got = 0};
    double apart           = INFINITY;
    uint32_t undisturbed   = 0;

    for (size_t i = 0; i < SCENE_SCALES; i++) {
        struct scene scaled = scene_scaled(scene, scene_scales[i]);
        scaled.strategy     = TRM_STRATEGY_ROLE_STREAMS;
        for (int j = 0; j < TRIES && apart > APART; j++) {
            outcome.after.preempted = 0;
            apart                   = try_once(promise, &scaled, &outcome);
            undisturbed += !is_disturbed(&outcome.before) && !is_disturbed(&outcome.after);
        }
        if (apart <= APART)
            return outcome;
    }
    if (undisturbed == 0 && promise->kind != TRM_ADVICE_MACHINE) {
        skip();
        outcome.is_skipped = true;
        return outcome;
    }
    ck_abort_msg("\"%s\": kind %d, predicted %.2f x, got %.2f x", outcome.before.advice,
                 outcome.before.advised.kind, outcome.before.advised.gain, outcome.got);
    return outcome;
}

struct outcome promise_holds(const struct scene *scene, int32_t kind)
{
    struct promise promise = {.kind = kind, .before = promise_run};

    return keep(&promise, scene);
}

struct outcome promise_holds_by(const struct scene *scene, int32_t kind, promise_run_fn before,
                                promise_run_fn after)
{
    struct promise promise = {.kind = kind, .before = before, .after = after};

    return keep(&promise, scene);
}

void promise_of_nothing(const struct scene *scene, const char *words)
{
    struct outcome outcome = {.got = 0};
    uint32_t undisturbed   = 0;

    for (size_t i = 0; i < SCENE_SCALES; i++) {
        struct scene scaled = scene_scaled(scene, scene_scales[i]);
        scaled.strategy     = TRM_STRATEGY_ROLE_STREAMS;
        for (int j = 0; j < TRIES; j++) {
            struct scene more = scaled;
            more.workers += 2;
            more.depth += 4;
            promise_run(&scaled, &outcome.before);
            promise_run(&more, &outcome.after);
            outcome.got = gain(&outcome.before, &outcome.after, 1);
            undisturbed += !is_disturbed(&outcome.before) && !is_disturbed(&outcome.after);
            if (outcome.before.advised.kind == TRM_ADVICE_BOUND && outcome.before.advised.gain == 1 &&
                strstr(outcome.before.advice, words) != NULL && outcome.got < 1.05)
                return;
        }
    }
    if (undisturbed == 0) {
        skip();
        return;
    }
    ck_abort_msg("\"%s\" instead of \"%s\"; more workers and slots gain %.2f x", outcome.before.advice, words,
                 outcome.got);
}

/* ---- the program ---------------------------------------------------------------------------- */

static void add(Suite *suite, const struct promise_group *group)
{
    TCase *tests = tcase_create(group->name);

    tcase_set_timeout(tests, 300);
    for (const TTest *const *test = group->tests; *test != NULL; test++)
        tcase_add_test(tests, *test);
    suite_add_tcase(suite, tests);
}

int promise_main(const char *name, const struct promise_group *groups, size_t count)
{
    Suite *suite;
    SRunner *runner;
    int failed;

    if (!backend_there(ON_TIMED) || scaled(0, 1))
        /* a sanitizer takes time of its own, and a quick check may run other tests beside */
        return 77;
    suite = suite_create(name);
    for (size_t i = 0; i < count; i++)
        add(suite, &groups[i]);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
