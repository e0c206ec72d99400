/* What the scenario is made of: lists of steps, and what they make.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_SCENARIO_INSIDE_H
#define TESTS_DEVICE_SCENARIO_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <trireme/interop.h>
#include <trireme/trireme.h>

enum {
    SCENARIO_BYTES      = 40000, /* of a small buffer */
    SCENARIO_COUNT      = SCENARIO_BYTES / 4,
    SCENARIO_LARGE      = 5 << 20, /* more than what is staged at once */
    SCENARIO_TOKEN      = 4096,    /* bytes */
    SCENARIO_BATCH      = 5 * SCENARIO_TOKEN / 4,
    SCENARIO_STRATEGIES = 4 /* of pipelines */
};

/* NULL: not made yet, or not to be had here. All is destroyed in the end. */
struct scenario_things {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream, *upload, *download;
    struct trm_buffer *a, *b, *large, *pinned, *unified, *imported, *ordered, *shared, *theirs;
    struct trm_semaphore *semaphore;
    struct trm_kernel *kernel, *spread;
    struct trm_event *event, *start, *end;
    struct trm_graph *graph;
    struct trm_graph_exec *exec;
    struct trm_pipeline *pipeline;
    struct trm_port ports[2];
    struct trm_argument arguments[5];
    struct trm_stage stage;
    atomic_uint callbacks;
    uint32_t sent[SCENARIO_COUNT], got[SCENARIO_COUNT];
    uint32_t batch[SCENARIO_BATCH], results[SCENARIO_STRATEGIES][SCENARIO_BATCH];
    bool has_results[SCENARIO_STRATEGIES];
    uint8_t memory[SCENARIO_BYTES] __attribute__((aligned(4096)));
};

/* The same in all runs. */
extern uint8_t scenario_large_sent[SCENARIO_LARGE], scenario_large_got[SCENARIO_LARGE];

/* Gives the status of the first call that fails. */
struct scenario_step {
    const char *name;
    int32_t (*run)(struct scenario_things *things);
};
#define SCENARIO_STEP(name) \
    {                       \
#name, name         \
    }

/* A device may do without what some calls are for. */
static inline int32_t scenario_may_lack(int32_t status)
{
    return status == TRM_ERROR_UNSUPPORTED ? TRM_OK : status;
}

/* In their order; the last of each list has no name. */
extern const struct scenario_step scenario_making[], scenario_working[], scenario_planning[];

/* The pipeline of scenario_planning once more, with each of the other strategies. */
int32_t scenario_run_other_pipelines(struct scenario_things *things);

/* ---- of the backend's suite ---- */

/* What this backend can do and others cannot, and what takes too long for some; after all others. */
extern const struct scenario_step scenario_own[];

#endif
