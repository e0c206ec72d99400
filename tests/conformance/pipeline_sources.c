/* Pipelines: where tokens come from and where they go: memory, files, functions, counts; workers that load.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipeline that maps each word w to 3 × w + 5, of tokens of WORDS words; the output follows the input. */
enum {
    WORDS = 250,
    BYTES = WORDS * 4
};

struct map {
    struct trm_port ports[2];
    struct trm_argument arguments[5];
    struct trm_stage stage;
    struct trm_pipeline_desc desc;
    struct trm_pipeline *pipeline;
};

static int32_t map_open(struct map *map, uint32_t depth, int32_t strategy)
{
    memset(map, 0, sizeof(*map));
    map->ports[0]         = trm_port_input("in", BYTES);
    map->ports[1]         = trm_port_output("out", BYTES);
    map->ports[1].follows = 1;
    map->arguments[0]     = trm_arg_port(0);
    map->arguments[1]     = trm_arg_port(1);
    map->arguments[2]     = trm_arg_port_elements(0, 4);
    map->arguments[3]     = trm_arg_u32(3);
    map->arguments[4]     = trm_arg_u32(5);
    map->stage            = trm_stage_launch(kernel("spread"), map->arguments, 5, 0, 4);
    map->desc             = (struct trm_pipeline_desc){.struct_size = sizeof(map->desc),
                                                       .ports       = map->ports,
                                                       .port_count  = 2,
                                                       .stages      = &map->stage,
                                                       .stage_count = 1,
                                                       .depth       = depth,
                                                       .strategy    = strategy};
    int32_t status        = trm_pipeline_create(the.device, &map->desc, &map->pipeline);
    if (status == TRM_ERROR_UNSUPPORTED && strategy != TRM_STRATEGY_AUTO)
        return status;
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    return TRM_OK;
}

static void map_close(struct map *map)
{
    trm_pipeline_destroy(map->pipeline);
    kernels_close();
}

static uint32_t *numbers(uint32_t count)
{
    uint32_t *words = malloc(count * sizeof(*words) + 1);
    ck_assert_ptr_nonnull(words);
    for (uint32_t i = 0; i < count; i++)
        words[i] = i * 2654435761u;
    return words;
}

static void ck_mapped(const uint32_t *in, const uint32_t *out, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && out[i] == in[i] * 3 + 5)
        i++;
    uint32_t at = i < count ? i : 0;
    ck_assert_msg(i == count, "word %u of %u is %u instead of %u", i, count, out[at], in[at] * 3 + 5);
}

static void for_each_strategy(void (*check)(uint32_t depth, int32_t strategy))
{
    if (kernels_missing())
        return;
    for (uint32_t depth = 1; depth <= 4; depth++)
        for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++)
            check(depth, all_strategies[i]);
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

/* 10 tokens and a half. */
static void memory_to_memory(uint32_t depth, int32_t strategy)
{
    uint32_t count = WORDS * 10 + WORDS / 2, *in = numbers(count), *out = calloc(count + 1, 4);
    struct trm_source source = trm_source_memory(in, count * 4);
    struct trm_sink sink     = trm_sink_memory(out, count * 4);
    struct map map;
    if (map_open(&map, depth, strategy) == TRM_OK) {
        for (int round = 0; round < 2; round++) {
            out[count] = 0xABCD;
            memset(out, 0, count * 4);
            ck_ok(trm_pipeline_run(map.pipeline, &source, &sink));
            ck_mapped(in, out, count);
            ck_assert_uint_eq(out[count], 0xABCD);
        }
    }
    map_close(&map);
    free(in);
    free(out);
}

START_TEST(memory_is_cut_into_tokens_and_put_together_again)
{
    for_each_strategy(memory_to_memory);
}
END_TEST

static void memory_unaligned(uint32_t depth, int32_t strategy)
{
    uint32_t count = WORDS * 6, *aligned = numbers(count);
    uint8_t *in = malloc(count * 4 + 3), *out = malloc(count * 4 + 3);
    struct trm_source source = trm_source_memory(in + 1, count * 4);
    struct trm_sink sink     = trm_sink_memory(out + 3, count * 4);
    struct map map;
    memcpy(in + 1, aligned, count * 4);
    if (map_open(&map, depth, strategy) == TRM_OK) {
        ck_ok(trm_pipeline_run(map.pipeline, &source, &sink));
        uint32_t *found = malloc(count * 4);
        memcpy(found, out + 3, count * 4);
        ck_mapped(aligned, found, count);
        free(found);
    }
    map_close(&map);
    free(in);
    free(out);
    free(aligned);
}

