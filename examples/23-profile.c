/* A profile: what two streams did, how long they were busy, and whether they overlapped.
 *
 * New here: profiles of a device, ranges.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    COUNT  = 1 << 18,
    ROUNDS = 50
};

static int32_t print(void *user, const char *text, size_t length)
{
    return fwrite(text, 1, length, user) == length ? TRM_OK : TRM_ERROR_IO;
}

/* Fills on one stream; the other one downloads what is filled. A range gives the fills a name in the
 * profile. */
static void work(struct trm_stream *fills, struct trm_stream *downloads, struct trm_buffer *buffer)
{
    static uint32_t result[COUNT];
    struct trm_stream *both[] = {fills, downloads};

    for (uint32_t round = 0; round < ROUNDS; round++) {
        must(trm_range_push(fills, "fill"));
        must(trm_fill(fills, trm_span_whole(buffer), round, sizeof(uint32_t)));
        must(trm_range_pop(fills));
        must(trm_stream_barrier(both, 2));
        must(trm_download(downloads, result, trm_span_whole(buffer)));
        must(trm_stream_barrier(both, 2));
    }
    must(trm_stream_sync(downloads));
    expect(result[COUNT - 1] == ROUNDS - 1, "the last download came after the last fill");
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *fills, *downloads;
    struct trm_buffer *buffer;
    struct trm_profile *profile;
    struct trm_profile_desc desc     = {.struct_size = sizeof(desc), .interval = 1};
    struct trm_profile_stream stream = {.struct_size = sizeof(stream)};

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, COUNT * sizeof(uint32_t), &buffer));
    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &fills));
    must(trm_stream_create(device, TRM_STREAM_DOWNLOAD, TRM_PRIORITY_NORMAL, &downloads));

    /* work() need not know of the profile. Without one, an operation costs two instructions more. */
    must(trm_profile_begin(device, &desc, &profile));
    work(fills, downloads, buffer);
    must(trm_profile_end(profile));

    /* The text has a line for each stream; TRM_PROFILE_JSON is for programs, TRM_PROFILE_TRACE for
     * Perfetto. */
    must(trm_profile_write(profile, TRM_PROFILE_TEXT, print, stdout));

    /* The numbers one by one: streams come in the order of their first calls. */
    must(trm_profile_get_stream(profile, 0, &stream));
    expect(stream.operations >= ROUNDS, "the first stream filled in every round");
    must(trm_profile_get_stream(profile, 1, &stream));
    expect(stream.bytes[TRM_PROFILE_DOWNLOAD] == (uint64_t)ROUNDS * COUNT * sizeof(uint32_t),
           "the second one downloaded in every round");

    trm_profile_destroy(profile);
    trm_stream_destroy(downloads);
    trm_stream_destroy(fills);
    trm_buffer_destroy(buffer);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
