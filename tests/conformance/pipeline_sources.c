/* Pipelines: memory and files as sources and sinks.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "plans.h"

#include <sys/stat.h>
#include <unistd.h>

/* A pipeline that maps each word w to 3 × w + 5, with tokens of WORDS words; the output follows the input. */
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

/* ---- memory --------------------------------------------------------------------------------- */

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

START_TEST(memory_that_ends_within_an_element_is_refused)
{
    uint32_t count = WORDS * 2, *in = numbers(count), *out = calloc(count + 1, 4);
    struct trm_source source = trm_source_memory(in, count * 4 - 1);
    struct trm_sink sink     = trm_sink_memory(out, count * 4);
    struct map map;

    if (!kernels_missing() && map_open(&map, 2, TRM_STRATEGY_AUTO) == TRM_OK) {
        ck_status(trm_pipeline_run(map.pipeline, &source, &sink), TRM_ERROR_INVALID_ARGUMENT);
        ck_sentence_has("which is no whole number of elements of 4 bytes");
        map_close(&map);
    }
    free(in);
    free(out);
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

/* Tokens that fill the memory of their slots, that are smaller, that have other memory, and that are empty:
 * each may follow each other in a slot. */
enum {
    MIXED_TOKENS = 120
};

enum mixed_kind {
    MIXED_FULL,
    MIXED_SMALLER,
    MIXED_ELSEWHERE,
    MIXED_EMPTY
};

struct mixed {
    uint32_t *words; /* WORDS for each token */
    uint64_t seen;
};

/* Full tokens come in pairs too, which need nothing new. */
static enum mixed_kind mixed_kind(uint64_t index)
{
    static const uint8_t kinds[] = {0, 0, 0, 1, 0, 2, 0, 3, 0, 0, 1, 2, 1, 3, 2, 3, 1};
    return kinds[index * 3 % sizeof(kinds)];
}

static uint32_t mixed_count(uint64_t index)
{
    enum mixed_kind kind = mixed_kind(index);
    return kind == MIXED_EMPTY ? 0 : kind == MIXED_SMALLER ? WORDS / 3 : WORDS;
}

static int32_t fill_mixed(void *user, struct trm_token *token)
{
    const struct mixed *mixed = user;
    uint32_t *words           = mixed->words + token->index * WORDS;
    token->size[0]            = mixed_count(token->index) * 4;
    if (mixed_kind(token->index) == MIXED_ELSEWHERE)
        token->data[0] = words;
    else
        memcpy(token->data[0], words, token->size[0]);
    return TRM_OK;
}

static int32_t take_mixed(void *user, const struct trm_token *token)
{
    struct mixed *mixed = user;
    ck_assert_uint_eq(token->index, mixed->seen++);
    ck_assert_uint_eq(token->size[1], mixed_count(token->index) * 4);
    ck_mapped(mixed->words + token->index * WORDS, token->data[1], mixed_count(token->index));
    return TRM_OK;
}

static void mixed_tokens(uint32_t depth, int32_t strategy)
{
    struct mixed mixed       = {.words = numbers(MIXED_TOKENS * WORDS)};
    struct trm_source source = trm_source_function(fill_mixed, &mixed);
    struct trm_sink sink     = trm_sink_function(take_mixed, &mixed);
    struct map map;
    source.count = MIXED_TOKENS;
    if (map_open(&map, depth, strategy) == TRM_OK) {
        ck_ok(trm_pipeline_run(map.pipeline, &source, &sink));
        ck_assert_uint_eq(mixed.seen, MIXED_TOKENS);
    }
    map_close(&map);
    free(mixed.words);
}

START_TEST(tokens_that_fill_their_slots_follow_and_are_followed_by_others)
{
    for_each_strategy(mixed_tokens);
}
END_TEST

/* ---- files ---------------------------------------------------------------------------------- */

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

void add_pipeline_sources(Suite *suite)
{
    TCase *memory = group_make(suite, "pipelines: memory");
    CASE(memory, memory_is_cut_into_tokens_and_put_together_again);
    CASE(memory, memory_that_ends_within_an_element_is_refused);
    CASE(memory, memory_need_not_be_aligned);
    CASE(memory, memory_of_nothing_is_no_token);
    CASE(memory, a_count_ends_a_source_early);
    CASE(memory, a_sink_that_is_full_is_a_failure_of_the_token_that_does_not_fit);
    CASE(memory, workers_read_memory_too);
    CASE(memory, tokens_that_fill_their_slots_follow_and_are_followed_by_others);

    TCase *files = group_make(suite, "pipelines: files");
    CASE(files, a_file_is_cut_into_tokens_and_another_is_replaced);
    CASE(files, a_file_that_is_not_there_is_a_failure_that_names_it);
    CASE(files, a_file_that_cannot_be_made_is_a_failure_that_names_it);
    CASE(files, a_disk_that_is_full_is_a_failure_of_the_sink);
}
