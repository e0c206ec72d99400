/* The kernels that were written by hand for CUDA (kernels/NAME.cu), on the stand-in: its NVRTC compiles
 * them into files beside the kernels, and they are compared with plain loops for shapes of all kinds. Sums
 * are of small integers, so they are exact.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <dlfcn.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trireme/trireme.h>
#include <unistd.h>

static const char *const names[] = {"histogram", "reduce", "scan", "sgemm", "transpose"};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LINE_MOST 256

static struct trm_context *context;
static struct trm_device *device;
static struct trm_stream *stream;

static void must(int32_t status)
{
    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
}

/* ---- the files */

static char *read_file(const char *path, size_t *size)
{
    FILE *file  = fopen(path, "rb");
    char *bytes = calloc(1, 1 << 20);
    ck_assert_msg(file != NULL, "%s is not there", path);
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "%s cannot be written", path);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* The trailer of the text follows the code, as in the build. */
static size_t add_line(char *to, const char *text)
{
    const char *line = strstr(text, "\n// trireme ");
    return line != NULL ? (size_t)snprintf(to, LINE_MOST, "%s", line) : 0;
}

#define NVRTC(name) ((__typeof__(&(name)))dlsym(library, #name))

static void compile_text(void *library, const char *name, const char *text)
{
    static const char *const options[] = {"--gpu-architecture=sm_90"};
    char path[4096];
    nvrtcProgram program = NULL;
    size_t size;
    ck_assert_int_eq(NVRTC(nvrtcCreateProgram)(&program, text, name, 0, NULL, NULL), NVRTC_SUCCESS);
    ck_assert_msg(NVRTC(nvrtcCompileProgram)(program, 1, options) == NVRTC_SUCCESS, "%s does not compile",
                  name);
    ck_assert_int_eq(NVRTC(nvrtcGetCUBINSize)(program, &size), NVRTC_SUCCESS);
    char *code = calloc(1, size + LINE_MOST);
    ck_assert_int_eq(NVRTC(nvrtcGetCUBIN)(program, code), NVRTC_SUCCESS);
    NVRTC(nvrtcDestroyProgram)(&program);
    snprintf(path, sizeof(path), "%s/%s.fatbin", KERNEL_FOLDER, name);
    write_file(path, code, size + add_line(code + size, text));
    free(code);
}

static void copy_shader(const char *name)
{
    char path[4096];
    size_t size;
    snprintf(path, sizeof(path), "%s/%s.spv", SHADER_FOLDER, name);
    char *text = read_file(path, &size);
    snprintf(path, sizeof(path), "%s/%s.spv", KERNEL_FOLDER, name);
    write_file(path, text, size);
    free(text);
}

static void compile(void *library, const char *name)
{
    char path[4096];
    size_t size;
    snprintf(path, sizeof(path), "%s/kernels/%s.cu", SOURCE_FOLDER, name);
    char *text = read_file(path, &size);
    compile_text(library, name, text);
    free(text);
    copy_shader(name);
}

/* The stand-in has no tensor cores of Hopper. This has the interface of gemm_f16 and stores how many threads
 * a block has, from shared memory that only the last line asks for. */
static const char of_matrices[] =
    "struct gemm_arguments { unsigned m, n, k; float alpha, beta; };\n"
    "extern \"C\" __global__ void __launch_bounds__(384) gemm_f16(const unsigned short *__restrict__ a, "
    "const "
    "unsigned short *__restrict__ b, float *__restrict__ c, const struct gemm_arguments given)\n"
    "{\n"
    "    extern __shared__ float memory[];\n"
    "    memory[threadIdx.x] = blockDim.x;\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x < given.m * given.n)\n"
    "        c[threadIdx.x] = memory[383 - threadIdx.x];\n"
    "}\n"
    "// trireme by-hand gemm_f16:384+1536\n";

