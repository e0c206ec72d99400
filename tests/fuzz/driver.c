/* Runs a fuzz target without libFuzzer: makes inputs from a corpus until the time is over.
 *
 *   NAME_fuzzer [-OPTION=NUMBER…] FOLDER… changes the files of these folders at random, for ever by default
 *   NAME_fuzzer FILE… runs these inputs once
 *
 * Options are libFuzzer's: -max_total_time=SECONDS, -runs=COUNT, -seed=NUMBER, -max_len=BYTES,
 * -timeout=SECONDS (of an input), -rss_limit_mb=MEBIBYTES, -dict=FILE, -artifact_prefix=PATH. The input of
 * the present call is always in the file PATHcurrent, so that it is there when the program ends by a signal.
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

#pragma weak LLVMFuzzerInitialize

struct options {
    uint64_t seconds, runs, seed, most, timeout, memory; /* 0: no limit of seconds, runs, timeout, memory */
    const char *prefix, *dictionary;
};

static struct mutator mutator;
static char current_path[4096];
static uint8_t *current; /* the file's bytes, `most` of them */
static int current_file = -1;

static void give_up(const char *what, const char *path)
{
    fprintf(stderr, "%s %s: %s\n", what, path, strerror(errno));
    exit(2);
}

/* ---- options -------------------------------------------------------------------------------- */

static bool take_number(const char *argument, const char *name, uint64_t *value)
{
    size_t length = strlen(name);

    if (strncmp(argument, name, length) != 0)
        return false;
    *value = strtoull(argument + length, NULL, 10);
    return true;
}

static void take_option(struct options *options, const char *argument)
{
    if (take_number(argument, "-max_total_time=", &options->seconds) ||
        take_number(argument, "-runs=", &options->runs) || take_number(argument, "-seed=", &options->seed) ||
        take_number(argument, "-max_len=", &options->most) ||
        take_number(argument, "-timeout=", &options->timeout) ||
        take_number(argument, "-rss_limit_mb=", &options->memory))
        return;
    if (strncmp(argument, "-artifact_prefix=", 17) == 0)
        options->prefix = argument + 17;
    else if (strncmp(argument, "-dict=", 6) == 0)
        options->dictionary = argument + 6;
    else {
        fprintf(stderr, "%s is no option; tests/fuzz/driver.c lists them\n", argument);
        exit(2);
    }
}

/* ---- one input ------------------------------------------------------------------------------ */

static void on_alarm(int signal)
{
    static const char text[] = "an input ran longer than -timeout allows\n";

    (void)signal;
    if (write(STDERR_FILENO, text, sizeof(text) - 1) >= 0)
        abort();
    abort();
}

/* In memory of exactly its size, so that sanitizers see a read behind its end. */
static void run_one(const struct options *options, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size != 0 ? size : 1);

    if (copy == NULL)
        give_up("cannot copy", "an input");
    memcpy(copy, bytes, size);
    alarm((unsigned)options->timeout);
    LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
}

static void open_current(const struct options *options)
{
    snprintf(current_path, sizeof(current_path), "%scurrent", options->prefix);
    current_file = open(current_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (current_file < 0)
        give_up("cannot create", current_path);
    current = mmap(NULL, options->most, PROT_READ | PROT_WRITE, MAP_SHARED, current_file, 0);
    if (current == MAP_FAILED)
        give_up("cannot map", current_path);
}

static void check_memory(const struct options *options)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    if (options->memory != 0 && (uint64_t)usage.ru_maxrss / 1024 > options->memory)
        fuzz_fail("the target uses %ld MiB, -rss_limit_mb allows %" PRIu64, usage.ru_maxrss / 1024,
                  options->memory);
}

/* ---- many inputs ---------------------------------------------------------------------------- */

/* In the order of their names, so that a seed means the same everywhere. */
static void add_folder(const char *folder)
{
    struct dirent **entries;
    char path[4096];
    struct stat info;
    int count = scandir(folder, &entries, NULL, alphasort);

    if (count < 0)
        give_up("cannot read", folder);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && !mutator_add_file(&mutator, path))
            give_up("cannot read", path);
    }
    free(entries);
}

static uint64_t now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void run_many(const struct options *options)
{
    uint64_t begin = now_ns(), end = begin + options->seconds * 1000000000u, runs = 0;
    uint8_t *bytes = malloc(options->most);

    if (bytes == NULL)
        give_up("cannot allocate", "an input");
    open_current(options);
    /* First the corpus as it is. */
    while ((options->runs == 0 || runs < options->runs) && (options->seconds == 0 || now_ns() < end)) {
        const struct mutator_piece *file = &mutator.corpus[runs];
        size_t size;
        if (runs >= mutator.corpus_count) {
            size = mutator_make(&mutator, bytes, options->most);
        } else {
            size = file->size < options->most ? file->size : options->most;
            memcpy(bytes, file->bytes, size);
        }
        if (ftruncate(current_file, (off_t)size) != 0)
            give_up("cannot write", current_path);
        memcpy(current, bytes, size);
        run_one(options, bytes, size);
        if (runs++ % 64 == 0)
            check_memory(options);
    }
    free(bytes);
    munmap(current, options->most);
    close(current_file);
    unlink(current_path);
    printf("Done %" PRIu64 " runs in %" PRIu64 " second(s), seed %" PRIu64 "\n", runs,
           (now_ns() - begin) / 1000000000u, options->seed);
}

static void run_file(const struct options *options, const char *path)
{
    if (!mutator_add_file(&mutator, path))
        give_up("cannot read", path);
    const struct mutator_piece *file = &mutator.corpus[mutator.corpus_count - 1];
    printf("%s: %zu bytes\n", path, file->size);
    run_one(options, file->bytes, file->size);
}

int main(int argc, char **argv)
{
    struct options options = {.seed = now_ns() % 1000000000u, .most = 4096, .prefix = "./"};
    bool has_files         = false;
    struct stat info;

    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            take_option(&options, argv[i]);
    signal(SIGALRM, on_alarm);
    mutator_init(&mutator, options.seed);
    if (options.dictionary != NULL && !mutator_add_dictionary(&mutator, options.dictionary))
        give_up("cannot read", options.dictionary);
    if (LLVMFuzzerInitialize != NULL)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        if (stat(argv[i], &info) != 0)
            give_up("cannot find", argv[i]);
        if (S_ISDIR(info.st_mode)) {
            add_folder(argv[i]);
        } else {
            run_file(&options, argv[i]);
            has_files = true;
        }
    }
    if (!has_files)
        run_many(&options);
    mutator_fini(&mutator);
    return 0;
}
