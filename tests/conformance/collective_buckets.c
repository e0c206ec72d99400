/* Collectives of many small spans in one call.
 * SPDX-License-Identifier: MIT
 */
#include "collectives.h"
#include "groups.h"
#include "hold.h"
#include "kernels.h"

/* ---- a bucket ------------------------------------------------------------------------------- */

enum kind {
    ALL_REDUCE,
    REDUCE,
    REDUCE_SCATTER,
    BROADCAST,
    ALL_GATHER,
    ALL_TO_ALL,
    KINDS,
};

/* Spans in one buffer of each device for all inputs and one for all outputs, with gaps. What the buffers hold
 * and are expected to hold is in host memory. */
struct bucket {
    const struct team *team;
    enum kind kind;
    uint32_t count, unit; /* bytes of an element, at multiples of which spans begin */
    uint32_t in_parts, out_parts;
    uint64_t *in_at, *out_at, *bytes; /* of each number; bytes of a part */
    uint64_t in_bytes, out_bytes;
    uint8_t *in[TRM_GROUP_DEVICES], *out[TRM_GROUP_DEVICES];
    struct trm_buffer *in_buffers[TRM_GROUP_DEVICES], *out_buffers[TRM_GROUP_DEVICES];
    struct trm_span *inputs, *outputs;
};

static bool is_reduction(enum kind kind)
{
    return kind <= REDUCE_SCATTER;
}

/* Elements of a span: also none, and as many as fill several groups of a kernel. */
static uint64_t elements_of(uint32_t number)
{
    return number % 11 == 3 ? 0 : number % 97 == 5 ? 700 + number % 13 : 1 + number * 37 % 60;
}

/* Of spans of so many elements, or of all kinds of sizes (0). */
static void lay_out(struct bucket *bucket, uint64_t elements)
{
    for (uint32_t k = 0; k < bucket->count; k++) {
        bucket->bytes[k]  = (elements != 0 ? elements : elements_of(k)) * bucket->unit;
        bucket->in_at[k]  = bucket->in_bytes + bucket->unit;
        bucket->out_at[k] = bucket->out_bytes + (1 + k % 3) * (uint64_t)bucket->unit;
        bucket->in_bytes  = bucket->in_at[k] + bucket->in_parts * bucket->bytes[k];
        bucket->out_bytes = bucket->out_at[k] + bucket->out_parts * bucket->bytes[k];
    }
    bucket->in_bytes += 64;
    bucket->out_bytes += 64;
}

static void fill(struct bucket *bucket)
{
    uint32_t state = 1;
    for (uint32_t d = 0; d < bucket->team->count; d++) {
        bucket->in[d]  = malloc(bucket->in_bytes);
        bucket->out[d] = malloc(bucket->out_bytes);
        for (uint64_t i = 0; i < bucket->in_bytes; i++)
            bucket->in[d][i] = (uint8_t)(next_random(&state) >> 11);
        memset(bucket->out[d], 0x5a, bucket->out_bytes);
    }
}

static void bucket_init_of(struct bucket *bucket, const struct team *team, enum kind kind, uint32_t count,
                           uint64_t elements)
{
    uint32_t parts    = team->count;
    *bucket           = (struct bucket){.team = team, .kind = kind, .count = count};
    bucket->unit      = is_reduction(kind) ? 4 : 1;
    bucket->in_parts  = kind == REDUCE_SCATTER || kind == ALL_TO_ALL ? parts : 1;
    bucket->out_parts = kind == ALL_GATHER || kind == ALL_TO_ALL ? parts : 1;
    bucket->in_at     = calloc(count, sizeof(uint64_t));
    bucket->out_at    = calloc(count, sizeof(uint64_t));
    bucket->bytes     = calloc(count, sizeof(uint64_t));
    bucket->inputs    = calloc((uint64_t)count * parts, sizeof(struct trm_span));
    bucket->outputs   = calloc((uint64_t)count * parts, sizeof(struct trm_span));
    lay_out(bucket, elements);
    fill(bucket);
    team_buffers(team, bucket->in_bytes, bucket->in_buffers);
    team_buffers(team, bucket->out_bytes, bucket->out_buffers);
    for (uint32_t d = 0; d < team->count; d++) {
        put(team->streams[d], bucket->in_buffers[d], 0, bucket->in[d], bucket->in_bytes);
        put(team->streams[d], bucket->out_buffers[d], 0, bucket->out[d], bucket->out_bytes);
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t d = 0; d < parts; d++) {
            bucket->inputs[k * parts + d] =
                trm_span_of(bucket->in_buffers[d], bucket->in_at[k], bucket->in_parts * bucket->bytes[k]);
            bucket->outputs[k * parts + d] =
                trm_span_of(bucket->out_buffers[d], bucket->out_at[k], bucket->out_parts * bucket->bytes[k]);
        }
}

