/* Trireme: the files that a run reads and writes.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/file/claims.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output/output.h"
#include "tools/run/file/sequence.h"

enum {
    FIRST_CAPACITY = 64
};

static const char *const use_names[CLAIM_USES] = {
    [CLAIM_INPUT] = "the input",   [CLAIM_KERNEL] = "a kernel",
    [CLAIM_OUTPUT] = "the output", [CLAIM_REPORT] = "the report (--report-file)",
    [CLAIM_TRACE] = "the trace",   [CLAIM_TIMELINE] = "the timeline",
    [CLAIM_LOG] = "the log",
};

void claims_init(struct claims *claims)
{
    memset(claims, 0, sizeof(*claims));
    pthread_mutex_init(&claims->lock, NULL);
}

void claims_fini(struct claims *claims)
{
    for (size_t i = 0; i < claims->capacity; i++)
        free(claims->table[i].name);
    free(claims->table);
    pthread_mutex_destroy(&claims->lock);
}

/* Other files have no contents that could be lost, or may be shared. */
static bool is_compared(const struct stat *file)
{
    return S_ISREG(file->st_mode) || S_ISFIFO(file->st_mode) || S_ISBLK(file->st_mode) ||
           S_ISDIR(file->st_mode);
}

/* The place of a file in the table, or the free place where it belongs. The table is never full. */
static struct claim *find(struct claim *table, size_t capacity, dev_t device, ino_t inode)
{
    size_t at = (size_t)(((uint64_t)inode ^ ((uint64_t)device << 32)) * UINT64_C(0x9e3779b97f4a7c15) >> 20);

    for (;; at++) {
        struct claim *claim = &table[at & (capacity - 1)];

        if (!claim->name || (claim->device == device && claim->inode == inode))
            return claim;
    }
}

static void grow(struct claims *claims)
{
    size_t capacity     = claims->capacity ? 2 * claims->capacity : FIRST_CAPACITY;
    struct claim *table = output_allocate(capacity, sizeof(*table));

    for (size_t i = 0; i < claims->capacity; i++) {
        const struct claim *claim = &claims->table[i];

        if (claim->name)
            *find(table, capacity, claim->device, claim->inode) = *claim;
    }
    free(claims->table);
    claims->table    = table;
    claims->capacity = capacity;
}

/* With the lock. NULL: no use of the file is known. */
static const struct claim *look_up(const struct claims *claims, const struct stat *file)
{
    const struct claim *claim;

    if (claims->count == 0 || !is_compared(file))
        return NULL;
    claim = find(claims->table, claims->capacity, file->st_dev, file->st_ino);
    return claim->name ? claim : NULL;
}

/* With the lock. The first use of a file counts. */
static void add(struct claims *claims, const struct stat *file, int use, const char *name)
{
    struct claim *claim;

    if (!is_compared(file))
        return;
    if (2 * claims->count >= claims->capacity)
        grow(claims);
    claim = find(claims->table, claims->capacity, file->st_dev, file->st_ino);
    if (claim->name)
        return;
    *claim = (struct claim){file->st_dev, file->st_ino, use, output_copy(name)};
    claims->count++;
}

void claims_read(struct claims *claims, const struct stat *file, int use, const char *name)
{
    pthread_mutex_lock(&claims->lock);
    add(claims, file, use, name);
    pthread_mutex_unlock(&claims->lock);
}

static bool refuse(const struct claim *claim, int use, const char *name, struct fault *fault)
{
    const char *to = use == CLAIM_OUTPUT ? "write the output elsewhere"
                                         : "give the output and each report a file of its own";

    if (strcmp(claim->name, name) == 0)
        return fault_set(fault, "%s: is %s too, which %s would destroy; %s", name, use_names[claim->use],
                         use_names[use], to);
    return fault_set(fault, "%s: is %s too (the same file as %s), which %s would destroy; %s", name,
                     use_names[claim->use], claim->name, use_names[use], to);
}

bool claims_write(struct claims *claims, const struct stat *file, int use, const char *name,
                  struct fault *fault)
{
    const struct claim *claim;
    bool well = true;

    pthread_mutex_lock(&claims->lock);
    claim = look_up(claims, file);
    if (!claim)
        add(claims, file, use, name);
    else if (claim->use != use || strcmp(claim->name, name) != 0)
        well = refuse(claim, use, name, fault);
    pthread_mutex_unlock(&claims->lock);
    return well;
}

/* The folder that a path lies in. False: there is none. */
static bool stat_folder_of(const char *path, struct stat *folder)
{
    char *copy  = output_copy(path);
    char *slash = strrchr(copy, '/');
    bool there;

    if (slash)
        slash[slash == copy] = '\0';
    there = stat(slash ? copy : ".", folder) == 0;
    free(copy);
    return there;
}

bool claims_write_path(struct claims *claims, const char *path, int use, struct fault *fault)
{
    struct stat file, folder;
    const struct claim *claim;
    bool in_input;

    if (strcmp(path, "-") == 0)
        return true;
    if (stat(path, &file) == 0)
        return claims_write(claims, &file, use, path, fault);
    if (!sequence_is_image(path) || !stat_folder_of(path, &folder))
        return true;
    pthread_mutex_lock(&claims->lock);
    claim    = look_up(claims, &folder);
    in_input = claim && claim->use == CLAIM_INPUT;
    pthread_mutex_unlock(&claims->lock);
    return !in_input || fault_set(fault,
                                  "%s: lies in the folder that is the input, all of whose images are read; "
                                  "write it elsewhere",
                                  path);
}
