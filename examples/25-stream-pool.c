/* A pool of streams: jobs of three sizes, each of which goes to the stream that is expected to end it first.
 * The program takes their results in the order in which they end, and knows neither how many streams there
 * are nor which is busy.
 *
 * New here: trm_stream_pool_submit, and how long the pool expects a job to take.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    JOBS    = 300,
    AT_ONCE = 16, /* jobs that have not ended */
    SIZES   = 3,
    LARGEST = 1 << 16
};

static const uint32_t sizes[SIZES] = {1 << 8, 1 << 12, LARGEST};

/* A place for one job at a time: y = a · x + y. */
struct job {
    struct trm_kernel *kernel;
    struct trm_buffer *x, *y;
    float *result;
    uint32_t number, count;
};

/* The pool calls this with the stream that it has chosen. The operations run one after another. */
static int32_t enqueue(void *user, struct trm_stream *stream)
{
    struct job *job                       = user;
    struct trm_span x                     = trm_span_of(job->x, 0, job->count * sizeof(float));
    struct trm_span y                     = trm_span_of(job->y, 0, job->count * sizeof(float));
    const struct trm_argument arguments[] = {trm_arg_span(x), trm_arg_span(y),
                                             trm_arg_f32((float)job->number), trm_arg_u32(job->count)};
    struct trm_grid grid;

    must(trm_kernel_grid(job->kernel, job->count, 1, 1, &grid));
    must(trm_fill(stream, x, 0x40000000, sizeof(float))); /* 2 */
    must(trm_fill(stream, y, 0, sizeof(float)));
    must(trm_launch(stream, job->kernel, &grid, arguments, 4));
    return trm_download(stream, job->result, y);
}

/* A job's bytes tell the pool its size: it learns how long jobs of each size take. */
static struct trm_stream_task task_of(struct job *job)
{
    return (struct trm_stream_task){.struct_size = sizeof(struct trm_stream_task),
                                    .enqueue     = enqueue,
                                    .user        = job,
                                    .bytes       = job->count * sizeof(float)};
}

static struct trm_point begin_job(struct trm_stream_pool *pool, struct job *job, uint32_t number)
{
    struct trm_point end;

    job->number                 = number;
    job->count                  = sizes[number % SIZES];
    struct trm_stream_task task = task_of(job);
    must(trm_stream_pool_submit(pool, &task, &end));
    return end;
}

static void check_job(const struct job *job)
{
    float expected = 2 * (float)job->number;

    expect(job->result[0] == expected && job->result[job->count - 1] == expected, "a job has its result");
}

/* All jobs, AT_ONCE at a time. */
static void run_jobs(struct trm_stream_pool *pool, struct job *jobs)
{
    struct trm_point ends[AT_ONCE];
    uint32_t begun = 0, which;

    while (begun < AT_ONCE) {
        ends[begun] = begin_job(pool, &jobs[begun], begun);
        begun++;
    }
    for (uint32_t ended = 0; ended + AT_ONCE < JOBS; ended++) {
        must(trm_wait_any(ends, AT_ONCE, TRM_FOREVER, &which));
        check_job(&jobs[which]);
        ends[which] = begin_job(pool, &jobs[which], begun++);
    }
    must(trm_wait_all(ends, AT_ONCE, TRM_FOREVER));
    for (int i = 0; i < AT_ONCE; i++)
        check_job(&jobs[i]);
}

static void print_findings(struct trm_stream_pool *pool, struct job *job)
{
    struct trm_stream_pool_stats stats      = {.struct_size = sizeof(stats)};
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};

    must(trm_stream_pool_get_stats(pool, &stats));
    printf("%u jobs ran on %u streams\n", (unsigned)stats.tasks, (unsigned)stats.streams);
    for (int i = 0; i < SIZES; i++) {
        job->count                  = sizes[i];
        struct trm_stream_task task = task_of(job);
        /* Nothing is known of jobs that had ended before the call that submitted them returned. */
        if (trm_stream_pool_predict(pool, &task, &prediction) == TRM_OK)
            printf("a job of %6u numbers takes %.0f us, give or take %.0f\n", (unsigned)sizes[i],
                   (double)prediction.mean_ns / 1e3, (double)prediction.spread_ns / 1e3);
    }
}

int main(void)
{
    const struct trm_stream_pool_desc desc = {.struct_size = sizeof(desc), .strategy = TRM_STREAM_AUTO};
    static float results[AT_ONCE][LARGEST];
    struct job jobs[AT_ONCE];
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream_pool *pool;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *kernel = named_kernel(device, "axpy", NULL, 0);
    must(trm_stream_pool_create(device, &desc, &pool));
    for (int i = 0; i < AT_ONCE; i++) {
        jobs[i] = (struct job){.kernel = kernel, .result = results[i]};
        must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(results[i]), &jobs[i].x));
        must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(results[i]), &jobs[i].y));
    }

    run_jobs(pool, jobs);
    print_findings(pool, &jobs[0]);

    trm_stream_pool_destroy(pool);
    for (int i = 0; i < AT_ONCE; i++) {
        trm_buffer_destroy(jobs[i].x);
        trm_buffer_destroy(jobs[i].y);
    }
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
