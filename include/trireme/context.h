/* Trireme: the context, the root of all other objects.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * context     the context, or for trm_context_create() receives it
 * Blocks      no
 * Threads     any
 * Ownership   a context lives until its handle is destroyed and no object of it is left
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_CONTEXT_H
#define TRIREME_CONTEXT_H

#include <trireme/api.h>

TRM_API_BEGIN

enum trm_log_level {
    TRM_LOG_ERROR   = 1,
    TRM_LOG_WARNING = 2,
    TRM_LOG_INFO    = 3,
    TRM_LOG_DEBUG   = 4,
};

/* Receives one line without a newline. The library calls it from any thread, also from several at once. It
 * must return soon and must not call Trireme. The message is valid during the call only. */
typedef void (*trm_log_fn)(void *user, int32_t level, const char *message);

/* The source of a context's host memory. The library takes all memory for its own objects from here, but not
 * the stacks of its threads and not the memory of buffers. It calls both functions from any thread, also from
 * several at once. */
struct trm_allocator {
    /* Returns memory of `size` bytes, never 0, aligned to `alignment`, a power of two; or NULL. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /* `memory` is never NULL; `size` is the size that was allocated. */
    void (*release)(void *user, void *memory, size_t size);
    void *user;
};

/* A setting from the program. `trireme info --settings` lists the names ("backend", "pool.threshold"). */
struct trm_setting {
    const char *name;
    const char *value;
};

enum trm_context_flags {
    TRM_CONTEXT_NO_ENVIRONMENT = 1u << 0, /* read no environment variable */
    TRM_CONTEXT_NO_CONFIG      = 1u << 1, /* read no trireme.conf */
};

struct trm_context_desc {
    uint32_t struct_size;
    uint32_t flags; /* enum trm_context_flags */
    trm_log_fn log; /* NULL: the program receives no lines */
    void *log_user;
    const struct trm_allocator *allocator; /* NULL: malloc; copied */
    const struct trm_setting *settings;    /* they override the environment and trireme.conf; copied */
    uint32_t setting_count;
    uint32_t reserved;
};

/* Make a context. A process can have 255 of them; they share nothing. Reads settings; plugins are opened by
 * the first call that needs a device.
 *
 * desc        NULL: all defaults
 * Ownership   the caller destroys the context with trm_context_destroy(). The library calls `log` and the
 *             allocator as long as the context lives. Tables of handles outlive it, so that stale handles are
 *             recognized: with more than 64 objects they come from malloc(), and later contexts use them
 * Errors      INVALID_ARGUMENT for an unknown setting, or a value that is not of the setting's type, in the
 *             program, the environment or the file, which the sentence names; NOT_FOUND when TRIREME_CONFIG
 *             names a file that does not exist, or log.file or profile.file one in a folder that does not;
 *             PERMISSION when it may not be read, or written, or is no file of this user; IO when it cannot
 *             be opened for another reason; BUSY with 255 contexts. In a file that other users may write,
 *             settings that name code or belong to a plugin are ignored and logged
 */
TRM_API int32_t trm_context_create(const struct trm_context_desc *desc, struct trm_context **context);

/* Destroy a context. Its handle is invalid afterwards. Objects that are left keep the context alive, and the
 * last one to go ends it.
 *
 * Blocks      if no object is left: until the library's threads have ended and the backends are closed
 */
TRM_API void trm_context_destroy(struct trm_context *context);

/* How far a candidate plugin came. */
enum trm_candidate_stage {
    TRM_CANDIDATE_FOUND  = 0, /* it is a name in a folder or in TRIREME_BACKEND */
    TRM_CANDIDATE_FILE   = 1, /* it is a regular file that can be trusted */
    TRM_CANDIDATE_LOADED = 2, /* the dynamic linker loaded it */
    TRM_CANDIDATE_SYMBOL = 3, /* it has the query function of this major version */
    TRM_CANDIDATE_TABLES = 4, /* its tables are complete */
    TRM_CANDIDATE_PROBED = 5, /* it reports that it works on this machine */
    TRM_CANDIDATE_OPENED = 6, /* it has devices that can be opened */
};

struct trm_candidate {
    uint32_t struct_size;
    int32_t accepted;    /* 1: its devices can be used; 0: `reason` says why not */
    int32_t stage;       /* enum trm_candidate_stage: the last one that it passed */
    int32_t score;       /* the best backend has the highest; 0 before PROBED */
    const char *name;    /* "cpu" */
    const char *path;    /* absolute where it is known */
    const char *version; /* the plugin's own; "" before SYMBOL */
    const char *reason;  /* why it was rejected; "" when it was accepted */
};

/* Report on the backend plugins that were considered, in the order of preference. A plugin that fails is part
 * of the report, not an error of these calls.
 *
 * count       receives the number of plugins
 * index       of a plugin, from 0
 * candidate   the caller sets its struct_size
 * Blocks      the first call that needs a device opens plugins and probes drivers, which may take as long as
 *             the slowest driver; meanwhile other threads wait for it
 * Ownership   the strings live as long as the context
 * Errors      OUT_OF_RANGE for the index; OUT_OF_HOST_MEMORY when plugins could not be loaded for lack of
 *             memory: the next call tries again
 */
TRM_API int32_t trm_context_candidate_count(struct trm_context *context, uint32_t *count);
TRM_API int32_t trm_context_candidate(struct trm_context *context, uint32_t index,
                                      struct trm_candidate *candidate);

TRM_API_END

#endif
