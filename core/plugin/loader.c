/* One plugin file, from its path to checked tables and an open instance. A refusal is a sentence in its
 * candidate.
 * SPDX-License-Identifier: MIT
 */
#include "core/plugin/loader.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "core/object/object.h"
#include "core/plugin/answer.h"
#include "core/plugin/elf_file.h"

#define MAX_DEVICES 1024
#define DEVICE_NAMES 256
#define MAX_SCORE 1000

/* Makes text of a plugin fit for one line: no control characters, and no spaces or full stop at the end. */
static void clean(char *text)
{
    size_t length = strlen(text);
    for (char *letter = text; *letter != '\0'; letter++) {
        if ((unsigned char)*letter < ' ' || *letter == 0x7f)
            *letter = ' ';
    }
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '.'))
        text[--length] = '\0';
}

void core_loader_copy_text(char *to, size_t capacity, const char *text)
{
    base_text_copy(to, capacity, text);
    clean(to);
}

void core_loader_set_reason(struct core_candidate *candidate, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    clean(text);
    base_text_copy(candidate->reason, sizeof(candidate->reason), text);
    candidate->accepted = false;
}

/* The sentence for a failure of a backend's function: its own, else the meaning of the status. */
static const char *explain(struct core_candidate *candidate, int32_t status)
{
    base_fail_backend(status);
    candidate->is_out_of_memory = status == TRM_ERROR_OUT_OF_HOST_MEMORY;
    return trm_last_error().sentence;
}

/* ---- the file ---- */

/* Drops the path at the start of the dynamic linker's message, since the report has it already. */
static bool refuse_linker(struct core_candidate *candidate)
{
    const char *text    = dlerror();
    const size_t length = strlen(candidate->path);
    if (text == NULL)
        return core_loader_refuse(candidate, "the dynamic linker refused it and gave no reason");
    if (strncmp(text, candidate->path, length) == 0 && strncmp(text + length, ": ", 2) == 0)
        text += length + 2;
    return core_loader_refuse(candidate, "the dynamic linker refused it: %s", text);
}

static bool check_file(struct core_candidate *candidate)
{
    if (candidate->path[0] != '/')
        return core_loader_refuse(candidate, "the path is not absolute; only absolute paths may name code");
    int32_t status = base_file_permissions_check(candidate->path);
    if (status == TRM_ERROR_PERMISSION)
        return core_loader_refuse(candidate, "not trusted: %s", trm_last_error().sentence);
    if (status != TRM_OK)
        return core_loader_refuse(candidate, "%s", trm_last_error().sentence);
    candidate->stage = TRM_CANDIDATE_FILE;
    if (core_elf_check(candidate->path) != TRM_OK)
        return core_loader_refuse(candidate, "%s", trm_last_error().sentence);
    return true;
}

/* The library has no query function of our major version. */
static bool refuse_symbol(struct core_candidate *candidate, void *library)
{
    char symbol[40];
    for (int major = 0; major < 10; major++) {
        snprintf(symbol, sizeof(symbol), "trm_backend_query_v%d", major);
        if (dlsym(library, symbol) != NULL)
            return core_loader_refuse(candidate,
                                      "it was written for version %d of the plugin ABI, and this library has "
                                      "version %d",
                                      major, TRM_BACKEND_ABI_MAJOR);
    }
    return core_loader_refuse(candidate, "it is not a backend: it has no function %s",
                              TRM_BACKEND_QUERY_SYMBOL);
}

/* Code that has run stays mapped (RTLD_NODELETE), since a thread or a destructor of the plugin may still
 * need it. So the handle is closed at once. */
static bool load(struct core_candidate *candidate, trm_backend_query_fn *query)
{
    if (base_program_is_static())
        return core_loader_refuse(
            candidate, "this program is linked with -static, and a backend cannot share the C library "
                       "of such a program; link the program without -static (libtrireme.a may stay)");
    void *library = dlopen(candidate->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL)
        return refuse_linker(candidate);
    candidate->stage = TRM_CANDIDATE_LOADED;
    void *symbol     = dlsym(library, TRM_BACKEND_QUERY_SYMBOL);
    if (symbol == NULL)
        refuse_symbol(candidate, library);
    dlclose(library);
    memcpy(query, &symbol, sizeof(symbol));
    return symbol != NULL;
}

