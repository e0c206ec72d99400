/* SPDX-License-Identifier: MIT */
#include "tests/differential/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trireme/trireme.h>
#include <unistd.h>

#include "tests/differential/compile_batch.h"

/* What the child sends for each shader, followed by so many bytes: the SPIR-V, or the message with its
 * zero. */
struct answer {
    uint64_t size;
    uint32_t status; /* enum compile_status */
    uint32_t reserved;
};

/* ---- the child ---- */

static int send_all(int pipe, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = write(pipe, at, size);
        if (sent <= 0)
            return 0;
        at += sent;
        size -= (size_t)sent;
    }
    return 1;
}

static int send_answer(int pipe, enum compile_status status, const void *bytes, uint64_t size)
{
    struct answer answer = {.size = size, .status = status};
    return send_all(pipe, &answer, sizeof(answer)) && send_all(pipe, bytes, size);
}

static int compile_one(struct trm_context *context, const struct compilation *compilation, int pipe)
{
    if (compilation->status == COMPILE_DONE) /* assembled, or compiled in a batch */
        return send_answer(pipe, COMPILE_DONE, compilation->words, compilation->size);
    char file[80];
    snprintf(file, sizeof(file), "%s.comp", compilation->name);
    struct trm_glsl_options options = {
        .struct_size = sizeof(options), .flags = compilation->flags, .file = file};
    struct trm_shader_desc desc = {
        .struct_size = sizeof(desc),
        .format      = TRM_MODULE_GLSL,
        .data        = compilation->text,
        .size        = strlen(compilation->text),
        .glsl        = &options,
    };
    struct trm_shader *shader = NULL;
    const void *bytes         = NULL;
    uint64_t size             = 0;
    int32_t status            = trm_shader_create(context, &desc, &shader);
    if (status == TRM_OK)
        status = trm_shader_bytes(shader, &bytes, &size);
    int sent;
    if (status == TRM_OK) {
        sent = send_answer(pipe, COMPILE_DONE, bytes, size);
    } else {
        const char *message     = trm_last_error().sentence;
        enum compile_status why = status == TRM_ERROR_UNSUPPORTED ? COMPILE_UNSUPPORTED
                                  : status == TRM_ERROR_BACKEND   ? COMPILE_CRASHED
                                                                  : COMPILE_REFUSED;
        sent                    = send_answer(pipe, why, message, strlen(message) + 1);
    }
    trm_shader_destroy(shader);
    return sent;
}

static int compile_here(const struct compilation *list, uint32_t count, int pipe)
{
    struct trm_context *context = NULL;
    if (trm_context_create(NULL, &context) != TRM_OK)
        return EXIT_FAILURE;
    uint32_t done = 0;
    while (done < count && compile_one(context, &list[done], pipe))
        done++;
    trm_context_destroy(context);
    return done == count ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- the parent ---- */

static int receive_all(int pipe, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t received = read(pipe, at, size);
        if (received <= 0)
            return 0;
        at += received;
        size -= (size_t)received;
    }
    return 1;
}

static int receive_answer(int pipe, struct compilation *compilation)
{
    struct answer answer;
    if (!receive_all(pipe, &answer, sizeof(answer)))
        return 0;
    void *bytes = malloc(answer.size + 1);
    if (!bytes || !receive_all(pipe, bytes, answer.size)) {
        free(bytes);
        return 0;
    }
    free(compilation->words);
    compilation->words = NULL;
    if (answer.status == COMPILE_DONE)
        compilation->words = bytes;
    else
        compilation->message = bytes;
    compilation->size   = answer.size;
    compilation->status = (enum compile_status)answer.status;
    return 1;
}

