/* Trireme: `trireme kc`.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kc/kc.h"

#include "tools/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report(const struct kc *kc, const struct kc_job *job, struct json *json)
{
    kc_progress_end(kc);
    if (json)
        kc_print_json(job, json);
    else if (job->shader && !kc->options->quiet && kc->options->language == 0)
        kc_print_text(job);
    if (job->failure) {
        fflush(stdout);
        kc_print_failure(job);
    }
}

/* Returns how many files failed. */
static uint32_t compile_all(struct kc *kc, struct json *json)
{
    uint32_t failed = 0;

    for (uint32_t i = 0; i < kc->options->file_count; i++) {
        struct kc_job job = {.file = kc->options->files[i]};

        kc->begun = i + 1;
        if (!kc_compile(kc, &job))
            failed++;
        report(kc, &job, json);
        kc_job_fini(&job);
    }
    return failed;
}

static uint32_t compile_in_json(struct kc *kc)
{
    struct json json;
    uint32_t failed;

    json_begin(&json, stdout, true);
    json_object_begin(&json, NULL);
    json_text(&json, "version", trm_version());
    json_array_begin(&json, "files");
    failed = compile_all(kc, &json);
    json_array_end(&json);
    json_count(&json, "failed", failed);
    json_object_end(&json);
    json_end(&json);
    return failed;
}

static int run(const struct kc_options *options)
{
    struct kc kc = {.options = options};
    uint32_t failed;

    /* For the architecture "native" nvcc asks the driver, which reserves more addresses than compiler.memory
     * allows by default; nvcc would then take another architecture. */
    if ((options->targets & KC_CUDA) && strcmp(options->cuda_arch, "native") == 0)
        setenv("TRIREME_COMPILER_MEMORY", "0", 0);
    /* The cpu backend makes the code for the cpu, even if the user prefers to run on another backend. */
    if (command_context_for("cpu", options->verbose, &kc.context) != TRM_OK)
        return command_failed("the settings are wrong");
    failed = options->json ? compile_in_json(&kc) : compile_all(&kc, NULL);
    if (failed > 0 && options->file_count > 1) {
        fflush(stdout);
        fprintf(stderr, "trireme: %u of %u files failed\n", failed, options->file_count);
    }
    trm_device_destroy(kc.cpu);
    trm_context_destroy(kc.context);
    return failed > 0 ? COMMAND_FAILED : COMMAND_OK;
}

static int kc_main(int argc, char **argv)
{
    struct kc_options options = {0};
    int status                = kc_parse(argc, argv, &options);

    if (status == COMMAND_OK)
        status = run(&options);
    kc_options_fini(&options);
    return status;
}

const struct command kc_command = {
    .name    = "kc",
    .summary = "compile portable kernels: GLSL to SPIR-V, and SPIR-V to code for a backend",
    .help =
        "Usage: trireme kc [OPTION…] FILE.comp|FILE.spv…\n"
        "       trireme kc --emit=c|cuda [OPTION…] FILE.comp|FILE.spv…\n"
        "\n"
        "Compiles GLSL compute shaders to files of one stem, and prints each kernel's signature.\n"
        "\n"
        "  -o DIR            the folder for the output; default: the folder of the input\n"
        "      --target LIST comma-separated list of spv, cpu and cuda (default spv). FILE.spv is\n"
        "                    always written; cpu adds FILE.so; cuda adds FILE.fatbin and needs nvcc\n"
        "      --portable    make code that runs on every processor of this architecture\n"
        "      --emit=c|cuda print the translation instead; with -o, write it to DIR/FILE.c or DIR/FILE.cu\n"
        "\n"
        "  -D NAME[=VALUE]   define a macro\n"
        "  -I DIR            also search this folder for included files\n"
        "  -O, -O0           optimise the SPIR-V (the default), or not\n"
        "  -g, -g0           keep names and lines (the default), or not: then the parameters of a\n"
        "                    kernel have no names, and errors no line numbers\n"
        "      --constant NAME=VALUE\n"
        "                    specialise: writes FILE.NAME=VALUE.so and so on. May be repeated\n"
        "      --variants LIST\n"
        "                    make code for the default values and for each variant in the file\n"
        "                    LIST, whose lines are FILE NAME=VALUE …\n"
        "      --nvcc=FILE   CUDA's compiler, if it is not in PATH\n"
        "      --cuda-arch=LIST\n"
        "                    architectures that FILE.fatbin has code for, such as 80,90; native, all or\n"
        "                    all-major (the default). It also has PTX for later architectures\n"
        "\n"
        "      --json        one JSON object instead of signatures\n"
        "  -q, --quiet       no signatures\n"
        "  -v, --verbose     print the log of the library to stderr\n"
        "\n"
        "A failing file does not stop the others. Exits with 0 on success, 1 if a file failed, 2 if the\n"
        "command line is wrong.\n",
    .run = kc_main,
};