/* Once, in the process from which the tests are forked. */
static void make_folder(void)
{
    void *library = dlopen(NVRTC_STANDIN_PATH, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    (void)mkdir(KERNEL_FOLDER, 0755);
    ck_assert_int_eq(chmod(KERNEL_FOLDER, 0755), 0);
    for (size_t i = 0; i < COUNT(names); i++)
        compile(library, names[i]);
    compile_text(library, "gemm_f16.matrix", of_matrices);
    copy_shader("gemm_f16.matrix");
    copy_shader("gemm_f16");
}

static void remove_folder(void)
{
    static const char *const ends[] = {"fatbin", "spv"};
    char path[4096];
    for (size_t i = 0; i < 2 * COUNT(names); i++) {
        snprintf(path, sizeof(path), "%s/%s.%s", KERNEL_FOLDER, names[i / 2], ends[i % 2]);
        (void)unlink(path);
    }
    (void)unlink(KERNEL_FOLDER "/gemm_f16.matrix.fatbin");
    (void)unlink(KERNEL_FOLDER "/gemm_f16.matrix.spv");
    (void)unlink(KERNEL_FOLDER "/gemm_f16.spv");
    (void)rmdir(KERNEL_FOLDER);
}

/* ---- the device; there is no NVRTC, so only files beside the kernels can run ----------------- */

static void open_device(void)
{
    const struct trm_setting settings[] = {
        {"backend", "cuda"},
        {"cuda.driver", CUDA_STANDIN_PATH},
        {"cuda.nvrtc", "libnvrtc-that-does-not-exist.so"},
        {"kernel.path", KERNEL_FOLDER},
        {"kernel.cache", "none"},
    };
    const struct trm_context_desc desc = {
        .struct_size = sizeof(desc), .settings = settings, .setting_count = COUNT(settings)};
    must(trm_context_create(&desc, &context));
    must(trm_device_open(context, "cuda", &device));
    must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &stream));
}

static void close_device(void)
{
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
}

static struct trm_buffer *make(uint64_t size, const void *bytes)
{
    struct trm_buffer *buffer = NULL;
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, size, &buffer));
    if (bytes != NULL)
        must(trm_upload(stream, trm_span_whole(buffer), bytes));
    must(trm_stream_sync(stream));
    return buffer;
}

static void launch(const char *name, uint32_t groups_x, uint32_t groups_y,
                   const struct trm_argument *arguments, uint32_t count)
{
    const struct trm_grid grid = {{groups_x, groups_y, 1}, {0, 0, 0}, 0, 0};
    struct trm_kernel *kernel  = NULL;
    must(trm_kernel_named(device, name, NULL, 0, &kernel));
    must(trm_launch(stream, kernel, &grid, arguments, count));
    must(trm_stream_sync(stream));
    trm_kernel_destroy(kernel);
}

/* Read the result from a buffer and destroy it. */
static void take(struct trm_buffer *buffer, void *bytes)
{
    must(trm_download(stream, bytes, trm_span_whole(buffer)));
    must(trm_stream_sync(stream));
    trm_buffer_destroy(buffer);
}

static float *small_numbers(size_t count)
{
    float *numbers = calloc(count + 1, sizeof(float));
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)((int)(i * 2654435761u >> 8 & 15) - 8);
    return numbers;
}

static uint32_t blocks_of(uint32_t count, uint32_t block)
{
    return (count + block - 1) / block;
}

/* ---- the kernels */

/* What a is read from begins `offset` floats into its buffer. */
static void check_sgemm(uint32_t m, uint32_t n, uint32_t k, float beta, uint32_t offset)
{
    float *a = small_numbers((size_t)m * k + offset), *b = small_numbers((size_t)k * n);
    float *c = small_numbers((size_t)m * n), *found = small_numbers((size_t)m * n);
    struct trm_buffer *of_a         = make(4 * ((uint64_t)m * k + offset + 1), a),
                      *of_b         = make(4 * ((uint64_t)k * n + 1), b);
    struct trm_buffer *of_c         = make(4ull * m * n, c);
    struct trm_argument arguments[] = {
        trm_arg_span(trm_span_of(of_a, 4ull * offset, 4 * ((uint64_t)m * k + 1))),
        trm_arg_buffer(of_b),
        trm_arg_buffer(of_c),
        trm_arg_u32(m),
        trm_arg_u32(n),
        trm_arg_u32(k),
        trm_arg_f32(2),
        trm_arg_f32(beta),
    };
    launch("sgemm", blocks_of(n, 64), blocks_of(m, 64), arguments, COUNT(arguments));
    take(of_c, found);
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            float sum = 0;
            for (uint32_t d = 0; d < k; d++)
                sum += a[offset + i * k + d] * b[d * n + j];
            ck_assert_msg(found[i * n + j] == 2 * sum + beta * c[i * n + j], "%u x %u x %u: (%u, %u) is %g",
                          m, n, k, i, j, (double)found[i * n + j]);
        }
    trm_buffer_destroy(of_a);
    trm_buffer_destroy(of_b);
    free(a);
    free(b);
    free(c);
    free(found);
}

