/* Memory: an array with a type, a buffer that the host writes in place, and a buffer that exists for a few
 * operations.
 *
 * New here: arrays, mapping, allocation in stream order, pool statistics.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

static const double squares[] = {0, 1, 4, 9, 16};

static void use_an_array(struct trm_device *device)
{
    struct trm_array *array;
    double nine;

    must(trm_array_create(device, TRM_TYPE_F64, 5, TRM_MEMORY_DEVICE, squares, &array));
    must(trm_array_download(array, TRM_TYPE_F64, 3, 1, &nine)); /* element 3, one of them */
    expect(nine == 9, "element 3 is 9");
    trm_array_destroy(array);
}

/* Mapping copies nothing if host and device share memory; otherwise it downloads, and unmapping uploads. */
static void map_a_buffer(struct trm_device *device, struct trm_stream *stream)
{
    struct trm_buffer *buffer;
    void *memory;
    double copy[5];

    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(squares), &buffer));
    must(trm_buffer_map(buffer, TRM_MAP_WRITE, &memory));
    for (int i = 0; i < 5; i++)
        ((double *)memory)[i] = squares[i];
    must(trm_buffer_unmap(buffer));
    must(trm_download(stream, copy, trm_span_whole(buffer)));
    must(trm_stream_sync(stream));
    expect(copy[4] == 16, "what was written in place is there");
    trm_buffer_destroy(buffer);
}

/* Allocated and freed in stream order: no thread waits, and the memory is reused. */
static void allocate_in_stream_order(struct trm_stream *stream)
{
    for (int i = 0; i < 100; i++) {
        struct trm_buffer *scratch;

        must(trm_stream_alloc(stream, 1 << 20, &scratch));
        must(trm_fill(stream, trm_span_whole(scratch), (uint64_t)i, 1));
        must(trm_stream_free(stream, scratch));
    }
    must(trm_stream_sync(stream));
}

int main(void)
{
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    use_an_array(device);
    map_a_buffer(device, stream);
    allocate_in_stream_order(stream);
    must(trm_pool_get_stats(device, &stats));
    expect(stats.allocations >= 100 && stats.used_bytes == 0, "the pool has everything back");
    printf("%llu allocations, %llu of them from memory that was there\n",
           (unsigned long long)stats.allocations, (unsigned long long)stats.reuses);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
