/* Collectives: what comes out, of every type, operation and way.
 * SPDX-License-Identifier: MIT
 */
#include "collectives.h"
#include "groups.h"
#include "kernels.h"

#define TYPES 6u
static const int32_t types[TYPES] = {TRM_TYPE_F16, TRM_TYPE_BF16, TRM_TYPE_F32,
                                     TRM_TYPE_F64, TRM_TYPE_I32,  TRM_TYPE_I64};

/* ---- values --------------------------------------------------------------------------------- */

/* The values of a device repeat after so many elements: large spans are written and compared at once. */
#define PERIOD 17u

/* A small number that every type holds, of element i on device d. */
static double value_of(uint32_t device, uint64_t i)
{
    return (double)((i * 7 + device * 5 + i * device) % PERIOD) - 8;
}

static double expected_of(uint32_t devices, uint64_t i, int32_t operation, bool is_integer)
{
    double value = value_of(0, i);
    for (uint32_t d = 1; d < devices; d++) {
        double next = value_of(d, i);
        if (operation == TRM_REDUCE_MINIMUM)
            value = next < value ? next : value;
        else if (operation == TRM_REDUCE_MAXIMUM)
            value = next > value ? next : value;
        else
            value += next;
    }
    if (operation == TRM_REDUCE_AVERAGE)
        value = is_integer ? (double)((int64_t)value / (int64_t)devices) : value / devices;
    return value;
}

static bool is_integer(int32_t type)
{
    return type == TRM_TYPE_I32 || type == TRM_TYPE_I64;
}

/* The values over and over. */
static void *repeated(int32_t type, const double values[PERIOD], uint64_t count)
{
    uint64_t bytes = count * trm_type_size(type), written = PERIOD * trm_type_size(type);
    uint8_t *memory = malloc(bytes + written);
    for (uint64_t i = 0; i < PERIOD; i++)
        element_write(type, memory, i, values[i]);
    for (uint64_t part; written < bytes; written += part) {
        part = written < bytes - written ? written : bytes - written;
        memcpy(memory + written, memory, part);
    }
    return memory;
}

/* Writes the values of each device from byte `at` of its buffer on. */
static void write_values(const struct team *team, struct trm_buffer *const *buffers, uint64_t at,
                         int32_t type, uint64_t count)
{
    double values[PERIOD];
    for (uint32_t d = 0; d < team->count; d++) {
        for (uint64_t i = 0; i < PERIOD; i++)
            values[i] = value_of(d, i);
        void *memory = repeated(type, values, count);
        put(team->streams[d], buffers[d], at, memory, count * trm_type_size(type));
        free(memory);
    }
}

static void ck_element(int32_t type, const void *memory, uint64_t i, double wanted, int32_t operation)
{
    double found     = element_read(type, memory, i);
    double tolerance = (wanted < 0 ? -wanted : wanted) / 128;
    if (found < wanted - tolerance || found > wanted + tolerance)
        ck_abort_msg("element %u of %s, operation %d: %g instead of %g", (unsigned)i, trm_type_name(type),
                     (int)operation, found, wanted);
}

static void ck_values(struct trm_stream *stream, struct trm_buffer *buffer, uint64_t at, int32_t type,
                      uint64_t first, uint64_t count, uint32_t devices, int32_t operation)
{
    uint64_t bytes = count * trm_type_size(type);
    void *memory   = malloc(bytes);
    double values[PERIOD];
    get(stream, buffer, at, memory, bytes);
    for (uint64_t i = 0; i < PERIOD; i++)
        values[i] = expected_of(devices, first + i, operation, is_integer(type));
    void *wanted = repeated(type, values, count);
    if (memcmp(memory, wanted, bytes) != 0) /* also where a result is rounded */
        for (uint64_t i = 0; i < count; i++)
            ck_element(type, memory, i, values[i % PERIOD], operation);
    free(wanted);
    free(memory);
}

