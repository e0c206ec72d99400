/* An event loop: a thousand requests in flight, and one thread that sleeps in epoll until one of them is
 * done.
 *
 * New here: trm_point_fd, a descriptor that becomes readable when a point is reached.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    STREAMS  = 4,
    REQUESTS = 1000,
    NUMBERS  = 256
};

struct request {
    struct trm_point end;
    int32_t descriptor;
    uint32_t answer[NUMBERS];
};

static struct request requests[REQUESTS];

/* Each request has two descriptors until it is done: the program's and the library's. */
static void allow_many_descriptors(void)
{
    struct rlimit limit;

    expect(getrlimit(RLIMIT_NOFILE, &limit) == 0, "the limit of descriptors is known");
    limit.rlim_cur = limit.rlim_max;
    expect(setrlimit(RLIMIT_NOFILE, &limit) == 0, "the limit is raised");
}

/* Stands for real work: the device fills memory with the request's number, and the host gets it back. */
static void begin_request(int loop, struct trm_stream *stream, struct trm_buffer *buffer, uint32_t number)
{
    struct request *request  = &requests[number];
    struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = number}};

    must(trm_fill(stream, trm_span_whole(buffer), number, sizeof(uint32_t)));
    must(trm_download(stream, request->answer, trm_span_whole(buffer)));
    must(trm_stream_mark(stream, &request->end));
    must(trm_point_fd(request->end, &request->descriptor));
    expect(epoll_ctl(loop, EPOLL_CTL_ADD, request->descriptor, &event) == 0, "epoll takes the descriptor");
}

/* The library may still have its own descriptor of the same file, so that closing ours would leave it in the
 * set. */
static void end_request(int loop, struct request *request, uint32_t number)
{
    must(trm_point_done(request->end));
    expect(request->answer[0] == number && request->answer[NUMBERS - 1] == number, "the answer is right");
    expect(epoll_ctl(loop, EPOLL_CTL_DEL, request->descriptor, NULL) == 0, "epoll forgets the descriptor");
    close(request->descriptor);
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *streams[STREAMS];
    struct trm_buffer *buffers[STREAMS];
    struct epoll_event events[64];
    uint32_t done = 0, wakeups = 0;

    allow_many_descriptors();
    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    int loop = epoll_create1(EPOLL_CLOEXEC);
    expect(loop >= 0, "there is an epoll instance");
    for (int i = 0; i < STREAMS; i++) {
        must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[i]));
        must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(uint32_t[NUMBERS]), &buffers[i]));
    }

    for (uint32_t i = 0; i < REQUESTS; i++)
        begin_request(loop, streams[i % STREAMS], buffers[i % STREAMS], i);

    while (done < REQUESTS) {
        int count = epoll_wait(loop, events, 64, -1);
        expect(count > 0, "epoll reports descriptors");
        for (int i = 0; i < count; i++)
            end_request(loop, &requests[events[i].data.u32], events[i].data.u32);
        done += (uint32_t)count;
        wakeups++;
    }
    printf("%u requests done in %u wake-ups of one thread\n", done, wakeups);

    close(loop);
    for (int i = 0; i < STREAMS; i++) {
        trm_buffer_destroy(buffers[i]);
        trm_stream_destroy(streams[i]);
    }
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
