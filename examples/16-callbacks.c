/* Callbacks: a stream calls a function of the program when it reaches it.
 *
 * New here: host callbacks, wait_any over several streams.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <stdatomic.h>

enum {
    STREAMS = 3
};

static atomic_int calls;

/* Runs on a thread of the library; later operations of the stream wait until it returns. */
static void count_call(void *user, int32_t status)
{
    const char *name = user;

    if (status == TRM_OK)
        atomic_fetch_add(&calls, 1);
    printf("stream %s got there: %s\n", name, trm_status_name(status));
}

int main(void)
{
    static char names[STREAMS][2] = {"a", "b", "c"};
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *streams[STREAMS];
    struct trm_point points[STREAMS];
    uint32_t first;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    for (int i = 0; i < STREAMS; i++) {
        must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[i]));
        must(trm_stream_callback(streams[i], count_call, names[i]));
        must(trm_stream_mark(streams[i], &points[i]));
    }

    must(trm_wait_any(points, STREAMS, TRM_FOREVER, &first));
    expect(first < STREAMS && atomic_load(&calls) >= 1, "one stream got there");
    printf("the first to be seen was %s\n", names[first]);

    must(trm_wait_all(points, STREAMS, TRM_FOREVER));
    expect(atomic_load(&calls) == STREAMS, "every callback ran once");

    for (int i = 0; i < STREAMS; i++)
        trm_stream_destroy(streams[i]);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
