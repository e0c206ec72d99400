/* The last error of a thread, and the names and meanings of statuses.
 * SPDX-License-Identifier: MIT
 */
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* `is_explained`: a sentence was set after the last base_error_clear(). `sentence` is NULL (no error yet),
 * `text`, or static. */
static _Thread_local struct base_saved_error last;

void base_text_copy(char *to, size_t capacity, const char *text)
{
    size_t length = strnlen(text, capacity);
    if (length < capacity) {
        memmove(to, text, length + 1);
        return;
    }
    length = capacity - 4;
    /* Do not cut a UTF-8 character. */
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    memmove(to, text, length);
    memcpy(to + length, "...", 4);
}

void base_text_point(char *number)
{
    char *to = number;

    for (const char *from = number; *from != '\0'; from++) {
        if (strchr("0123456789+-einfa", *from) != NULL)
            *to++ = *from;
        else if (to == number || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
}

static void set(int32_t status, int64_t native_code, const char *sentence)
{
    last.status       = status;
    last.is_explained = true;
    last.native_code  = native_code;
    last.sentence     = sentence;
}

void base_error_set(int32_t status, const char *format, ...)
{
    /* `last.text` may be among the arguments, so it is not written directly. */
    char text[sizeof(last.text) + 4];
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    base_error_set_copy(status, 0, written < 0 ? "" : text);
}

void base_error_set_copy(int32_t status, int64_t native_code, const char *sentence)
{
    if (sentence == NULL || sentence[0] == '\0') {
        set(status, native_code, trm_status_text(status));
        return;
    }
    if (sentence != last.text)
        base_text_copy(last.text, sizeof(last.text), sentence);
    set(status, native_code, last.text);
}

void base_error_set_static(int32_t status, const char *sentence)
{
    set(status, 0, sentence);
}

int32_t base_last_status(void)
{
    return last.status;
}

void base_error_complete(int32_t status)
{
    if (!last.is_explained || last.status != status)
        set(status, 0, trm_status_text(status));
}

void base_failure_save(struct base_failure *failure, int32_t status)
{
    base_error_complete(status);
    failure->status      = status;
    failure->native_code = last.native_code;
    base_text_copy(failure->sentence, sizeof(failure->sentence), last.sentence);
}

int32_t base_failure_raise(const struct base_failure *failure)
{
    return base_fail_native(failure->status, failure->native_code, failure->sentence);
}

void base_error_clear(void)
{
    last.is_explained = false;
}

/* Copies the text only when the sentence is in it: mostly it is static, or there is none. */
static void copy_error(struct base_saved_error *to, const struct base_saved_error *from)
{
    to->status       = from->status;
    to->is_explained = from->is_explained;
    to->native_code  = from->native_code;
    to->sentence     = from->sentence;
    if (from->sentence == last.text)
        base_text_copy(to->text, sizeof(to->text), from->text);
}

void base_error_save(struct base_saved_error *saved)
{
    copy_error(saved, &last);
}

void base_error_restore(const struct base_saved_error *saved)
{
    copy_error(&last, saved);
}

struct trm_error trm_last_error(void)
{
    struct trm_error error = {
        .status      = last.status,
        .native_code = last.native_code,
        .sentence    = last.sentence ? last.sentence : "",
    };
    return error;
}

struct status_words {
    int32_t status;
    const char *name;
    const char *text;
};

#define WORDS(status, text)   \
    {                         \
        status, #status, text \
    }
static const struct status_words statuses[] = {
    WORDS(TRM_OK, "no error"),
    WORDS(TRM_ERROR_INVALID_ARGUMENT, "an argument has an invalid value"),
    WORDS(TRM_ERROR_INVALID_HANDLE, "a handle is stale, of another type, or no handle"),
    WORDS(TRM_ERROR_OUT_OF_RANGE, "an offset, length, index or size is outside its object"),
    WORDS(TRM_ERROR_OUT_OF_HOST_MEMORY, "the host has no memory left"),
    WORDS(TRM_ERROR_OUT_OF_DEVICE_MEMORY, "the device has no memory left"),
    WORDS(TRM_ERROR_UNSUPPORTED, "the backend cannot do this, and the library does not emulate it"),
    WORDS(TRM_ERROR_NOT_FOUND, "there is no such device, file, kernel or setting"),
    WORDS(TRM_ERROR_TIMEOUT, "the wait timed out"),
    WORDS(TRM_ERROR_DEVICE_LOST, "the device is lost and cannot be used any more"),
    WORDS(TRM_ERROR_BUSY, "the object is in a state that does not allow this now"),
    WORDS(TRM_ERROR_CANCELLED, "the work was cancelled"),
    WORDS(TRM_ERROR_DEADLOCK, "this wait would never end"),
    WORDS(TRM_ERROR_ABI, "the plugin violates the contract of <trireme/backend.h>"),
    WORDS(TRM_ERROR_BACKEND, "the driver failed"),
    WORDS(TRM_ERROR_TYPE_MISMATCH, "an argument or element is not of the declared type"),
    WORDS(TRM_ERROR_WRONG_DEVICE, "objects of two devices were used where one device is needed"),
    WORDS(TRM_ERROR_PERMISSION,
          "another user may write a file or folder that names code, or a setting was refused"),
    WORDS(TRM_ERROR_KERNEL, "a kernel reported failure"),
    WORDS(TRM_ERROR_FORKED, "the context was made before fork() and works only in the parent process"),
    WORDS(TRM_ERROR_INTERNAL, "a bug in Trireme"),
    WORDS(TRM_ERROR_IO, "a file, pipe or disk could not be read or written"),
    WORDS(TRM_ERROR_TIME_LIMIT, "work took longer than its time limit and was given up"),
};
#undef WORDS

static const struct status_words *words_of(int32_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        if (statuses[i].status == status)
            return &statuses[i];
    }
    return NULL;
}

int32_t base_fail_program(int32_t status)
{
    const struct status_words *words = words_of(status);

    if (last.is_explained && last.status == status)
        return status;
    if (words == NULL)
        return base_fail(status, "the program's function returned %" PRId32 ", which is no status", status);
    return base_fail(status, "the program's function returned %s", words->name);
}

const char *trm_status_name(int32_t status)
{
    const struct status_words *words = words_of(status);
    return words ? words->name : "TRM_ERROR_UNKNOWN";
}

const char *trm_status_text(int32_t status)
{
    const struct status_words *words = words_of(status);
    return words ? words->text : "a status that this version of Trireme does not know";
}
