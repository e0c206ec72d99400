/* Coordinators over a pool of fake streams, or with one of their own, whose tasks are known to be short.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_COORDINATOR_FLIGHTS_H
#define TESTS_UNIT_PIPELINE_COORDINATOR_FLIGHTS_H

#include "pipeline/coordinator/coordinator.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/fake_group.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

#define STREAMS 8u
#define TASKS 2000u
#define CHUNK 50u /* of them, with models that know nothing of what this machine did meanwhile */
#define SOON UINT64_C(100000000000) /* also on a busy machine */

static struct fake fake;
static struct trm_group *group;      /* NULL: the pool is of a single device */
static struct trm_stream_pool *pool; /* NULL: each coordinator has its own */
static struct trm_module *module;
static struct trm_kernel *kernel;
static struct trm_group_kernel *group_kernel;
static struct trm_coordinator *coordinator, *other;
static uint64_t last_id;
static uint32_t devices;      /* on which the next tasks may run */
static _Atomic uint32_t runs; /* of functions of tasks */

/* ---- a coordinator over a pool ---------------------------------------------------------------- */

static inline struct trm_coordinator *coordinate(void)
{
    struct trm_coordinator *made;
    const struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = pool};
    OK(trm_coordinator_create(fake.device, &desc, &made));
    return made;
}

static inline void load_single(void)
{
    OK(trm_module_load(fake_open(&fake), &fake_kernels_desc, &module));
    OK(trm_kernel_get(module, "work", &kernel));
}

static inline void open_single(void)
{
    const struct trm_stream_pool_desc wish = {.struct_size = sizeof(wish), .most = STREAMS};
    load_single();
    OK(trm_stream_pool_create(fake.device, &wish, &pool));
}

static inline void open_group(void)
{
    const struct trm_stream_pool_desc wish = {.struct_size = sizeof(wish), .most = STREAMS};
    group                                  = fake_group(&fake, 2);
    OK(trm_group_kernel_load(group, &fake_kernels_desc, "work", &group_kernel));
    kernel = trm_group_stage_kernel(group_kernel);
    OK(trm_group_pool_create(group, &wish, &pool));
}

static inline uint64_t add_to(struct trm_coordinator *to, int32_t kind, uint64_t after,
                              trm_callback_fn function)
{
    const struct trm_task task = {.struct_size = sizeof(task),
                                  .kind        = kind,
                                  .id          = ++last_id,
                                  .after       = &after,
                                  .after_count = after != 0,
                                  .kernel      = kernel,
                                  .grid        = trm_grid_1d(1, 64),
                                  .devices     = devices,
                                  .host        = kind == TRM_TASK_HOST ? function : NULL,
                                  .done        = kind == TRM_TASK_HOST ? NULL : function};
    OK(trm_coordinator_add(to, &task));
    return last_id;
}

static inline uint64_t add(uint64_t after)
{
    return add_to(coordinator, TRM_TASK_COMPUTE, after, NULL);
}

static inline void submit(void)
{
    OK(trm_coordinator_submit(coordinator));
}

static inline uint64_t submit_one(uint64_t after)
{
    uint64_t id = add(after);
    submit();
    return id;
}

static inline struct pipeline_coordinator *inside(void)
{
    return pipeline_coordinator_find(coordinator);
}

/* With a pool of its own, that for kernels of normal priority. */
static inline struct trm_stream_pool *pool_in_use(void)
{
    return pool != NULL ? pool : inside()->classes[1][1].pool->object.handle;
}

static inline void settle(void)
{
    struct trm_stream_pool *one = pool_in_use();
    for (uint32_t i = 0; i < (group != NULL ? 2 : 1); i++) {
        if (group != NULL)
            OK(trm_group_pool_get(pool, i, &one));
        fake_settle(one, 100 * TASKS);
    }
}

/* The pool knows how long the kernel takes: no time to speak of. */
static inline void learn(void)
{
    fake_let_run(&fake);
    for (uint32_t i = 0; i < 200; i++) {
        devices = group != NULL ? 1u << i % 2 : 0;
        OK(trm_coordinator_wait(coordinator, submit_one(0), SOON));
    }
    devices = 0;
    settle();
    OK(trm_coordinator_forget(coordinator));
    fake_hold_back(&fake);
}

enum whose {
    OF_DEVICE,
    OF_GROUP,
    OWN,
    WHOSE,
};

static inline void begin(int whose)
{
    fake_init_unkept(&fake);
    if (whose == OF_GROUP)
        open_group();
    else if (whose == OF_DEVICE)
        open_single();
    else
        load_single();
    coordinator = coordinate();
    learn();
}

static inline void end(void)
{
    fake_let_run(&fake);
    trm_coordinator_destroy(other);
    trm_coordinator_destroy(coordinator);
    trm_stream_pool_destroy(pool);
    if (group != NULL) {
        trm_group_kernel_destroy(group_kernel);
        trm_group_destroy(group);
        fake.device = NULL;
    } else {
        trm_kernel_destroy(kernel);
        trm_module_destroy(module);
    }
    other = NULL;
    group = NULL;
    pool  = NULL;
    atomic_store(&runs, 0);
    fake_fini(&fake);
}

static inline uint32_t notifications(void)
{
    return atomic_load(&fake.calls[FAKE_CALL_NOTIFY]);
}

static inline uint32_t silent(void)
{
    base_lock_acquire(&inside()->lock);
    uint32_t count = inside()->silent;
    base_lock_release(&inside()->lock);
    return count;
}

/* A task that runs, and whose end nothing tells of. Every 64th is sampled. */
static inline uint64_t submit_silent(void)
{
    uint32_t before = silent();
    uint64_t id     = 0;
    for (uint32_t i = 0; i < 3 && silent() == before; i++)
        id = submit_one(0);
    ck_assert_uint_eq(silent(), before + 1);
    return id;
}

#endif
