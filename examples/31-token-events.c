/* A server in an event loop: a thousand tokens of pipelines in flight, and one thread that sleeps in epoll
 * until one of them can be taken.
 *
 * New here: trm_pipeline_token_fd, a descriptor that becomes readable when a token can be taken.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    PIPELINES = 16,
    DEPTH     = 63, /* tokens in flight in each pipeline: 1,008 in all */
    REQUESTS  = 2000,
    NUMBERS   = 64
};

struct server {
    struct trm_pipeline *pipelines[PIPELINES];
    int32_t descriptors[PIPELINES][DEPTH]; /* by slot */
    int loop;
    uint32_t submitted, answered, in_flight, most_in_flight;
};

/* Each token in flight has two descriptors: the program's and the library's. */
static void allow_many_descriptors(void)
{
    struct rlimit limit;

    expect(getrlimit(RLIMIT_NOFILE, &limit) == 0, "the limit of descriptors is known");
    limit.rlim_cur = limit.rlim_max;
    expect(setrlimit(RLIMIT_NOFILE, &limit) == 0, "the limit is raised");
}

static struct trm_pipeline *make_pipeline(struct trm_device *device, struct trm_kernel *kernel)
{
    const struct trm_port ports[] = {
        trm_port_input("x", NUMBERS * sizeof(float)),
        trm_port_output("y", NUMBERS * sizeof(float)),
    };
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(1.0f),
                                             trm_arg_f32(1.0f), trm_arg_port_elements(0, sizeof(float))};
    const struct trm_stage stage          = trm_stage_launch(kernel, arguments, 5, 0, sizeof(float));

    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .ports       = ports,
                                           .port_count  = 2,
                                           .stages      = &stage,
                                           .stage_count = 1,
                                           .depth       = DEPTH,
                                           .strategy    = TRM_STRATEGY_ROLE_STREAMS};
    struct trm_pipeline *pipeline;

    must(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

/* A request arrives: the pipeline has a free slot, so the loop never blocks here. */
static void begin_request(struct server *server, uint32_t number)
{
    struct trm_pipeline *pipeline = server->pipelines[number];
    struct epoll_event event      = {.events = EPOLLIN, .data = {.u32 = number}};
    struct trm_token *token;

    must(trm_pipeline_acquire(pipeline, 0, &token));
    uint64_t index      = token->index;
    int32_t *descriptor = &server->descriptors[number][token->slot];
    for (int i = 0; i < NUMBERS; i++)
        ((float *)token->data[0])[i] = (float)index + (float)i;
    must(
        trm_pipeline_submit(pipeline, token)); /* the token is the pipeline's again: only its index is used */
    must(trm_pipeline_token_fd(pipeline, index, descriptor));
    expect(epoll_ctl(server->loop, EPOLL_CTL_ADD, *descriptor, &event) == 0, "epoll takes the descriptor");
    server->submitted++;
    server->in_flight++;
    if (server->in_flight > server->most_in_flight)
        server->most_in_flight = server->in_flight;
}

/* The library may still have its own descriptor of the same file, so that closing ours would leave it in the
 * set. */
static void end_descriptor(int loop, int32_t descriptor)
{
    expect(epoll_ctl(loop, EPOLL_CTL_DEL, descriptor, NULL) == 0, "epoll forgets the descriptor");
    close(descriptor);
}

/* Takes what can be taken and lets the next requests in, until it is the turn of another pipeline. A token
 * may have been taken with the one before it. */
static void serve(struct server *server, uint32_t number)
{
    struct trm_pipeline *pipeline = server->pipelines[number];
    struct trm_token *token;

    for (int i = 0; i < DEPTH; i++) {
        int32_t status = trm_pipeline_next(pipeline, 0, &token);
        if (status == TRM_ERROR_TIMEOUT)
            return; /* the rest is not done yet */
        must(status);
        const float *y = token->data[1];
        expect(y[1] == (float)token->index + 1.0f + 32.0f, "the answer is right");
        end_descriptor(server->loop, server->descriptors[number][token->slot]);
        must(trm_pipeline_release(pipeline, token));
        server->answered++;
        server->in_flight--;
        if (server->submitted < REQUESTS)
            begin_request(server, number);
    }
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct server server = {.submitted = 0};
    struct epoll_event events[64];
    uint32_t wakeups = 0;

    allow_many_descriptors();
    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *kernel = named_kernel(device, "fma_chain", NULL, 0); /* 32 times x + 1 */
    server.loop               = epoll_create1(EPOLL_CLOEXEC);
    expect(server.loop >= 0, "there is an epoll instance");
    for (int i = 0; i < PIPELINES; i++)
        server.pipelines[i] = make_pipeline(device, kernel);

    for (uint32_t i = 0; i < PIPELINES * DEPTH; i++)
        begin_request(&server, i % PIPELINES);
    while (server.answered < REQUESTS) {
        int count = epoll_wait(server.loop, events, 64, -1);
        expect(count > 0, "epoll reports descriptors");
        for (int i = 0; i < count; i++)
            serve(&server, events[i].data.u32);
        wakeups++;
    }
    printf("%u requests done, %u in flight at most, %u wake-ups of one thread\n", server.answered,
           server.most_in_flight, wakeups);

    for (int i = 0; i < PIPELINES; i++)
        trm_pipeline_destroy(server.pipelines[i]);
    close(server.loop);
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
