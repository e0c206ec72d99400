/* The folders that are searched for plugins and kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_FOLDERS_H
#define CORE_PLUGIN_FOLDERS_H

#include <stdint.h>

struct core_context;

#define CORE_FOLDERS_MAX 32

/* Absolute real paths in the order of the search, without duplicates. */
struct core_folders {
    uint32_t count;
    char *paths[CORE_FOLDERS_MAX];
};

/* A kind of file to search for. */
struct core_folders_kind {
    const char *what;      /* for messages: "backends" */
    const char *setting;   /* lists the folders that come first */
    const char *below;     /* then the folder beside the library: "/trireme/backends" */
    const char *installed; /* then this folder, which configure chose */
    const char *extension; /* of the files: ".so" */
    uint32_t max_files;    /* of one folder */
};

extern const struct core_folders_kind core_folders_of_backends;
extern const struct core_folders_kind core_folders_of_kernels;

/* Ignores folders that do not exist. Errors: OUT_OF_HOST_MEMORY. */
int32_t core_folders_create(struct core_context *context, const struct core_folders_kind *kind,
                            struct core_folders *folders);
void core_folders_destroy(struct core_context *context, struct core_folders *folders);

/* Calls `found` for each file of the kind in a folder, sorted by name. Stops at a status other than TRM_OK
 * and returns it. */
typedef int32_t (*core_folder_entry_fn)(void *user, const char *folder, const char *name);
int32_t core_folder_list(struct core_context *context, const struct core_folders_kind *kind,
                         const char *folder, core_folder_entry_fn found, void *user);

#endif
