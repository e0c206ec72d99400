/* Kernels: what work-items do together, arguments, and how they end.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/standin/check/fixture.h"

static const struct cuda_standin_control *const control = &cuda_standin_control;

/* Runs a kernel whose one parameter is where its results go: a word of each item. */
static void run(const char *text, unsigned int groups, unsigned int items, uint32_t *results)
{
    CUmodule module;

    begin("");
    CUfunction function = make_kernel(&module, text, "k");
    CUstream stream     = make_stream();
    CUdeviceptr out     = make_words();
    void *parameters[]  = {&out};
    must(launch(function, groups, items, stream, parameters));
    must(cuStreamSynchronize(stream));
    read_words(out, results, (size_t)groups * items);
    must(cuMemFree(out));
    must(cuStreamDestroy(stream));
    must(cuModuleUnload(module));
    end();
}

START_TEST(each_item_knows_where_it_is)
{
    uint32_t results[96];

    run("extern \"C\" __global__ void k(unsigned *out)\n"
        "{ out[blockIdx.x * blockDim.x + threadIdx.x] = 1'000 * blockIdx.x + 10 * threadIdx.x + gridDim.x; }",
        3, 32, results);
    for (uint32_t i = 0; i < 96; i++)
        ck_assert_uint_eq(results[i], 1000 * (i / 32) + 10 * (i % 32) + 3);
}
END_TEST

START_TEST(a_barrier_shows_what_all_items_have_written)
{
    uint32_t results[200];

    run("extern \"C\" __global__ void __launch_bounds__(100) k(unsigned *out)\n"
        "{\n"
        "    __shared__ unsigned words[100];\n"
        "    unsigned i = threadIdx.x, sum = 0;\n"
        "    for (int round = 0; round < 3; round++) {\n"
        "        words[i] = i + round;\n"
        "        __syncthreads();\n"
        "        sum += words[99 - i];\n"
        "        __syncthreads();\n"
        "    }\n"
        "    out[blockIdx.x * 100 + i] = sum + blockIdx.x;\n"
        "}",
        2, 100, results);
    for (uint32_t i = 0; i < 200; i++)
        ck_assert_uint_eq(results[i], 3 * (99 - i % 100) + 3 + i / 100);
}
END_TEST

START_TEST(without_a_barrier_an_item_reads_what_another_has_not_written_yet)
{
    uint32_t results[64];
    int wrong = 0;

    run("extern \"C\" __global__ void k(unsigned *out)\n"
        "{\n"
        "    __shared__ unsigned words[64];\n"
        "    words[threadIdx.x] = 7;\n"
        "    out[threadIdx.x] = words[63 - threadIdx.x];\n"
        "    words[threadIdx.x] = 0;\n"
        "}",
        1, 64, results);
    for (int i = 0; i < 64; i++)
        wrong += results[i] != 7;
    ck_assert_int_gt(wrong, 0);
}
END_TEST

START_TEST(lanes_exchange_what_they_have)
{
    uint32_t results[40];

    run("extern \"C\" __global__ void k(unsigned *out)\n"
        "{\n"
        "    unsigned i = threadIdx.x, mask = i < 32 ? 0xffffffffu : 0xffu;\n"
        "    unsigned sum = __shfl_xor_sync(mask, i, 1) + 100 * __shfl_up_sync(mask, i, 2) +\n"
        "                   10000 * __shfl_down_sync(mask, i, 1, 8) + 1000000 * __shfl_sync(mask, i, 3, 4);\n"
        "    out[i] = __any_sync(mask, i == 5) ? sum : __popc(__ballot_sync(mask, i & 1));\n"
        "}",
        1, 40, results);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t up = i < 2 ? i : i - 2, down = i % 8 == 7 ? i : i + 1;
        ck_assert_uint_eq(results[i], (i ^ 1) + 100 * up + 10000 * down + 1000000 * (i / 4 * 4 + 3));
    }
    for (int i = 32; i < 40; i++)
        ck_assert_uint_eq(results[i], 4);
}
END_TEST

