/* How old the results are that TRM_FULL_LATEST gives to a consumer at half the speed of its producer, in real
 * time.
 *
 *     latest_trireme [SECONDS [PERIOD_US]]       10 s and 10,000 us unless given
 *
 * A thread submits a token each period. The main thread takes the newest result, keeps it for two periods,
 * and releases it. A result's age, in periods, is the time from when the thread asked for its slot to when
 * trm_pipeline_next() returned it. The goal is 2 at most. A machine that is shared stops threads for a while,
 * so what is older is counted apart where a thread slept half a period too long less than ten periods before
 * or after.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/trireme.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000u

enum {
    WORDS     = 64 * 64,
    BYTES     = WORDS * sizeof(float),
    PER_UNIT  = 1000, /* counts of the histogram in a period */
    AGES_MOST = 100 * PER_UNIT,
    NOTES     = 10000
};

/* Times of events, the first NOTES of them; one thread adds. */
struct notes {
    uint64_t count, times[NOTES];
};

/* A run. Periods begin at `begin`. */
struct run {
    struct trm_pipeline *pipeline;
    uint64_t begin, period, periods;
    uint64_t *asked_at; /* by token */
    uint64_t late_most; /* from a period's begin to the thread that submits, in nanoseconds */
    uint64_t wait_most; /* for a slot */
    uint64_t kept_most; /* longer than two periods, in nanoseconds */
    atomic_bool is_over;
    uint64_t taken, oldest, *counts;
    struct notes beyond, producer_late, consumer_late;
};

static void must(int32_t status)
{
    if (status == TRM_OK)
        return;
    fprintf(stderr, "latest_trireme: %s: %s\n", trm_status_name(status), trm_last_error().sentence);
    exit(1);
}

