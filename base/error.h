/* The last error of a thread, and failures that are saved and raised again.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trireme/status.h>

/* The lowest of enum trm_status. New statuses are added below it, so it moves with them. */
#define BASE_STATUS_LAST TRM_ERROR_TIME_LIMIT

/* Is this number one of enum trm_status? Code from outside may return any. */
static inline bool base_status_is_known(int32_t status)
{
    return status <= TRM_OK && status >= BASE_STATUS_LAST;
}

/* Sets the calling thread's last error and returns `status`, so that a check is one line:
 *     return base_fail(TRM_ERROR_OUT_OF_RANGE, "offset %" PRIu64 " is past the end of ...", offset);
 * The arguments may quote the last error. It is a macro, and the functions below are inline, so that
 * compilers and analysers see that a failure is not TRM_OK. `status` is a constant or a variable. */
#define base_fail(status, ...) (base_error_set((status), __VA_ARGS__), base_error_pass(status))

/* Cold, so that compilers move failing branches away from the code of a call that succeeds. */
void base_error_set(int32_t status, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

static inline int32_t base_error_pass(int32_t status)
{
    return status;
}

/* Sets the last error to a finished sentence. The first copies it; the second keeps the pointer. */
void base_error_set_copy(int32_t status, int64_t native_code, const char *sentence);
void base_error_set_static(int32_t status, const char *sentence);

/* As base_fail(), with the driver's own code and a finished sentence, which is copied. */
static inline int32_t base_fail_native(int32_t status, int64_t native_code, const char *sentence)
{
    base_error_set_copy(status, native_code, sentence);
    return status;
}

/* As base_fail() for a static sentence, without a copy: for frequent failures such as the TIMEOUT of a
 * poll. */
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

/* The status of the calling thread's last error: the result of a call in which core_object_find() or
 * enter() returned NULL. */
int32_t base_last_status(void);

/* Sets the meaning of `status` as the last error, unless the last error was set with this status since
 * base_error_clear(). */
void base_error_complete(int32_t status) __attribute__((cold));

/* Passes on a failure of a backend's function. The backend may have explained it since base_error_clear();
 * if not, the sentence is the meaning of the status. Returns `status`. */
static inline int32_t base_fail_backend(int32_t status)
{
    base_error_complete(status);
    return status;
}

/* Passes on a failure that a function of the program returned. If the function set no error through
 * Trireme's own functions, the sentence names the status. Returns `status`. */
int32_t base_fail_program(int32_t status);

/* A failure with its sentence, which a stream or a device keeps as the first cause. */
struct base_failure {
    int32_t status;
    int64_t native_code;
    char sentence[232];
};

/* Saves the calling thread's last error, which belongs to `status`; an unexplained one gets the meaning of
 * the status. */
void base_failure_save(struct base_failure *failure, int32_t status);

/* Makes a saved failure the calling thread's last error again. Returns its status. */
int32_t base_failure_raise(const struct base_failure *failure);

/* Marks the last error as old, so that base_error_complete() can tell whether the next call explains its
 * failure. trm_last_error() still returns it. */
void base_error_clear(void);

/* The last error as it was, for calls that may fail inside and still succeed. */
struct base_saved_error {
    int32_t status;
    bool is_explained;
    int64_t native_code;
    const char *sentence;
    char text[2048];
};

void base_error_save(struct base_saved_error *saved);
void base_error_restore(const struct base_saved_error *saved);

/* Copies text into a buffer of `capacity` bytes; longer text is cut and ends in "...". Reads at most
 * `capacity` bytes, so text of a plugin may lack its end. */
void base_text_copy(char *to, size_t capacity, const char *text);

/* The ending of a noun behind a count: "s", or nothing for one. */
static inline const char *base_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Makes the decimal point of a number that printf() wrote a '.': a locale may have a comma, or several
 * bytes. */
void base_text_point(char *number);

#endif
