/* Trireme: the context, root of everything.
 * SPDX-License-Identifier: MIT
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

/* Receives one line without a newline. Called from any thread, also at once from several; must
 * not block for long and must not call Trireme. The message is valid during the call only. */
typedef void (*trm_log_fn)(void *user, int32_t level, const char *message);

/* Where the context takes its host memory from: everything the library itself allocates goes
 * through here (worker stacks and the memory behind buffers do not). Both functions are called
 * from any thread, also at once. */
struct trm_allocator {
    /* Memory of `size` bytes (never 0) aligned to `alignment` (a power of two), or NULL. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /* `memory` is never NULL; `size` is what was asked for. */
    void (*release)(void *user, void *memory, size_t size);
    void *user;
};

/* One setting given by the program; names as `trireme info --settings` lists them ("backend",
 * "pool.threshold"). */
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
    trm_log_fn log; /* NULL: nothing is logged */
    void *log_user;
    const struct trm_allocator *allocator; /* NULL: malloc; copied */
    const struct trm_setting *settings;    /* stronger than environment and trireme.conf; copied */
    uint32_t setting_count;
    uint32_t reserved;
};

/* Make a context. Several may live in one process (255 at most) and share nothing.
 *
 * desc        NULL for all defaults
 * Blocks      no; plugins are opened at the first call that needs a device
 * Errors      OUT_OF_HOST_MEMORY; INVALID_ARGUMENT for an unknown setting or a value that is not of
 *             its type, by the program, the environment or the file (the sentence says which);
 *             NOT_FOUND when TRIREME_CONFIG names a file that is not there, PERMISSION when it
 *             names one that may not be read (in one that others may write, settings that name
 *             code or belong to a plugin are ignored and logged); BUSY with 255 contexts
 */
TRM_API int32_t trm_context_create(const struct trm_context_desc *desc, struct trm_context **context);

/* Let go of the context. Its handle is dead afterwards; devices that are still open keep it
 * alive underneath. NULL is fine; a dead handle sets the last error and does nothing else. */
TRM_API void trm_context_destroy(struct trm_context *context);

/* How a candidate plugin fared. */
enum trm_candidate_stage {
    TRM_CANDIDATE_FOUND  = 0, /* a name in a folder or in TRIREME_BACKEND */
    TRM_CANDIDATE_FILE   = 1, /* exists, is a regular file, may be trusted */
    TRM_CANDIDATE_LOADED = 2, /* the dynamic linker took it */
    TRM_CANDIDATE_SYMBOL = 3, /* it has the query function of our major version */
    TRM_CANDIDATE_TABLES = 4, /* its tables are complete */
    TRM_CANDIDATE_PROBED = 5, /* it says that it can work here */
    TRM_CANDIDATE_OPENED = 6, /* it has devices that can be opened */
};

struct trm_candidate {
    uint32_t struct_size;
    int32_t accepted;    /* 1: its devices can be used; 0: reason says why not */
    int32_t stage;       /* enum trm_candidate_stage: the last one it passed */
    int32_t score;       /* the higher the better; 0 before PROBED */
    const char *name;    /* "cpu" */
    const char *path;    /* absolute where it is known */
    const char *version; /* the plugin's own, "" before SYMBOL */
    const char *reason;  /* why not; "" when accepted */
};

/* The report of every backend plugin that was looked at, in the order of preference. The first
 * call looks (opens plugins, probes drivers): it may take as long as the slowest driver. A
 * plugin that fails is part of the report, not an error of these calls, unless it had no host
 * memory: that is OUT_OF_HOST_MEMORY, and the next call looks again. `candidate->struct_size`
 * is set by the caller; strings live as long as the context. */
TRM_API int32_t trm_context_candidate_count(struct trm_context *context, uint32_t *count);
TRM_API int32_t trm_context_candidate(struct trm_context *context, uint32_t index,
                                      struct trm_candidate *candidate);

TRM_API_END

#endif