START_TEST(sgemm_multiplies_matrices_of_all_shapes)
{
    check_sgemm(512, 512, 40, 0, 0);    /* large tiles, all aligned; the stand-in has four multiprocessors */
    check_sgemm(500, 500, 27, 0.5f, 0); /* with edges */
    check_sgemm(501, 499, 21, 1, 0);    /* nothing aligned */
    check_sgemm(256, 256, 64, 0, 0);    /* the middle ones */
    check_sgemm(300, 260, 80, 0.5f, 0); /* with edges */
    check_sgemm(300, 261, 77, 1, 0);    /* nothing aligned */
    check_sgemm(257, 320, 20, 1, 4);    /* neither begins aligned */
    check_sgemm(64, 64, 16, 0, 0);
    check_sgemm(130, 132, 4, 2, 0);
    check_sgemm(33, 7, 5, 1, 0);
    check_sgemm(70, 70, 0, 0.5f, 0);
}
END_TEST

/* The matrices begin `offset` floats into their buffers; behind the target lie bytes that must not change. */
static void check_transpose(uint32_t rows, uint32_t columns, uint32_t offset, uint32_t groups_x,
                            uint32_t groups_y)
{
    size_t count  = (size_t)rows * columns;
    float *source = calloc(offset + count + 1, sizeof(float)),
          *found  = calloc(offset + count + 1, sizeof(float));
    for (size_t i = 0; i < count; i++)
        source[offset + i] = (float)(i + 1);
    found[offset + count]           = 99;
    struct trm_buffer *from         = make(4 * (offset + count + 1), source),
                      *target       = make(4 * (offset + count + 1), found);
    struct trm_argument arguments[] = {
        trm_arg_span(trm_span_of(from, 4ull * offset, 4 * count + 4)),
        trm_arg_span(trm_span_of(target, 4ull * offset, 4 * count + 4)),
        trm_arg_u32(rows),
        trm_arg_u32(columns),
    };
    launch("transpose", groups_x, groups_y, arguments, COUNT(arguments));
    take(target, found);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            ck_assert_msg(found[offset + (size_t)j * rows + i] == source[offset + (size_t)i * columns + j],
                          "%u x %u at %u: (%u, %u)", rows, columns, offset, i, j);
    ck_assert(found[offset + count] == 99);
    trm_buffer_destroy(from);
    free(source);
    free(found);
}

START_TEST(transpose_turns_matrices_of_all_shapes)
{
    static const uint32_t extents[] = {0, 1, 4, 63, 68, 130};
    for (size_t i = 0; i < COUNT(extents); i++)
        for (size_t j = 0; j < COUNT(extents); j++)
            check_transpose(extents[i], extents[j], 0, blocks_of(extents[j] + 1, 32),
                            blocks_of(extents[i] + 1, 32));
    check_transpose(68, 64, 4, 2, 3);
    check_transpose(1, 2000, 0, 63, 1);
    check_transpose(2000, 1, 4, 1, 63);
}
END_TEST

START_TEST(transpose_is_done_by_grids_of_all_sizes)
{
    check_transpose(200, 328, 0, 1, 1);
    check_transpose(200, 328, 0, 5, 3);
    check_transpose(201, 329, 0, 3, 2);
    check_transpose(64, 64, 0, 17, 9);
}
END_TEST

static void check_histogram(uint32_t count, uint32_t offset)
{
    uint8_t *bytes       = calloc(count + offset, 1);
    uint32_t wanted[256] = {0}, found[256] = {0};
    for (uint32_t i = 0; i < count + offset; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 11);
    for (uint32_t i = offset; i < count + offset; i++)
        wanted[bytes[i]]++;
    struct trm_buffer *source = make(count + offset, bytes), *bins = make(sizeof(found), found);
    struct trm_argument arguments[] = {trm_arg_span(trm_span_of(source, offset, count)), trm_arg_buffer(bins),
                                       trm_arg_u32(count)};
    launch("histogram", blocks_of(count, 256 * 64), 1, arguments, COUNT(arguments));
    take(bins, found);
    ck_assert_mem_eq(found, wanted, sizeof(found));
    trm_buffer_destroy(source);
    free(bytes);
}

