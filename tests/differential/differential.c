/* Runs shaders on two runners and compares what they leave in memory.
 *
 *     differential [OPTION]... FILE.comp...      shaders, each unoptimized and optimized
 *     differential [OPTION]... FILE.spvasm...    assembled ones, from FILE.spv beside it
 *     differential [OPTION]... --generate COUNT  random shaders, one a seed
 *
 *     --on ONE,OTHER   vulkan, cpu, cuda or backend (runner.h); vulkan,cpu without it
 *     --seed NUMBER    of the data for files, and of the first random shader; 1 without it
 *     --seconds NUMBER with --generate: again and again, with the next seeds, until so much time has passed
 *     --keep FOLDER    where random shaders that differ are kept; the current folder without it
 *     --part I/N       of the files only those of part I, counted from 0, to compare parts in parallel
 *     --only HOW       of the files only the shaders that are "optimized", assembled ones too, or "unoptimized"
 *     --save FOLDER    write the SPIR-V of all of them there first, and
 *     --load FOLDER    take it from there: where GLSL cannot be compiled
 *     --cache FOLDER   where SPIR-V is kept for other tests and for the next run
 *     --verbose        a line for each before it runs, and for those that are the same, too
 *     --limit SECONDS  for one shader: the process then names the shader on stderr and ends with 1; 0, the
 *                      default, sets no limit. The process cannot go on: a driver that hangs is not reopened
 *
 * Ends with 0 when all are the same, 77 when nothing could be compared here, else 1.
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <trireme/shader.h>
#include <unistd.h>

#include "tests/differential/comparison.h"
#include "tests/differential/compile.h"
#include "tests/differential/generator.h"

#define EXIT_SKIPPED 77

struct options {
    char one[16], other[16];
    uint64_t seed, seconds, limit;
    uint32_t generate, part, parts;
    const char *keep, *save, *load, *cache;
    bool not_optimized, not_unoptimized; /* of the files these are left out */
    int verbose;
    char **files;
    uint32_t file_count;
};

/* Everything there is to compare. */
struct work {
    struct shader_case *shaders;
    uint32_t shader_count;
    struct compilation *compilations;
    uint32_t *shader_of; /* by compilation */
    char **twins;        /* by shader: the text of its twin; NULL: it has none */
    uint32_t *twin_of;   /* by shader: the twin's compilation */
    uint32_t compilation_count;
};

struct totals {
    uint32_t same, skipped, different;
};

static int usage(void)
{
    fprintf(
        stderr,
        "usage: differential [--on ONE,OTHER] [--seed NUMBER] [--keep FOLDER] [--part I/N] [--only HOW]\n"
        "                    [--limit SECONDS] [--save FOLDER | --load FOLDER | --cache FOLDER] [--verbose]\n"
        "                    FILE.comp... | --generate COUNT [--seconds NUMBER]\n");
    return EXIT_FAILURE;
}

static int parse_option(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--on") == 0)
        return sscanf(value, "%15[a-z],%15[a-z]", options->one, options->other) == 2;
    if (strcmp(name, "--part") == 0)
        return sscanf(value, "%u/%u", &options->part, &options->parts) == 2 && options->part < options->parts;
    if (strcmp(name, "--only") == 0) {
        options->not_optimized   = strcmp(value, "unoptimized") == 0;
        options->not_unoptimized = strcmp(value, "optimized") == 0;
        return options->not_optimized || options->not_unoptimized;
    }
    const char **folder = strcmp(name, "--keep") == 0    ? &options->keep
                          : strcmp(name, "--save") == 0  ? &options->save
                          : strcmp(name, "--load") == 0  ? &options->load
                          : strcmp(name, "--cache") == 0 ? &options->cache
                                                         : NULL;
    if (folder) {
        *folder = value;
        return 1;
    }
    char *end;
    uint64_t number = strtoull(value, &end, 0);
    if (strcmp(name, "--seed") == 0)
        options->seed = number;
    else if (strcmp(name, "--seconds") == 0)
        options->seconds = number;
    else if (strcmp(name, "--limit") == 0)
        options->limit = number;
    else if (strcmp(name, "--generate") == 0)
        options->generate = (uint32_t)number;
    else
        return 0;
    return end != value && *end == '\0';
}

