/* The last error of a thread, and failures that are kept to be raised again.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>
#include <trireme/status.h>

/* Sets the calling thread's last error and returns `status`, so that a check is one line:
 *     return base_fail(TRM_ERROR_OUT_OF_RANGE, "offset %" PRIu64 " is past the end of ...",
 *     offset);
 * The arguments may quote the last error itself. A macro, and the functions below are inline, so that
 * compilers and analysers see that a failure is not TRM_OK; `status` is a constant or a variable. */
#define base_fail(status, ...) (base_error_set((status), __VA_ARGS__), base_error_pass(status))

/* Cold: where it is called compilers put apart, so that a call that succeeds runs through few lines of the
 * cache. */
void base_error_set(int32_t status, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

static inline int32_t base_error_pass(int32_t status)
{
    return status;
}

/* Sets the last error to a finished sentence, which is copied, or which is static and is not. */
void base_error_set_copy(int32_t status, int64_t native_code, const char *sentence);
void base_error_set_static(int32_t status, const char *sentence);

/* As base_fail() with the driver's own code and a finished sentence, which is copied. */
static inline int32_t base_fail_native(int32_t status, int64_t native_code, const char *sentence)
{
    base_error_set_copy(status, native_code, sentence);
    return status;
}

/* The same for a sentence that is static: nothing is copied. For answers that come often, such as
 * the TIMEOUT of a poll. */
static inline int32_t base_fail_static(int32_t status, const char *sentence)
{
    base_error_set_static(status, sentence);
    return status;
}

/* "out of host memory while <doing>". */
static inline int32_t base_fail_memory(const char *doing)
{
    return base_fail(TRM_ERROR_OUT_OF_HOST_MEMORY, "out of host memory while %s", doing);
}

/* The status of the calling thread's last error: what to return when core_object_find() or enter()
 * gave NULL. */
int32_t base_last_status(void);

/* If nothing was said since base_error_clear() about a failure with this status, says what it means. */
void base_error_complete(int32_t status) __attribute__((cold));

/* Hands on a failure that came from a backend's function: if nothing was said about it since
 * base_error_clear(), says what the status means. Returns `status`. */
static inline int32_t base_fail_backend(int32_t status)
{
    base_error_complete(status);
    return status;
}

/* Hands on a failure that a function of the program answered: if it has said nothing of it with Trireme's
 * own functions, names the status. Returns `status`. */
int32_t base_fail_program(int32_t status);

/* A failure with its sentence, kept by a stream or a device as the first cause. */
struct base_failure {
    int32_t status;
    int64_t native_code;
    char sentence[232];
};

/* The calling thread's last error, which just came back as `status` from below. If nothing was
 * said about it, says what the status means. */
void base_failure_save(struct base_failure *failure, int32_t status);

/* Makes it the calling thread's last error again; returns its status. */
int32_t base_failure_raise(const struct base_failure *failure);

/* From now on nothing has been said, so that what a backend says can be told from what was said
 * before. What trm_last_error() answers stays as it is. */
void base_error_clear(void);

/* The last error as it was, for calls that may fail inside without failing. */
struct base_saved_error {
    int32_t status;
    uint32_t said;
    int64_t native_code;
    const char *sentence;
    char text[2048];
};

void base_error_save(struct base_saved_error *saved);
void base_error_restore(const struct base_saved_error *saved);

/* Copies text into a buffer of `capacity` bytes; what does not fit is replaced by "...". */
void base_text_copy(char *to, size_t capacity, const char *text);

#endif