static void make_spans(const struct team *team, struct trm_buffer *const *buffers, uint64_t at,
                       uint64_t bytes, struct trm_span *spans)
{
    for (uint32_t d = 0; d < team->count; d++)
        spans[d] = trm_span_of(buffers[d], at, bytes);
}

/* Some devices lack 64-bit types, and no way of a group of one refuses anything. */
static bool is_refused_rightly(const struct team *team, const char *way, int32_t type, int32_t status)
{
    bool is_wide = type == TRM_TYPE_F64 || type == TRM_TYPE_I64;
    return status != TRM_OK && (is_wide || way_may_refuse(team, way));
}

/* ---- all-reduce ----------------------------------------------------------------------------- */

static void reduce_all(const struct team *team, const char *way, int32_t type, int32_t operation,
                       uint64_t count, bool in_place)
{
    uint64_t bytes = count * trm_type_size(type);
    struct trm_buffer *in[TRM_GROUP_DEVICES], *out[TRM_GROUP_DEVICES];
    struct trm_span inputs[TRM_GROUP_DEVICES], outputs[TRM_GROUP_DEVICES];
    team_buffers(team, bytes, in);
    team_buffers(team, bytes, out);
    write_values(team, in, 0, type, count);
    make_spans(team, in, 0, TRM_WHOLE, inputs);
    make_spans(team, in_place ? in : out, 0, bytes, outputs);
    int32_t status = trm_all_reduce(team->collective, team->streams, outputs, inputs, 1, type, operation);
    if (status == TRM_OK) {
        for (uint32_t d = 0; d < team->count; d++)
            ck_values(team->streams[d], in_place ? in[d] : out[d], 0, type, 0, count, team->count, operation);
    } else {
        bool is_one_shot = in_place && strcmp(way, "one-shot") == 0;
        ck_assert_msg(is_one_shot || is_refused_rightly(team, way, type, status), "%s",
                      trm_last_error().sentence);
    }
    team_free(team, in);
    team_free(team, out);
}

static void reduce_every_type(const char *way)
{
    static const uint64_t counts[] = {1, 3, 257, 1031};
    struct team team;
    team_open(&team, way, 0);
    for (uint32_t t = 0; t < TYPES; t++)
        for (int32_t operation = TRM_REDUCE_SUM; operation <= TRM_REDUCE_AVERAGE; operation++)
            for (uint32_t i = 0; i < 8; i++)
                reduce_all(&team, way, types[t], operation, counts[i / 2], i % 2 != 0);
    team_close(&team);
}

START_TEST(a_collective_combines_every_type_by_every_operation)
{
    reduce_every_type("auto");
}
END_TEST

START_TEST(a_collective_combines_every_type_in_one_shot)
{
    reduce_every_type("one-shot");
}
END_TEST

START_TEST(a_collective_combines_every_type_in_two_shots)
{
    reduce_every_type("two-shot");
}
END_TEST

START_TEST(a_collective_combines_every_type_at_a_root)
{
    reduce_every_type("root");
}
END_TEST

START_TEST(a_collective_combines_every_type_by_copies)
{
    reduce_every_type("copies");
}
END_TEST

START_TEST(a_collective_combines_every_type_through_the_host)
{
    reduce_every_type("host");
}
END_TEST

START_TEST(a_collective_combines_every_type_by_the_library_of_the_backend)
{
    reduce_every_type("nccl");
}
END_TEST

/* Several chunks for each device, and a part of one. A sanitizer takes a minute for the greater spans; the
 * lesser ones have two chunks on three devices. It sees each way once, one-shot and every other one not in
 * place: one-shot refuses that. */
START_TEST(a_collective_combines_large_spans_in_every_way)
{
    uint64_t count = scaled(3100003, 1700003);
    for (uint32_t w = 0; w < WAYS; w++) {
        struct team team;
        team_open(&team, ways[w], 0);
        for (uint32_t i = 0; i < 2; i++)
            if (!sanitized() || i != w % 2)
                reduce_all(&team, ways[w], TRM_TYPE_I32, TRM_REDUCE_SUM, count, i != 0);
        team_close(&team);
    }
}
END_TEST