START_TEST(memory_need_not_be_aligned)
{
    for_each_strategy(memory_unaligned);
}
END_TEST

START_TEST(memory_of_nothing_is_no_token)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    struct trm_source source = trm_source_memory("", 0);
    struct map map;
    if (kernels_missing())
        return;
    map_open(&map, 2, TRM_STRATEGY_AUTO);
    ck_ok(trm_pipeline_run(map.pipeline, &source, NULL));
    ck_ok(trm_pipeline_report(map.pipeline, &report));
    ck_assert_uint_eq(report.tokens, 0);
    map_close(&map);
}
END_TEST

START_TEST(a_count_ends_a_source_early)
{
    uint32_t count = WORDS * 10, *in = numbers(count), *out = calloc(count, 4);
    struct trm_source source = trm_source_memory(in, count * 4);
    struct trm_sink sink     = trm_sink_memory(out, count * 4);
    struct map map;
    if (!kernels_missing()) {
        map_open(&map, 3, TRM_STRATEGY_AUTO);
        source.count = 4;
        ck_ok(trm_pipeline_run(map.pipeline, &source, &sink));
        ck_mapped(in, out, WORDS * 4);
        for (uint32_t i = WORDS * 4; i < count; i++)
            ck_assert_uint_eq(out[i], 0);
        map_close(&map);
    }
    free(in);
    free(out);
}
END_TEST

static void memory_full(uint32_t depth, int32_t strategy)
{
    uint32_t count = WORDS * 10, *in = numbers(count), *out = calloc(count, 4);
    struct trm_source source = trm_source_memory(in, count * 4);
    struct trm_sink sink     = trm_sink_memory(out, (WORDS * 5 + 1) * 4);
    struct map map;
    if (map_open(&map, depth, strategy) == TRM_OK) {
        ck_status(trm_pipeline_run(map.pipeline, &source, &sink), TRM_ERROR_OUT_OF_RANGE);
        ck_sentence_has("token 5");
        ck_sentence_has("sink");
        ck_mapped(in, out, WORDS * 5);
        for (uint32_t i = WORDS * 5; i < count; i++) /* not a byte too many */
            ck_assert_uint_eq(out[i], 0);
        ck_slots_free(map.pipeline);
    }
    map_close(&map);
    free(in);
    free(out);
}

START_TEST(a_sink_that_is_full_is_a_failure_of_the_token_that_does_not_fit)
{
    for_each_strategy(memory_full);
}
END_TEST

