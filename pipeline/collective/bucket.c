/* Many small spans for the ways copies and host, as one.
 *
 * Each device puts its small spans side by side in memory of the collective: by one launch with a table of
 * addresses where its kernels reach memory through addresses, else by copies. The call then goes on with that
 * memory as one span, in place, and with the large spans. In the end each device takes its results out. Where
 * there is no memory for that, all spans go on as they are.
 *
 * The memory has a part for each part of a span: one; where a device has to do with a part for each device,
 * as many as there are devices; and twice as many where the outputs may not be the inputs:
 *
 *     all-reduce, reduce, broadcast    1    input and output
 *     reduce-scatter                   D    the input; the output is the device's own part
 *     all-gather                       D    the output; the input is the device's own part
 *     all-to-all                     2 D    the input, then the output
 *
 * In a part the spans stand in the order of their numbers.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/collective/table.h"

/* Spans of more bytes, in input or output, go on as they are. A device with memory of its own copies so much
 * in less time than a few operations take to start; a processor does not. */
#define SMALL_BYTES PIPELINE_TABLE_COPY_BYTES
#define SMALL_UNIFIED_BYTES (UINT64_C(16) << 10)
/* Bytes of a part and so of the small spans, and of all parts: what is beyond goes on as it is. */
#define PART_BYTES (UINT64_C(64) << 20)
#define MOST_BYTES (UINT64_C(256) << 20)
/* Spans in a part begin at multiples of this many bytes, parts at multiples of that many. */
#define SPAN_ALIGNMENT 16u
#define PART_ALIGNMENT 256u
/* Memory grows by powers of two from here on. */
#define LEAST_BYTES (UINT64_C(64) << 10)

struct bucket {
    struct pipeline_collective *collective;
    const struct pipeline_call *call;
    uint64_t small;     /* bytes up to which spans are packed */
    uint64_t most_part; /* bytes that a part may have */
    uint32_t packed;    /* how many numbers are */
    uint64_t part;      /* bytes of a part */
    struct trm_buffer *buffers[PIPELINE_DEVICES];
};

/* A walk through all numbers. */
struct walk {
    uint32_t number;
    bool is_packed;
    uint64_t at, bytes; /* of the number's spans in a part, where it is packed */
    uint64_t end;       /* of the part so far */
};

/* ---- the layout ----------------------------------------------------------------------------- */

static uint32_t input_parts(const struct pipeline_call *call)
{
    return call->kind == PIPELINE_REDUCE_SCATTER || call->kind == PIPELINE_ALL_TO_ALL ? call->devices : 1;
}

static uint32_t output_parts(const struct pipeline_call *call)
{
    return call->kind == PIPELINE_ALL_GATHER || call->kind == PIPELINE_ALL_TO_ALL ? call->devices : 1;
}

static uint32_t parts(const struct pipeline_call *call)
{
    uint32_t in = input_parts(call), out = output_parts(call);
    return call->kind == PIPELINE_ALL_TO_ALL ? in + out : in > out ? in : out;
}

/* The first part of a device's input, and of its output. */
static uint32_t first_input(const struct pipeline_call *call, uint32_t device)
{
    return call->kind == PIPELINE_ALL_GATHER ? device : 0;
}

static uint32_t first_output(const struct pipeline_call *call, uint32_t device)
{
    return call->kind == PIPELINE_REDUCE_SCATTER ? device
           : call->kind == PIPELINE_ALL_TO_ALL   ? call->devices
                                                 : 0;
}

static bool is_read(const struct pipeline_call *call, uint32_t device)
{
    return call->kind != PIPELINE_BROADCAST || device == call->root;
}

static bool is_written(const struct pipeline_call *call, uint32_t device)
{
    return call->kind == PIPELINE_REDUCE      ? device == call->root
           : call->kind == PIPELINE_BROADCAST ? device != call->root
                                              : true;
}