/* The times of the first calls decide; all of them give the result. */
START_TEST(a_collective_gives_the_same_in_all_calls_of_a_size)
{
    struct team team;
    team_open(&team, "auto", 0);
    for (uint32_t i = 0; i < 30; i++)
        reduce_all(&team, "auto", TRM_TYPE_F32, TRM_REDUCE_SUM, 5000 + i, i % 2 != 0);
    if (team.count > 1 && team_reaches(&team))
        ck_assert(log_has(TRM_LOG_INFO, "takes the way"));
    team_close(&team);
}
END_TEST

START_TEST(the_log_tells_the_way_of_a_collective_that_measures_nothing)
{
    static const char *const whys[]     = {"takes the way host, as the setting collective.way says",
                                           "since the collective is deterministic"};
    static const char *const settings[] = {"host", "auto"};
    static const uint32_t flags[]       = {0, TRM_COLLECTIVE_DETERMINISTIC};
    for (uint32_t i = 0; i < 2; i++) {
        struct team team;
        team_open(&team, settings[i], flags[i]);
        ck_assert(!log_has(TRM_LOG_INFO, whys[i]));
        reduce_all(&team, settings[i], TRM_TYPE_F32, TRM_REDUCE_SUM, 100000, false);
        reduce_all(&team, settings[i], TRM_TYPE_F32, TRM_REDUCE_SUM, 100000, false);
        ck_assert_uint_eq(log_count(TRM_LOG_INFO, whys[i]), team.count > 1);
        team_close(&team);
    }
}
END_TEST

/* Whether small sums take the way root: where one kernel does them. */
static bool takes_root(const struct team *team)
{
    return team->count <= 4 && team_reaches(team);
}

/* In place, a small call takes the way two-shot instead of one-shot, where it does not take the way root. */
START_TEST(the_log_tells_each_way_of_a_kind_of_calls_once)
{
    struct team team;
    team_open(&team, "auto", TRM_COLLECTIVE_DETERMINISTIC);
    uint32_t told = team.count > 1 && team_reaches(&team);
    for (uint32_t i = 0; i < 4; i++)
        reduce_all(&team, "auto", TRM_TYPE_F32, TRM_REDUCE_SUM, 5000, i % 2 != 0);
    bool is_root = takes_root(&team);
    ck_assert_uint_eq(log_count(TRM_LOG_INFO, "takes the way root, since"), is_root ? told : 0);
    ck_assert_uint_eq(log_count(TRM_LOG_INFO, "takes the way one-shot, since"), is_root ? 0 : told);
    ck_assert_uint_eq(log_count(TRM_LOG_INFO, "takes the way two-shot, since"), is_root ? 0 : told);
    team_close(&team);
}
END_TEST

/* ---- many spans ----------------------------------------------------------------------------- */

#define BUCKETS 9u

/* Spans of all sizes in one buffer of each device, each from an odd element on. */
static void reduce_bucket(const struct team *team, const char *way)
{
    static const uint64_t counts[BUCKETS] = {1, 0, 100, 4096, 5, 70001, 33, 20000, 2};
    struct trm_span spans[BUCKETS * TRM_GROUP_DEVICES];
    struct trm_buffer *buffers[TRM_GROUP_DEVICES];
    uint64_t at[BUCKETS], end = 0;
    for (uint32_t k = 0; k < BUCKETS; k++) {
        at[k] = end + 4;
        end   = at[k] + counts[k] * 4;
    }
    team_buffers(team, end, buffers);
    for (uint32_t k = 0; k < BUCKETS; k++) {
        write_values(team, buffers, at[k], TRM_TYPE_F32, counts[k]);
        make_spans(team, buffers, at[k], counts[k] * 4, &spans[k * team->count]);
    }
    int32_t status = trm_all_reduce(team->collective, team->streams, spans, spans, BUCKETS, TRM_TYPE_F32,
                                    TRM_REDUCE_AVERAGE);
    /* The spans are outputs, too. */
    bool may_refuse = way_may_refuse(team, way) || strcmp(way, "one-shot") == 0;
    if (status == TRM_OK || !may_refuse)
        ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    for (uint32_t d = 0; status == TRM_OK && d < team->count; d++)
        for (uint32_t k = 0; k < BUCKETS; k++)
            ck_values(team->streams[d], buffers[d], at[k], TRM_TYPE_F32, 0, counts[k], team->count,
                      TRM_REDUCE_AVERAGE);
    team_free(team, buffers);
}