/* Leaves the files of one part. */
static void take_part(struct options *options)
{
    uint32_t kept = 0;
    for (uint32_t i = options->part; i < options->file_count; i += options->parts)
        options->files[kept++] = options->files[i];
    options->file_count = kept;
}

/* 0 when the line cannot be understood. */
static int parse_options(struct options *options, char **words, int count)
{
    *options = (struct options){.one = "vulkan", .other = "cpu", .seed = 1, .parts = 1, .keep = "."};
    int i    = 1;
    while (i < count && strncmp(words[i], "--", 2) == 0) {
        if (strcmp(words[i], "--verbose") == 0) {
            options->verbose = 1;
            i += 1;
            continue;
        }
        if (i + 1 == count || !parse_option(options, words[i], words[i + 1]))
            return 0;
        i += 2;
    }
    options->files      = words + i;
    options->file_count = (uint32_t)(count - i);
    take_part(options);
    return options->file_count > 0 || options->generate > 0;
}

static void say_different(struct totals *totals, const char *name, const char *how, const char *what)
{
    totals->different++;
    printf("DIFFERENT %s%s: %s\n", name, how, what);
}

/* ---- gathering ---- */

static void add_compilation(struct work *work, uint32_t shader, uint32_t flags)
{
    work->shader_of[work->compilation_count]      = shader;
    work->compilations[work->compilation_count++] = (struct compilation){
        .name = work->shaders[shader].name, .text = work->shaders[shader].text, .flags = flags};
}

/* Adds the twin of a shader of this file: twins/NAME beside it. */
static int add_twin(struct work *work, uint32_t shader, const char *path)
{
    struct shader_case *with = &work->shaders[shader];
    const char *base         = strrchr(path, '/');
    char place[4096];
    size_t space = 0;
    if (with->twin[0] == '\0')
        return 1;
    snprintf(place, sizeof(place), "%.*stwins/%s", base ? (int)(base + 1 - path) : 0, path, with->twin);
    FILE *file     = fopen(place, "rb");
    ssize_t length = file ? getdelim(&work->twins[shader], &space, '\0', file) : -1;
    if (file)
        fclose(file);
    if (length <= 0)
        return 0;
    work->twin_of[shader]                    = work->compilation_count;
    work->shader_of[work->compilation_count] = shader;
    work->compilations[work->compilation_count++] =
        (struct compilation){.name = with->name, .text = work->twins[shader]};
    return 1;
}

static int is_assembly(const char *path)
{
    size_t length = strlen(path);
    return length > 7 && strcmp(path + length - 7, ".spvasm") == 0;
}

/* Files both ways; of the random ones every other is optimized: what is wrong there is mostly wrong in
 * both. */
