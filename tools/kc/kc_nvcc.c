/* Trireme: CUDA's compiler, run by the library under its limits.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kc/kc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the folder that the compiler runs in. */
#define SOURCE "kernel.cu"
#define OUTPUT "kernel.fatbin"

/* ---- architectures ---- */

enum {
    MOST_ARCHITECTURES = 32,
    ARCHITECTURE_TEXT  = 64
};

/* The architecture options of nvcc. */
struct architectures {
    char text[MOST_ARCHITECTURES + 1][ARCHITECTURE_TEXT];
    uint32_t count;
};

static bool is_word(const char *list)
{
    return strcmp(list, "all-major") == 0 || strcmp(list, "all") == 0 || strcmp(list, "native") == 0;
}

/* The number of the next entry of a list, such as 90 of "90", "sm_90" or "90a", with the `length` of the
 * entry. 0: it has no number. */
static unsigned long next_number(const char *list, const char **begin, size_t *length)
{
    char *end;

    *begin               = strncmp(list, "sm_", 3) == 0 ? list + 3 : list;
    *length              = strcspn(*begin, ",");
    unsigned long number = **begin >= '1' && **begin <= '9' ? strtoul(*begin, &end, 10) : 0;
    if (number < 10 || number > 9999)
        return 0;
    if (end < *begin + *length && *end >= 'a' && *end <= 'z')
        end++; /* code for this architecture alone */
    return end == *begin + *length ? number : 0;
}

bool kc_cuda_arch_is_valid(const char *list)
{
    const char *begin;
    size_t length;

    if (is_word(list))
        return true;
    for (uint32_t i = 0; i < MOST_ARCHITECTURES; i++) {
        if (next_number(list, &begin, &length) == 0)
            return false;
        if (begin[length] == '\0')
            return true;
        list = begin + length + 1;
    }
    return false;
}

/* Code for each architecture, and PTX of the newest. */
static void list_architectures(const char *list, struct architectures *architectures)
{
    unsigned long latest = 0;
    const char *begin;
    size_t length;

    architectures->count = 0;
    if (is_word(list)) {
        snprintf(architectures->text[architectures->count++], ARCHITECTURE_TEXT, "-arch=%s", list);
        return;
    }
    do {
        unsigned long number = next_number(list, &begin, &length);
        latest               = number > latest ? number : latest;
        snprintf(architectures->text[architectures->count++], ARCHITECTURE_TEXT,
                 "-gencode=arch=compute_%.*s,code=sm_%.*s", (int)length, begin, (int)length, begin);
        list = begin + length + 1;
    } while (begin[length] != '\0');
    snprintf(architectures->text[architectures->count++], ARCHITECTURE_TEXT,
             "-gencode=arch=compute_%lu,code=compute_%lu", latest, latest);
}

/* ---- the compiler ---- */

static bool is_program(const char *path)
{
    struct stat facts;

    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* Find a program as a shell does, and make its path absolute: it runs in another folder. */
static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *folders   = getenv("PATH");
    char folder[PATH_MAX] = "";

    if (strchr(name, '/')) {
        bool is_known = name[0] == '/' || getcwd(folder, sizeof(folder)) != NULL;
        return is_known && snprintf(path, PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", name) < PATH_MAX &&
               is_program(path);
    }
    for (const char *at = folders ? folders : "/usr/bin:/bin"; *at; at += *at == ':') {
        size_t length = strcspn(at, ":");

        if (*at == '/' && snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, name) < PATH_MAX &&
            is_program(path))
            return true;
        at += length;
    }
    return false;
}

static bool run_compiler(const struct kc *kc, struct kc_job *job, const char *compiler, const char *text,
                         uint64_t length, struct trm_program_result *result)
{
    const char *arguments[MOST_ARCHITECTURES + 8] = {compiler, "-fatbin", "-o", OUTPUT, SOURCE};
    struct architectures architectures;
    char what[PATH_MAX];
    struct trm_program_desc desc = {.struct_size = sizeof(desc),
                                    .arguments   = arguments,
                                    .what        = what,
                                    .file        = SOURCE,
                                    .bytes       = text,
                                    .size        = length};

    snprintf(what, sizeof(what), "kernel '%s'", job->stem);
    list_architectures(kc->options->cuda_arch, &architectures);
    for (uint32_t i = 0; i < architectures.count; i++)
        arguments[5 + i] = architectures.text[i];
    if (trm_program_run(kc->context, &desc, result) == TRM_OK)
        return true;
    kc_fail_library(job);
    return false;
}

/* Copy what the compiler wrote, and append the last line of the text, which names the origin of the code. */
static bool write_code(struct kc_job *job, const char *folder, const char *text, uint64_t length,
                       struct kc_file *file)
{
    const char *line = length > 1 ? memrchr(text, '\n', length - 1) : NULL;
    char path[PATH_MAX], part[1 << 16];
    bool well   = snprintf(path, sizeof(path), "%s/" OUTPUT, folder) < PATH_MAX;
    FILE *made  = well ? fopen(path, "re") : NULL;
    size_t some = 1;

    if (!made) {
        kc_fail(job, "%s: the compiler wrote no code", file->path);
        return false;
    }
    while (well && some > 0) {
        some = fread(part, 1, sizeof(part), made);
        well = kc_file_write(job, file, part, some);
    }
    if (ferror(made)) {
        kc_fail(job, "%s: %s", path, strerror(errno));
        well = false;
    }
    fclose(made);
    return well && (!line || kc_file_write(job, file, line, length - (uint64_t)(line - text)));
}

/* Take the code of a compiler that has ended. */
static bool take_code(struct kc_job *job, const char *compiler, const struct trm_program_result *result,
                      const char *text, uint64_t length, const char *path)
{
    struct kc_file file;

    fputs(result->messages, stderr);
    if (result->signal != 0 || result->exit_status != 0) {
        kc_fail(job, "%s failed; --emit=cuda shows its input", compiler);
        return false;
    }
    if (!kc_file_begin(job, path, &file))
        return false;
    if (write_code(job, result->folder, text, length, &file))
        return kc_file_commit(job, &file);
    kc_file_discard(&file);
    return false;
}

bool kc_nvcc(const struct kc *kc, struct kc_job *job, const char *text, uint64_t length, const char *path)
{
    struct trm_program_result result = {.struct_size = sizeof(result)};
    char compiler[PATH_MAX];
    bool well;

    if (!find_program(kc->options->nvcc, compiler)) {
        kc_fail(job,
                "%s was not found: install CUDA's toolkit, or name its compiler with --nvcc=FILE; "
                "--emit=cuda shows the text without it",
                kc->options->nvcc);
        return false;
    }
    well = run_compiler(kc, job, compiler, text, length, &result) &&
           take_code(job, compiler, &result, text, length, path);
    trm_program_release(&result);
    return well;
}
