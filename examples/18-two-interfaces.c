/* Two interfaces to one GPU: Vulkan copies the data in and out, CUDA computes, on the same memory. A shared
 * semaphore orders them on the device; the host only enqueues.
 *
 * New here: memory and semaphores that are shared by file descriptors; a device chosen by its UUID.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    COUNT  = 1 << 20,
    BYTES  = COUNT * sizeof(float),
    ROUNDS = 8
};

static float input[ROUNDS][COUNT], output[ROUNDS][COUNT];

/* Skip the example if there is no such device. */
static struct trm_device *open_or_skip(struct trm_context *context, const char *id)
{
    struct trm_device *device;

    if (trm_device_open(context, id, &device) == TRM_OK)
        return device;
    printf("this takes a GPU that is there by CUDA and by Vulkan: %s\n", trm_last_error().sentence);
    exit(77);
}

/* Both interfaces report the same UUID for the same GPU. */
static struct trm_device *same_by_vulkan(struct trm_context *context, struct trm_device *cuda)
{
    uint8_t uuid[16];
    char id[64];

    must(trm_device_get_info(cuda, TRM_DEVICE_UUID, uuid, sizeof(uuid), NULL));
    int length = snprintf(id, sizeof(id), "vulkan:uuid=");
    for (int i = 0; i < 16; i++)
        length += snprintf(id + length, sizeof(id) - (size_t)length,
                           i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
    return open_or_skip(context, id);
}

/* Memory that `from` makes, as `to` sees it. */
static struct trm_buffer *share_memory(struct trm_device *from, struct trm_device *to,
                                       struct trm_buffer **made)
{
    struct trm_buffer *imported;
    uint64_t size;
    int32_t fd;

    if (trm_buffer_create_exportable(from, BYTES, made) == TRM_ERROR_UNSUPPORTED) {
        puts(trm_last_error().sentence);
        exit(77);
    }
    must(trm_buffer_export(*made, TRM_HANDLE_OPAQUE_FD, &fd, &size));
    must(trm_buffer_import(to, TRM_HANDLE_OPAQUE_FD, fd, size, &imported)); /* the driver now owns fd */
    return imported;
}

/* Vulkan creates the semaphore, because CUDA cannot export one. */
static struct trm_semaphore *share_semaphore(struct trm_device *vulkan, struct trm_device *cuda,
                                             struct trm_semaphore **made)
{
    struct trm_semaphore *imported;
    int32_t fd;

    must(trm_semaphore_create(vulkan, made));
    must(trm_semaphore_export(*made, TRM_HANDLE_OPAQUE_FD, &fd));
    must(trm_semaphore_import(cuda, TRM_HANDLE_OPAQUE_FD, fd, &imported));
    return imported;
}

int main(void)
{
    struct trm_context *context;
    struct trm_stream *graphics, *compute;
    struct trm_buffer *x, *y; /* on the Vulkan device */
    struct trm_semaphore *turn;

    must(trm_context_create(NULL, &context));
    struct trm_device *cuda   = open_or_skip(context, "cuda");
    struct trm_device *vulkan = same_by_vulkan(context, cuda);
    must(trm_stream_create(vulkan, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &graphics));
    must(trm_stream_create(cuda, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &compute));
    struct trm_kernel *kernel       = named_kernel(cuda, "fma_chain", NULL, 0);
    struct trm_buffer *cuda_x       = share_memory(vulkan, cuda, &x);
    struct trm_buffer *cuda_y       = share_memory(vulkan, cuda, &y);
    struct trm_semaphore *cuda_turn = share_semaphore(vulkan, cuda, &turn);

    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < COUNT; i++)
            input[round][i] = (float)(i % 1000 + round);

    /* In round r Vulkan raises the semaphore to 2r + 1, and CUDA to 2r + 2. */
    const struct trm_argument arguments[] = {trm_arg_buffer(cuda_x), trm_arg_buffer(cuda_y),
                                             trm_arg_f32(1.0f), trm_arg_f32(1.0f), trm_arg_u32(COUNT)};
    const struct trm_grid grid            = trm_grid_1d((COUNT + 255) / 256, 0);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        must(trm_upload(graphics, trm_span_whole(x), input[round]));
        must(trm_stream_signal_semaphore(graphics, turn, 2 * round + 1));
        must(trm_stream_flush(graphics));

        must(trm_stream_wait_semaphore(compute, cuda_turn, 2 * round + 1));
        must(trm_launch(compute, kernel, &grid, arguments, 5));
        must(trm_stream_signal_semaphore(compute, cuda_turn, 2 * round + 2));
        must(trm_stream_flush(compute));

        must(trm_stream_wait_semaphore(graphics, turn, 2 * round + 2));
        must(trm_download(graphics, output[round], trm_span_whole(y)));
    }
    must(trm_stream_sync(graphics));

    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < COUNT; i++)
            expect(output[round][i] == input[round][i] + 32.0f, "what CUDA made of what Vulkan brought");
    printf("%d rounds of %d KiB by Vulkan, CUDA and Vulkan again, on one memory\n", ROUNDS,
           (int)(BYTES / 1024));

    trm_semaphore_destroy(cuda_turn);
    trm_semaphore_destroy(turn);
    trm_buffer_destroy(cuda_x);
    trm_buffer_destroy(cuda_y);
    trm_buffer_destroy(x);
    trm_buffer_destroy(y);
    trm_kernel_destroy(kernel);
    trm_stream_destroy(compute);
    trm_stream_destroy(graphics);
    trm_device_destroy(cuda);
    trm_device_destroy(vulkan);
    trm_context_destroy(context);
    return 0;
}