START_TEST(a_collective_takes_many_spans_of_all_sizes_and_offsets)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        struct team team;
        team_open(&team, ways[w], 0);
        reduce_bucket(&team, ways[w]);
        team_close(&team);
    }
}
END_TEST

/* ---- the other operations ------------------------------------------------------------------- */

#define WORDS 1031u

static void reduce_to_each_root(const struct team *team, const char *way)
{
    struct trm_buffer *in[TRM_GROUP_DEVICES], *out[TRM_GROUP_DEVICES];
    struct trm_span inputs[TRM_GROUP_DEVICES];
    team_buffers(team, WORDS * 4, in);
    team_buffers(team, WORDS * 4, out);
    make_spans(team, in, 0, TRM_WHOLE, inputs);
    for (uint32_t root = 0; root < team->count; root++)
        for (uint32_t in_place = 0; in_place < 2; in_place++) {
            struct trm_buffer *result = in_place != 0 ? in[root] : out[root];
            struct trm_span output    = trm_span_whole(result);
            write_values(team, in, 0, TRM_TYPE_I32, WORDS);
            int32_t status = trm_reduce(team->collective, team->streams, &output, inputs, 1, TRM_TYPE_I32,
                                        TRM_REDUCE_MAXIMUM, root);
            if (status != TRM_OK && is_refused_rightly(team, way, TRM_TYPE_I32, status))
                continue;
            ck_ok(status);
            ck_values(team->streams[root], result, 0, TRM_TYPE_I32, 0, WORDS, team->count,
                      TRM_REDUCE_MAXIMUM);
        }
    team_free(team, in);
    team_free(team, out);
}

static void reduce_and_scatter(const struct team *team, const char *way)
{
    uint64_t part = 100 * 4, whole = part * team->count;
    struct trm_buffer *in[TRM_GROUP_DEVICES], *out[TRM_GROUP_DEVICES];
    struct trm_span inputs[TRM_GROUP_DEVICES], outputs[TRM_GROUP_DEVICES];
    team_buffers(team, whole, in);
    team_buffers(team, part, out);
    for (uint32_t in_place = 0; in_place < 2; in_place++) {
        write_values(team, in, 0, TRM_TYPE_I32, whole / 4);
        make_spans(team, in, 0, TRM_WHOLE, inputs);
        for (uint32_t d = 0; d < team->count; d++)
            outputs[d] = in_place != 0 ? trm_span_of(in[d], d * part, part) : trm_span_whole(out[d]);
        int32_t status = trm_reduce_scatter(team->collective, team->streams, outputs, inputs, 1, TRM_TYPE_I32,
                                            TRM_REDUCE_SUM);
        if (status != TRM_OK && is_refused_rightly(team, way, TRM_TYPE_I32, status))
            continue;
        ck_ok(status);
        for (uint32_t d = 0; d < team->count; d++)
            ck_values(team->streams[d], outputs[d].buffer, outputs[d].offset, TRM_TYPE_I32, d * part / 4,
                      part / 4, team->count, TRM_REDUCE_SUM);
    }
    team_free(team, in);
    team_free(team, out);
}

