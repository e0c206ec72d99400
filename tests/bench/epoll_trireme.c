/* What it costs a server to take results by descriptors in an event loop instead of by waiting for them.
 *
 *     epoll_trireme [ROUNDS [REQUESTS]]       9 rounds of 20,000 requests unless given
 *
 * A thousand requests are in flight at any time, on four streams; one thread takes those that are done and
 * begins as many others. A request fills a kilobyte on the device and downloads it. By turns the thread waits
 * for the oldest point with trm_point_wait(), the same after it has submitted each request, as trm_point_fd()
 * does, or sleeps in epoll until descriptors of trm_point_fd() are readable. Where nothing is submitted, the
 * thread that waits runs the requests on the cpu itself. Besides it makes the system calls alone that a
 * program with a descriptor for each request cannot do without: an eventfd that is readable, into the set and
 * out of it, its end. Prints, of each way, the medians of the time of a request by the clock and of the
 * processor time of the process, and how many threads the process has. The goal is 2 us for the difference of
 * epoll and waits, and no thread more.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <trireme/trireme.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    STREAMS     = 4,
    IN_FLIGHT   = 1000,
    NUMBERS     = 256,
    EVENTS      = 64,
    ROUNDS_MOST = 99,
};

struct request {
    struct trm_point end;
    int32_t descriptor;
    uint32_t number;
    uint32_t answer[NUMBERS];
};

static struct trm_stream *streams[STREAMS];
static struct trm_buffer *buffers[STREAMS];
static struct request requests[IN_FLIGHT];

static void fail(const char *what)
{
    fprintf(stderr, "epoll_trireme: %s\n", what);
    exit(1);
}

static void must(int32_t status)
{
    if (status != TRM_OK)
        fail(trm_last_error().sentence);
}

static uint32_t count_threads(void)
{
    DIR *folder    = opendir("/proc/self/task");
    uint32_t count = 0;

    if (folder == NULL)
        return 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* ---- requests ---------------------------------------------------------------------------------------- */

/* In place of an epoll set: to wait directly. */
enum direct {
    WAITS         = -1,
    SUBMITS_WAITS = -2, /* and to submit each request at once */
    CALLS         = -3, /* no request, only the system calls of one whose descriptor is readable at once */
};

/* loop: the epoll set, or enum direct. */
static void begin_request(int loop, struct request *request, uint32_t number)
{
    uint32_t place           = number % STREAMS;
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = request}};

    request->number = number;
    must(trm_fill(streams[place], trm_span_whole(buffers[place]), number, sizeof(uint32_t)));
    must(trm_download(streams[place], request->answer, trm_span_whole(buffers[place])));
    must(trm_stream_mark(streams[place], &request->end));
    if (loop == SUBMITS_WAITS)
        must(trm_stream_flush(streams[place]));
    if (loop < 0)
        return;
    must(trm_point_fd(request->end, &request->descriptor));
    if (epoll_ctl(loop, EPOLL_CTL_ADD, request->descriptor, &event) != 0)
        fail("epoll does not take a descriptor");
}

static void end_request(int loop, struct request *request)
{
    if (request->answer[0] != request->number || request->answer[NUMBERS - 1] != request->number)
        fail("an answer is wrong");
    if (loop < 0)
        return;
    epoll_ctl(loop, EPOLL_CTL_DEL, request->descriptor, NULL);
    close(request->descriptor);
}

/* ---- both ways ---------------------------------------------------------------------------------------- */

static void serve_by_waits(int direct, uint32_t count)
{
    for (uint32_t i = 0; i < count + IN_FLIGHT; i++) {
        struct request *request = &requests[i % IN_FLIGHT];
        if (i >= IN_FLIGHT) {
            must(trm_point_wait(request->end, TRM_FOREVER));
            end_request(direct, request);
        }
        if (i < count)
            begin_request(direct, request, i);
    }
}

static void serve_by_events(uint32_t count)
{
    struct epoll_event events[EVENTS];
    uint32_t begun = 0, done = 0;
    int loop = epoll_create1(EPOLL_CLOEXEC);

    if (loop < 0)
        fail("there is no epoll set");
    for (; begun < IN_FLIGHT; begun++)
        begin_request(loop, &requests[begun], begun);
    while (done < count) {
        int ready = epoll_wait(loop, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            struct request *request = events[i].data.ptr;
            must(trm_point_done(request->end));
            end_request(loop, request);
            if (begun < count)
                begin_request(loop, request, begun++);
        }
        done += ready > 0 ? (uint32_t)ready : 0;
    }
    close(loop);
}

/* ---- without the library ------------------------------------------------------------------------------ */

static void add_readable(int loop)
{
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)}};

    if (event.data.fd < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, event.data.fd, &event) != 0)
        fail("epoll does not take a descriptor");
}

static void make_calls(uint32_t count)
{
    struct epoll_event events[EVENTS];
    uint32_t begun = 0, done = 0;
    int loop = epoll_create1(EPOLL_CLOEXEC);

    if (loop < 0)
        fail("there is no epoll set");
    for (; begun < IN_FLIGHT; begun++)
        add_readable(loop);
    while (done < count) {
        int ready = epoll_wait(loop, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            epoll_ctl(loop, EPOLL_CTL_DEL, events[i].data.fd, NULL);
            close(events[i].data.fd);
            if (begun++ < count)
                add_readable(loop);
        }
        done += ready > 0 ? (uint32_t)ready : 0;
    }
    close(loop);
}

/* ---- the program -------------------------------------------------------------------------------------- */

struct figures {
    double wall[ROUNDS_MOST], used[ROUNDS_MOST]; /* nanoseconds of a request */
    uint32_t threads;
};

/* direct: 0 for epoll. */
static void measure(struct figures *figures, uint32_t round, uint32_t count, int direct)
{
    uint64_t wall = measure_now(), used = measure_processor_time();

    if (direct == 0)
        serve_by_events(count);
    else if (direct == CALLS)
        make_calls(count);
    else
        serve_by_waits(direct, count);
    figures->wall[round] = (double)(measure_now() - wall) / count;
    figures->used[round] = (double)(measure_processor_time() - used) / count;
    figures->threads     = count_threads();
}

static void print(const char *way, struct figures *figures, uint32_t rounds)
{
    printf("%-16s %8.0f ns a request, %8.0f ns of processors, %u threads\n", way,
           measure_median(figures->wall, rounds), measure_median(figures->used, rounds), figures->threads);
}

int main(int argc, char **argv)
{
    static struct figures waits, submits, events, calls;
    uint32_t rounds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 9;
    uint32_t count  = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 20000;
    struct rlimit limit;
    struct trm_context *context;
    struct trm_device *device;

    if (rounds == 0 || rounds > ROUNDS_MOST || count < IN_FLIGHT)
        fail("1 to 99 rounds of at least 1,000 requests");
    /* A request has two descriptors: the program's and the library's. */
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    for (int i = 0; i < STREAMS; i++) {
        must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[i]));
        must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(uint32_t[NUMBERS]), &buffers[i]));
    }
    for (uint32_t round = 0; round < rounds; round++) {
        measure(&waits, round, count, WAITS);
        measure(&submits, round, count, SUBMITS_WAITS);
        measure(&events, round, count, 0);
        measure(&calls, round, count, CALLS);
    }
    print("waits", &waits, rounds);
    print("submits, waits", &submits, rounds);
    print("epoll", &events, rounds);
    print("calls alone", &calls, rounds);
    for (int i = 0; i < STREAMS; i++) {
        trm_buffer_destroy(buffers[i]);
        trm_stream_destroy(streams[i]);
    }
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