static void bucket_init(struct bucket *bucket, const struct team *team, enum kind kind, uint32_t count)
{
    bucket_init_of(bucket, team, kind, count, 0);
}

static void bucket_fini(struct bucket *bucket)
{
    for (uint32_t d = 0; d < bucket->team->count; d++) {
        free(bucket->in[d]);
        free(bucket->out[d]);
    }
    team_free(bucket->team, bucket->in_buffers);
    team_free(bucket->team, bucket->out_buffers);
    free(bucket->in_at);
    free(bucket->out_at);
    free(bucket->bytes);
    free(bucket->inputs);
    free(bucket->outputs);
}

/* ---- what is expected ----------------------------------------------------------------------- */

/* The sums of part `part` of all inputs of a number, in host memory. */
static void sum_part(const struct bucket *bucket, uint32_t number, uint32_t part, uint8_t *result)
{
    uint64_t at = bucket->in_at[number] + part * bucket->bytes[number];
    for (uint64_t i = 0; i < bucket->bytes[number]; i += 4) {
        uint32_t sum = 0, term;
        for (uint32_t d = 0; d < bucket->team->count; d++) {
            memcpy(&term, bucket->in[d] + at + i, 4);
            sum += term;
        }
        memcpy(result + i, &sum, 4);
    }
}

static void expect_number(struct bucket *bucket, uint32_t number, uint32_t device, uint32_t root)
{
    uint64_t bytes = bucket->bytes[number];
    uint8_t *out   = bucket->out[device] + bucket->out_at[number];
    if (bucket->kind == ALL_REDUCE || (bucket->kind == REDUCE && device == root))
        sum_part(bucket, number, 0, out);
    else if (bucket->kind == REDUCE_SCATTER)
        sum_part(bucket, number, device, out);
    for (uint32_t p = 0; bucket->kind >= ALL_GATHER && p < bucket->team->count; p++) {
        uint32_t part = bucket->kind == ALL_TO_ALL ? device : 0;
        memcpy(out + p * bytes, bucket->in[p] + bucket->in_at[number] + part * bytes, bytes);
    }
}

static void ck_bucket(struct bucket *bucket, uint32_t root)
{
    uint8_t *found = malloc(bucket->in_bytes > bucket->out_bytes ? bucket->in_bytes : bucket->out_bytes);
    for (uint32_t d = 0; d < bucket->team->count; d++) {
        uint8_t *in = bucket->in[bucket->kind == BROADCAST ? root : d];
        for (uint32_t k = 0; k < bucket->count; k++) {
            expect_number(bucket, k, d, root);
            if (bucket->kind == BROADCAST)
                memcpy(bucket->in[d] + bucket->in_at[k], in + bucket->in_at[k], bucket->bytes[k]);
        }
        get(bucket->team->streams[d], bucket->in_buffers[d], 0, found, bucket->in_bytes);
        ck_assert_msg(memcmp(found, bucket->in[d], bucket->in_bytes) == 0, "kind %d: inputs of device %u",
                      (int)bucket->kind, (unsigned)d);
        get(bucket->team->streams[d], bucket->out_buffers[d], 0, found, bucket->out_bytes);
        ck_assert_msg(memcmp(found, bucket->out[d], bucket->out_bytes) == 0, "kind %d: outputs of device %u",
                      (int)bucket->kind, (unsigned)d);
    }
    free(found);
}