static void broadcast(const struct team *team, const char *way)
{
    struct trm_buffer *buffers[TRM_GROUP_DEVICES];
    struct trm_span spans[TRM_GROUP_DEVICES];
    team_buffers(team, WORDS, buffers);
    make_spans(team, buffers, 0, TRM_WHOLE, spans);
    for (uint32_t root = 0; root < team->count; root++) {
        for (uint32_t d = 0; d < team->count; d++)
            put_pattern(team->streams[d], buffers[d], WORDS, root * 100 + d);
        int32_t status = trm_broadcast(team->collective, team->streams, spans, 1, root);
        if (status != TRM_OK && is_refused_rightly(team, way, TRM_TYPE_I32, status))
            continue;
        ck_ok(status);
        for (uint32_t d = 0; d < team->count; d++)
            ck_buffer_pattern(team->streams[d], buffers[d], WORDS, root * 100 + root);
    }
    team_free(team, buffers);
}

static void gather(const struct team *team, const char *way)
{
    struct trm_buffer *in[TRM_GROUP_DEVICES], *out[TRM_GROUP_DEVICES];
    struct trm_span inputs[TRM_GROUP_DEVICES], outputs[TRM_GROUP_DEVICES];
    uint8_t found[WORDS];
    team_buffers(team, WORDS, in);
    team_buffers(team, (uint64_t)WORDS * team->count, out);
    make_spans(team, out, 0, TRM_WHOLE, outputs);
    for (uint32_t in_place = 0; in_place < 2; in_place++) {
        for (uint32_t d = 0; d < team->count; d++) {
            uint8_t pattern[WORDS];
            pattern_make(pattern, WORDS, d + 10 * in_place);
            inputs[d] =
                in_place != 0 ? trm_span_of(out[d], (uint64_t)WORDS * d, WORDS) : trm_span_whole(in[d]);
            put(team->streams[d], inputs[d].buffer, inputs[d].offset, pattern, WORDS);
        }
        int32_t status = trm_all_gather(team->collective, team->streams, outputs, inputs, 1);
        if (status != TRM_OK && is_refused_rightly(team, way, TRM_TYPE_I32, status))
            continue;
        ck_ok(status);
        for (uint32_t d = 0; d < team->count; d++)
            for (uint32_t s = 0; s < team->count; s++) {
                get(team->streams[d], out[d], (uint64_t)WORDS * s, found, WORDS);
                ck_pattern(found, WORDS, s + 10 * in_place);
            }
    }
    team_free(team, in);
    team_free(team, out);
}

static void exchange(const struct team *team, const char *way)
{
    struct trm_buffer *in[TRM_GROUP_DEVICES], *out[TRM_GROUP_DEVICES];
    struct trm_span inputs[TRM_GROUP_DEVICES], outputs[TRM_GROUP_DEVICES];
    uint8_t piece[WORDS];
    team_buffers(team, (uint64_t)WORDS * team->count, in);
    team_buffers(team, (uint64_t)WORDS * team->count, out);
    make_spans(team, in, 0, TRM_WHOLE, inputs);
    make_spans(team, out, 0, TRM_WHOLE, outputs);
    for (uint32_t d = 0; d < team->count; d++)
        for (uint32_t s = 0; s < team->count; s++) {
            pattern_make(piece, WORDS, d * 16 + s);
            put(team->streams[d], in[d], (uint64_t)WORDS * s, piece, WORDS);
        }
    int32_t status = trm_all_to_all(team->collective, team->streams, outputs, inputs, 1);
    if (status == TRM_OK || !is_refused_rightly(team, way, TRM_TYPE_I32, status)) {
        ck_ok(status);
        for (uint32_t d = 0; d < team->count; d++)
            for (uint32_t s = 0; s < team->count; s++) {
                get(team->streams[d], out[d], (uint64_t)WORDS * s, piece, WORDS);
                ck_pattern(piece, WORDS, s * 16 + d);
            }
    }
    team_free(team, in);
    team_free(team, out);
}

START_TEST(a_collective_reduces_scatters_gathers_broadcasts_and_exchanges_in_every_way)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        struct team team;
        team_open(&team, ways[w], 0);
        reduce_to_each_root(&team, ways[w]);
        reduce_and_scatter(&team, ways[w]);
        broadcast(&team, ways[w]);
        gather(&team, ways[w]);
        exchange(&team, ways[w]);
        team_close(&team);
    }
}
END_TEST

