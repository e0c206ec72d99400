/* The last error of a thread, and failures that are kept to be raised again.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>
#include <trireme/status.h>

/* Sets the calling thread's last error and returns `status`, so that a check is one line:
 *     return core_fail(TRM_ERROR_OUT_OF_RANGE, "offset %" PRIu64 " is past the end of ...",
 *     offset);
 * The arguments may quote the last error itself. A macro, and the functions below are inline, so that
 * compilers and analysers see that a failure is not TRM_OK; `status` is a constant or a variable. */
#define core_fail(status, ...) (core_error_set((status), __VA_ARGS__), core_error_pass(status))

/* Cold: where it is called compilers put apart, so that a call that succeeds runs through few lines of the cache. */
void core_error_set(int32_t status, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

static inline int32_t core_error_pass(int32_t status)
{
    return status;
}

/* Sets the last error to a finished sentence, which is copied, or which is static and is not. */
void core_error_set_copy(int32_t status, int64_t native_code, const char *sentence);
void core_error_set_static(int32_t status, const char *sentence);

/* As core_fail() with the driver's own code and a finished sentence, which is copied. */
static inline int32_t core_fail_native(int32_t status, int64_t native_code, const char *sentence)
{
    core_error_set_copy(status, native_code, sentence);
    return status;
}

/* The same for a sentence that is static: nothing is copied. For answers that come often, such as
 * the TIMEOUT of a poll. */
static inline int32_t core_fail_static(int32_t status, const char *sentence)
{
    core_error_set_static(status, sentence);
    return status;
}

/* "out of host memory while <doing>". */
static inline int32_t core_fail_memory(const char *doing)
{
    return core_fail(TRM_ERROR_OUT_OF_HOST_MEMORY, "out of host memory while %s", doing);
}

/* The status of the calling thread's last error: what to return when core_object_find() or enter()
 * gave NULL. */
int32_t core_last_status(void);

/* If nothing was said since core_error_clear() about a failure with this status, says what it means. */
void core_error_complete(int32_t status) __attribute__((cold));

/* Hands on a failure that came from a backend's function: if nothing was said about it since
 * core_error_clear(), says what the status means. Returns `status`. */
static inline int32_t core_fail_backend(int32_t status)
{
    core_error_complete(status);
    return status;
}

/* Hands on a failure that a function of the program answered: if it has said nothing of it with Trireme's own functions,
 * names the status. Returns `status`. */
int32_t core_fail_program(int32_t status);

/* A failure with its sentence, kept by a stream or a device as the first cause. */
struct core_failure {
    int32_t status;
    int64_t native_code;
    char sentence[232];
};

/* The calling thread's last error, which just came back as `status` from below. If nothing was
 * said about it, says what the status means. */
void core_failure_save(struct core_failure *failure, int32_t status);

/* Makes it the calling thread's last error again; returns its status. */
int32_t core_failure_raise(const struct core_failure *failure);

/* From now on nothing has been said, so that what a backend says can be told from what was said
 * before. What trm_last_error() answers stays as it is. */
void core_error_clear(void);

/* The last error as it was, for calls that may fail inside without failing. */
struct core_saved_error {
    int32_t status;
    uint32_t said;
    int64_t native_code;
    const char *sentence;
    char text[2048];
};

void core_error_save(struct core_saved_error *saved);
void core_error_restore(const struct core_saved_error *saved);

/* Copies text into a buffer of `capacity` bytes; what does not fit is replaced by "...". */
void core_text_copy(char *to, size_t capacity, const char *text);

#endif