bool core_loader_open_file(struct core_context *context, struct core_candidate *candidate)
{
    trm_backend_query_fn query = NULL;
    if (!check_file(candidate) || !load(candidate, &query))
        return false;
    candidate->stage = TRM_CANDIDATE_SYMBOL;

    const struct trm_backend *plugin = query(&context->host, 0, TRM_BACKEND_ABI_MINOR);
    if (plugin == NULL)
        return core_loader_refuse(candidate, "it needs a later minor version of the plugin ABI than %d.%d",
                                  TRM_BACKEND_ABI_MAJOR, TRM_BACKEND_ABI_MINOR);
    if (!core_loader_copy_tables(candidate, plugin))
        return false;
    candidate->backend.context = context;
    candidate->stage           = TRM_CANDIDATE_TABLES;
    return true;
}

/* ---- the driver ---- */

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool core_loader_probe(struct core_context *context, struct core_candidate *candidate)
{
    char reason[256] = {0};
    int32_t score    = 0;
    uint64_t begin   = milliseconds();
    core_log(context, TRM_LOG_INFO, "%s: probing %s", candidate->name, candidate->path);
    base_error_clear();
    int32_t status =
        core_answer(&candidate->backend, "probe",
                    candidate->backend.table.probe(&context->host, &score, reason, sizeof(reason)));
    core_log(context, TRM_LOG_INFO, "%s: probed in %llu ms", candidate->name,
             (unsigned long long)(milliseconds() - begin));

    reason[sizeof(reason) - 1] = '\0';
    if (status != TRM_OK) {
        const char *sentence = explain(candidate, status);
        return core_loader_refuse(candidate, "%s", reason[0] ? reason : sentence);
    }
    if (score < 1 || score > MAX_SCORE)
        return core_loader_refuse(candidate, "its score is %d, which is not between 1 and %d", score,
                                  MAX_SCORE);
    candidate->score         = score;
    candidate->backend.score = score;
    candidate->stage         = TRM_CANDIDATE_PROBED;
    return true;
}

/* "two:0" or "two:0 to two:3" */
static const char *device_names(const char *backend, uint32_t count, char names[DEVICE_NAMES])
{
    int length = snprintf(names, DEVICE_NAMES, "%.100s:0", backend);
    if (count > 1)
        snprintf(names + length, DEVICE_NAMES - (size_t)length, " to %.100s:%u", backend, count - 1);
    return names;
}

/* Requires an open instance. */
static bool count_devices(struct core_candidate *candidate)
{
    struct core_backend *backend = &candidate->backend;
    uint32_t count               = 0;
    char names[DEVICE_NAMES];
    base_error_clear();
    int32_t status = core_answer(backend, "device.count", backend->device.count(backend->instance, &count));
    if (status != TRM_OK)
        return core_loader_refuse(candidate, "it cannot count its devices: %s", explain(candidate, status));
    if (count == 0)
        return core_loader_refuse(candidate, "it has no devices");
    if (count > MAX_DEVICES)
        return core_loader_refuse(candidate, "it reports %u devices; the most are %d", count, MAX_DEVICES);
    if (backend->preferred >= count)
        return core_loader_refuse(candidate, "there is no device %s:%u: the backend %s has %u, %s",
                                  candidate->name, backend->preferred, candidate->name, count,
                                  device_names(candidate->name, count, names));
    backend->device_count = count;
    return true;
}

bool core_loader_start(struct core_context *context, struct core_candidate *candidate)
{
    struct core_backend *backend = &candidate->backend;
    base_error_clear();
    int32_t status = core_answer(backend, "open", backend->table.open(&context->host, &backend->instance));
    if (status != TRM_OK)
        return core_loader_refuse(candidate, "it could not be opened: %s", explain(candidate, status));
    if (!count_devices(candidate)) {
        core_loader_stop(candidate);
        return false;
    }
    candidate->stage    = TRM_CANDIDATE_OPENED;
    candidate->accepted = true;
    return true;
}

void core_loader_stop(struct core_candidate *candidate)
{
    struct core_backend *backend = &candidate->backend;
    backend->table.close(backend->instance);
    backend->instance   = NULL;
    candidate->accepted = false;
}
