/* The stand-in for NVRTC, and what modules are made of.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/standin/check/fixture.h"

static const char empty[] = "extern \"C\" __global__ void k() {}";

/* What compiling answers. */
static nvrtcResult compiling(const char *text, int count, const char *const *options, nvrtcProgram *program)
{
    ck_assert_int_eq(nvrtcCreateProgram(program, text, "wrong.cu", 0, NULL, NULL), NVRTC_SUCCESS);
    return nvrtcCompileProgram(*program, count, options);
}

START_TEST(what_is_wrong_with_a_text_is_said_with_its_line)
{
    char log[2048];

    ck_assert_ptr_null(compile("\nextern \"C\" __global__ void k() { nonsense; }", NULL, log, sizeof(log)));
    ck_assert_msg(strstr(log, "text.cu:2:") != NULL && strstr(log, "nonsense") != NULL, "%s", log);
    char *code = compile(empty, NULL, log, sizeof(log));
    ck_assert_msg(code != NULL, "%s", log);
    ck_assert_str_eq(log, "");
    free(code);
}
END_TEST

START_TEST(an_instruction_of_ptx_that_is_not_known_does_not_compile)
{
    char log[2048];

    ck_assert_ptr_null(compile("extern \"C\" __global__ void k() { asm(\"think.hard %0;\" :: \"r\"(1)); }",
                               NULL, log, sizeof(log)));
    ck_assert_msg(strstr(log, "ptx_think_hard") != NULL, "%s", log);
}
END_TEST

START_TEST(options_are_heeded_or_known_or_refused)
{
    const char *unknown[] = {"--gpu-architecture=sm_90", "--make-coffee"};
    const char *old[]     = {"--gpu-architecture=sm_20"};
    nvrtcProgram program;
    char log[2048];

    ck_assert_int_eq(compiling(empty, 2, unknown, &program), NVRTC_ERROR_INVALID_OPTION);
    ck_assert_int_eq(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    ck_assert_int_eq(compiling(empty, 1, old, &program), NVRTC_ERROR_INVALID_OPTION);
    ck_assert_int_eq(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    char *code = compile("#if NUMBER != 7\n#error wrong\n#endif\n", "-DNUMBER=7", log, sizeof(log));
    ck_assert_msg(code != NULL, "%s", log);
    free(code);
}
END_TEST

START_TEST(headers_that_come_with_a_program_are_found)
{
    const char *header = "#define VALUE 3", *name = "value.h", *option = "--gpu-architecture=sm_90";
    nvrtcProgram program;

    ck_assert_int_eq(nvrtcCreateProgram(&program, "#include \"value.h\"\nstatic_assert(VALUE == 3, \"\");",
                                        NULL, 1, &header, &name),
                     NVRTC_SUCCESS);
    ck_assert_int_eq(nvrtcCompileProgram(program, 1, &option), NVRTC_SUCCESS);
    ck_assert_int_eq(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}
END_TEST

START_TEST(for_a_virtual_architecture_there_is_ptx_alone)
{
    const char *option = "--gpu-architecture=compute_80";
    nvrtcProgram program;
    CUmodule module;
    size_t size;

    begin("");
    ck_assert_int_eq(compiling(empty, 1, &option, &program), NVRTC_SUCCESS);
    ck_assert_int_eq(nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
    ck_assert_uint_eq(size, 0);
    ck_assert_int_eq(nvrtcGetPTXSize(program, &size), NVRTC_SUCCESS);
    char *ptx = malloc(size);
    ck_assert_ptr_nonnull(ptx);
    ck_assert_int_eq(nvrtcGetPTX(program, ptx), NVRTC_SUCCESS);
    /* For a device that is younger it will do. */
    must(cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL));
    must(cuModuleUnload(module));
    free(ptx);
    ck_assert_int_eq(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    end();
}
END_TEST

START_TEST(code_is_for_one_architecture)
{
    const char *option = "--gpu-architecture=sm_80";
    nvrtcProgram program;
    CUmodule module;
    size_t size;

    begin("");
    ck_assert_int_eq(compiling(empty, 1, &option, &program), NVRTC_SUCCESS);
    ck_assert_int_eq(nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
    char *code = malloc(size);
    ck_assert_ptr_nonnull(code);
    ck_assert_int_eq(nvrtcGetCUBIN(program, code), NVRTC_SUCCESS);
    ck_assert_int_eq(cuModuleLoadData(&module, code), CUDA_ERROR_NO_BINARY_FOR_GPU);
    free(code);
    ck_assert_int_eq(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    end();
}
END_TEST

START_TEST(code_for_real_devices_and_nonsense_are_refused)
{
    const char cubin[128]   = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0, (char)190};
    const char program[128] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 62};
    CUmodule module;

    begin("");
    ck_assert_int_eq(cuModuleLoadData(&module, cubin), CUDA_ERROR_NO_BINARY_FOR_GPU);
    ck_assert_int_eq(cuModuleLoadData(&module, program), CUDA_ERROR_INVALID_IMAGE);
    ck_assert_int_eq(cuModuleLoadData(&module, ".version 8.0\n.target sm_90\n"),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    ck_assert_int_eq(cuModuleLoadData(&module, "nonsense"), CUDA_ERROR_INVALID_IMAGE);
    end();
}
END_TEST

START_TEST(two_modules_of_one_code_have_variables_of_their_own)
{
    CUmodule modules[2];
    CUfunction functions[2];

    begin("");
    CUstream stream    = make_stream();
    CUdeviceptr out    = make_words();
    void *parameters[] = {&out};
    for (int i = 0; i < 2; i++)
        functions[i] = make_kernel(&modules[i],
                                   "__device__ unsigned count;\n"
                                   "extern \"C\" __global__ void k(unsigned *out) { *out = ++count; }",
                                   "k");
    for (int i = 0; i < 4; i++)
        must(launch(functions[i / 3], 1, 1, stream, parameters));
    must(cuStreamSynchronize(stream));
    ck_assert_uint_eq(read_word(out), 1);
    must(cuModuleUnload(modules[0]));
    must(cuModuleUnload(modules[1]));
    must(cuMemFree(out));
    must(cuStreamDestroy(stream));
    end();
}
END_TEST

START_TEST(compilations_are_counted_and_made_to_fail)
{
    char log[256];
    uint64_t before = cuda_standin_compiler.compilations();

    cuda_standin_compiler.fail_compilation(2, NVRTC_ERROR_OUT_OF_MEMORY);
    for (int i = 0; i < 3; i++) {
        char *code = compile(empty, NULL, log, sizeof(log));
        ck_assert_int_eq(code == NULL, i == 1);
        free(code);
    }
    ck_assert_uint_eq(cuda_standin_compiler.compilations(), before + 3);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("compiler");

    tcase_add_test(tests, what_is_wrong_with_a_text_is_said_with_its_line);
    tcase_add_test(tests, an_instruction_of_ptx_that_is_not_known_does_not_compile);
    tcase_add_test(tests, options_are_heeded_or_known_or_refused);
    tcase_add_test(tests, headers_that_come_with_a_program_are_found);
    tcase_add_test(tests, for_a_virtual_architecture_there_is_ptx_alone);
    tcase_add_test(tests, code_is_for_one_architecture);
    tcase_add_test(tests, code_for_real_devices_and_nonsense_are_refused);
    tcase_add_test(tests, two_modules_of_one_code_have_variables_of_their_own);
    tcase_add_test(tests, compilations_are_counted_and_made_to_fail);
    return run_tests(tests, "compiler");
}
