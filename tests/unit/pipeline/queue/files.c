/* Queues of pipelines: files and pipes as sources and sinks.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/futex.h"
#include "tests/unit/pipeline/queue/fake.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define SIZE (FAKE_TOKEN_BYTES * 9 + 100)

static char folder[64];
static char from[128], to[128];

static void begin(void)
{
    strcpy(folder, "/tmp/trireme-files-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(from, sizeof(from), "%s/from", folder);
    snprintf(to, sizeof(to), "%s/to", folder);
    fake_create_plain(3, TRM_FAILURE_STOP);
}

static void end(void)
{
    fake_destroy();
    unlink(from);
    unlink(to);
    ck_assert_int_eq(rmdir(folder), 0);
}

static unsigned char byte_at(uint64_t i)
{
    return (unsigned char)(i * 31 + i / 256);
}

static void write_bytes(int file, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        unsigned char byte = byte_at(i);
        ck_assert_int_eq(write(file, &byte, 1), 1);
    }
}

static void make_file(uint64_t size)
{
    int file = open(from, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(file, 0);
    write_bytes(file, 0, size);
    close(file);
}

static void result_is(uint64_t size)
{
    unsigned char data[SIZE + 1];
    int file = open(to, O_RDONLY);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(read(file, data, sizeof(data)), (ssize_t)size);
    close(file);
    for (uint64_t i = 0; i < size; i++)
        ck_assert_uint_eq(data[i], (unsigned char)(byte_at(i) + 1));
}

static int32_t run_files(uint32_t workers)
{
    struct trm_source source = trm_source_file(from);
    struct trm_sink sink     = trm_sink_file(to);
    source.workers           = workers;
    return trm_pipeline_run(fake.handle, &source, &sink);
}

static void sentence_has(const char *text)
{
    ck_assert_msg(strstr(trm_last_error().sentence, text) != NULL, "\"%s\" has no \"%s\"",
                  trm_last_error().sentence, text);
}

START_TEST(a_file_goes_to_a_file_with_a_smaller_last_token)
{
    begin();
    make_file(SIZE);
    OK(run_files((uint32_t)_i));
    result_is(SIZE);
    make_file(FAKE_TOKEN_BYTES * 2);
    OK(run_files((uint32_t)_i));
    result_is(FAKE_TOKEN_BYTES * 2);
    make_file(0);
    OK(run_files((uint32_t)_i));
    result_is(0);
    end();
}
END_TEST

START_TEST(a_file_that_is_not_there_or_a_folder_is_told_by_name)
{
    begin();
    ck_assert_int_eq(run_files(0), TRM_ERROR_IO);
    sentence_has(from);
    sentence_has("No such file");
    ck_assert_int_eq(access(to, F_OK), -1);
    make_file(10);
    struct trm_source source = trm_source_file(folder);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, NULL), TRM_ERROR_IO);
    sentence_has("directory");
    source               = trm_source_file(from);
    struct trm_sink sink = trm_sink_file(folder);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_ERROR_IO);
    sentence_has("directory");
    fake_all_free();
    OK(run_files(0));
    end();
}
END_TEST

static int32_t cuts_the_file(void *user, const struct trm_token *token)
{
    (void)user;
    if (token->index == 0)
        ck_assert_int_eq(truncate(from, FAKE_TOKEN_BYTES * 5 + 10), 0);
    return TRM_OK;
}

START_TEST(a_file_that_becomes_shorter_is_told_with_its_token)
{
    begin();
    make_file(SIZE);
    struct trm_source source = trm_source_file(from);
    struct trm_sink sink     = trm_sink_function(cuts_the_file, NULL);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_ERROR_IO);
    sentence_has("token 5, load: reading ");
    sentence_has("the file ended after");
    end();
}
END_TEST

START_TEST(a_full_disk_is_told_with_the_bytes_that_are_there)
{
    begin();
    make_file(SIZE);
    struct trm_source source = trm_source_file(from);
    struct trm_sink sink     = trm_sink_file("/dev/full");
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_ERROR_IO);
    sentence_has("token 0, sink: writing /dev/full: No space left on device after 0 bytes");
    fake_all_free();
    end();
}
END_TEST

/* ---- pipes ---------------------------------------------------------------------------------- */

static void *reads_a_little(void *nothing)
{
    unsigned char byte;
    int file = open(to, O_RDONLY);
    (void)nothing;
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(read(file, &byte, 1), 1);
    close(file);
    return NULL;
}

START_TEST(a_closed_pipe_is_an_error_and_not_the_end_of_the_program)
{
    pthread_t thread;
    sigset_t pending;
    struct trm_source source;
    struct record record;
    begin();
    ck_assert_int_eq(mkfifo(to, 0600), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, reads_a_little, NULL), 0);
    record_init(&record, 100000);
    source               = trm_source_function(record_fill, &record);
    struct trm_sink sink = trm_sink_file(to);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_ERROR_IO);
    pthread_join(thread, NULL);
    sentence_has(", sink: writing ");
    sentence_has("Broken pipe after ");
    sigpending(&pending);
    ck_assert(!sigismember(&pending, SIGPIPE));
    fake_all_free();
    end();
}
END_TEST

