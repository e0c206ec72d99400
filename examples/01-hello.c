/* Hello: open the best available device, copy a text to it and copy it back.
 *
 * New here: context, device, stream, buffer, upload, download, sync.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <string.h>

int main(void)
{
    const char sent[]           = "Hello from the device!";
    char received[sizeof(sent)] = "";
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
    struct trm_buffer *buffer;

    /* The context is the root of everything. NULL: settings come from the environment and trireme.conf. */
    must(trm_context_create(NULL, &context));

    /* NULL: the default device. TRIREME_BACKEND=cpu in the environment would choose another one. */
    must(trm_device_open(context, NULL, &device));

    /* A stream runs enqueued operations in order, while the program continues. */
    must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(sent), &buffer));

    must(trm_upload(stream, trm_span_whole(buffer), sent));
    must(trm_download(stream, received, trm_span_whole(buffer)));

    /* Wait: before this line the operations may not have run; after it they have. */
    must(trm_stream_sync(stream));
    expect(strcmp(sent, received) == 0, "the text that came back");
    puts(received);

    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
