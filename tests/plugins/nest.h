/* What the tests of plugins share: a folder of their own to put plugins in, and a context that looks there.
 * SPDX-License-Identifier: MIT
 */
#ifndef PLUGINS_NEST_H
#define PLUGINS_NEST_H

#include "tests/check.h"
#include <trireme/trireme.h>

/* A fresh folder that only the user may write; removed with all in it by nest_remove(). Fixtures for
 * Check. */
void nest_make(void);
void nest_remove(void);

/* The folder, absolute and without symbolic links, and a file in it. The answer of nest_path() is valid until
 * the fourth call after it. */
const char *nest_folder(void);
const char *nest_path(const char *file);

/* Put a module of the build tree into the nest, under the same name: "tests/plugins/null-slot",
 * "backends/template/template". */
void nest_add_module(const char *module);
void nest_copy(const char *from, const char *file);
void nest_write(const char *file, const void *bytes, size_t size);

/* Where the build has put a module: "tests/plugins/proxy" is …/tests/plugins/.libs/proxy.so. */
const char *nest_module(const char *module);

/* A context that looks into `path` (TRIREME_BACKEND_PATH) and chooses `backend` (TRIREME_BACKEND); NULL:
 * unset. */
struct trm_context *nest_context(const char *path, const char *backend);

/* The candidate whose path ends in "/file"; NULL when there is none. */
const struct trm_candidate *nest_candidate(struct trm_context *context, const char *file);

/* The candidate is there and was refused at `stage`, and its reason holds `words`. */
void nest_refused(struct trm_context *context, const char *file, int32_t stage, const char *words);
void nest_accepted(struct trm_context *context, const char *file);

/* The device can be opened, and bytes come back from it as they were sent. */
void nest_device_works(struct trm_context *context, const char *id);

#endif