static void *writes_in_two_parts(void *nothing)
{
    int file = open(from, O_WRONLY);
    (void)nothing;
    ck_assert_int_ge(file, 0);
    write_bytes(file, 0, 300);
    usleep(70000);
    write_bytes(file, 300, SIZE - 300);
    close(file);
    return NULL;
}

START_TEST(a_pipe_is_read_until_it_is_closed)
{
    pthread_t thread;
    begin();
    ck_assert_int_eq(mkfifo(from, 0600), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, writes_in_two_parts, NULL), 0);
    OK(run_files((uint32_t)_i));
    pthread_join(thread, NULL);
    result_is(SIZE);
    /* The report knows that the pipe cannot be read by several threads, and that its writer sets the pace. */
    ck_assert_uint_eq(fake.pipeline->queue->facts.source_flags, TRM_END_SERIAL | TRM_END_PACED);
    ck_assert_str_eq(fake.pipeline->queue->facts.source_name, from);
    ck_assert_uint_eq(fake.pipeline->queue->facts.sink_flags, 0);
    end();
}
END_TEST

static void *cancels(void *nothing)
{
    usleep(20000);
    (void)nothing;
    while (trm_pipeline_cancel(fake.handle, 0) == TRM_OK)
        usleep(10000);
    return NULL;
}

START_TEST(a_run_with_unconnected_pipes_can_be_cancelled)
{
    pthread_t thread;
    struct trm_source source;
    struct trm_sink sink;
    struct record record;
    begin();
    ck_assert_int_eq(mkfifo(from, 0600), 0);
    ck_assert_int_eq(mkfifo(to, 0600), 0);
    record_init(&record, 100);
    source = _i == 0 ? trm_source_file(from) : trm_source_function(record_fill, &record);
    sink   = trm_sink_file(to);
    ck_assert_int_eq(pthread_create(&thread, NULL, cancels, NULL), 0);
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, _i == 0 ? NULL : &sink), TRM_ERROR_CANCELLED);
    pthread_join(thread, NULL);
    fake_all_free();
    end();
}
END_TEST

START_TEST(what_was_written_before_a_failure_stays)
{
    struct record record;
    begin();
    record_init(&record, 20);
    record.fails             = 3;
    struct trm_source source = trm_source_function(record_fill, &record);
    struct trm_sink sink     = trm_sink_file(to);
    struct stat facts;
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_ERROR_IO);
    ck_assert_int_eq(stat(to, &facts), 0);
    ck_assert_int_eq(facts.st_size, 3 * FAKE_TOKEN_BYTES);
    end();
}
END_TEST

START_TEST(a_sink_of_memory_that_is_too_small_is_told_when_it_is_full)
{
    static unsigned char memory[FAKE_TOKEN_BYTES * 2];
    struct record record;
    begin();
    record_init(&record, 20);
    struct trm_source source = trm_source_function(record_fill, &record);
    struct trm_sink sink     = trm_sink_memory(memory, sizeof(memory));
    ck_assert_int_eq(trm_pipeline_run(fake.handle, &source, &sink), TRM_ERROR_OUT_OF_RANGE);
    sentence_has("token 2, sink: ");
    ck_assert_uint_eq(memory[0], 1);
    ck_assert_uint_eq(memory[FAKE_TOKEN_BYTES], 2);
    end();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline files");
    TCase *files = tcase_create("files");
    tcase_add_loop_test(files, a_file_goes_to_a_file_with_a_smaller_last_token, 0, 4);
    tcase_add_test(files, a_file_that_is_not_there_or_a_folder_is_told_by_name);
    tcase_add_test(files, a_file_that_becomes_shorter_is_told_with_its_token);
    tcase_add_test(files, a_full_disk_is_told_with_the_bytes_that_are_there);
    tcase_add_test(files, what_was_written_before_a_failure_stays);
    tcase_add_test(files, a_sink_of_memory_that_is_too_small_is_told_when_it_is_full);
    suite_add_tcase(suite, files);
    TCase *pipes = tcase_create("pipes");
    tcase_add_test(pipes, a_closed_pipe_is_an_error_and_not_the_end_of_the_program);
    tcase_add_loop_test(pipes, a_pipe_is_read_until_it_is_closed, 0, 3);
    tcase_add_loop_test(pipes, a_run_with_unconnected_pipes_can_be_cancelled, 0, 2);
    suite_add_tcase(suite, pipes);
    return suite;
}

UNIT_SUITE(make_suite)
