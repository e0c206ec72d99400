/* A folder for one test, made and removed with all that is in it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

#include "tests/check.h"
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];

static inline void folder_make(void)
{
    const char *base = getenv("TMPDIR");
    char name[PATH_MAX];
    umask(022);
    snprintf(name, sizeof(name), "%s/trireme-test-XXXXXX", base && base[0] == '/' ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(name));
    ck_assert_ptr_nonnull(realpath(name, folder));
    ck_assert_int_eq(chmod(folder, 0755), 0);
}

static inline int folder_remove_one(const char *path, const struct stat *facts, int type, struct FTW *where)
{
    (void)facts;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void folder_remove(void)
{
    ck_assert_int_eq(nftw(folder, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* The absolute path of something in it. Static; eight of them hold at once. */
static inline const char *folder_path(const char *name)
{
    static char paths[8][PATH_MAX];
    static int next;
    char *path = paths[next++ % 8];
    ck_assert_int_lt(snprintf(path, PATH_MAX, "%s/%s", folder, name), PATH_MAX);
    return path;
}

static inline void folder_sub(const char *name)
{
    ck_assert_int_eq(mkdir(folder_path(name), 0755), 0);
}

static inline void folder_write_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(folder_path(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void folder_write(const char *name, const char *text)
{
    folder_write_bytes(name, text, strlen(text));
}

#endif