static int32_t call(const struct bucket *bucket, uint32_t root)
{
    const struct team *team   = bucket->team;
    struct trm_collective *on = team->collective;
    const struct trm_span *in = bucket->inputs, *out = bucket->outputs;
    struct trm_span *single = NULL;
    int32_t status          = TRM_OK;
    switch (bucket->kind) {
    case ALL_REDUCE:
        return trm_all_reduce(on, team->streams, out, in, bucket->count, TRM_TYPE_I32, TRM_REDUCE_SUM);
    case REDUCE:
        single = calloc(bucket->count, sizeof(*single));
        for (uint32_t k = 0; k < bucket->count; k++)
            single[k] = out[k * team->count + root];
        status = trm_reduce(on, team->streams, single, in, bucket->count, TRM_TYPE_I32, TRM_REDUCE_SUM, root);
        free(single);
        return status;
    case REDUCE_SCATTER:
        return trm_reduce_scatter(on, team->streams, out, in, bucket->count, TRM_TYPE_I32, TRM_REDUCE_SUM);
    case BROADCAST:
        return trm_broadcast(on, team->streams, in, bucket->count, root);
    case ALL_GATHER:
        return trm_all_gather(on, team->streams, out, in, bucket->count);
    default:
        return trm_all_to_all(on, team->streams, out, in, bucket->count);
    }
}

/* ---- values --------------------------------------------------------------------------------- */

/* Some of these have more rows than a table. */
static void run_kind(const struct team *team, const char *way, enum kind kind, uint32_t count)
{
    struct bucket bucket;
    uint32_t root = count % team->count;
    bucket_init(&bucket, team, kind, count);
    int32_t status = call(&bucket, root);
    if (status == TRM_OK || !way_may_refuse(team, way)) {
        ck_ok(status);
        ck_bucket(&bucket, root);
    }
    bucket_fini(&bucket);
}

/* A table has 512 rows. */
START_TEST(a_collective_takes_more_small_spans_than_a_table_holds_in_every_way)
{
    uint32_t count = scaled(1300, 530);
    for (uint32_t w = 0; w < WAYS; w++) {
        struct team team;
        team_open(&team, ways[w], 0);
        for (enum kind kind = 0; kind < KINDS; kind++) {
            run_kind(&team, ways[w], kind, 2);
            run_kind(&team, ways[w], kind, count);
        }
        team_close(&team);
    }
}
END_TEST

/* All numbers together and one by one. */
#define NUMBERS 7u

static void write_numbers(const struct team *team, struct trm_buffer *const *buffers, uint64_t bytes,
                          int32_t type)
{
    uint8_t *memory = malloc(bytes);
    uint32_t state  = 5;
    for (uint32_t d = 0; d < team->count; d++) {
        for (uint64_t i = 0; i < bytes / trm_type_size(type); i++)
            element_write(type, memory, i, ((double)(next_random(&state) % 60001) - 30000) / 7);
        put(team->streams[d], buffers[d], 0, memory, bytes);
    }
    free(memory);
}

/* Reads the outputs of a call, or of a call for each number. False: the way is refused, or the type. */
static bool combine(const struct team *team, int32_t type, int32_t operation, bool is_together,
                    struct trm_buffer *const *in, struct trm_buffer *const *out, uint64_t bytes,
                    uint8_t *found)
{
    static const uint64_t counts[NUMBERS] = {1, 300, 0, 5000, 33, 2047, 256};
    struct trm_span inputs[NUMBERS * TRM_GROUP_DEVICES], outputs[NUMBERS * TRM_GROUP_DEVICES];
    uint32_t devices = team->count, step = is_together ? NUMBERS : 1;
    uint64_t at = 0;
    for (uint32_t k = 0; k < NUMBERS; k++) {
        for (uint32_t d = 0; d < devices; d++) {
            inputs[k * devices + d]  = trm_span_of(in[d], at, counts[k] * trm_type_size(type));
            outputs[k * devices + d] = trm_span_of(out[d], at, counts[k] * trm_type_size(type));
        }
        at += (counts[k] * trm_type_size(type) + 4095) / 4096 * 4096;
    }
    ck_assert_uint_le(at, bytes);
    for (uint32_t k = 0; k < NUMBERS; k += step)
        if (trm_all_reduce(team->collective, team->streams, &outputs[k * devices], &inputs[k * devices], step,
                           type, operation) != TRM_OK)
            return false;
    for (uint32_t d = 0; d < devices; d++)
        get(team->streams[d], out[d], 0, found + d * bytes, bytes);
    return true;
}

