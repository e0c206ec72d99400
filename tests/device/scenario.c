/* The scenario.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/scenario.h"

#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/scenario_inside.h"

uint8_t scenario_large_sent[SCENARIO_LARGE], scenario_large_got[SCENARIO_LARGE];

/* ---- what there is ---- */

/* Once. */
static void make_large(void)
{
    if (scenario_large_sent[1] != 0)
        return;
    for (uint32_t i = 0; i < SCENARIO_LARGE; i++)
        scenario_large_sent[i] = (uint8_t)(i * 2654435761u >> 24);
}

static struct scenario_things *begin_things(void)
{
    struct scenario_things *things = aligned_alloc(4096, (sizeof(*things) + 4095) / 4096 * 4096);
    ck_assert_ptr_nonnull(things);
    memset(things, 0, sizeof(*things));
    for (uint32_t i = 0; i < SCENARIO_COUNT; i++)
        things->sent[i] = i * 2654435761u;
    make_large();
    memset(scenario_large_got, 0, SCENARIO_LARGE);
    memcpy(things->batch, scenario_large_sent + 77, sizeof(things->batch));
    return things;
}

static const char *check_data(struct scenario_things *things)
{
    for (uint32_t i = 0; i < SCENARIO_COUNT; i++)
        if (things->got[i] != things->sent[i] * 3 + 1)
            return "a number that came back is not what was computed";
    if (memcmp(scenario_large_sent, scenario_large_got, SCENARIO_LARGE) != 0)
        return "a large copy came back changed";
    for (int way = 0; way < SCENARIO_STRATEGIES; way++)
        for (uint32_t i = 0; i < SCENARIO_BATCH && things->has_results[way]; i++)
            if (things->results[way][i] != things->batch[i] * 3 + 5)
                return "what went through a pipeline is not what was computed";
    return atomic_load(&things->callbacks) == 1 ? NULL : "the callback was not called once";
}

static void end_things(struct scenario_things *things)
{
    trm_semaphore_destroy(things->semaphore);
    trm_buffer_destroy(things->theirs);
    trm_buffer_destroy(things->shared);
    trm_pipeline_destroy(things->pipeline);
    trm_graph_exec_destroy(things->exec);
    trm_graph_destroy(things->graph);
    trm_event_destroy(things->event);
    trm_event_destroy(things->start);
    trm_event_destroy(things->end);
    trm_kernel_destroy(things->kernel);
    trm_kernel_destroy(things->spread);
    trm_buffer_destroy(things->a);
    trm_buffer_destroy(things->b);
    trm_buffer_destroy(things->large);
    trm_buffer_destroy(things->pinned);
    trm_buffer_destroy(things->unified);
    trm_buffer_destroy(things->imported);
    trm_buffer_destroy(things->ordered);
    trm_stream_destroy(things->stream);
    trm_stream_destroy(things->upload);
    trm_stream_destroy(things->download);
    trm_device_destroy(things->device);
    trm_context_destroy(things->context);
}

/* ---- the steps ---- */

static int32_t finish(struct scenario_things *things)
{
    return trm_device_sync(things->device);
}

static const struct scenario_step finishing[] = {
    SCENARIO_STEP(finish),
    {NULL, NULL},
};

static const struct scenario_step *const lists[] = {scenario_making, scenario_working, scenario_planning,
                                                    scenario_own, finishing};

static void run_list(const struct scenario_step *step, struct scenario_things *things,
                     struct scenario_end *end, scenario_look_fn look)
{
    for (; step->name && end->status == TRM_OK; step++) {
        end->step   = step->name;
        end->status = step->run(things);
        if (end->status == TRM_OK && look)
            look(end->step);
    }
}

void scenario_run(struct scenario_end *end, scenario_look_fn look)
{
    struct scenario_things *things = begin_things();
    memset(end, 0, sizeof(*end));
    if (look)
        look("beginning");
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        run_list(lists[i], things, end, look);
    if (end->status != TRM_OK) {
        end->error = trm_last_error();
        snprintf(end->sentence, sizeof(end->sentence), "%s", end->error.sentence);
    } else {
        const char *wrong = check_data(things);
        ck_assert_msg(!wrong, "%s", wrong);
    }
    end_things(things);
    free(things);
    if (look)
        look("destroying");
}

void scenario_succeed(const char *when, scenario_look_fn look)
{
    struct scenario_end end;
    scenario_run(&end, look);
    ck_assert_msg(end.status == TRM_OK, "%s: %s gave %s: %s", when, end.step, trm_status_name(end.status),
                  end.sentence);
}