static struct trm_span input_of(const struct pipeline_call *call, uint32_t number, uint32_t device)
{
    return call->inputs[number * (uint64_t)call->devices + device];
}

static struct trm_span output_of(const struct pipeline_call *call, uint32_t number, uint32_t device)
{
    return call->kind == PIPELINE_REDUCE ? call->outputs[number]
                                         : call->outputs[number * (uint64_t)call->devices + device];
}

/* Goes on to the next number that has bytes. False: there is none. */
static bool step(const struct bucket *bucket, struct walk *walk, bool is_first)
{
    const struct pipeline_call *call = bucket->call;
    uint64_t most = input_parts(call) > output_parts(call) ? input_parts(call) : output_parts(call);

    if (is_first)
        *walk = (struct walk){.number = 0};
    else
        walk->number++;
    while (walk->number < call->count && input_of(call, walk->number, 0).length == 0)
        walk->number++;
    if (walk->number >= call->count)
        return false;
    walk->bytes     = input_of(call, walk->number, 0).length / input_parts(call);
    uint64_t place  = (walk->bytes + SPAN_ALIGNMENT - 1) / SPAN_ALIGNMENT * SPAN_ALIGNMENT;
    walk->is_packed = walk->bytes * most <= bucket->small && walk->end + place <= bucket->most_part;
    walk->at        = walk->end;
    if (walk->is_packed)
        walk->end += place;
    return true;
}

static uint64_t small_bytes(const struct pipeline_collective *collective)
{
    for (uint32_t d = 0; d < collective->devices; d++)
        if (collective->group->devices[d]->limits.unified != 0)
            return SMALL_UNIFIED_BYTES;
    return SMALL_BYTES;
}

/* A multiple of PART_ALIGNMENT. */
static uint64_t most_part(const struct pipeline_collective *collective, const struct pipeline_call *call)
{
    uint64_t most = MOST_BYTES;

    for (uint32_t d = 0; d < collective->devices; d++) {
        uint64_t largest = collective->group->devices[d]->limits.max_buffer_bytes;
        most             = largest < most ? largest : most;
    }
    most /= parts(call);
    return (most < PART_BYTES ? most : PART_BYTES) / PART_ALIGNMENT * PART_ALIGNMENT;
}