static void sleep_until(uint64_t time)
{
    struct timespec until = {.tv_sec = (time_t)(time / SECOND), .tv_nsec = (long)(time % SECOND)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        ;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_note(struct notes *notes)
{
    if (notes->count < NOTES)
        notes->times[notes->count] = trm_clock_now();
    notes->count++;
}

static bool has_note_near(const struct notes *notes, uint64_t time, uint64_t distance)
{
    for (uint64_t i = 0; i < notes->count && i < NOTES; i++)
        if (notes->times[i] + distance >= time && time + distance >= notes->times[i])
            return true;
    return false;
}

/* The old results near which no thread was stopped. */
static uint64_t count_unexplained(const struct run *run)
{
    uint64_t count = run->beyond.count > NOTES ? run->beyond.count - NOTES : 0;

    for (uint64_t i = 0; i < run->beyond.count && i < NOTES; i++)
        count += !has_note_near(&run->producer_late, run->beyond.times[i], 10 * run->period) &&
                 !has_note_near(&run->consumer_late, run->beyond.times[i], 10 * run->period);
    return count;
}

static void *produce(void *user)
{
    struct run *run = user;
    struct trm_token *token;

    for (uint64_t i = 0; i < run->periods; i++) {
        uint64_t start = run->begin + i * run->period;
        sleep_until(start);
        uint64_t woken   = trm_clock_now();
        run->asked_at[i] = woken;
        if (woken - start > run->period / 2)
            add_note(&run->producer_late);
        must(trm_pipeline_acquire(run->pipeline, TRM_FOREVER, &token));
        run->late_most           = larger(run->late_most, woken - start);
        run->wait_most           = larger(run->wait_most, trm_clock_now() - woken);
        *(float *)token->data[0] = (float)(i % 4096);
        must(trm_pipeline_submit(run->pipeline, token));
    }
    atomic_store(&run->is_over, true);
    return NULL;
}

static void note(struct run *run, uint64_t age)
{
    uint64_t place = age * PER_UNIT / run->period;

    run->counts[place < AGES_MOST ? place : AGES_MOST - 1]++;
    if (age > 2 * run->period)
        add_note(&run->beyond);
    run->oldest = larger(run->oldest, age);
    run->taken++;
}

static void consume(struct run *run)
{
    struct trm_token *token;

    while (!atomic_load(&run->is_over)) {
        int32_t status = trm_pipeline_next(run->pipeline, 4 * run->period, &token);
        if (status == TRM_ERROR_TIMEOUT)
            continue;
        must(status);
        uint64_t now = trm_clock_now();
        note(run, now - run->asked_at[token->index]);
        sleep_until(now + 2 * run->period);
        uint64_t late  = trm_clock_now() - (now + 2 * run->period);
        run->kept_most = larger(run->kept_most, late);
        if (late > run->period / 2)
            add_note(&run->consumer_late);
        must(trm_pipeline_release(run->pipeline, token));
    }
}

/* The age that a part of the results does not exceed, in periods. */
static double percentile(const struct run *run, double part)
{
    uint64_t sum = 0, i = 0;

    for (; i < AGES_MOST - 1; i++) {
        sum += run->counts[i];
        if ((double)sum >= part * (double)run->taken)
            break;
    }
    return (double)(i + 1) / PER_UNIT;
}

static struct trm_pipeline *make_pipeline(struct trm_device *device, struct trm_kernel *kernel)
{
    struct trm_port ports[]         = {trm_port_input("in", BYTES), trm_port_output("out", BYTES)};
    struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(1.0f), trm_arg_f32(1.0f),
                                       trm_arg_port_elements(0, sizeof(float))};
    struct trm_stage stage          = trm_stage_launch(kernel, arguments, 5, 0, sizeof(float));
    struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                       .ports       = ports,
                                       .port_count  = 2,
                                       .stages      = &stage,
                                       .stage_count = 1,
                                       .depth       = 3,
                                       .on_full     = TRM_FULL_LATEST};
    struct trm_pipeline *pipeline;

    must(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

static void print(const struct run *run, const struct trm_report *report)
{
    double period = (double)run->period;

    printf("seconds   %.1f of periods of %.0f us, on %s\n", (double)run->periods * period / SECOND,
           period / 1000, report->device);
    printf("tokens    %llu taken, %llu dropped, %llu failed\n", (unsigned long long)run->taken,
           (unsigned long long)report->dropped, (unsigned long long)report->failed);
    printf("age       median %.3f, 99 %% %.3f, 99.9 %% %.3f, most %.3f periods\n", percentile(run, 0.5),
           percentile(run, 0.99), percentile(run, 0.999), (double)run->oldest / period);
    printf("beyond    %llu results were older than 2 periods, %llu of them with no thread stopped near\n",
           (unsigned long long)run->beyond.count, (unsigned long long)count_unexplained(run));
    printf("producer  woken %.3f ms late at most, waited %.3f ms for a slot at most\n",
           (double)run->late_most / 1e6, (double)run->wait_most / 1e6);
    printf("consumer  woken %.3f ms late at most\n", (double)run->kept_most / 1e6);
}

static void measure(struct trm_device *device, struct trm_kernel *kernel, uint64_t seconds, uint64_t period)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    static struct run run;
    pthread_t producer;

    run.period   = period;
    run.periods  = seconds * SECOND / period;
    run.pipeline = make_pipeline(device, kernel);
    run.counts   = calloc(AGES_MOST, sizeof(*run.counts));
    run.asked_at = calloc(run.periods, sizeof(*run.asked_at));
    run.begin    = trm_clock_now() + period;
    if (run.counts == NULL || run.asked_at == NULL || pthread_create(&producer, NULL, produce, &run) != 0) {
        fprintf(stderr, "latest_trireme: no memory, or no thread\n");
        exit(1);
    }
    consume(&run);
    pthread_join(producer, NULL);
    must(trm_pipeline_report(run.pipeline, &report));
    print(&run, &report);
    trm_pipeline_destroy(run.pipeline);
    free(run.counts);
    free(run.asked_at);
}

int main(int count, char **words)
{
    uint64_t seconds = count > 1 ? strtoull(words[1], NULL, 10) : 10;
    uint64_t period  = count > 2 ? strtoull(words[2], NULL, 10) : 10000;
    struct trm_context *context;
    struct trm_device *device;
    struct trm_kernel *kernel;

    if (count > 3 || seconds == 0 || period == 0) {
        fprintf(stderr, "Usage: latest_trireme [SECONDS [PERIOD_US]]\n");
        return 2;
    }
    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_kernel_named(device, "fma_chain", NULL, 0, &kernel));
    measure(device, kernel, seconds, period * 1000);
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