START_TEST(the_active_lanes_are_those_that_have_come_the_same_way)
{
    uint32_t results[32];

    run("extern \"C\" __global__ void k(unsigned *out)\n"
        "{\n"
        "    unsigned i = threadIdx.x, mask = 0;\n"
        "    if (i < 10)\n"
        "        mask = __activemask();\n"
        "    else\n"
        "        mask = __activemask() ^ 1u << 31;\n"
        "    for (unsigned j = 0; j < i; j++)\n"
        "        if (j == 20)\n"
        "            mask = __popc(__activemask());\n"
        "    out[i] = __activemask() == 0xffffffffu ? mask : 0;\n"
        "}",
        1, 32, results);
    for (int i = 0; i < 32; i++)
        ck_assert_uint_eq(results[i], i < 10 ? 0x3ffu : i < 21 ? 0x7ffffc00u : 11u);
}
END_TEST

START_TEST(groups_add_to_one_word_together)
{
    uint32_t results[512];

    run("extern \"C\" __global__ void k(unsigned *out)\n"
        "{\n"
        "    if (blockIdx.x == 0 && threadIdx.x == 0)\n"
        "        out[0] = 0;\n"
        "    atomicAdd(out, 1u);\n"
        "    atomicMax(out, 3u);\n"
        "}",
        8, 64, results);
    ck_assert_uint_eq(results[0], 512 + 2);
}
END_TEST

START_TEST(instructions_of_ptx_do_what_they_say)
{
    uint32_t results[4];

    run("extern \"C\" __global__ void k(unsigned *out)\n"
        "{\n"
        "    unsigned lane; unsigned short half; float x = 1.5f + threadIdx.x, y;\n"
        "    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
        "    asm volatile(\"cvt.rn.f16.f32 %0, %1;\\n\\t\" : \"=h\"(half) : \"f\"(x) : \"memory\");\n"
        "    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(half));\n"
        "    out[threadIdx.x] = half + (lane << 16) + (y != x);\n"
        "}",
        1, 4, results);
    const uint32_t halves[] = {0x3e00, 0x4100, 0x4300, 0x4480};
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(results[i], halves[i] + (i << 16));
}
END_TEST

static const char structured[] =
    "struct pair { unsigned short a; double b; };\n"
    "extern \"C\" __global__ void __launch_bounds__(64, 2) k(unsigned *out, unsigned char c, "
    "const struct pair p, unsigned long long d)\n"
    "{ out[threadIdx.x] = c + p.a + (unsigned)p.b + (unsigned)d; }\n"
    "extern \"C\" __global__ void other() {}\n";

