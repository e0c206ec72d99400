/* SPDX-License-Identifier: MIT */
#include "tests/differential/nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_SKIPPED 77
#define INVALID_OPTION 5 /* NVRTC_ERROR_INVALID_OPTION */

struct nvrtc {
    int (*create)(void **program, const char *text, const char *name, int headers, const char *const *sources,
                  const char *const *names);
    int (*compile)(void *program, int count, const char *const *options);
    int (*destroy)(void **program);
    int (*get_log_size)(void *program, size_t *size);
    int (*get_log)(void *program, char *log);
};

static void *open_library(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so"};
    void *library                    = NULL;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static int find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static int find_all(void *library, struct nvrtc *nvrtc)
{
    return find(library, "nvrtcCreateProgram", &nvrtc->create) &&
           find(library, "nvrtcCompileProgram", &nvrtc->compile) &&
           find(library, "nvrtcDestroyProgram", &nvrtc->destroy) &&
           find(library, "nvrtcGetProgramLogSize", &nvrtc->get_log_size) &&
           find(library, "nvrtcGetProgramLog", &nvrtc->get_log);
}

static void print_log(const struct nvrtc *nvrtc, void *program)
{
    size_t size = 0;
    char *log   = NULL;

    if (nvrtc->get_log_size(program, &size) == 0 && size > 1)
        log = calloc(1, size + 1);
    if (log && nvrtc->get_log(program, log) == 0)
        printf("%.20000s\n", log);
    free(log);
}

/* Only the front end, which says all that is wrong with a text, where the library can do that. */
static int compile_program(const struct nvrtc *nvrtc, void *program)
{
    static const char *const options[] = {"--gpu-architecture=compute_90", "--fdevice-syntax-only"};
    static const char *const older[]   = {"--gpu-architecture=compute_90", "--device-debug"};

    int result = nvrtc->compile(program, 2, options);
    return result == INVALID_OPTION ? nvrtc->compile(program, 2, older) : result;
}

static int compile(const struct nvrtc *nvrtc, const char *path)
{
    char *text    = NULL;
    size_t space  = 0;
    void *program = NULL;
    FILE *file    = fopen(path, "r");

    ssize_t length = file ? getdelim(&text, &space, '\0', file) : -1;
    if (file)
        fclose(file);
    int worked = length > 0 && nvrtc->create(&program, text, path, 0, NULL, NULL) == 0;
    if (worked) {
        worked = compile_program(nvrtc, program) == 0;
        print_log(nvrtc, program);
        nvrtc->destroy(&program);
    }
    if (!worked)
        printf("FAILED %s\n", path);
    free(text);
    return worked;
}

int nvrtc_compile_files(char **files, int count)
{
    struct nvrtc nvrtc;
    void *library = open_library();
    int worked    = 1;

    if (!library || !find_all(library, &nvrtc)) {
        printf("NVRTC was not found: CUDA C is not compiled\n");
        return EXIT_SKIPPED;
    }
    for (int i = 0; i < count; i++)
        worked &= compile(&nvrtc, files[i]);
    printf("%d files of CUDA C compiled\n", count);
    return worked ? EXIT_SUCCESS : EXIT_FAILURE;
}
