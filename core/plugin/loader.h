/* One plugin file, from its path to checked tables and an open instance.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_LOADER_H
#define CORE_PLUGIN_LOADER_H

#include <stdbool.h>

#include "base/base.h"
#include "core/plugin/registry.h"

/* How far the loader got with a file, and why not further. */
struct core_candidate {
    struct core_backend backend; /* `stage` says which parts are valid */
    char file_name[48];          /* without folder and ending; cut where it is longer */
    char name[48];               /* the plugin's own name once its table is read; before that, file_name */
    char *path;                  /* "" when no folder has the file */
    char version[64];
    int32_t stage; /* enum trm_candidate_stage */
    bool accepted;
    int32_t score;
    /* Host memory ran out, so the refusal says nothing about the plugin. */
    bool is_out_of_memory;
    char reason[512]; /* why it is refused; "" while it is not */
};

/* The steps of loading, in order. Each returns false when it refuses the candidate, with `reason` set. */

/* Checks the file's permissions, loads it, and copies its tables. */
bool core_loader_open_file(struct core_context *context, struct core_candidate *candidate);

/* Asks the plugin whether it can work here. Takes as long as its driver takes. */
bool core_loader_probe(struct core_context *context, struct core_candidate *candidate);

/* Opens its instance and counts its devices. */
bool core_loader_start(struct core_context *context, struct core_candidate *candidate);

/* Closes the instance of a candidate that was started. */
void core_loader_stop(struct core_candidate *candidate);

/* Refuses a candidate with a reason; false. A macro so that compilers see the result, as with base_fail(). */
#define core_loader_refuse(candidate, ...) \
    (core_loader_set_reason((candidate), __VA_ARGS__), core_loader_refused())

static inline bool core_loader_refused(void)
{
    return false;
}

void core_loader_set_reason(struct core_candidate *candidate, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Copies text of a plugin, which may lack its end, and makes it fit for one line. */
void core_loader_copy_text(char *to, size_t capacity, const char *text);

/* Checks the tables that the plugin's query returned and copies them to candidate->backend (tables.c). */
bool core_loader_copy_tables(struct core_candidate *candidate, const struct trm_backend *plugin);

#endif