static void compare(const struct team *team, const char *way, int32_t type, int32_t operation)
{
    uint64_t bytes = UINT64_C(96) << 10;
    struct trm_buffer *in[TRM_GROUP_DEVICES], *out[TRM_GROUP_DEVICES];
    uint8_t *together = malloc(bytes * team->count), *apart = malloc(bytes * team->count);
    team_buffers(team, bytes, in);
    team_buffers(team, bytes, out);
    write_numbers(team, in, bytes, type);
    for (uint32_t d = 0; d < team->count; d++)
        ck_ok(trm_fill(team->streams[d], trm_span_whole(out[d]), 0, 1));
    bool is_done = combine(team, type, operation, true, in, out, bytes, together);
    ck_assert(combine(team, type, operation, false, in, out, bytes, apart) == is_done);
    ck_assert(is_done || type == TRM_TYPE_F64 || type == TRM_TYPE_I64 || way_may_refuse(team, way));
    if (is_done)
        ck_assert_msg(memcmp(together, apart, bytes * team->count) == 0, "%s of %s, operation %d", way,
                      trm_type_name(type), (int)operation);
    team_free(team, in);
    team_free(team, out);
    free(together);
    free(apart);
}

/* Each way has a fifth of the combinations, which takes long enough. */
START_TEST(a_collective_of_many_spans_gives_the_same_bits_by_every_operation_as_of_one)
{
    static const int32_t types[] = {TRM_TYPE_F16, TRM_TYPE_BF16, TRM_TYPE_F32,
                                    TRM_TYPE_F64, TRM_TYPE_I32,  TRM_TYPE_I64};
    for (uint32_t w = 1; strcmp(ways[w], "nccl") != 0; w++) {
        struct team team;
        team_open(&team, ways[w], TRM_COLLECTIVE_DETERMINISTIC);
        for (uint32_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
            for (uint32_t operation = TRM_REDUCE_SUM; operation <= TRM_REDUCE_AVERAGE; operation++)
                if ((t + operation) % 5 == w - 1)
                    compare(&team, ways[w], types[t], (int32_t)operation);
        team_close(&team);
    }
}
END_TEST

/* ---- launches ------------------------------------------------------------------------------- */

static bool has_addresses(struct trm_device *device)
{
    uint64_t has = 0;
    return trm_device_get_info(device, TRM_DEVICE_ADDRESSES, &has, sizeof(has), NULL) == TRM_OK && has != 0;
}

static struct trm_stream_stats stats_of(struct trm_stream *stream)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    ck_ok(trm_stream_get_stats(stream, &stats));
    return stats;
}

/* The most launches that a call of so many spans enqueues on one of the program's streams. */
static uint64_t launches_of(const struct team *team, enum kind kind, uint32_t count, uint64_t elements)
{
    struct bucket bucket;
    uint64_t most = 0;
    bucket_init_of(&bucket, team, kind, count, elements);
    for (uint32_t d = 0; d < team->count; d++)
        ck_ok(trm_stream_reset_stats(team->streams[d]));
    ck_ok(call(&bucket, 0));
    for (uint32_t d = 0; d < team->count; d++) {
        uint64_t launches = stats_of(team->streams[d]).launches;
        most              = launches > most ? launches : most;
    }
    ck_bucket(&bucket, 0);
    bucket_fini(&bucket);
    return most;
}

/* By kernels one launch; for copies and the host one to pack and one to unpack, where a device does both. */
START_TEST(a_collective_of_many_small_spans_is_one_launch_on_each_device)
{
    for (uint32_t w = 1; strcmp(ways[w], "nccl") != 0; w++) {
        struct team team;
        bool is_direct = way_is_direct(ways[w]), has_all = true;
        team_open(&team, ways[w], 0);
        for (uint32_t d = 0; d < team.count; d++)
            has_all = has_all && has_addresses(team.devices[d]);
        if (has_all && team.count > 1 && !way_may_refuse(&team, ways[w])) {
            ck_assert_uint_eq(launches_of(&team, ALL_REDUCE, 300, 0), is_direct ? 1 : 2);
            ck_assert_uint_eq(launches_of(&team, REDUCE, 300, 0), is_direct ? 1 : 2);
            ck_assert_uint_eq(launches_of(&team, BROADCAST, 300, 0), 1);
        }
        team_close(&team);
    }
}
END_TEST

