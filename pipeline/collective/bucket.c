/* Many small spans for the ways copies and host, as one.
 *
 * Each device puts its small spans side by side in memory of the call: by one launch with a table of
 * addresses where its kernels reach memory through addresses, else by copies. The call then goes on with that
 * memory as one span, in place, and with the large spans. In the end each device takes its results out.
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
/* Bytes of a part and so of the small spans: what is beyond goes on as it is. */
#define PART_BYTES (UINT64_C(64) << 20)
/* Spans in a part begin at multiples of this many bytes, parts at multiples of that many. */
#define SPAN_ALIGNMENT 16u
#define PART_ALIGNMENT 256u

struct bucket {
    struct pipeline_collective *collective;
    const struct pipeline_call *call;
    uint64_t small;  /* bytes up to which spans are packed */
    uint32_t packed; /* how many numbers are */
    uint64_t part;   /* bytes of a part */
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
    walk->is_packed = walk->bytes * most <= bucket->small && walk->end + place <= PART_BYTES;
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

static int32_t pack(struct bucket *bucket)
{
    const struct pipeline_call *call = bucket->call;
    uint64_t bytes                   = parts(call) * bucket->part;
    int32_t status                   = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < call->devices; d++) {
        status = trm_stream_alloc(call->streams[d], bytes, &bucket->buffers[d]);
        if (status == TRM_OK && is_read(call, d))
            status = move(bucket, d, true);
    }
    return status;
}

static int32_t unpack(struct bucket *bucket)
{
    const struct pipeline_call *call = bucket->call;
    int32_t status                   = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < call->devices; d++) {
        if (is_written(call, d))
            status = move(bucket, d, false);
        if (status == TRM_OK)
            status = trm_stream_free(call->streams[d], bucket->buffers[d]);
        if (status == TRM_OK)
            bucket->buffers[d] = NULL;
    }
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

static void drop_buffers(struct bucket *bucket)
{
    struct base_saved_error saved;

    base_error_save(&saved);
    for (uint32_t d = 0; d < bucket->call->devices; d++)
        trm_buffer_destroy(bucket->buffers[d]);
    base_error_restore(&saved);
}

int32_t pipeline_bucket_enqueue(struct pipeline_collective *collective, const struct pipeline_call *call,
                                bool is_host)
{
    struct bucket bucket         = {.collective = collective, .call = call, .small = small_bytes(collective)};
    struct pipeline_call derived = *call;
    struct core_context *context = collective->object.context;
    uint32_t numbers             = measure(&bucket);

    if (bucket.packed < 2)
        return pipeline_relay_enqueue(collective, call, is_host);
    derived.count       = numbers - bucket.packed + 1;
    derived.space_bytes = (uint64_t)derived.count * call->devices * 2 * sizeof(struct trm_span);
    derived.inputs      = core_allocate(context, derived.space_bytes);
    if (derived.inputs == NULL)
        return base_fail_memory("a collective");
    derived.outputs = derived.inputs + (uint64_t)derived.count * call->devices;
    int32_t status  = pack(&bucket);
    if (status == TRM_OK)
        status = run(&bucket, &derived, is_host);
    if (status == TRM_OK)
        status = unpack(&bucket);
    drop_buffers(&bucket);
    core_free(context, derived.inputs, derived.space_bytes);
    return status;
}