START_TEST(functions_tell_their_names_and_parameters)
{
    const size_t expected[4][2] = {{0, 8}, {8, 1}, {16, 16}, {32, 8}};
    CUfunction functions[2];
    CUmodule module;
    unsigned int count;
    size_t offset, size;
    const char *name;
    int value;

    begin("");
    CUfunction function = make_kernel(&module, structured, "k");
    must(cuModuleGetFunctionCount(&count, module));
    ck_assert_uint_eq(count, 2);
    must(cuModuleEnumerateFunctions(functions, 2, module));
    ck_assert_ptr_eq(functions[0], function);
    must(cuFuncGetName(&name, functions[1]));
    ck_assert_str_eq(name, "other");
    for (size_t i = 0; i < 4; i++) {
        must(cuFuncGetParamInfo(function, i, &offset, &size));
        ck_assert_uint_eq(offset, expected[i][0]);
        ck_assert_uint_eq(size, expected[i][1]);
    }
    ck_assert_int_eq(cuFuncGetParamInfo(function, 4, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    must(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    ck_assert_int_eq(value, 64);
    ck_assert_int_eq(cuModuleGetFunction(&function, module, "none"), CUDA_ERROR_NOT_FOUND);
    must(cuModuleUnload(module));
    end();
}
END_TEST

START_TEST(arguments_come_one_by_one_or_as_one_buffer_of_the_right_size)
{
    struct {
        uint64_t out;
        uint8_t c;
        uint64_t pair[2] __attribute__((aligned(16)));
        uint64_t d;
    } buffer = {.c = 1, .d = 4};
    double b = 3;
    CUmodule module;

    begin("");
    CUfunction function = make_kernel(&module, structured, "k");
    CUstream stream     = make_stream();
    CUdeviceptr out     = make_words();
    buffer.out          = out;
    buffer.pair[0]      = 2;
    memcpy(&buffer.pair[1], &b, sizeof(b));
    size_t size        = 40;
    void *extra[]      = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                          CU_LAUNCH_PARAM_END};
    void *parameters[] = {&out, &buffer.c, buffer.pair, &buffer.d};
    must(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, NULL, extra));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(out), 10);
    buffer.d = 5;
    must(launch(function, 1, 64, stream, parameters));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(out), 11);
    size = 39;
    ck_assert_int_eq(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, NULL, extra),
                     CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    ck_assert_int_eq(launch(function, 1, 65, stream, parameters), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    ck_assert_int_eq(launch(function, 0, 64, stream, parameters), CUDA_ERROR_INVALID_VALUE);
    must(cuMemFree(out));
    must(cuStreamDestroy(stream));
    must(cuModuleUnload(module));
    end();
}
END_TEST

START_TEST(a_launch_brings_shared_memory)
{
    CUmodule module;
    int value;

    begin("");
    CUfunction function =
        make_kernel(&module,
                    "extern \"C\" __global__ void k(unsigned *out)\n"
                    "{ extern __shared__ unsigned words[]; __shared__ float own[25];\n"
                    "  own[threadIdx.x] = 1; words[threadIdx.x] = threadIdx.x; __syncthreads();\n"
                    "  out[threadIdx.x] = words[24 - threadIdx.x] + (unsigned)own[0]; }",
                    "k");
    CUstream stream    = make_stream();
    CUdeviceptr out    = make_words();
    void *parameters[] = {&out};
    must(cuLaunchKernel(function, 1, 1, 1, 25, 1, 1, 100, stream, parameters, NULL));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(out), 25);
    must(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    ck_assert_int_eq(value, 100);
    ck_assert_int_eq(cuLaunchKernel(function, 1, 1, 1, 25, 1, 1, 60000, stream, parameters, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    must(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000));
    must(cuLaunchKernel(function, 1, 1, 1, 25, 1, 1, 60000, stream, parameters, NULL));
    ck_assert_int_eq(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300000),
                     CUDA_ERROR_INVALID_VALUE);
    must(cuStreamSynchronize(stream));
    must(cuMemFree(out));
    must(cuStreamDestroy(stream));
    must(cuModuleUnload(module));
    end();
}
END_TEST

/* ---- groups that wait for each other */

static CUresult launch_cooperative(CUfunction function, unsigned int groups, unsigned int items,
                                   CUstream stream, void **parameters)
{
    return cuLaunchCooperativeKernel(function, groups, 1, 1, items, 1, 1, 0, stream, parameters);
}