static int gather(struct work *work, const struct options *options, struct totals *totals)
{
    uint32_t most      = options->file_count + options->generate;
    work->shaders      = calloc(most, sizeof(*work->shaders));
    work->compilations = calloc(3 * (size_t)most, sizeof(*work->compilations));
    work->shader_of    = calloc(3 * (size_t)most, sizeof(*work->shader_of));
    work->twins        = calloc(most, sizeof(*work->twins));
    work->twin_of      = calloc(most, sizeof(*work->twin_of));
    if (!work->shaders || !work->compilations || !work->shader_of || !work->twins || !work->twin_of)
        return 0;
    for (uint32_t i = 0; i < most; i++) {
        char reason[1280];
        uint64_t seed              = options->seed + i - options->file_count;
        struct shader_case *shader = &work->shaders[work->shader_count];
        int is_file                = i < options->file_count;
        int worked = is_file ? shader_case_read(shader, options->files[i], reason, sizeof(reason))
                             : generate_case(shader, seed, reason, sizeof(reason));
        if (!worked) {
            say_different(totals, is_file ? options->files[i] : "a random shader", "", reason);
            continue;
        }
        if (is_file && is_assembly(options->files[i]) && options->not_optimized) {
            shader_case_fini(shader);
            continue;
        }
        if (is_file && !add_twin(work, work->shader_count, options->files[i])) {
            say_different(totals, shader->name, "", "its twin cannot be read");
            shader_case_fini(shader);
            continue;
        }
        if (is_file && is_assembly(options->files[i])) {
            add_compilation(work, work->shader_count, 0);
            compilation_assembled(&work->compilations[work->compilation_count - 1], options->files[i]);
            work->shader_count++;
            continue;
        }
        if (is_file ? !options->not_unoptimized : seed % 2)
            add_compilation(work, work->shader_count, TRM_GLSL_UNOPTIMIZED);
        if (is_file ? !options->not_optimized : seed % 2 == 0)
            add_compilation(work, work->shader_count, 0);
        work->shader_count++;
    }
    return 1;
}

static int make_words(struct work *work, const struct options *options)
{
    if (options->load) {
        load_all(work->compilations, work->compilation_count, options->load);
        return 1;
    }
    if (options->cache)
        return compile_all_cached(work->compilations, work->compilation_count, options->cache);
    return compile_all(work->compilations, work->compilation_count) &&
           (!options->save || save_all(work->compilations, work->compilation_count, options->save));
}

static void let_go(struct work *work)
{
    for (uint32_t i = 0; i < work->compilation_count; i++)
        compilation_fini(&work->compilations[i]);
    for (uint32_t i = 0; i < work->shader_count; i++) {
        shader_case_fini(&work->shaders[i]);
        free(work->twins[i]);
    }
    free(work->twin_of);
    free(work->twins);
    free(work->shader_of);
    free(work->compilations);
    free(work->shaders);
}

/* ---- comparing ---- */

static void keep_shader(const struct options *options, const struct shader_case *shader)
{
    char path[4096];
    if (strncmp(shader->name, "generated-", 10) != 0)
        return;
    snprintf(path, sizeof(path), "%s/%s.comp", options->keep, shader->name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(shader->text, file) < 0)
        printf("          (it could not be kept as %s)\n", path);
    else
        printf("          kept as %s\n", path);
    if (file)
        fclose(file);
}

static enum comparison_result judge(struct comparison *comparison, const struct shader_case *shader,
                                    const struct compilation *compilation)
{
    switch (compilation->status) {
    case COMPILE_DONE:
        return compare_case(comparison, shader, compilation->words, compilation->size);
    case COMPILE_UNSUPPORTED:
    case COMPILE_REFUSED:
        snprintf(comparison->message, sizeof(comparison->message), "%s", compilation->message);
        return compilation->status == COMPILE_REFUSED ? COMPARISON_DIFFERENT : COMPARISON_SKIPPED;
    default:
        snprintf(comparison->message, sizeof(comparison->message), "the GLSL compiler crashed over it");
        return COMPARISON_SKIPPED;
    }
}

/* What the signal handler writes: it may call no function that formats. */
static char late_line[256];
static size_t late_length;

