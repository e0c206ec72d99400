/* What the tests of pipelines share: a device of a backend, which must be left as it was found, and a chain
 * of stages, each of which can be made to fail.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_FIXTURE_H
#define PIPELINE_FIXTURE_H

#include "tests/check.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "tests/device/checks.h"
#include "tests/plugins/proxy/control.h"
#include "tests/scale.h"
#include "tests/unit/counting.h"

#define MS UINT64_C(1000000)
#define LONG_NS UINT64_C(100000000000) /* also for a busy machine */

/* ---- a device ------------------------------------------------------------------------------- */

struct fixture {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_module *module;
    struct trm_kernel *picky, *timed, *held;
    struct trm_device_usage before;
    bool kernels_fail;                   /* a kernel can fail by itself */
    const struct proxy_control *control; /* NULL: no proxy */
    struct counting counting;            /* allocations of the context */
};

extern struct fixture the;

enum fixture_backend {
    ON_CPU,
    ON_TIMED,               /* memory of its own, three engines */
    ON_TEMPLATE,            /* works inside of calls */
    ON_PROXIED_CPU,         /* without memory that the host shares, so that there are copies */
    ON_PROXIED_UNIFIED_CPU, /* as it is */
    ON_PROXIED_TIMED,       /* as it is */
    ON_CUDA,                /* on the stand-in for its driver; of the kernels it has only `picky` */
    ON_PROXIED_CUDA,
};

/* Whether it was built. */
bool backend_there(enum fixture_backend backend);

/* A context that opens the backend, with these additional settings, and a device of it. */
void fixture_open(enum fixture_backend backend, const struct trm_setting *settings, uint32_t count);

/* Checks that every object of the device is gone, all allocations came back, and the core kept its side of
 * the contract. */
void fixture_close(void);

/* Nothing is on the device but what was there when it was opened. */
void device_as_before(void);

/* The kernel `held` of the timed device: so many of its launches may end from now on. held_again() before a
 * launch: none may, and they are counted from 0. */
void held_let_go(unsigned launches);
void held_again(void);

uint64_t now_ns(void);
void sleep_ns(uint64_t nanoseconds);

/* Every slot is free. */
void slots_free(struct trm_pipeline *pipeline);

extern const int32_t strategies[5]; /* AUTO first, ZERO_COPY last */

/* ---- the chain ------------------------------------------------------------------------------ */

/* in → kernel "first" → scratch, seen by the host stage "middle" if there is one → kernel "second" → out.
 * Each kernel adds 1 and fails if its first word is a mark. */
enum {
    CHAIN_WORDS = 64,
    CHAIN_MOST  = 128
};

enum fault_stage {
    AT_LOAD,
    AT_SHAPE,
    AT_FIRST,
    AT_MIDDLE,
    AT_SECOND,
    AT_SINK,
    FAULT_STAGES, /* unknown */
};

enum method {
    BY_RUN,
    BY_NEXT,   /* start, next, release */
    BY_SUBMIT, /* acquire, submit, next, release */
    DRIVES,
};

struct chain {
    struct trm_port ports[3];
    struct trm_argument arguments[2][4];
    struct trm_stage stages[3];
    struct trm_pipeline_desc desc;
    struct trm_pipeline *pipeline;

    /* One round. */
    enum fault_stage fault_stage;
    /* the token that fails there, counted from 0 in each round; UINT64_MAX: none */
    uint64_t at;
    uint64_t count; /* most tokens */
    uint64_t base;  /* the index of the first token */
    /* called when a token is filled; may be NULL */
    void (*before)(struct chain *chain, uint64_t number);
    uint64_t begun; /* tokens that were filled, well or badly */
    uint32_t delivered;
    uint64_t came[CHAIN_MOST]; /* the numbers of delivered tokens, in order of arrival */
    char wrong[160];

    /* The result. */
    int32_t status;
    char sentence[300];
    uint32_t failures; /* failed tokens that next() or submit() reported */
};

void chain_make(struct chain *chain, uint32_t depth, int32_t strategy, int32_t mode, bool with_middle);

/* UNSUPPORTED for strategies that the device does not have. */
int32_t chain_open(struct chain *chain);
void chain_close(struct chain *chain);

/* Passes `count` tokens, one of which may fail. Afterwards status and sentence are the first failure, every
 * slot is free, and the pipeline may be used again. Wrong order, data, slots or counts fail the test. */
void chain_round(struct chain *chain, enum method method, uint64_t count);

/* The result is right for the mode when token `number` has failed. */
void chain_check_failed(const struct chain *chain, uint64_t number);

/* All tokens came out. */
void chain_check_whole(const struct chain *chain);

#endif