START_TEST(groups_of_a_cooperative_launch_wait_for_each_other)
{
    enum {
        GROUPS = 5,
        ITEMS  = 40
    };
    uint32_t words[1 + GROUPS * ITEMS];
    CUmodule module;

    begin("");
    CUfunction function =
        make_kernel(&module,
                    "extern \"C\" __global__ void k(unsigned *out)\n"
                    "{\n"
                    "    __shared__ unsigned own;\n"
                    "    if (threadIdx.x == 0) {\n"
                    "        own = blockIdx.x;\n"
                    "        atomicAdd(out, 1u);\n"
                    "        while (*(volatile unsigned *)out % gridDim.x != 0)\n"
                    "            ;\n"
                    "    }\n"
                    "    __syncthreads();\n"
                    "    out[1 + blockIdx.x * blockDim.x + threadIdx.x] = 100 * own + threadIdx.x;\n"
                    "}",
                    "k");
    CUstream stream    = make_stream();
    CUdeviceptr out    = make_words();
    void *parameters[] = {&out};
    must(cuMemsetD32Async(out, 0, 1, stream));
    for (int i = 0; i < 3; i++)
        must(launch_cooperative(function, GROUPS, ITEMS, stream, parameters));
    must(cuStreamSynchronize(stream));
    read_words(out, words, 1 + GROUPS * ITEMS);
    ck_assert_uint_eq(words[0], 3 * GROUPS);
    for (uint32_t i = 0; i < GROUPS * ITEMS; i++)
        ck_assert_uint_eq(words[1 + i], 100 * (i / ITEMS) + i % ITEMS);
    must(cuMemFree(out));
    must(cuStreamDestroy(stream));
    must(cuModuleUnload(module));
    end();
}
END_TEST

