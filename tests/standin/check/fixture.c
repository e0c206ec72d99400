/* SPDX-License-Identifier: MIT */
#include "tests/standin/check/fixture.h"

#include <stdio.h>
#include <string.h>

#define ARCHITECTURE "--gpu-architecture=sm_90"

CUcontext begin(const char *configuration)
{
    CUcontext context;

    ck_assert_int_eq(cuda_standin_control.configure(configuration), 0);
    must(cuInit(0));
    must(cuDevicePrimaryCtxRetain(&context, 0));
    must(cuCtxSetCurrent(context));
    return context;
}

void end(void)
{
    char first[256];
    uint64_t breaches = cuda_standin_control.breaches(first, sizeof(first));

    ck_assert_msg(breaches == 0, "%s", first);
    must(cuDevicePrimaryCtxRelease(0));
    ck_assert_msg(cuda_standin_control.living(first, sizeof(first)) == 0, "%s", first);
    ck_assert_uint_eq(cuda_standin_control.memory(0), 0);
}

CUstream make_stream(void)
{
    CUstream stream;

    must(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0));
    return stream;
}

CUevent make_event(void)
{
    CUevent event;

    must(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    return event;
}

CUdeviceptr make_words(void)
{
    CUdeviceptr address;

    must(cuMemAlloc(&address, COUNT * sizeof(uint32_t)));
    return address;
}

uint32_t *make_pinned(uint32_t value)
{
    void *memory;

    must(cuMemHostAlloc(&memory, COUNT * sizeof(uint32_t), 0));
    uint32_t *words = memory;
    for (int i = 0; i < COUNT; i++)
        words[i] = value;
    return words;
}

void read_words(CUdeviceptr from, uint32_t *to, size_t count)
{
    CUstream stream = make_stream();

    must(cuMemcpyDtoHAsync(to, from, count * sizeof(*to), stream));
    must(cuStreamSynchronize(stream));
    must(cuStreamDestroy(stream));
}

uint32_t read_word(CUdeviceptr from)
{
    uint32_t word;

    read_words(from, &word, 1);
    return word;
}

static void copy_log(nvrtcProgram program, char *log, size_t capacity)
{
    size_t size;

    ck_assert_int_eq(nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
    char *whole = calloc(1, size + 1);
    ck_assert_ptr_nonnull(whole);
    ck_assert_int_eq(nvrtcGetProgramLog(program, whole), NVRTC_SUCCESS);
    snprintf(log, capacity, "%s", whole);
    free(whole);
}

char *compile(const char *text, const char *option, char *log, size_t capacity)
{
    const char *options[] = {ARCHITECTURE, "--std=c++17", option};
    nvrtcProgram program;
    size_t size;
    char *code = NULL;

    ck_assert_int_eq(nvrtcCreateProgram(&program, text, "text.cu", 0, NULL, NULL), NVRTC_SUCCESS);
    if (nvrtcCompileProgram(program, option == NULL ? 2 : 3, options) == NVRTC_SUCCESS) {
        ck_assert_int_eq(nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
        code = malloc(size);
        ck_assert_ptr_nonnull(code);
        ck_assert_int_eq(nvrtcGetCUBIN(program, code), NVRTC_SUCCESS);
    }
    copy_log(program, log, capacity);
    ck_assert_int_eq(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    return code;
}

CUfunction make_kernel(CUmodule *module, const char *text, const char *name)
{
    char log[2048];
    CUfunction function;
    char *code = compile(text, NULL, log, sizeof(log));

    ck_assert_msg(code != NULL, "%s", log);
    must(cuModuleLoadData(module, code));
    free(code);
    must(cuModuleGetFunction(&function, *module, name));
    return function;
}

CUresult launch(CUfunction function, unsigned int groups, unsigned int items, CUstream stream,
                void **parameters)
{
    return cuLaunchKernel(function, groups, 1, 1, items, 1, 1, 0, stream, parameters, NULL);
}

int run_tests(TCase *tests, const char *name)
{
    Suite *suite = suite_create(name);

    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