static bool all_are_cpus(const struct team *team)
{
    for (uint32_t d = 0; d < team->count; d++) {
        uint64_t kind = 0;
        ck_ok(trm_device_get_info(team->devices[d], TRM_DEVICE_KIND, &kind, sizeof(kind), NULL));
        if (kind != TRM_DEVICE_CPU)
            return false;
    }
    return true;
}

/* A cpu launches in less time than its kernel needs to find spans in a table. */
START_TEST(a_collective_of_spans_of_64_kib_is_a_launch_for_each_on_cpus)
{
    struct team team;
    team_open(&team, "one-shot", 0);
    if (team.count > 1 && all_are_cpus(&team)) {
        ck_assert_uint_eq(launches_of(&team, ALL_REDUCE, 5, 16384),
                          5 * launches_of(&team, ALL_REDUCE, 1, 16384));
        ck_assert_uint_eq(launches_of(&team, ALL_REDUCE, 5, 4096), 1);
    }
    team_close(&team);
}
END_TEST

/* ---- order and memory ----------------------------------------------------------------------- */

/* More calls than the collective keeps tables for, behind a stream that is held. */
#define CALLS 12u

START_TEST(a_collective_of_many_small_spans_waits_for_nothing_that_the_program_does_later)
{
    for (uint32_t w = 0; strcmp(ways[w], "nccl") != 0; w++) {
        struct team team;
        struct bucket buckets[CALLS];
        team_open(&team, ways[w], 0);
        for (uint32_t i = 0; i < CALLS; i++)
            bucket_init(&buckets[i], &team, ALL_REDUCE, 20);
        bool may_refuse = way_may_refuse(&team, ways[w]);
        if (!may_refuse) /* loads kernels */
            ck_ok(call(&buckets[0], 0));
        team_sync(&team);
        struct hold *hold = hold_begin(team.streams[0]);
        for (uint32_t i = 0; !may_refuse && i < CALLS; i++)
            ck_ok(call(&buckets[i], 0));
        hold_end(hold);
        for (uint32_t i = 0; i < CALLS; i++) {
            if (!may_refuse)
                ck_bucket(&buckets[i], 0);
            bucket_fini(&buckets[i]);
        }
        team_close(&team);
    }
}
END_TEST

/* A call on `team` is held while one on `other` begins, on other streams of the same devices. */
static void ck_both(const struct team *team, const struct team *other)
{
    struct bucket first, second;
    bucket_init(&first, team, ALL_REDUCE, 20);
    bucket_init(&second, other, ALL_REDUCE, 33);
    ck_ok(call(&first, 0)); /* loads kernels */
    team_sync(team);
    struct hold *hold = hold_begin(team->streams[0]);
    ck_ok(call(&first, 0));
    ck_ok(call(&second, 0));
    hold_end(hold);
    ck_bucket(&first, 0);
    ck_bucket(&second, 0);
    bucket_fini(&first);
    bucket_fini(&second);
}

START_TEST(a_collective_of_many_small_spans_serves_two_sets_of_streams_at_once)
{
    for (uint32_t w = 0; strcmp(ways[w], "nccl") != 0; w++) {
        struct team team, other;
        team_open(&team, ways[w], 0);
        other = team;
        for (uint32_t d = 0; d < team.count; d++)
            ck_ok(trm_stream_create(team.devices[d], TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL,
                                    &other.streams[d]));
        if (!way_may_refuse(&team, ways[w]))
            ck_both(&team, &other);
        for (uint32_t d = 0; d < team.count; d++)
            trm_stream_destroy(other.streams[d]);
        team_close(&team);
    }
}
END_TEST

enum {
    DROPPED = 40,
    WORDS   = 250,
};

/* Fills new buffers on a stream of their own. */
static void make_others(struct trm_device *device, struct trm_buffer **others)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &stream));
    for (uint32_t k = 0; k < DROPPED; k++) {
        ck_ok(trm_buffer_create(device, TRM_MEMORY_DEVICE, WORDS * 4, &others[k]));
        ck_ok(trm_fill(stream, trm_span_whole(others[k]), 77, 4));
    }
    ck_ok(trm_stream_sync(stream));
    trm_stream_destroy(stream);
}