START_TEST(more_groups_than_run_at_once_are_no_cooperative_launch)
{
    CUmodule module;

    begin("");
    CUfunction function = make_kernel(&module, "extern \"C\" __global__ void k() {}", "k");
    CUstream stream     = make_stream();
    must(launch_cooperative(function, 8, 1024, stream, NULL));
    ck_assert_int_eq(launch_cooperative(function, 9, 1024, stream, NULL),
                     CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    must(cuStreamDestroy(stream));
    must(cuModuleUnload(module));
    end();
}
END_TEST

/* ---- kernels that end badly */

/* Returns how a kernel without parameters ends. A failure ends the context, and a new one must work. */
static CUresult end_of(const char *text)
{
    CUmodule module;
    CUdeviceptr address;

    begin("");
    CUfunction function = make_kernel(&module, text, "k");
    CUstream stream     = make_stream();
    must(launch(function, 2, 32, stream, NULL));
    CUresult result = cuStreamSynchronize(stream);
    if (result == CUDA_SUCCESS) {
        must(cuStreamDestroy(stream));
        must(cuModuleUnload(module));
        end();
        return result;
    }
    ck_assert_int_eq(cuMemAlloc(&address, 16), result);
    ck_assert_int_eq(cuStreamQuery(stream), result);
    ck_assert_int_eq(cuStreamDestroy(stream), result);
    ck_assert_int_eq(cuModuleUnload(module), result);
    control->forget_breaches();
    end();
    CUcontext context;
    must(cuDevicePrimaryCtxRetain(&context, 0));
    must(cuCtxSetCurrent(context));
    must(cuMemAlloc(&address, 16));
    must(cuMemFree(address));
    end();
    return result;
}

START_TEST(a_kernel_that_writes_where_nothing_is_fails_its_context)
{
    ck_assert_int_eq(end_of("extern \"C\" __global__ void k() { *(volatile int *)16 = 1; }"),
                     CUDA_ERROR_ILLEGAL_ADDRESS);
}
END_TEST

START_TEST(a_kernel_with_barriers_that_reads_where_nothing_is_fails_its_context)
{
    ck_assert_int_eq(
        end_of("extern \"C\" __global__ void k()\n"
               "{ __syncthreads(); if (threadIdx.x == 9) *(volatile int *)16; __syncthreads(); }"),
        CUDA_ERROR_ILLEGAL_ADDRESS);
}
END_TEST

START_TEST(a_kernel_that_traps_fails_its_context)
{
    ck_assert_int_eq(end_of("extern \"C\" __global__ void k() { if (blockIdx.x == 1) __trap(); }"),
                     CUDA_ERROR_LAUNCH_FAILED);
}
END_TEST

START_TEST(lanes_that_wait_for_lanes_that_never_come_fail_their_context)
{
    ck_assert_int_eq(end_of("extern \"C\" __global__ void k()\n"
                            "{ if (threadIdx.x == 0) __syncwarp(3u); else __syncthreads(); }"),
                     CUDA_ERROR_LAUNCH_TIMEOUT);
}
END_TEST

START_TEST(a_group_that_fails_ends_those_that_wait_for_it)
{
    CUmodule module;

    begin("");
    CUfunction function = make_kernel(&module,
                                      "extern \"C\" __global__ void k()\n"
                                      "{\n"
                                      "    if (blockIdx.x == 1)\n"
                                      "        __trap();\n"
                                      "    for (volatile int i = 0; i < 1;)\n"
                                      "        ;\n"
                                      "}",
                                      "k");
    CUstream stream     = make_stream();
    must(launch_cooperative(function, 3, 32, stream, NULL));
    ck_assert_int_eq(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
    ck_assert_int_eq(cuStreamDestroy(stream), CUDA_ERROR_LAUNCH_FAILED);
    ck_assert_int_eq(cuModuleUnload(module), CUDA_ERROR_LAUNCH_FAILED);
    control->forget_breaches();
    end();
}
END_TEST

START_TEST(a_kernel_that_does_nothing_wrong_fails_nothing)
{
    ck_assert_int_eq(end_of("extern \"C\" __global__ void k()\n"
                            "{ if (threadIdx.x < 2) __syncwarp(3u); __syncthreads(); }"),
                     CUDA_SUCCESS);
}
END_TEST

START_TEST(a_function_is_of_its_modules_context)
{
    CUmodule module;
    CUcontext other;

    begin("devices=2");
    CUfunction function = make_kernel(&module, "extern \"C\" __global__ void k() {}", "k");
    must(cuDevicePrimaryCtxRetain(&other, 1));
    must(cuCtxPushCurrent(other));
    CUstream far = make_stream();
    ck_assert_int_eq(launch(function, 1, 1, far, NULL), CUDA_ERROR_INVALID_HANDLE);
    must(cuStreamDestroy(far));
    must(cuCtxPopCurrent(NULL));
    CUstream near = make_stream();
    must(launch(function, 1, 1, near, NULL));
    must(cuStreamSynchronize(near));
    must(cuStreamDestroy(near));
    must(cuModuleUnload(module));
    must(cuDevicePrimaryCtxRelease(1));
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("kernels");

    tcase_add_test(tests, each_item_knows_where_it_is);
    tcase_add_test(tests, a_barrier_shows_what_all_items_have_written);
    tcase_add_test(tests, without_a_barrier_an_item_reads_what_another_has_not_written_yet);
    tcase_add_test(tests, lanes_exchange_what_they_have);
    tcase_add_test(tests, the_active_lanes_are_those_that_have_come_the_same_way);
    tcase_add_test(tests, groups_add_to_one_word_together);
    tcase_add_test(tests, instructions_of_ptx_do_what_they_say);
    tcase_add_test(tests, functions_tell_their_names_and_parameters);
    tcase_add_test(tests, arguments_come_one_by_one_or_as_one_buffer_of_the_right_size);
    tcase_add_test(tests, a_launch_brings_shared_memory);
    tcase_add_test(tests, a_kernel_that_writes_where_nothing_is_fails_its_context);
    tcase_add_test(tests, a_kernel_with_barriers_that_reads_where_nothing_is_fails_its_context);
    tcase_add_test(tests, a_kernel_that_traps_fails_its_context);
    tcase_add_test(tests, lanes_that_wait_for_lanes_that_never_come_fail_their_context);
    tcase_add_test(tests, groups_of_a_cooperative_launch_wait_for_each_other);
    tcase_add_test(tests, more_groups_than_run_at_once_are_no_cooperative_launch);
    tcase_add_test(tests, a_group_that_fails_ends_those_that_wait_for_it);
    tcase_add_test(tests, a_kernel_that_does_nothing_wrong_fails_nothing);
    tcase_add_test(tests, a_function_is_of_its_modules_context);
    return run_tests(tests, "kernels");
}
