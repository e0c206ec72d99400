/* Branches of a token that run at the same time: one waits for what only the other does.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "hold.h"
#include "kernels.h"
#include "plans.h"

#include <sched.h>
#include <stdatomic.h>

#define BYTES (PLAN_WORDS * sizeof(uint32_t))
#define FIRST UINT64_C(1)
#define SECOND UINT64_C(2)

/* Only a fault makes a stage wait for so long. */
#define GIVE_UP_NS UINT64_C(60000000000)

/* One branch reads the word that the other writes, with nothing between them but time. */
#if HAS_THREAD_SANITIZER
#define RACES_ARE_FOUND true
#else
#define RACES_ARE_FOUND false
#endif

/* What the stage on the host watches, on a stream of its own, until the other branch has changed it. */
static struct trm_stream *watching;
static struct trm_buffer *watched;
static atomic_uint seen;

static int32_t watch(void *user, const struct trm_token *token)
{
    uint64_t give_up = trm_clock_now() + GIVE_UP_NS;
    uint32_t word    = 0;
    (void)user;
    (void)token;
    while (word == 0 && trm_clock_now() < give_up) {
        int32_t status = trm_download(watching, &word, trm_span_of(watched, 0, sizeof(word)));
        if (status == TRM_OK)
            status = trm_stream_sync(watching);
        if (status != TRM_OK)
            return status;
        sched_yield();
    }
    atomic_store(&seen, word);
    return TRM_OK;
}

static void launch_step(struct rig *rig, uint32_t state)
{
    struct trm_argument arguments[] = {trm_arg_port(state), trm_arg_u32(9)};
    struct trm_stage *stage         = rig_launch(rig, "step", 0, arguments, 2);
    stage->items_bytes              = 0;
    stage->grid                     = trm_grid_1d(1, 0);
}

/* The waiting stage comes first in the array, so that one stage after the other would wait for ever. */
static void build(struct rig *rig)
{
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .size = sizeof(uint32_t), .flags = TRM_BUFFER_ZEROED};
    ck_ok(trm_buffer_create_from(rig->device, &desc, &rig->shared));
    watched        = rig->shared;
    uint32_t in    = rig_port(rig, trm_port_input("in", BYTES));
    uint32_t out   = rig_port(rig, trm_port_output("out", BYTES));
    uint32_t state = rig_port(rig, trm_port_shared("state", rig->shared));

    struct trm_argument arguments[] = {trm_arg_port(in), trm_arg_port(out), trm_arg_port_elements(in, 4),
                                       trm_arg_u32(3), trm_arg_u32(1)};
    rig_host(rig, watch, 1, 0);
    launch_step(rig, state);
    rig_launch(rig, "spread", in, arguments, 5);
    rig->after[2]   = FIRST | SECOND;
    rig->desc.after = rig->after;
}

static void expect(struct rig *rig, uint64_t index, uint32_t port, uint32_t *words, uint32_t count)
{
    (void)port;
    for (uint32_t i = 0; i < count; i++)
        words[i] = plan_input(rig, index, 0, i) * 3 + 1;
}

static const struct plan overlapping = {"a branch that waits for another", PLAN_ORDERED, build, expect};

static uint32_t branches_of(struct rig *rig)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    ck_ok(trm_pipeline_report(rig->pipeline, &report));
    return report.branches;
}

static void pass_one(struct rig *rig)
{
    struct trm_token *token;
    ck_ok(trm_pipeline_acquire(rig->pipeline, TRM_FOREVER, &token));
    rig_fill(rig, token);
    ck_ok(trm_pipeline_submit(rig->pipeline, token));
    ck_ok(trm_pipeline_next(rig->pipeline, TRM_FOREVER, &token));
    rig_take(rig, token);
    ck_ok(trm_pipeline_release(rig->pipeline, token));
    ck_assert_msg(rig->wrong == NULL, "%s", rig->wrong);
}

/* A recorded graph runs its nodes one after the other, and reports one branch. Where host stages keep the
 * thread that enqueues them, the other branch is enqueued too late. */
START_TEST(a_branch_runs_while_another_waits)
{
    if (kernels_missing())
        return;
    if (!hold_works() || RACES_ARE_FOUND) {
        skip(RACES_ARE_FOUND ? "its branches race by intent"
                             : "its host stages run inside the call that enqueues them");
        return;
    }
    uint32_t tried = 0;
    for (size_t s = 0; s < sizeof(all_strategies) / sizeof(all_strategies[0]); s++) {
        struct rig rig;
        atomic_store(&seen, 0);
        if (all_strategies[s] == TRM_STRATEGY_AUTO || all_strategies[s] == TRM_STRATEGY_SLOT_GRAPHS)
            continue; /* it tries recorded graphs, too */
        rig_make(&rig, &overlapping, 2, all_strategies[s]);
        if (rig_open(&rig) == TRM_OK && branches_of(&rig) > 1) {
            ck_ok(trm_stream_create(rig.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &watching));
            pass_one(&rig);
            ck_assert_msg(atomic_load(&seen) == 9, "%s: the other branch had not run",
                          trm_strategy_name(all_strategies[s]));
            trm_stream_destroy(watching);
            tried++;
        }
        rig_close(&rig);
        kernels_close();
    }
    ck_assert_uint_gt(tried, 0);
}
END_TEST

void add_pipeline_branches_overlap(Suite *suite)
{
    TCase *overlap = group_make(suite, "pipelines: branches overlap");
    CASE(overlap, a_branch_runs_while_another_waits);
}