/* Returns how many numbers have bytes. */
static uint32_t measure(struct bucket *bucket)
{
    struct walk walk = {0};
    uint32_t numbers = 0;

    for (bool is_more = step(bucket, &walk, true); is_more; is_more = step(bucket, &walk, false)) {
        numbers++;
        bucket->packed += walk.is_packed;
    }
    bucket->part = (walk.end + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
    return numbers;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* May the next call on `stream` use the memory? What used it on the same stream comes before it in any case.
 * It never waits: that may be behind something that the program does after the call. */
static bool is_free(const struct pipeline_bucket_memory *memory, const struct trm_stream *stream)
{
    struct core_buffer *buffer = core_buffer_find(memory->buffer);
    return memory->stream == stream || (buffer != NULL && core_in_flight_is_done(&buffer->in_flight));
}

/* Work that is under way keeps the memory that is replaced. */
static int32_t get_memory(struct pipeline_collective *collective, uint32_t device, uint64_t bytes,
                          struct trm_stream *stream)
{
    struct pipeline_bucket_memory *memory = &collective->buckets[device];
    struct trm_device *held               = collective->group->held[device];
    uint64_t largest                      = collective->group->devices[device]->limits.max_buffer_bytes;
    uint64_t made_bytes                   = LEAST_BYTES;
    struct trm_buffer *made               = NULL;

    if (memory->buffer != NULL && memory->bytes >= bytes && is_free(memory, stream)) {
        memory->stream = stream;
        return TRM_OK;
    }
    while (made_bytes < bytes || made_bytes < memory->bytes)
        made_bytes *= 2;
    made_bytes     = made_bytes < largest ? made_bytes : largest;
    int32_t status = trm_buffer_create(held, TRM_MEMORY_DEVICE, made_bytes, &made);
    if (status != TRM_OK)
        return status;
    trm_buffer_destroy(memory->buffer);
    *memory = (struct pipeline_bucket_memory){.buffer = made, .bytes = made_bytes, .stream = stream};
    return TRM_OK;
}

/* Gets memory on all devices before anything is enqueued. */
static bool has_memory(struct bucket *bucket)
{
    const struct pipeline_call *call = bucket->call;
    uint64_t bytes                   = parts(call) * bucket->part;
    int32_t status                   = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < call->devices; d++) {
        status             = get_memory(bucket->collective, d, bytes, call->streams[d]);
        bucket->buffers[d] = bucket->collective->buckets[d].buffer;
    }
    if (status == TRM_OK)
        return true;
    core_log(bucket->collective->object.context, TRM_LOG_DEBUG, "%s does not put its spans side by side: %s",
             call->name, trm_last_error().sentence);
    base_error_clear();
    return false;
}

void pipeline_bucket_fini(struct pipeline_bucket_memory *memory)
{
    trm_buffer_destroy(memory->buffer);
    *memory = (struct pipeline_bucket_memory){.buffer = NULL};
}

/* ---- packing -------------------------------------------------------------------------------- */

static int32_t copy(struct pipeline_table *table, struct trm_span target, struct trm_span source)
{
    bool is_taken  = false;
    int32_t status = TRM_OK;

    if (table->kernel != NULL)
        status = pipeline_table_add_copy(table, target, source, &is_taken);
    return status != TRM_OK || is_taken ? status : trm_copy(table->stream, target, source);
}

static struct trm_span piece_of(struct trm_span span, uint32_t part, uint64_t bytes)
{
    return trm_span_of(span.buffer, span.offset + part * bytes, bytes);
}

static struct trm_span packed_at(const struct bucket *bucket, uint32_t device, uint32_t part,
                                 const struct walk *walk)
{
    return trm_span_of(bucket->buffers[device], part * bucket->part + walk->at, walk->bytes);
}

/* Copies the spans of a number to their places on a device. */
static int32_t pack_number(const struct bucket *bucket, struct pipeline_table *table, const struct walk *walk)
{
    const struct pipeline_call *call = bucket->call;
    uint32_t device = table->device, first = first_input(call, device);
    struct trm_span input = input_of(call, walk->number, device);
    int32_t status        = TRM_OK;

    for (uint32_t p = 0; status == TRM_OK && p < input_parts(call); p++)
        status = copy(table, packed_at(bucket, device, first + p, walk), piece_of(input, p, walk->bytes));
    return status;
}

static int32_t unpack_number(const struct bucket *bucket, struct pipeline_table *table,
                             const struct walk *walk)
{
    const struct pipeline_call *call = bucket->call;
    uint32_t device = table->device, first = first_output(call, device);
    struct trm_span output = output_of(call, walk->number, device);
    struct trm_span input  = input_of(call, walk->number, device);
    int32_t status         = TRM_OK;

    for (uint32_t p = 0; status == TRM_OK && p < output_parts(call); p++) {
        struct trm_span target = piece_of(output, p, walk->bytes);
        bool is_own            = call->kind == PIPELINE_ALL_GATHER && p == device;
        if (is_own && target.buffer == input.buffer && target.offset == input.offset)
            continue;
        status = copy(table, target, packed_at(bucket, device, first + p, walk));
    }
    return status;
}

/* Packs the small spans of a device, or unpacks them, on its stream. */
static int32_t move(const struct bucket *bucket, uint32_t device, bool is_packing)
{
    struct pipeline_table table;
    struct walk walk;
    int32_t status = TRM_OK;

    pipeline_table_init_copy(&table, bucket->collective, bucket->call, device, bucket->call->streams[device]);
    for (bool is_more = step(bucket, &walk, true); status == TRM_OK && is_more;
         is_more      = step(bucket, &walk, false))
        if (walk.is_packed)
            status = is_packing ? pack_number(bucket, &table, &walk) : unpack_number(bucket, &table, &walk);
    if (status == TRM_OK)
        status = pipeline_table_flush(&table);
    pipeline_table_fini(&table);
    return status;
}

static int32_t pack(const struct bucket *bucket)
{
    int32_t status = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < bucket->call->devices; d++)
        if (is_read(bucket->call, d))
            status = move(bucket, d, true);
    return status;
}

