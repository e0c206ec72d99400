/* What all cases share: the device of the backend under test, and the checks.
 *
 * The backend is named by the environment variable CONFORMANCE_BACKEND ("cpu" when unset), a name or the path
 * of a plugin. Each case runs in a process of its own, where the fixture opens a context, a device and a
 * stream, reached as the.context, the.device and the.stream, and destroys them at the end; with --no-fork the
 * next case gets context and device.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_HARNESS_H
#define CONFORMANCE_HARNESS_H

#include "tests/check.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/scale.h"

struct world {
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
};

extern struct world the;

/* ---- groups of cases ---- */

/* A group of cases; with the fixture, `the` is filled before each of them. */
TCase *group_make(Suite *suite, const char *name);
TCase *group_make_bare(Suite *suite, const char *name);

/* How long a case may take. */
double case_seconds(void);

/* Destroys the context and the device that --no-fork keeps between cases. False where a layer complained,
 * such as of objects that a case leaked. */
bool kept_close(void);

/* Whether the command line selects the case. Prints its name for --list. */
bool case_wanted(const char *name);

#define CASE(group, name)                \
    do {                                 \
        if (case_wanted(#name))          \
            tcase_add_test(group, name); \
    } while (0)

/* The options of the command line (main.c). */
struct options {
    bool list;
    bool no_fork;
    bool progress;
    const char *filter;
    unsigned part, parts; /* the cases whose number modulo `parts` is `part`; 0 parts: all */
};

extern struct options options;

/* Prints why a case does not apply to this backend. The caller returns. */
void skip(const char *reason);

/* Counts the skipped cases in all processes of this run. skips_prepare() is called once, before the first
 * fork. */
void skips_prepare(void);
unsigned skips_count(void);

/* Whether a process with threads can fork and its child start threads again: the thread sanitizer and
 * qemu-user cannot. */
bool forking_works(void);

/* ---- values: one check for all of them, since Check writes a message for each check ---- */

/* `count` of them, each `expected`. */
void ck_words(const uint32_t *found, size_t count, uint32_t expected);
void ck_bytes(const uint8_t *found, size_t count, uint8_t expected);

/* ---- statuses ---- */

bool status_explained(int32_t status);

/* The call must give that status, and trm_last_error() must explain an error. */
#define ck_status(call, expected)                                                                            \
    do {                                                                                                     \
        int32_t status_given = (call), status_wanted = (expected);                                           \
        ck_assert_msg(status_given == status_wanted, "%s gave %s (%s) instead of %s", #call,                 \
                      trm_status_name(status_given),                                                         \
                      status_given == TRM_OK ? "" : trm_last_error().sentence,                               \
                      trm_status_name(status_wanted));                                                       \
        ck_assert_msg(status_explained(status_given), "%s gave %s, but trm_last_error() says %s: %s", #call, \
                      trm_status_name(status_given), trm_status_name(trm_last_error().status),               \
                      trm_last_error().sentence);                                                            \
    } while (0)

#define ck_ok(call) ck_status(call, TRM_OK)

/* The call must fail; the contract does not say with which status. */
#define ck_refused(call)                                                                                 \
    do {                                                                                                 \
        int32_t status_given = (call);                                                                   \
        ck_assert_msg(status_given < 0, "%s gave %s instead of an error", #call,                         \
                      trm_status_name(status_given));                                                    \
        ck_assert_msg(status_explained(status_given), "%s gave %s, but trm_last_error() says %s", #call, \
                      trm_status_name(status_given), trm_status_name(trm_last_error().status));          \
    } while (0)

/* The sentence of the last failure must hold these words. */
#define ck_sentence_has(words)                                                                          \
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "\"%s\" is not said in: %s", words, \
                  trm_last_error().sentence)

/* ---- opening ---- */

const char *backend_under_test(void);

/* A context for the backend under test, whose log is recorded for log_has(). */
struct trm_context *open_context(void);
struct trm_device *open_device(struct trm_context *context);

/* Opens the device under test again; the fixture destroys it. */
struct trm_device *second_device(void);

struct trm_stream *make_stream(struct trm_device *device);

/* Gives objects to the fixture, which destroys them at the end, after the streams have drained. */
void destroy_later_device(struct trm_device *device);
void destroy_later_stream(struct trm_stream *stream);

/* Whether a line of the log of at least this level contains the words, since log_forget() or the fixture. */
bool log_has(int32_t level, const char *words);
uint32_t log_count(int32_t level, const char *words); /* such lines */
void log_forget(void);

/* A context with these settings besides the backend, its own and the cache, read from neither environment nor
 * file. Returns what trm_context_create() did. */
int32_t context_with(const struct trm_setting *settings, uint32_t count, struct trm_context **context);
/* A context without kept models, and a group of it: of the devices that CONFORMANCE_TEAM names, which are of
 * several backends (true), else of all devices of the backend under test. */
bool group_of_team(struct trm_context **context, struct trm_group **group);

uint64_t device_number(struct trm_device *device, uint32_t key);

/* ---- memory ---- */

extern const int32_t all_kinds[4];

const char *kind_name(int32_t kind);

/* NULL where the device has no such kind of memory; never for TRM_MEMORY_DEVICE. The memory under an imported
 * buffer is freed by the fixture. */
struct trm_buffer *make_buffer(struct trm_device *device, int32_t kind, uint64_t size);

/* Write or read bytes of a buffer and wait until it is done. */
void put(struct trm_stream *stream, struct trm_buffer *buffer, uint64_t offset, const void *data,
         uint64_t size);
void get(struct trm_stream *stream, struct trm_buffer *buffer, uint64_t offset, void *data, uint64_t size);

/* The bytes of pattern `seed`, and where memory first differs from it (size when nowhere). */
void pattern_make(void *memory, size_t size, uint32_t seed);
size_t pattern_length(const void *memory, size_t size, uint32_t seed);

/* Let the buffer hold pattern `seed`, from its start. */
void put_pattern(struct trm_stream *stream, struct trm_buffer *buffer, uint64_t size, uint32_t seed);

#define ck_pattern(memory, size, seed)                                                                  \
    do {                                                                                                \
        size_t pattern_good = pattern_length(memory, size, seed);                                       \
        ck_assert_msg(pattern_good == (size), "byte %zu of %zu is not as it was written", pattern_good, \
                      (size_t)(size));                                                                  \
    } while (0)

/* All bytes of the buffer are pattern `seed`. */
#define ck_buffer_pattern(stream, buffer, size, seed)                                                   \
    do {                                                                                                \
        uint8_t *pattern_copy = malloc((size) ? (size) : 1);                                            \
        get(stream, buffer, 0, pattern_copy, size);                                                     \
        size_t pattern_good = pattern_length(pattern_copy, size, seed);                                 \
        free(pattern_copy);                                                                             \
        ck_assert_msg(pattern_good == (size), "byte %zu of %zu is not as it was written", pattern_good, \
                      (size_t)(size));                                                                  \
    } while (0)

/* ---- time ---- */

uint64_t now_ns(void);
void sleep_ms(unsigned milliseconds);

/* A case that has waited this long fails: the event will not happen. */
#define LONG_NS UINT64_C(60000000000)

/* Deterministic pseudo-random numbers. */
uint32_t next_random(uint32_t *state);

#endif
