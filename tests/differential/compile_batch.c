/* Many texts through one process of glslc: it spends most of its time in starting.
 * SPDX-License-Identifier: MIT
 */
#include "tests/differential/compile_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>
#include <unistd.h>

/* So few are compiled one by one. */
#define FEWEST 8

/* The options of the library's own (compiler/glsl/glsl_program.c). The compiler goes on behind a text that it
 * refuses. */
static const char command[] = "cd '%s' && { for how in 0 ''; do set -- *.O$how.comp; test ! -f \"$1\" || "
                              "glslc -c -g -O$how -fshader-stage=compute --target-env=vulkan1.1 "
                              "--target-spv=spv1.3 \"$@\"; done; } >log 2>&1";

/* Several may have one name. */
static void make_name(char name[4096], const char *folder, uint32_t index,
                      const struct compilation *compilation, const char *end)
{
    snprintf(name, 4096, "%s/%s.%u.O%s.comp%s", folder, compilation->name, index,
             compilation->flags & TRM_GLSL_UNOPTIMIZED ? "0" : "", end);
}

static int write_texts(const struct compilation *list, uint32_t count, const char *folder)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[4096];
        if (list[i].status != COMPILE_PENDING)
            continue;
        make_name(name, folder, i, &list[i], "");
        FILE *file = fopen(name, "w");
        if (!file)
            return 0;
        int worked = fputs(list[i].text, file) >= 0;
        worked &= fclose(file) == 0;
        if (!worked)
            return 0;
    }
    return 1;
}

static void read_results(struct compilation *list, uint32_t count, const char *folder)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[4096];
        make_name(name, folder, i, &list[i], ".spv");
        if (list[i].status == COMPILE_PENDING)
            compilation_read(&list[i], name);
    }
}

void compile_in_batch(struct compilation *list, uint32_t count)
{
    char folder[] = "/tmp/trireme-batch-XXXXXX", text[1024];
    if (count < FEWEST || !mkdtemp(folder))
        return;
    if (write_texts(list, count, folder)) {
        snprintf(text, sizeof(text), command, folder);
        if (system(text) != -1)
            read_results(list, count, folder);
    }
    snprintf(text, sizeof(text), "rm -rf '%s'", folder);
    if (system(text) != 0)
        fprintf(stderr, "%s is left\n", folder);
}
