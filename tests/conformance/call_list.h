/* What the lists of calls are written with: calls.c and calls_group.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_CALL_LIST_H
#define CONFORMANCE_CALL_LIST_H

#include "calls.h"

/* A file that cannot be written. */
#define NO_FOLDER "/there-is-no-such-folder/file"

static uint64_t host_memory[64] __attribute__((unused));
static _Thread_local union {
    uint8_t bytes[16384]; /* the largest is struct trm_report */
    uint64_t numbers[2048];
} scratch;

/* A call of one handle and outputs; `arguments` may use `handle` and `others`. */
#define CALL(function, arguments)                                              \
    static int32_t call_##function(void *handle, const struct objects *others) \
    {                                                                          \
        (void)others;                                                          \
        (void)handle;                                                          \
        return function arguments;                                             \
    }

#define CALL_AS(name, call)                                                \
    static int32_t call_##name(void *handle, const struct objects *others) \
    {                                                                      \
        (void)others;                                                      \
        (void)handle;                                                      \
        return call;                                                       \
    }

static inline void *out(void)
{
    memset(&scratch, 0, sizeof(scratch));
    return scratch.bytes;
}

/* An output that begins with its struct_size. */
static inline void *sized(uint32_t size)
{
    ck_assert_uint_le(size, sizeof(scratch));
    memset(&scratch, 0, sizeof(scratch));
    memcpy(scratch.bytes, &size, sizeof(size));
    return scratch.bytes;
}

static inline struct trm_point point_of(void *stream)
{
    struct trm_point point = {stream, 0};
    return point;
}

static inline int32_t write_none(void *user, const char *text, size_t length)
{
    (void)user;
    (void)text;
    (void)length;
    return TRM_OK;
}

#define ROW(type, function)              \
    {                                    \
#function, type, call_##function \
    }

extern const struct call group_calls[];
extern const size_t group_call_count;

#endif