/* As many of them as one child lives for. Answers how many; UINT32_MAX when no child could be made. */
static uint32_t compile_some(struct compilation *list, uint32_t count)
{
    int pipes[2];
    if (pipe(pipes) != 0)
        return UINT32_MAX;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        _exit(compile_here(list, count, pipes[1]));
    }
    close(pipes[1]);
    uint32_t done = 0;
    while (child > 0 && done < count && receive_answer(pipes[0], &list[done]))
        done++;
    close(pipes[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return child > 0 ? done : UINT32_MAX;
}

int compile_all(struct compilation *list, uint32_t count)
{
    compile_in_batch(list, count);
    for (uint32_t at = 0; at < count;) {
        uint32_t done = compile_some(list + at, count - at);
        if (done == UINT32_MAX)
            return 0;
        at += done;
        if (at < count)
            list[at++].status = COMPILE_CRASHED;
    }
    return 1;
}

/* ---- files ---- */

static void make_path(char path[4096], const struct compilation *compilation, const char *folder)
{
    const char *how = compilation->flags & TRM_GLSL_UNOPTIMIZED ? "unoptimized" : "optimized";
    snprintf(path, 4096, "%s/%s.%s.spv", folder, compilation->name, how);
}

int save_all(const struct compilation *list, uint32_t count, const char *folder)
{
    int worked = 1;
    for (uint32_t i = 0; i < count; i++) {
        char path[4096];
        if (list[i].status != COMPILE_DONE)
            continue;
        make_path(path, &list[i], folder);
        FILE *file = fopen(path, "wb");
        worked &= file && fwrite(list[i].words, 1, list[i].size, file) == list[i].size;
        if (file)
            worked &= fclose(file) == 0;
    }
    return worked;
}

static int load(struct compilation *compilation, FILE *file)
{
    if (fseek(file, 0, SEEK_END) != 0)
        return 0;
    long size = ftell(file);
    rewind(file);
    compilation->words = size > 0 ? malloc((size_t)size) : NULL;
    compilation->size  = (uint64_t)size;
    return compilation->words && fread(compilation->words, 1, (size_t)size, file) == (size_t)size;
}

void load_all(struct compilation *list, uint32_t count, const char *folder)
{
    for (uint32_t i = 0; i < count; i++) {
        char path[4096];
        if (list[i].status == COMPILE_DONE)
            continue;
        make_path(path, &list[i], folder);
        FILE *file     = fopen(path, "rb");
        list[i].status = file && load(&list[i], file) ? COMPILE_DONE : COMPILE_UNSUPPORTED;
        if (list[i].status != COMPILE_DONE)
            list[i].message = strdup("its SPIR-V was not saved");
        if (file)
            fclose(file);
    }
}

void compilation_read(struct compilation *compilation, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    if (load(compilation, file))
        compilation->status = COMPILE_DONE;
    else
        compilation_fini(compilation);
    fclose(file);
}

int compilation_assembled(struct compilation *compilation, const char *path)
{
    char name[4096];
    snprintf(name, sizeof(name), "%.*s", (int)(strlen(path) - strlen("asm")), path);
    compilation_read(compilation, name);
    if (compilation->status == COMPILE_DONE)
        return 1;
    compilation->status  = COMPILE_REFUSED;
    compilation->message = strdup("the .spv beside it cannot be read");
    return 0;
}

/* ---- a cache ---- */

static void make_cached_path(char path[4096], const struct compilation *compilation, const char *folder)
{
    uint64_t hash = UINT64_C(14695981039346656037) ^ compilation->flags; /* FNV-1a */
    for (const char *at = compilation->text; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    snprintf(path, 4096, "%s/%s.%016llx.spv", folder, compilation->name, (unsigned long long)hash);
}

static int load_cached(struct compilation *compilation, const char *folder)
{
    char path[4096];
    if (compilation->status == COMPILE_DONE)
        return 1;
    make_cached_path(path, compilation, folder);
    compilation_read(compilation, path);
    return compilation->status == COMPILE_DONE;
}

/* Other tests may write and read the same file meanwhile. */
static void save_cached(const struct compilation *compilation, const char *folder)
{
    char path[4096], temporary[4200];
    if (compilation->status != COMPILE_DONE)
        return;
    make_cached_path(path, compilation, folder);
    snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
    FILE *file = fopen(temporary, "wb");
    if (!file)
        return;
    int worked = fwrite(compilation->words, 1, compilation->size, file) == compilation->size;
    worked &= fclose(file) == 0;
    if (!worked || rename(temporary, path) != 0)
        unlink(temporary);
}

int compile_all_cached(struct compilation *list, uint32_t count, const char *folder)
{
    struct compilation *missing = calloc(count + 1, sizeof(*missing));
    uint32_t *numbers           = calloc(count + 1, sizeof(*numbers));
    uint32_t missing_count      = 0;
    if (!missing || !numbers) {
        free(missing);
        free(numbers);
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!load_cached(&list[i], folder)) {
            numbers[missing_count]   = i;
            missing[missing_count++] = list[i];
        }
    int worked = compile_all(missing, missing_count);
    for (uint32_t i = 0; i < missing_count; i++) {
        list[numbers[i]] = missing[i];
        save_cached(&missing[i], folder);
    }
    free(numbers);
    free(missing);
    return worked;
}

void compilation_fini(struct compilation *compilation)
{
    free(compilation->words);
    free(compilation->message);
    compilation->words   = NULL;
    compilation->message = NULL;
}