static void ck_others(struct trm_stream *stream, struct trm_buffer **others)
{
    uint32_t found[WORDS];
    for (uint32_t k = 0; k < DROPPED; k++) {
        get(stream, others[k], 0, found, sizeof(found));
        ck_words(found, WORDS, 77);
        trm_buffer_destroy(others[k]);
    }
}

/* A buffer for each span. All handles are destroyed while the call waits; what they stand for must not go to
 * new buffers, which the call would overwrite. */
static void drop_behind_call(const struct team *team)
{
    struct trm_buffer *buffers[TRM_GROUP_DEVICES], *others[TRM_GROUP_DEVICES][DROPPED];
    struct trm_span spans[DROPPED * TRM_GROUP_DEVICES];
    for (uint32_t k = 0; k < DROPPED; k++) {
        team_buffers(team, WORDS * 4, buffers);
        for (uint32_t d = 0; d < team->count; d++) {
            spans[k * team->count + d] = trm_span_whole(buffers[d]);
            ck_ok(trm_fill(team->streams[d], spans[k * team->count + d], d + 1, 4));
        }
    }
    team_sync(team);
    struct hold *hold = hold_begin(team->streams[0]);
    ck_ok(
        trm_all_reduce(team->collective, team->streams, spans, spans, DROPPED, TRM_TYPE_I32, TRM_REDUCE_SUM));
    for (uint32_t i = 0; i < DROPPED * team->count; i++)
        trm_buffer_destroy(spans[i].buffer);
    for (uint32_t d = 0; d < team->count; d++)
        make_others(team->devices[d], others[d]);
    hold_end(hold);
    team_sync(team);
    for (uint32_t d = 0; d < team->count; d++)
        ck_others(team->streams[d], others[d]);
}

START_TEST(a_collective_of_many_small_spans_keeps_their_memory_when_handles_are_destroyed)
{
    for (uint32_t w = 0; strcmp(ways[w], "nccl") != 0; w++) {
        struct team team;
        team_open(&team, ways[w], 0);
        if (!way_may_refuse(&team, ways[w]) && strcmp(ways[w], "one-shot") != 0) /* in place */
            drop_behind_call(&team);
        team_close(&team);
    }
}
END_TEST

/* ---- refused -------------------------------------------------------------------------------- */

START_TEST(a_collective_of_many_small_spans_that_overlap_is_refused_as_a_whole)
{
    struct team team;
    struct bucket bucket;
    team_open(&team, "auto", 0);
    bucket_init(&bucket, &team, ALL_REDUCE, 30);
    uint32_t last         = 29 * team.count;
    struct trm_span right = bucket.outputs[last];
    bucket.outputs[last]  = bucket.inputs[last];
    bucket.outputs[last].offset -= 4; /* its end overlaps */
    ck_status(call(&bucket, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("overlaps");
    ck_sentence_has("29");
    uint8_t *found = malloc(bucket.out_bytes);
    for (uint32_t d = 0; d < team.count; d++) {
        get(team.streams[d], bucket.out_buffers[d], 0, found, bucket.out_bytes);
        ck_assert_int_eq(memcmp(found, bucket.out[d], bucket.out_bytes), 0);
    }
    free(found);
    bucket.outputs[last] = right;
    ck_ok(call(&bucket, 0));
    ck_bucket(&bucket, 0);
    bucket_fini(&bucket);
    team_close(&team);
}
END_TEST

void add_collective_buckets(Suite *suite)
{
    TCase *buckets = group_make(suite, "collectives: buckets");
    CASE(buckets, a_collective_takes_more_small_spans_than_a_table_holds_in_every_way);
    CASE(buckets, a_collective_of_many_spans_gives_the_same_bits_by_every_operation_as_of_one);
    CASE(buckets, a_collective_of_many_small_spans_is_one_launch_on_each_device);
    CASE(buckets, a_collective_of_spans_of_64_kib_is_a_launch_for_each_on_cpus);
    CASE(buckets, a_collective_of_many_small_spans_waits_for_nothing_that_the_program_does_later);
    CASE(buckets, a_collective_of_many_small_spans_serves_two_sets_of_streams_at_once);
    CASE(buckets, a_collective_of_many_small_spans_keeps_their_memory_when_handles_are_destroyed);
    CASE(buckets, a_collective_of_many_small_spans_that_overlap_is_refused_as_a_whole);
}
