/* Two streams: one fills a buffer, the other downloads it. A point orders them; the host waits once.
 *
 * New here: stream roles, point, waiting on the device.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    COUNT = 1 << 20
};

int main(void)
{
    static uint32_t result[COUNT];
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *compute, *download;
    struct trm_buffer *buffer;
    struct trm_point filled, fetched;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(result), &buffer));

    /* Work on different streams may run at the same time, in any order. The role picks a GPU's queue. */
    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &compute));
    must(trm_stream_create(device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_HIGH, &download));

    /* A point marks the end of everything enqueued so far … */
    must(trm_fill(compute, trm_span_whole(buffer), 7, sizeof(uint32_t)));
    must(trm_stream_mark(compute, &filled));

    /* … and later operations on `download` run after that point. No thread of the program waits here. */
    must(trm_stream_wait(download, filled));
    must(trm_download(download, result, trm_span_whole(buffer)));
    must(trm_stream_mark(download, &fetched));

    must(trm_point_wait(fetched, TRM_FOREVER));
    for (int i = 0; i < COUNT; i++)
        expect(result[i] == 7, "the download came after the fill");
    puts("the download came after the fill");

    trm_buffer_destroy(buffer);
    trm_stream_destroy(download);
    trm_stream_destroy(compute);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