/* ---- bits ----------------------------------------------------------------------------------- */

#define FLOATS 40001u

/* The sum of random floats, as device 0 has it. False where the way is refused. */
static bool sum_floats(const char *way, uint32_t flags, float *result)
{
    struct trm_buffer *buffers[TRM_GROUP_DEVICES], *out[TRM_GROUP_DEVICES];
    struct trm_span inputs[TRM_GROUP_DEVICES], outputs[TRM_GROUP_DEVICES];
    struct team team;
    uint32_t state = 12345;
    team_open(&team, way, flags);
    team_buffers(&team, FLOATS * 4, buffers);
    team_buffers(&team, FLOATS * 4, out);
    make_spans(&team, buffers, 0, TRM_WHOLE, inputs);
    make_spans(&team, out, 0, TRM_WHOLE, outputs);
    for (uint32_t d = 0; d < team.count; d++) {
        for (uint32_t i = 0; i < FLOATS; i++)
            result[i] = (float)next_random(&state) / 1e3f - 2e6f;
        put(team.streams[d], buffers[d], 0, result, FLOATS * 4);
    }
    int32_t status =
        trm_all_reduce(team.collective, team.streams, outputs, inputs, 1, TRM_TYPE_F32, TRM_REDUCE_SUM);
    bool is_done      = status == TRM_OK;
    bool is_unordered = strcmp(way, "nccl") == 0 && team.count > 1; /* and so refused */
    ck_assert(!is_done || !is_unordered);
    if (!is_done)
        ck_assert(is_unordered || is_refused_rightly(&team, way, TRM_TYPE_F32, status));
    else
        get(team.streams[0], out[0], 0, result, FLOATS * 4);
    team_free(&team, buffers);
    team_free(&team, out);
    team_close(&team);
    return is_done;
}

START_TEST(a_collective_gives_the_same_bits_in_every_run_and_way)
{
    float *first = malloc(FLOATS * 4), *again = malloc(FLOATS * 4);
    ck_assert(sum_floats("auto", TRM_COLLECTIVE_DETERMINISTIC, first));
    ck_assert(sum_floats("auto", TRM_COLLECTIVE_DETERMINISTIC, again));
    ck_assert_int_eq(memcmp(first, again, FLOATS * 4), 0);
    for (uint32_t w = 1; w < WAYS; w++)
        if (sum_floats(ways[w], TRM_COLLECTIVE_DETERMINISTIC, again))
            ck_assert_msg(memcmp(first, again, FLOATS * 4) == 0, "%s gives other bits", ways[w]);
    free(first);
    free(again);
}
END_TEST

void add_collective(Suite *suite)
{
    TCase *values = group_make(suite, "collectives: values");
    CASE(values, a_collective_combines_every_type_by_every_operation);
    CASE(values, a_collective_combines_every_type_in_one_shot);
    CASE(values, a_collective_combines_every_type_in_two_shots);
    CASE(values, a_collective_combines_every_type_at_a_root);
    CASE(values, a_collective_combines_every_type_by_copies);
    CASE(values, a_collective_combines_every_type_through_the_host);
    CASE(values, a_collective_combines_every_type_by_the_library_of_the_backend);
    CASE(values, a_collective_combines_large_spans_in_every_way);
    CASE(values, a_collective_gives_the_same_in_all_calls_of_a_size);
    CASE(values, the_log_tells_the_way_of_a_collective_that_measures_nothing);
    CASE(values, the_log_tells_each_way_of_a_kind_of_calls_once);
    CASE(values, a_collective_takes_many_spans_of_all_sizes_and_offsets);
    CASE(values, a_collective_reduces_scatters_gathers_broadcasts_and_exchanges_in_every_way);
    CASE(values, a_collective_gives_the_same_bits_in_every_run_and_way);
}
