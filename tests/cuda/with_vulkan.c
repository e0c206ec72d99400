/* CUDA and Vulkan on one GPU, by way of the library: memory that either created, and a semaphore that
 * keeps both in step without the host. Skipped where the two have no GPU in common.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <trireme/interop.h>

#include "tests/cuda/fixture.h"

enum {
    WORDS  = 300000,
    BYTES  = 4 * WORDS,
    ROUNDS = 50,
};

static struct {
    struct trm_context *context;
    struct trm_device *cuda, *vulkan;
    struct trm_stream *on_cuda, *on_vulkan;
} both;

static uint32_t numbers[WORDS];

static void check_numbers(uint32_t wanted)
{
    uint32_t i = 0;
    while (i < WORDS && numbers[i] == wanted)
        i++;
    ck_assert_msg(i == WORDS, "number %u is %u instead of %u", i, numbers[i], wanted);
}

/* The same GPU by Vulkan; NULL: there is none. */
static struct trm_device *find_vulkan(void)
{
    struct trm_device *found = NULL;
    uint8_t uuid[16];
    char id[80];
    ck_ok(trm_device_get_info(both.cuda, TRM_DEVICE_UUID, uuid, sizeof(uuid), NULL));
    size_t length = (size_t)snprintf(id, sizeof(id), "vulkan:uuid=");
    for (int i = 0; i < 16; i++)
        length += (size_t)snprintf(id + length, sizeof(id) - length, "%s%02x",
                                   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    return trm_device_open(both.context, id, &found) == TRM_OK ? found : NULL;
}

static bool open_both(void)
{
    struct trm_context_desc desc = {.struct_size = sizeof(desc), .flags = TRM_CONTEXT_NO_CONFIG};
    ck_ok(trm_context_create(&desc, &both.context));
    if (trm_device_open(both.context, "cuda", &both.cuda) == TRM_OK &&
        (both.vulkan = find_vulkan()) != NULL) {
        both.on_cuda   = stream_open(both.cuda, TRM_STREAM_ANY);
        both.on_vulkan = stream_open(both.vulkan, TRM_STREAM_ANY);
        return true;
    }
    skip(trm_last_error().sentence);
    return false;
}

static void close_both(void)
{
    trm_stream_destroy(both.on_cuda);
    trm_stream_destroy(both.on_vulkan);
    trm_device_destroy(both.cuda);
    trm_device_destroy(both.vulkan);
    trm_context_destroy(both.context);
    memset(&both, 0, sizeof(both));
}

/* Memory that `from` created, as `to` imports it. */
static struct trm_buffer *share(struct trm_device *from, struct trm_device *to, struct trm_buffer **made)
{
    struct trm_buffer *imported = NULL;
    uint64_t size               = 0;
    int32_t fd                  = -1;
    ck_ok(trm_buffer_create_exportable(from, BYTES, made));
    ck_ok(trm_buffer_export(*made, TRM_HANDLE_OPAQUE_FD, &fd, &size));
    ck_ok(trm_buffer_import(to, TRM_HANDLE_OPAQUE_FD, fd, size, &imported));
    return imported;
}

static void fill_here_read_there(struct trm_stream *here, struct trm_buffer *mine, struct trm_stream *there,
                                 struct trm_buffer *theirs, uint32_t number)
{
    ck_ok(trm_fill(here, trm_span_of(mine, 0, BYTES), number, 4));
    ck_ok(trm_stream_sync(here));
    memset(numbers, 0xee, sizeof(numbers));
    ck_ok(trm_download(there, numbers, trm_span_of(theirs, 0, BYTES)));
    ck_ok(trm_stream_sync(there));
    check_numbers(number);
}

START_TEST(memory_that_vulkan_made_is_cudas_too)
{
    struct trm_buffer *made = NULL;
    if (open_both()) {
        struct trm_buffer *imported = share(both.vulkan, both.cuda, &made);
        fill_here_read_there(both.on_vulkan, made, both.on_cuda, imported, 11);
        fill_here_read_there(both.on_cuda, imported, both.on_vulkan, made, 12);
        trm_buffer_destroy(made); /* it lives as long as it is held anywhere */
        fill_here_read_there(both.on_cuda, imported, both.on_cuda, imported, 13);
        trm_buffer_destroy(imported);
    }
    close_both();
}
END_TEST

START_TEST(memory_that_cuda_made_is_vulkans_too)
{
    struct trm_buffer *made = NULL;
    if (open_both()) {
        struct trm_buffer *imported = share(both.cuda, both.vulkan, &made);
        fill_here_read_there(both.on_cuda, made, both.on_vulkan, imported, 21);
        fill_here_read_there(both.on_vulkan, imported, both.on_cuda, made, 22);
        trm_buffer_destroy(made);
        fill_here_read_there(both.on_vulkan, imported, both.on_vulkan, imported, 23);
        trm_buffer_destroy(imported);
    }
    close_both();
}
END_TEST

/* In round r Vulkan writes r and raises the semaphore to 2r + 1; CUDA adds to what it finds and raises it
 * to 2r + 2; Vulkan copies the result. */
static void pipe_both_ways(void)
{
    static uint32_t results[ROUNDS][64];
    struct trm_semaphore *made = NULL, *imported = NULL;
    struct trm_buffer *there = NULL, *back = NULL;
    int32_t fd = -1;
    ck_ok(trm_semaphore_create(both.vulkan, &made));
    ck_ok(trm_semaphore_export(made, TRM_HANDLE_OPAQUE_FD, &fd));
    ck_ok(trm_semaphore_import(both.cuda, TRM_HANDLE_OPAQUE_FD, fd, &imported));
    struct trm_buffer *there_on_cuda  = share(both.vulkan, both.cuda, &there);
    struct trm_buffer *back_on_vulkan = share(both.cuda, both.vulkan, &back);
    struct trm_kernel *affine         = affine_on(both.cuda);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        ck_ok(trm_fill(both.on_vulkan, trm_span_of(there, 0, BYTES), i, 4));
        ck_ok(trm_stream_signal_semaphore(both.on_vulkan, made, 2 * i + 1));
        ck_ok(trm_stream_flush(both.on_vulkan));
        ck_ok(trm_stream_wait_semaphore(both.on_cuda, imported, 2 * i + 1));
        ck_ok(affine_launch(both.on_cuda, affine, there_on_cuda, WORDS, 3, 7));
        ck_ok(trm_copy(both.on_cuda, trm_span_of(back, 0, BYTES), trm_span_of(there_on_cuda, 0, BYTES)));
        ck_ok(trm_stream_signal_semaphore(both.on_cuda, imported, 2 * i + 2));
        ck_ok(trm_stream_flush(both.on_cuda));
        ck_ok(trm_stream_wait_semaphore(both.on_vulkan, made, 2 * i + 2));
        ck_ok(trm_download(both.on_vulkan, results[i],
                           trm_span_of(back_on_vulkan, BYTES - sizeof(results[i]), sizeof(results[i]))));
    }
    trm_semaphore_destroy(made);
    trm_semaphore_destroy(imported);
    ck_ok(trm_stream_sync(both.on_vulkan));
    ck_ok(trm_stream_sync(both.on_cuda));
    for (uint32_t i = 0; i < ROUNDS; i++)
        for (uint32_t k = 0; k < 64; k++)
            ck_assert_msg(results[i][k] == 3 * i + 7, "round %u, number %u is %u", i, k, results[i][k]);
    trm_kernel_destroy(affine);
    trm_buffer_destroy(there);
    trm_buffer_destroy(back);
    trm_buffer_destroy(there_on_cuda);
    trm_buffer_destroy(back_on_vulkan);
}

START_TEST(a_semaphore_keeps_both_in_step_without_the_host)
{
    if (open_both())
        pipe_both_ways();
    close_both();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda: with Vulkan");
    TCase *tests = tcase_create("with Vulkan");
    tcase_add_test(tests, memory_that_vulkan_made_is_cudas_too);
    tcase_add_test(tests, memory_that_cuda_made_is_vulkans_too);
    tcase_add_test(tests, a_semaphore_keeps_both_in_step_without_the_host);
    suite_add_tcase(suite, tests);
    if (strcmp(driver_path(), CUDA_STANDIN_PATH) == 0) {
        printf("the stand-in's memory is not Vulkan's: CUDA_TEST_DRIVER=real is needed\n");
        srunner_free(srunner_create(suite));
        return 77;
    }
    return run_suite(suite);
}
