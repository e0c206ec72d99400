/* Advice as a promise: a scene is run, its advice is read and followed, and the gain is compared with the
 * predicted one. A busy machine makes a run longer and never shorter, so a promise has several tries, with
 * longer times in the end, and the best try counts.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_PROMISE_H
#define PIPELINE_PROMISE_H

#include "scene.h"

struct outcome {
    struct trm_report before, after;
    double got;
    bool is_skipped; /* other programs took the processors in every run; the rest tells nothing */
};

/* Runs a scene in whatever way; the report. */
typedef void (*promise_run_fn)(const struct scene *scene, struct trm_report *report);

/* By trm_pipeline_run(), or with scene->sinks threads that take results. */
void promise_run(const struct scene *scene, struct trm_report *report);

/* The advice is of this kind, and what it promises comes true: promise_run() before, and with the advice
 * followed after. Passes where other programs took the processors in every run. */
struct outcome promise_holds(const struct scene *scene, int32_t kind);

/* The same where the advice is about what a program does: the scene is run by `before`, and by `after`. */
struct outcome promise_holds_by(const struct scene *scene, int32_t kind, promise_run_fn before,
                                promise_run_fn after);

/* The advice says that nothing can be done, with these words, and more workers and slots gain nothing. */
void promise_of_nothing(const struct scene *scene, const char *words);

/* Runs groups of tests: a program's main(). */
struct promise_group {
    const char *name;
    const TTest *tests[16]; /* the rest are NULL */
};
int promise_main(const char *name, const struct promise_group *groups, size_t count);

#endif
