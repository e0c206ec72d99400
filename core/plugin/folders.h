/* Where plugins and kernels are looked for.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_FOLDERS_H
#define CORE_PLUGIN_FOLDERS_H

#include <stdint.h>

struct core_context;

#define CORE_FOLDERS_MOST 32

/* Absolute, in the order of the search, each once. */
struct core_folders {
    uint32_t count;
    char *paths[CORE_FOLDERS_MOST];
};

/* What is looked for. */
struct core_folders_kind {
    const char *what;      /* for sentences: "backends" */
    const char *setting;   /* the folders that come first */
    const char *below;     /* then the one beside the library: "/trireme/backends" */
    const char *installed; /* then this one, which the library was installed for */
    const char *extension; /* of the files: ".so" */
    uint32_t most;         /* files that are taken of one folder */
};

extern const struct core_folders_kind core_folders_of_backends;
extern const struct core_folders_kind core_folders_of_kernels;

/* Folders that are not there are left out. Errors: OUT_OF_HOST_MEMORY. */
int32_t core_folders_create(struct core_context *context, const struct core_folders_kind *kind,
                            struct core_folders *folders);
void core_folders_destroy(struct core_context *context, struct core_folders *folders);

/* Calls `found` for each file with the extension in a folder, sorted by name. A status other than TRM_OK
 * ends it. */
typedef int32_t (*core_folder_entry_fn)(void *user, const char *folder, const char *name);
int32_t core_folder_list(struct core_context *context, const struct core_folders_kind *kind,
                         const char *folder, core_folder_entry_fn found, void *user);

#endif