START_TEST(workers_read_memory_too)
{
    static const uint32_t workers[] = {1, 4};
    if (kernels_missing())
        return;
    for (int i = 0; i < 2; i++) {
        uint32_t count = WORDS * 40 + 7, *in = numbers(count), *out = calloc(count, 4);
        struct trm_source source = trm_source_memory(in, count * 4);
        struct trm_sink sink     = trm_sink_memory(out, count * 4);
        struct map map;
        source.workers = workers[i];
        map_open(&map, 3, TRM_STRATEGY_AUTO);
        ck_ok(trm_pipeline_run(map.pipeline, &source, &sink));
        ck_mapped(in, out, count);
        map_close(&map);
        free(in);
        free(out);
    }
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------------------- */

static char folder[64];

static const char *file_in_folder(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static void folder_make(void)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.40s/trireme-XXXXXX", temporary ? temporary : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void folder_remove(void)
{
    unlink(file_in_folder("in"));
    unlink(file_in_folder("out"));
    ck_assert_int_eq(rmdir(folder), 0);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static size_t read_file(const char *path, void *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, capacity, file);
    ck_assert_int_eq(fclose(file), 0);
    return size;
}

static void file_to_file(uint32_t depth, int32_t strategy)
{
    uint32_t count = WORDS * 9 + 3, *in = numbers(count), *out = calloc(count + 9, 4);
    struct trm_source source = trm_source_file(file_in_folder("in"));
    struct trm_sink sink     = trm_sink_file(file_in_folder("out"));
    struct map map;
    write_file(source.path, in, count * 4);
    write_file(sink.path, "something that is longer than nothing", 30);
    if (map_open(&map, depth, strategy) == TRM_OK) {
        source.workers = depth % 2;
        ck_ok(trm_pipeline_run(map.pipeline, &source, &sink));
        ck_assert_uint_eq(read_file(sink.path, out, (count + 9) * 4), count * 4);
        ck_mapped(in, out, count);
    }
    map_close(&map);
    free(in);
    free(out);
}

START_TEST(a_file_is_cut_into_tokens_and_another_is_replaced)
{
    folder_make();
    for_each_strategy(file_to_file);
    folder_remove();
}
END_TEST

START_TEST(a_file_that_is_not_there_is_a_failure_that_names_it)
{
    struct trm_source source;
    struct map map;
    if (kernels_missing())
        return;
    folder_make();
    source = trm_source_file(file_in_folder("missing"));
    map_open(&map, 2, TRM_STRATEGY_AUTO);
    ck_status(trm_pipeline_run(map.pipeline, &source, NULL), TRM_ERROR_IO);
    ck_sentence_has("missing");
    ck_slots_free(map.pipeline);
    map_close(&map);
    folder_remove();
}
END_TEST

START_TEST(a_file_that_cannot_be_made_is_a_failure_that_names_it)
{
    uint32_t *in             = numbers(WORDS);
    struct trm_source source = trm_source_memory(in, BYTES);
    struct trm_sink sink     = trm_sink_file("/nowhere/at/all");
    struct map map;
    if (!kernels_missing()) {
        map_open(&map, 2, TRM_STRATEGY_AUTO);
        ck_status(trm_pipeline_run(map.pipeline, &source, &sink), TRM_ERROR_IO);
        ck_sentence_has("/nowhere/at/all");
        ck_slots_free(map.pipeline);
        map_close(&map);
    }
    free(in);
}
END_TEST

START_TEST(a_disk_that_is_full_is_a_failure_of_the_sink)
{
    uint32_t *in             = numbers(WORDS * 20);
    struct trm_source source = trm_source_memory(in, BYTES * 20);
    struct trm_sink sink     = trm_sink_file("/dev/full");
    struct map map;
    if (!kernels_missing()) {
        map_open(&map, 3, TRM_STRATEGY_AUTO);
        ck_status(trm_pipeline_run(map.pipeline, &source, &sink), TRM_ERROR_IO);
        ck_sentence_has("sink");
        ck_sentence_has("/dev/full");
        ck_slots_free(map.pipeline);
        map_close(&map);
    }
    free(in);
}
END_TEST

/* ---- functions and workers ------------------------------------------------------------------------------- */

START_TEST(workers_fill_tokens_and_results_stay_in_order)
{
    static const uint32_t workers[] = {0, 1, 4, 16};
    if (kernels_missing())
        return;
    for (size_t w = 0; w < sizeof(workers) / sizeof(workers[0]); w++) {
        for (uint32_t depth = 1; depth <= 5; depth += 2) {
            struct rig rig;
            rig_make(&rig, plan_named("variable sizes"), depth, TRM_STRATEGY_AUTO);
            ck_ok(rig_open(&rig));
            rig_run(&rig, scaled(100, 30), workers[w]);
            ck_assert_uint_eq(rig.loaded, rig.count);
            rig_again(&rig);
            rig_run(&rig, 7, workers[w]);
            ck_slots_free(rig.pipeline);
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

/* The first worker sleeps over its token; the others go on. */
static int32_t slow_first(void *user, struct trm_token *token)
{
    if (token->index == 0)
        sleep_ms(20);
    return rig_source(user, token);
}

START_TEST(a_slow_worker_does_not_change_the_order)
{
    struct trm_source source;
    struct trm_sink sink;
    struct rig rig;
    if (kernels_missing())
        return;
    rig_make(&rig, plan_named("one kernel"), 4, TRM_STRATEGY_AUTO);
    ck_ok(rig_open(&rig));
    source         = trm_source_function(slow_first, &rig);
    sink           = trm_sink_function(rig_sink, &rig);
    source.workers = 4;
    rig.count      = 20;
    ck_ok(trm_pipeline_run(rig.pipeline, &source, &sink));
    rig_check(&rig);
    rig_close(&rig);
}
END_TEST

struct meeting {
    atomic_uint inside, most;
    unsigned wanted; /* so many are waited for */
    uint64_t last;
};

static int32_t meet(void *user, struct trm_token *token)
{
    struct meeting *meeting = user;
    unsigned inside = atomic_fetch_add(&meeting->inside, 1) + 1, most = atomic_load(&meeting->most);
    while (inside > most && !atomic_compare_exchange_weak(&meeting->most, &most, inside))
        continue;
    sleep_ms(5);
    for (uint64_t end = now_ns() + LONG_NS; atomic_load(&meeting->most) < meeting->wanted && now_ns() < end;)
        sleep_ms(1);
    atomic_fetch_sub(&meeting->inside, 1);
    return token->index < meeting->last ? TRM_OK : TRM_TOKEN_END;
}

static unsigned most_inside(uint32_t workers)
{
    struct trm_port port          = trm_port_input("in", 4);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 8};
    struct meeting meeting   = {.wanted = workers > 1 ? 2 : 1, .last = 24};
    struct trm_source source = trm_source_function(meet, &meeting);
    struct trm_pipeline *pipeline;
    source.workers = workers;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    ck_slots_free(pipeline);
    trm_pipeline_destroy(pipeline);
    return atomic_load(&meeting.most);
}

START_TEST(workers_load_at_the_same_time_and_one_alone_does_not)
{
    ck_assert_uint_eq(most_inside(0), 1);
    ck_assert_uint_eq(most_inside(1), 1);
    ck_assert_uint_gt(most_inside(3), 1);
    ck_assert_uint_le(most_inside(3), 3);
}
END_TEST

static int32_t skip_thirds(void *user, struct trm_token *token)
{
    struct rig *rig = user;
    if (token->index >= rig->count)
        return TRM_TOKEN_END;
    rig_fill(rig, token);
    return token->index % 3 == 0 ? TRM_TOKEN_SKIP : TRM_OK;
}

/* Takes what is left of the tokens. */
static int32_t take_rest(void *user, const struct trm_token *token)
{
    struct rig *rig = user;
    if (token->index % 3 == 0)
        rig->wrong = "a token that was thrown away came out";
    rig->loose = true;
    rig_take(rig, token);
    return TRM_OK;
}

START_TEST(tokens_that_the_source_throws_away_reach_no_sink)
{
    if (kernels_missing())
        return;
    for (uint32_t workers = 0; workers <= 3; workers += 3) {
        for (uint32_t depth = 1; depth <= 4; depth++) {
            struct trm_report report = {.struct_size = sizeof(report)};
            struct trm_source source;
            struct trm_sink sink;
            struct rig rig;
            rig_make(&rig, plan_named("one kernel"), depth, TRM_STRATEGY_AUTO);
            ck_ok(rig_open(&rig));
            source         = trm_source_function(skip_thirds, &rig);
            source.workers = workers;
            sink           = trm_sink_function(take_rest, &rig);
            rig.count      = 30;
            ck_ok(trm_pipeline_run(rig.pipeline, &source, &sink));
            ck_assert_ptr_null(rig.wrong);
            ck_assert_uint_eq(rig.delivered, 20);
            ck_ok(trm_pipeline_report(rig.pipeline, &report));
            ck_assert_uint_eq(report.tokens, 20);
            ck_assert_uint_eq(report.skipped, 10);
            ck_assert_uint_eq(report.failed, 0);
            ck_slots_free(rig.pipeline);
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

START_TEST(a_source_may_end_at_once)
{
    struct rig rig;
    if (kernels_missing())
        return;
    for (uint32_t workers = 0; workers <= 4; workers += 2) {
        rig_make(&rig, plan_named("one kernel"), 3, TRM_STRATEGY_AUTO);
        ck_ok(rig_open(&rig));
        rig_run(&rig, 0, workers);
        ck_slots_free(rig.pipeline);
        rig_run(&rig, 5, workers);
        rig_close(&rig);
        kernels_close();
    }
}
END_TEST

/* ---- without order --------------------------------------------------------------------------------------- */

START_TEST(without_order_every_token_comes_once)
{
    if (kernels_missing())
        return;
    for (size_t i = 0; i < sizeof(all_strategies) / sizeof(all_strategies[0]); i++) {
        for (uint32_t depth = 1; depth <= 5; depth += 2) {
            struct rig rig;
            rig_make(&rig, plan_named("variable sizes"), depth, all_strategies[i]);
            rig.desc.flags |= TRM_PIPELINE_UNORDERED;
            rig.loose = true;
            if (rig_open(&rig) == TRM_OK) {
                rig_run(&rig, scaled(100, 30), depth - 1);
                ck_slots_free(rig.pipeline);
            }
            rig_close(&rig);
            kernels_close();
        }
    }
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------------------- */

START_TEST(sources_and_sinks_that_cannot_be_are_refused)
{
    struct trm_port ports[] = {trm_port_input("a", 100), trm_port_input("b", 100), trm_port_output("c", 100),
                               trm_port_output("d", 100)};
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = ports, .port_count = 4, .depth = 2};
    struct trm_source source = trm_source_memory("bytes", 5);
    struct trm_sink sink;
    struct trm_pipeline *pipeline;
    struct meeting meeting = {.last = 1};
    char memory[100];
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT); /* two inputs */
    source = trm_source_file("/dev/null");
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source = trm_source_count(5);
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT); /* who fills them? */
    ck_status(trm_pipeline_run(pipeline, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source = trm_source_function(meet, &meeting);
    sink   = trm_sink_memory(memory, sizeof(memory));
    ck_status(trm_pipeline_run(pipeline, &source, &sink), TRM_ERROR_INVALID_ARGUMENT); /* two outputs */
    sink = trm_sink_file("/dev/null");
    ck_status(trm_pipeline_run(pipeline, &source, &sink), TRM_ERROR_INVALID_ARGUMENT);
    source.memory = memory; /* two at once */
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source             = trm_source_function(meet, &meeting);
    source.struct_size = 4;
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source = trm_source_function(meet, &meeting);
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    ck_slots_free(pipeline);
    trm_pipeline_destroy(pipeline);
}
END_TEST

START_TEST(a_pipeline_without_inputs_needs_a_count)
{
    struct trm_port port          = trm_port_scratch("scratch", 100);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 2};
    struct trm_source source = trm_source_count(0);
    struct trm_pipeline *pipeline;
    ck_ok(trm_pipeline_create(the.device, &desc, &pipeline));
    ck_status(trm_pipeline_run(pipeline, &source, NULL), TRM_ERROR_INVALID_ARGUMENT);
    source = trm_source_count(7);
    ck_ok(trm_pipeline_run(pipeline, &source, NULL));
    trm_pipeline_destroy(pipeline);
}
END_TEST

void add_pipeline_sources(Suite *suite)
{
    TCase *memory = group_make(suite, "pipelines: memory");
    CASE(memory, memory_is_cut_into_tokens_and_put_together_again);
    CASE(memory, memory_need_not_be_aligned);
    CASE(memory, memory_of_nothing_is_no_token);
    CASE(memory, a_count_ends_a_source_early);
    CASE(memory, a_sink_that_is_full_is_a_failure_of_the_token_that_does_not_fit);
    CASE(memory, workers_read_memory_too);

    TCase *files = group_make(suite, "pipelines: files");
    CASE(files, a_file_is_cut_into_tokens_and_another_is_replaced);
    CASE(files, a_file_that_is_not_there_is_a_failure_that_names_it);
    CASE(files, a_file_that_cannot_be_made_is_a_failure_that_names_it);
    CASE(files, a_disk_that_is_full_is_a_failure_of_the_sink);

    TCase *functions = group_make(suite, "pipelines: functions and workers");
    CASE(functions, workers_fill_tokens_and_results_stay_in_order);
    CASE(functions, a_slow_worker_does_not_change_the_order);
    CASE(functions, workers_load_at_the_same_time_and_one_alone_does_not);
    CASE(functions, tokens_that_the_source_throws_away_reach_no_sink);
    CASE(functions, a_source_may_end_at_once);
    CASE(functions, without_order_every_token_comes_once);
    CASE(functions, sources_and_sinks_that_cannot_be_are_refused);
    CASE(functions, a_pipeline_without_inputs_needs_a_count);
}
