/* cpu backend: compiling C to a shared object.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/module/compile.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define WORDS_MOST 32
#define SENTENCE_LINES 3
#define SOURCE "kernel.c"
#define OBJECT "kernel.so"

/* ---- words */

/* Split a line at its blanks, in place. */
static int split(char *line, char *words[], int most)
{
    int count  = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word != NULL && count < most;
         word       = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    return count;
}

/* ---- its messages */

static void log_output(struct trm_backend_instance *instance, const char *output)
{
    const struct trm_host *host = instance->host;
    char line[1024];
    while (*output != '\0') {
        size_t length = strcspn(output, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)length, output);
        if (length != 0)
            host->log(host->context, TRM_LOG_ERROR, line);
        output += length + (output[length] == '\n');
    }
}

/* Write the first lines that contain an error to `words`. */
static void find_errors(const char *output, char *words, size_t capacity)
{
    size_t used = 0;
    words[0]    = '\0';
    for (int lines = 0; *output != '\0' && lines < SENTENCE_LINES && used + 1 < capacity;) {
        size_t length = strcspn(output, "\n");
        char line[400];
        snprintf(line, sizeof(line), "%.*s", (int)length, output);
        if (strstr(line, "error") != NULL) {
            used += (size_t)snprintf(words + used, capacity - used, "%s%s", lines == 0 ? "" : "; ", line);
            lines++;
        }
        output += length + (output[length] == '\n');
    }
    if (words[0] == '\0')
        snprintf(words, capacity, "it printed no error");
}

/* ---- running it */

static bool can_run_programs(const struct trm_host *host)
{
    return host->struct_size >= offsetof(struct trm_host, program_release) + sizeof(host->program_release);
}

static int32_t check_result(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                            const char *name, struct cpu_compiled *compiled)
{
    const struct trm_program_result *result = &compiled->result;
    struct stat facts;
    char words[320];
    int written = snprintf(compiled->path, sizeof(compiled->path), "%s/" OBJECT, result->folder);
    if (result->signal != 0) {
        snprintf(words, sizeof(words), "signal %d killed it", (int)result->signal);
    } else if (result->exit_status == 0) {
        if (written > 0 && (size_t)written < sizeof(compiled->path) && stat(compiled->path, &facts) == 0)
            return TRM_OK;
        snprintf(words, sizeof(words), "it wrote no file " OBJECT);
    } else {
        find_errors(result->messages, words, sizeof(words));
    }
    log_output(instance, result->messages);
    return trm_util_fail(instance->host, TRM_ERROR_BACKEND,
                         result->signal != 0 ? result->signal : result->exit_status,
                         "%.60s cannot compile kernel '%.40s': %s.", compiler->path, name, words);
}

int32_t cpu_compile(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                    const char *name, const char *text, uint64_t length, uint32_t flags,
                    struct cpu_compiled *compiled)
{
    const struct trm_host *host = instance->host;
    char line[512], what[128], *words[WORDS_MOST];
    struct trm_program_desc desc = {.struct_size = sizeof(desc),
                                    .arguments   = (const char *const *)words,
                                    .what        = what,
                                    .file        = SOURCE,
                                    .bytes       = text,
                                    .size        = length};
    *compiled                    = (struct cpu_compiled){.result = {.struct_size = sizeof(compiled->result)}};
    if (!can_run_programs(host))
        return trm_util_fail(host, TRM_ERROR_UNSUPPORTED, 0,
                             "Kernel '%.80s' has to be compiled, which needs a newer libtrireme.", name);
    snprintf(what, sizeof(what), "kernel '%.80s'", name);
    snprintf(line, sizeof(line), "%s", cpu_compile_flags(flags));
    words[0]       = (char *)compiler->path;
    int count      = 1 + split(line, words + 1, WORDS_MOST - 6);
    words[count++] = (char *)"-o";
    words[count++] = (char *)OBJECT;
    words[count++] = (char *)SOURCE;
    words[count++] = (char *)"-lm";
    words[count]   = NULL;
    int32_t status = host->program_run(host->context, &desc, &compiled->result);
    if (status != TRM_OK)
        return status;
    status = check_result(instance, compiler, name, compiled);
    if (status != TRM_OK)
        cpu_compiled_release(instance, compiled);
    return status;
}

void cpu_compiled_release(struct trm_backend_instance *instance, struct cpu_compiled *compiled)
{
    instance->host->program_release(instance->host->context, &compiled->result);
}
