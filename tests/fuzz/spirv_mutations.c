/* Mutated modules: each module of the corpus and of the library is truncated at every word, and gets flipped
 * bits and replaced words. The reader accepts the result or refuses it with a sentence, without a crash, a
 * hang or a read beyond the end (which the sanitizers detect). Some of the accepted modules are translated.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/spirv_fuzzer.h"

#define MODULES_MOST 512

struct file {
    uint8_t *bytes;
    size_t size;
    char path[512];
    int is_ours; /* of the corpus: small, and mutated more */
};

static struct file files[MODULES_MOST];
static size_t file_count;
static int is_instrumented;

static void read_file(const char *path, int is_ours)
{
    struct file *file = &files[file_count];
    FILE *stream      = fopen(path, "rb");

    ck_assert_msg(stream != NULL, "cannot read %s", path);
    ck_assert_uint_lt(file_count, MODULES_MOST);
    fseek(stream, 0, SEEK_END);
    file->size = (size_t)ftell(stream);
    rewind(stream);
    file->bytes = malloc(file->size);
    ck_assert_ptr_nonnull(file->bytes);
    ck_assert_uint_eq(fread(file->bytes, 1, file->size, stream), file->size);
    fclose(stream);
    snprintf(file->path, sizeof(file->path), "%s", path);
    file->is_ours = is_ours;
    file_count++;
}

static void read_folder(const char *top, const char *pattern, int is_ours)
{
    char path[512];
    glob_t found;

    if (top == NULL)
        return;
    snprintf(path, sizeof(path), "%s/%s", top, pattern);
    if (glob(path, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        read_file(found.gl_pathv[i], is_ours);
    globfree(&found);
}

static void read_files(void)
{
    const char *source = getenv("top_srcdir"), *build = getenv("top_builddir");
    const char *instrumented = getenv("INSTRUMENTED");

    is_instrumented = instrumented != NULL && instrumented[0] != 0 && strcmp(instrumented, "no") != 0;
    file_count      = 0;
    read_folder(source != NULL ? source : ".", "tests/fuzz/corpus/spirv/*.spv", 1);
    ck_assert_msg(file_count != 0, "there is no corpus");
    read_folder(build, "shaders/*.spv", 0);
    if (source != NULL && (build == NULL || strcmp(source, build) != 0))
        read_folder(source, "shaders/*.spv", 0);
}

static void free_files(void)
{
    for (size_t i = 0; i < file_count; i++)
        free(files[i].bytes);
}

/* xorshift64: the same numbers each time. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A copy of exactly the bytes that there are, so that reading behind them is seen. */
static int try_bytes(const uint8_t *bytes, size_t size, int translates)
{
    uint8_t *copy = malloc(size != 0 ? size : 1);

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, size);
    int is_accepted = spirv_fuzz_one(copy, size, translates);
    free(copy);
    return is_accepted;
}

START_TEST(whole_modules_are_accepted_and_translated)
{
    for (size_t i = 0; i < file_count; i++)
        ck_assert_msg(try_bytes(files[i].bytes, files[i].size, 1), "%s is refused", files[i].path);
}
END_TEST

START_TEST(modules_are_cut_off_at_every_word)
{
    for (size_t i = 0; i < file_count; i++) {
        size_t step = files[i].is_ours || !is_instrumented ? 4 : 4 * 31;
        for (size_t size = 0; size < files[i].size; size += step)
            ck_assert_msg(!try_bytes(files[i].bytes, size, 0), "%s: %zu bytes of it are accepted",
                          files[i].path, size);
    }
}
END_TEST

/* Modules whose number of bytes is no number of words. */
START_TEST(modules_are_cut_off_within_a_word)
{
    for (size_t i = 0; i < file_count; i++)
        for (size_t less = 1; less < 4; less++)
            ck_assert(!try_bytes(files[i].bytes, files[i].size - less, 0));
}
END_TEST

START_TEST(bits_are_turned)
{
    uint64_t state = 0x9e3779b97f4a7c15u, accepted = 0;

    for (size_t i = 0; i < file_count; i++) {
        size_t rounds = files[i].is_ours ? 4000 : 400;
        for (size_t round = 0; round < rounds / (is_instrumented ? 10 : 1); round++) {
            size_t bit = next_random(&state) % (files[i].size * 8);
            files[i].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            accepted += (uint64_t)try_bytes(files[i].bytes, files[i].size, round % 16 == 0);
            files[i].bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
    }
    /* Turned bits of constants and names make other modules that are fine. */
    ck_assert_uint_gt(accepted, 0);
}
END_TEST

/* Words become other words of the same module (ids that are in range, lengths, opcodes), or numbers at the
 * edges. */
START_TEST(words_are_replaced)
{
    static const uint32_t edges[] = {0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 0x00010000, 0x10000};
    uint64_t state                = 0xd1b54a32d192ed03u;

    for (size_t i = 0; i < file_count; i++) {
        size_t rounds = files[i].is_ours ? 4000 : 400;
        size_t words  = files[i].size / 4;
        for (size_t round = 0; round < rounds / (is_instrumented ? 10 : 1); round++) {
            size_t at     = 4 * (next_random(&state) % words);
            uint64_t dice = next_random(&state);
            uint32_t old, word = edges[dice % (sizeof(edges) / sizeof(edges[0]))];
            if (dice >> 32 & 3)
                memcpy(&word, files[i].bytes + 4 * (next_random(&state) % words), 4);
            memcpy(&old, files[i].bytes + at, 4);
            memcpy(files[i].bytes + at, &word, 4);
            try_bytes(files[i].bytes, files[i].size, round % 16 == 0);
            memcpy(files[i].bytes + at, &old, 4);
        }
    }
}
END_TEST

/* Instructions are left out, or stand there twice. */
START_TEST(instructions_are_left_out_or_doubled)
{
    for (size_t i = 0; i < file_count; i++) {
        if (!files[i].is_ours)
            continue;
        uint32_t *words = malloc(files[i].size * 2);
        ck_assert_ptr_nonnull(words);
        memcpy(words, files[i].bytes, files[i].size);
        size_t count = files[i].size / 4, length;
        for (size_t at = 5; at < count; at += length) {
            size_t rest;
            memcpy(words, files[i].bytes, files[i].size);
            length = words[at] >> 16;
            rest   = (count - at - length) * 4;
            memmove(words + at, words + at + length, rest);
            try_bytes((uint8_t *)words, files[i].size - length * 4, at % 8 == 0);
            memcpy(words, files[i].bytes, files[i].size);
            memmove(words + at + length, words + at, (count - at) * 4);
            try_bytes((uint8_t *)words, files[i].size + length * 4, at % 8 == 0);
        }
        free(words);
    }
}
END_TEST

int main(void)
{
    Suite *suite    = suite_create("mutated SPIR-V");
    TCase *all      = tcase_create("mutations");
    SRunner *runner = srunner_create(suite);

    tcase_add_checked_fixture(all, read_files, free_files);
    tcase_set_timeout(all, 300);
    tcase_add_test(all, whole_modules_are_accepted_and_translated);
    tcase_add_test(all, modules_are_cut_off_at_every_word);
    tcase_add_test(all, modules_are_cut_off_within_a_word);
    tcase_add_test(all, bits_are_turned);
    tcase_add_test(all, words_are_replaced);
    tcase_add_test(all, instructions_are_left_out_or_doubled);
    suite_add_tcase(suite, all);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
