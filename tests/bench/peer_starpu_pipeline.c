/* The suite "pipeline" with StarPU: tasks on two workers, ordered through the handles of three buffers.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline_work.h"

/* StarPU's headers declare functions in the style of before 1989. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <starpu.h>
#pragma GCC diagnostic pop

#include <stdio.h>

struct step {
    struct flow *flow;
    float *host;
};

static float *data_of(void *buffers[])
{
    return (float *)STARPU_VECTOR_GET_PTR(buffers[0]);
}

static void upload(void *buffers[], void *argument)
{
    const struct step *step = argument;

    memcpy(data_of(buffers), step->host, step->flow->bytes);
}

static void compute(void *buffers[], void *argument)
{
    const struct step *step = argument;

    flow_in_place(data_of(buffers), step->flow->count, step->flow->links);
}

static void download(void *buffers[], void *argument)
{
    const struct step *step = argument;

    memcpy(step->host, data_of(buffers), step->flow->bytes);
}

static struct starpu_codelet up   = {.cpu_funcs = {upload}, .nbuffers = 1, .modes = {STARPU_W}, .name = "up"};
static struct starpu_codelet work = {
    .cpu_funcs = {compute}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "compute"};
static struct starpu_codelet down = {
    .cpu_funcs = {download}, .nbuffers = 1, .modes = {STARPU_R}, .name = "down"};

static void must(int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "StarPU answers %d\n", status);
    exit(1);
}

/* `step` stays as it is while tasks are under way. */
static void insert(struct starpu_codelet *codelet, starpu_data_handle_t handle, struct step *step)
{
    struct starpu_task *task = starpu_task_create();

    task->cl         = codelet;
    task->handles[0] = handle;
    task->cl_arg     = step;
    must(starpu_task_submit(task));
}

static void pass(struct flow *flow)
{
    starpu_data_handle_t handles[FLOW_SLOTS];
    struct step in[FLOW_RING], out[FLOW_RING];

    for (int i = 0; i < FLOW_SLOTS; i++)
        starpu_vector_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)flow->slot[i],
                                    (uint32_t)flow->count, sizeof(float));
    for (int i = 0; i < FLOW_RING; i++) {
        in[i]  = (struct step){flow, flow->in[i]};
        out[i] = (struct step){flow, flow->out[i]};
    }
    for (int i = 0; i < flow->tokens; i++) {
        insert(&up, handles[i % FLOW_SLOTS], &in[i % FLOW_RING]);
        insert(&work, handles[i % FLOW_SLOTS], &in[i % FLOW_RING]);
        insert(&down, handles[i % FLOW_SLOTS], &out[i % FLOW_RING]);
    }
    must(starpu_task_wait_for_all());
    for (int i = 0; i < FLOW_SLOTS; i++)
        starpu_data_unregister(handles[i]);
}

FLOW_SAMPLES(triple, pass);

static int open_starpu(void)
{
    if (starpu_init(NULL) == 0)
        return 0;
    fputs("StarPU has no worker\n", stderr);
    return -1;
}

static void first_kernel(void)
{
    triple_small_1();
}

static void close_starpu(void)
{
    starpu_shutdown();
    flow_close_all();
}

static const struct measure_case cases[] = {
    FLOW_CASES(triple, "copies_triple"),
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "starpu",
        .open         = open_starpu,
        .first_kernel = first_kernel,
        .close        = close_starpu,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
