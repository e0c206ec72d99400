/* One plugin file, from its path to checked tables and an open instance.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_LOADER_H
#define CORE_PLUGIN_LOADER_H

#include "base/base.h"
#include "core/plugin/registry.h"

/* What came of a file: how far it got, and why no further. */
struct core_candidate {
    struct core_backend backend; /* valid as far as `stage` says */
    char file_name[48];          /* the file's, without its ending; cut where it is longer */
    char name[48];               /* the same, until the table tells the plugin's own */
    char *path;                  /* "" when it was not found anywhere */
    const char *version;
    int32_t stage; /* enum trm_candidate_stage */
    int32_t accepted;
    int32_t score;
    int32_t starved;  /* 1: it had no memory to work with, which says nothing about it */
    char reason[512]; /* why not; "" while nothing is wrong */
};

/* The steps, each to be called when the one before answered 1. They answer 0 when the candidate is
 * refused, and have then said why; `starved` tells that there was no host memory. */

/* Trusts the file, loads it, and takes over its tables. */
int32_t core_loader_open_file(struct core_context *context, struct core_candidate *candidate);

/* Asks it whether it can work here. May take as long as its driver does. */
int32_t core_loader_probe(struct core_context *context, struct core_candidate *candidate);

/* Makes its instance and counts its devices. */
int32_t core_loader_start(struct core_context *context, struct core_candidate *candidate);

/* Ends the instance of a candidate that was started. */
void core_loader_stop(struct core_candidate *candidate);

/* Says why a candidate is refused; answers 0. A macro for the same reason as base_fail(). */
#define core_loader_refuse(candidate, ...) (core_loader_say((candidate), __VA_ARGS__), base_error_pass(0))

void core_loader_say(struct core_candidate *candidate, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Copies the tables that a plugin answered its query with into candidate->backend, after checking
 * them (tables.c). */
int32_t core_loader_take_tables(struct core_candidate *candidate, const struct trm_backend *plugin);

#endif
