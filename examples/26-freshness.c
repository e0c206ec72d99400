/* A camera: its frames come at a steady pace, and the program that uses the results takes twice as long.
 *
 * New here: what a full pipeline does with the next token, deadlines, and how old results are.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <pthread.h>
#include <time.h>

enum {
    PIXELS = 64 * 64,
    BYTES  = PIXELS * sizeof(float),
    FRAMES = 60,
    PERIOD = 3000000 /* nanoseconds from one frame to the next */
};

struct camera {
    struct trm_pipeline *pipeline;
    uint64_t begin;            /* of the first frame */
    uint64_t taken_at[FRAMES]; /* when each frame was taken */
};

static void sleep_until(uint64_t time)
{
    struct timespec until = {.tv_sec = (time_t)(time / 1000000000), .tv_nsec = (long)(time % 1000000000)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
        ;
}

/* Takes a frame each period. While it waits for a slot, frames pile up. */
static void *take_frames(void *user)
{
    struct camera *camera = user;
    struct trm_token *token;

    for (uint64_t frame = 0; frame < FRAMES; frame++) {
        camera->taken_at[frame] = camera->begin + frame * PERIOD;
        sleep_until(camera->taken_at[frame]);
        must(trm_pipeline_acquire(camera->pipeline, TRM_FOREVER, &token));
        float *pixels = token->data[0];
        for (int i = 0; i < PIXELS; i++)
            pixels[i] = (float)frame;
        token->user        = &camera->taken_at[frame];
        token->deadline_ns = camera->taken_at[frame] + (uint64_t)8 * PERIOD; /* later it is of little use */
        must(trm_pipeline_submit(camera->pipeline, token));
    }
    return NULL;
}

/* Uses the results, each for two periods, up to that of the last frame. */
static void show_frames(struct camera *camera, const char *name)
{
    uint64_t oldest = 0, sum = 0, shown = 0, last = 0;

    while (last < FRAMES - 1) {
        struct trm_report report = {.struct_size = sizeof(report)};
        struct trm_token *token;

        int32_t status = trm_pipeline_next(camera->pipeline, (uint64_t)20 * PERIOD, &token);
        if (status == TRM_ERROR_TIMEOUT) {
            must(trm_pipeline_report(camera->pipeline, &report));
            if (report.tokens + report.dropped == FRAMES)
                break; /* the last frame was dropped: its deadline had passed */
            continue;
        }
        must(status);
        const uint64_t *taken_at = token->user;
        const float *pixels      = token->data[1];
        uint64_t now             = trm_clock_now();

        expect(shown == 0 || token->index > last, "frames come in order");
        expect(pixels[PIXELS - 1] == (float)token->index + 32.0f, "the result is that of the frame");
        oldest = now - *taken_at > oldest ? now - *taken_at : oldest;
        sum += now - *taken_at;
        last = token->index;
        shown++;
        sleep_until(now + (uint64_t)2 * PERIOD);
        must(trm_pipeline_release(camera->pipeline, token));
    }
    expect(shown > 0, "some frames are shown");
    printf("%-12s %3d shown, their age %5.1f periods in the mean and %5.1f at most", name, (int)shown,
           (double)sum / (double)shown / PERIOD, (double)oldest / PERIOD);
}

static void play(struct trm_device *device, struct trm_kernel *kernel, const char *name, int32_t on_full)
{
    const struct trm_port ports[] = {trm_port_input("frame", BYTES), trm_port_output("result", BYTES)};
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(1.0f),
                                             trm_arg_f32(1.0f), trm_arg_port_elements(0, sizeof(float))};
    const struct trm_stage stage          = trm_stage_launch(kernel, arguments, 5, 0, sizeof(float));
    const struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                             .name        = name,
                                             .ports       = ports,
                                             .port_count  = 2,
                                             .stages      = &stage,
                                             .stage_count = 1,
                                             .depth       = 4,
                                             .on_full     = on_full};
    struct trm_report report              = {.struct_size = sizeof(report)};
    struct camera camera;
    pthread_t thread;

    must(trm_pipeline_create(device, &desc, &camera.pipeline));
    camera.begin = trm_clock_now() + PERIOD;
    expect(pthread_create(&thread, NULL, take_frames, &camera) == 0, "a thread for the camera");
    show_frames(&camera, name);
    pthread_join(thread, NULL);
    must(trm_pipeline_report(camera.pipeline, &report));
    expect(report.tokens + report.dropped == FRAMES, "each frame was shown or dropped");
    expect(on_full != TRM_FULL_BLOCK || report.dropped == 0, "nothing is dropped unless it may be");
    printf("; %d dropped, %d late\n", (int)report.dropped, (int)report.late);
    trm_pipeline_destroy(camera.pipeline);
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *kernel = named_kernel(device, "fma_chain", NULL, 0); /* 32 times a x + b */

    play(device, kernel, "block", TRM_FULL_BLOCK);
    play(device, kernel, "drop oldest", TRM_FULL_DROP_OLDEST);
    play(device, kernel, "latest", TRM_FULL_LATEST);

    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