START_TEST(histogram_counts_all_bytes)
{
    check_histogram(3 * 256 * 64, 0);
    check_histogram(100001, 0);
    check_histogram(3 * 256 * 64, 16);
    check_histogram(7, 0);
}
END_TEST

static void check_scan(uint32_t count)
{
    uint32_t block = 256 * 7, groups = blocks_of(count, block);
    float *from = small_numbers(count), *to = small_numbers(count), *sums = small_numbers(groups);
    struct trm_buffer *source = make(4ull * count, from), *target = make(4ull * count, NULL);
    struct trm_buffer *totals       = make(4ull * groups, NULL);
    struct trm_argument arguments[] = {trm_arg_buffer(source), trm_arg_buffer(target), trm_arg_buffer(totals),
                                       trm_arg_u32(count)};
    launch("scan", groups, 1, arguments, COUNT(arguments));
    take(target, to);
    take(totals, sums);
    for (uint32_t group = 0; group < groups; group++) {
        float sum = 0;
        for (uint32_t i = group * block; i < (group + 1) * block && i < count; i++) {
            sum += from[i];
            ck_assert_msg(to[i] == sum, "element %u", i);
        }
        ck_assert(sums[group] == sum);
    }
    trm_buffer_destroy(source);
    free(from);
    free(to);
    free(sums);
}

START_TEST(scan_adds_up_each_block)
{
    check_scan(5 * 256 * 7);
    check_scan(10001);
    check_scan(1);
}
END_TEST

static void check_reduce(uint32_t count)
{
    uint32_t block = 256 * 16, groups = blocks_of(count, block);
    float *from = small_numbers(count), *sums = small_numbers(groups);
    struct trm_buffer *source = make(4ull * count, from), *partial = make(4ull * groups, NULL);
    struct trm_argument arguments[] = {trm_arg_buffer(source), trm_arg_buffer(partial), trm_arg_u32(count)};
    launch("reduce", groups, 1, arguments, COUNT(arguments));
    take(partial, sums);
    for (uint32_t group = 0; group < groups; group++) {
        float sum = 0;
        for (uint32_t i = group * block; i < (group + 1) * block && i < count; i++)
            sum += from[i];
        ck_assert_msg(sums[group] == sum, "block %u", group);
    }
    trm_buffer_destroy(source);
    free(from);
    free(sums);
}

START_TEST(reduce_adds_up_each_block)
{
    check_reduce(7 * 256 * 16);
    check_reduce(30001);
    check_reduce(1);
}
END_TEST

START_TEST(a_form_with_matrices_is_replaced_by_the_code_beside_it)
{
    float found[6]            = {0};
    struct trm_buffer *halves = make(64, NULL), *sums = make(sizeof(found), found);
    struct trm_argument arguments[] = {
        trm_arg_buffer(halves), trm_arg_buffer(halves), trm_arg_buffer(sums), trm_arg_u32(2),
        trm_arg_u32(3),         trm_arg_u32(4),         trm_arg_f32(1),       trm_arg_f32(0),
    };
    launch("gemm_f16", 1, 1, arguments, COUNT(arguments));
    take(sums, found);
    for (uint32_t i = 0; i < COUNT(found); i++)
        ck_assert_msg(found[i] == 384, "element %u is %g", i, (double)found[i]);
    trm_buffer_destroy(halves);
}
END_TEST

int main(void)
{
    Suite *suite     = suite_create("kernels by hand");
    TCase *kernels   = tcase_create("kernels");
    SRunner *runner  = srunner_create(suite);
    const char *real = getenv("CUDA_TEST_DRIVER");

    if (real != NULL && strcmp(real, "real") == 0)
        return 77; /* the installed files are used there */
    tcase_add_unchecked_fixture(kernels, make_folder, remove_folder);
    tcase_add_checked_fixture(kernels, open_device, close_device);
    tcase_set_timeout(kernels, 300);
    tcase_add_test(kernels, sgemm_multiplies_matrices_of_all_shapes);
    tcase_add_test(kernels, transpose_turns_matrices_of_all_shapes);
    tcase_add_test(kernels, transpose_is_done_by_grids_of_all_sizes);
    tcase_add_test(kernels, histogram_counts_all_bytes);
    tcase_add_test(kernels, scan_adds_up_each_block);
    tcase_add_test(kernels, reduce_adds_up_each_block);
    tcase_add_test(kernels, a_form_with_matrices_is_replaced_by_the_code_beside_it);
    suite_add_tcase(suite, kernels);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