static void end_late(int signal)
{
    (void)signal;
    if (write(STDERR_FILENO, late_line, late_length) < 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

static void announce(const struct options *options, const char *name, const char *how)
{
    if (options->verbose) {
        printf("begins    %s%s\n", name, how);
        fflush(stdout);
    }
    alarm(0);
    late_length = (size_t)snprintf(late_line, sizeof(late_line), "LATE      %s%s: not done after %llu s\n",
                                   name, how, (unsigned long long)options->limit);
    if (options->limit > 0) {
        signal(SIGALRM, end_late);
        alarm((unsigned)options->limit);
    }
}

static void compare(struct comparison *comparison, const struct options *options, const struct work *work,
                    struct totals *totals)
{
    for (uint32_t i = 0; i < work->compilation_count; i++) {
        const struct shader_case *shader = &work->shaders[work->shader_of[i]];
        const struct compilation *twin   = &work->compilations[work->twin_of[work->shader_of[i]]];
        bool has_twin                    = shader->twin[0] != '\0';
        if (has_twin && twin == &work->compilations[i])
            continue;
        comparison->twin      = has_twin && twin->status == COMPILE_DONE ? twin->words : NULL;
        comparison->twin_size = twin->size;
        /* A random shader that was kept, and is a file now, finds the same data. */
        comparison->seed = work->shader_of[i] < options->file_count ? options->seed : 1;
        const char *how =
            work->compilations[i].flags & TRM_GLSL_UNOPTIMIZED ? " (unoptimized)" : " (optimized)";
        announce(options, shader->name, how);
        switch (judge(comparison, shader, &work->compilations[i])) {
        case COMPARISON_SAME:
            totals->same++;
            if (options->verbose)
                printf("same      %s%s\n", shader->name, how);
            break;
        case COMPARISON_SKIPPED:
            totals->skipped++;
            printf("skipped   %s%s: %s\n", shader->name, how, comparison->message);
            break;
        case COMPARISON_DIFFERENT:
            say_different(totals, shader->name, how, comparison->message);
            keep_shader(options, shader);
            break;
        }
        fflush(stdout);
    }
    alarm(0);
}

static int run(const struct options *options, const struct work *work, struct totals *totals)
{
    char reason[RUNNER_MESSAGE];
    struct comparison comparison = {0};
    comparison.one               = runner_open(options->one, reason, sizeof(reason));
    if (comparison.one)
        comparison.other = runner_open(options->other, reason, sizeof(reason));
    if (!comparison.other) {
        printf("skipped: %s\n", reason);
        runner_close(comparison.one);
        return EXIT_SKIPPED;
    }
    printf("%s is %s, %s is %s\n", options->one, comparison.one->device, options->other,
           comparison.other->device);
    compare(&comparison, options, work, totals);
    runner_close(comparison.other);
    runner_close(comparison.one);
    printf("%u the same, %u skipped, %u different\n", totals->same, totals->skipped, totals->different);
    return totals->same ? EXIT_SUCCESS : EXIT_SKIPPED;
}

static int compare_once(const struct options *options)
{
    struct work work     = {0};
    struct totals totals = {0};
    int result           = EXIT_FAILURE;
    /* Compiled before there are other threads. */
    if (gather(&work, options, &totals) && make_words(&work, options))
        result = run(options, &work, &totals);
    else
        fprintf(stderr, "differential: no memory, or no process, or a file that cannot be written\n");
    let_go(&work);
    return totals.different ? EXIT_FAILURE : result;
}

/* Each round is a process of its own: a round begins without threads, and the rounds go on after a crash. */
static int compare_in_process(const struct options *options)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(compare_once(options));
    if (child < 0 || waitpid(child, &status, 0) != child)
        return EXIT_FAILURE;
    if (WIFSIGNALED(status))
        printf("DIFFERENT a round of seeds from %llu ended by signal %d\n", (unsigned long long)options->seed,
               WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

static int compare_for_seconds(struct options *options)
{
    time_t end   = time(NULL) + (time_t)options->seconds;
    int result   = EXIT_SUCCESS;
    uint32_t sum = 0;
    do {
        int status = compare_in_process(options);
        if (status == EXIT_SKIPPED)
            return EXIT_SKIPPED;
        result = status == EXIT_SUCCESS ? result : EXIT_FAILURE;
        options->seed += options->generate;
        sum += options->generate;
    } while (time(NULL) < end);
    printf("Done %u random shaders, %s\n", sum, result == EXIT_SUCCESS ? "all the same" : "not all the same");
    return result;
}

int main(int count, char **words)
{
    struct options options;
    if (!parse_options(&options, words, count))
        return usage();
    return options.seconds != 0 && options.generate != 0 ? compare_for_seconds(&options)
                                                         : compare_once(&options);
}
