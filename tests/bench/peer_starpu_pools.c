/* The mixes of the suite "pools" with StarPU, by the scheduler that STARPU_SCHED names: the lines are named
 * by it. dmdas predicts ends, from a history of times by codelet and size; lws lets idle workers take tasks
 * of others.
 * SPDX-License-Identifier: MIT
 */
#include "pools_work.h"

/* StarPU's headers declare functions in the style of before 1989. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <starpu.h>
#pragma GCC diagnostic pop

#include <stdio.h>

/* What a task computes; those of the tasks that have not ended stay as they are. */
struct step {
    float *target;
    uint32_t elements;
    int links;
};

enum {
    STEPS = 1 << 16, /* more than a sample has tasks */
};

static struct step steps[STEPS];
static uint32_t step_count;
static starpu_tag_t first_tag = 1; /* of the run */

static void must(int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "StarPU answers %d\n", status);
    exit(1);
}

static void compute(void *buffers[], void *argument)
{
    const struct step *step = argument;

    (void)buffers;
    mix_kernel(step->target, mix_source, step->elements, step->links);
}

/* Tasks of the same size are of one kind. */
static uint32_t footprint(struct starpu_task *task)
{
    return ((const struct step *)task->cl_arg)->elements;
}

static struct starpu_perfmodel models[] = {
    {.type = STARPU_HISTORY_BASED, .symbol = "mix_one", .footprint = footprint},
    {.type = STARPU_HISTORY_BASED, .symbol = "mix_many", .footprint = footprint},
};

static struct starpu_codelet codelets[] = {
    {.cpu_funcs = {compute}, .nbuffers = 0, .model = &models[0], .name = "one"},
    {.cpu_funcs = {compute}, .nbuffers = 0, .model = &models[1], .name = "many"},
};

/* A mix in which tasks come after others gives each task a tag, by which others name it. */
static void submit(const struct mix_task *what, uint32_t part, starpu_tag_t tag)
{
    struct starpu_task *task = starpu_task_create();
    struct step *step        = &steps[step_count++ % STEPS];

    *step        = (struct step){mix_place(part), what->elements, what->links};
    task->cl     = &codelets[what->links != 1];
    task->cl_arg = step;
    if (tag != 0) {
        task->use_tag = 1;
        task->tag_id  = tag;
    }
    if (what->after != MIX_ALONE)
        starpu_tag_declare_deps(tag, 1, first_tag + (starpu_tag_t)what->after);
    must(starpu_task_submit(task));
}

static int has_order(const struct mix *mix)
{
    for (uint32_t i = 0; i < mix->count; i++)
        if (mix->tasks[i].after != MIX_ALONE)
            return 1;
    return 0;
}

static void run_mix(const struct mix *mix, uint32_t part)
{
    int is_ordered = has_order(mix);

    for (uint32_t i = 0; i < mix->count; i++)
        submit(&mix->tasks[i], part + i, is_ordered ? first_tag + i : 0);
    if (is_ordered)
        first_tag += mix->count;
}

static void wait_for_all(void)
{
    must(starpu_task_wait_for_all());
}

static const struct mix_scheduler scheduler = {.run = run_mix, .wait = wait_for_all};

MIX_SAMPLES(scheduler);

static int open_starpu(void)
{
    if (starpu_init(NULL) != 0) {
        fputs("StarPU has no worker\n", stderr);
        return -1;
    }
    mix_open();
    return 0;
}

static void first_kernel(void)
{
    const struct mix_task task = {1, MIX_TINY, MIX_ALONE};

    submit(&task, 0, 0);
    wait_for_all();
}

static void close_starpu(void)
{
    starpu_shutdown();
    mix_close();
}

static const struct measure_case cases[] = {MIX_CASES};

int main(int argc, char **argv)
{
    const char *scheduled = getenv("STARPU_SCHED");
    char name[64];
    snprintf(name, sizeof(name), "starpu_%s", scheduled ? scheduled : "eager");
    const struct measure_peer peer = {
        .name         = name,
        .open         = open_starpu,
        .first_kernel = first_kernel,
        .close        = close_starpu,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