static int32_t unpack(const struct bucket *bucket)
{
    int32_t status = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < bucket->call->devices; d++)
        if (is_written(bucket->call, d))
            status = move(bucket, d, false);
    return status;
}

/* ---- the call ------------------------------------------------------------------------------- */

/* Number `number` of the call that goes on: what was packed. */
static void add_packed(const struct bucket *bucket, struct pipeline_call *call, uint32_t number)
{
    uint64_t in = input_parts(call) * bucket->part, out = output_parts(call) * bucket->part;

    for (uint32_t d = 0; d < call->devices; d++) {
        struct trm_span input  = trm_span_of(bucket->buffers[d], first_input(call, d) * bucket->part, in);
        struct trm_span output = trm_span_of(bucket->buffers[d], first_output(call, d) * bucket->part, out);
        call->inputs[number * (uint64_t)call->devices + d] = input;
        if (call->kind != PIPELINE_REDUCE)
            call->outputs[number * (uint64_t)call->devices + d] = output;
        else if (d == call->root)
            call->outputs[number] = output;
    }
}

static void add_large(const struct pipeline_call *from, uint32_t k, struct pipeline_call *call,
                      uint32_t number)
{
    for (uint32_t d = 0; d < call->devices; d++) {
        call->inputs[number * (uint64_t)call->devices + d] = input_of(from, k, d);
        if (call->kind != PIPELINE_REDUCE)
            call->outputs[number * (uint64_t)call->devices + d] = output_of(from, k, d);
    }
    if (call->kind == PIPELINE_REDUCE)
        call->outputs[number] = from->outputs[k];
}

/* The call with what was packed as its first number, and then the large spans. */
static int32_t run(const struct bucket *bucket, struct pipeline_call *call, bool is_host)
{
    struct walk walk;
    uint32_t number = 0;

    add_packed(bucket, call, number++);
    for (bool is_more = step(bucket, &walk, true); is_more; is_more = step(bucket, &walk, false))
        if (!walk.is_packed)
            add_large(bucket->call, walk.number, call, number++);
    return pipeline_relay_enqueue(bucket->collective, call, is_host);
}

static int32_t enqueue(const struct bucket *bucket, uint32_t numbers, bool is_host)
{
    struct pipeline_call derived = *bucket->call;
    struct core_context *context = bucket->collective->object.context;

    derived.count       = numbers - bucket->packed + 1;
    derived.space_bytes = (uint64_t)derived.count * derived.devices * 2 * sizeof(struct trm_span);
    derived.inputs      = core_allocate(context, derived.space_bytes);
    if (derived.inputs == NULL)
        return pipeline_relay_enqueue(bucket->collective, bucket->call, is_host);
    derived.outputs = derived.inputs + (uint64_t)derived.count * derived.devices;
    int32_t status  = pack(bucket);
    if (status == TRM_OK)
        status = run(bucket, &derived, is_host);
    if (status == TRM_OK)
        status = unpack(bucket);
    core_free(context, derived.inputs, derived.space_bytes);
    return status;
}

int32_t pipeline_bucket_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                                bool is_host, bool *is_met)
{
    struct bucket bucket = {.collective = collective,
                            .call       = call,
                            .small      = small_bytes(collective),
                            .most_part  = most_part(collective, call)};
    uint32_t numbers     = measure(&bucket);

    *is_met = bucket.packed < 2 || !has_memory(&bucket);
    return *is_met ? pipeline_relay_enqueue(collective, call, is_host) : enqueue(&bucket, numbers, is_host);
}
