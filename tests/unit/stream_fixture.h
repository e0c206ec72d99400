/* What the tests of streams and of devices share: a fake device, and a counting allocator that it is made
 * with.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_STREAM_FIXTURE_H
#define TESTS_UNIT_STREAM_FIXTURE_H

#include "core/stream/stream_object.h"

#include <string.h>
#include <unistd.h>

#include "base/futex.h"
#include "tests/unit/counting.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define MILLISECOND 1000000u

static struct fake fake;
static struct counting counting;
static char logged[512];

static inline void keep_log(void *user, int32_t level, const char *message)
{
    (void)user;
    if (level == TRM_LOG_WARNING)
        strncat(logged, message, sizeof(logged) - strlen(logged) - 1);
}

static inline void begin_synchronous(uint32_t slots, uint64_t synchronous)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {
          .struct_size = sizeof(desc),
          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
          .allocator   = &allocator,
          .log         = keep_log,
    };
    memset(&counting, 0, sizeof(counting));
    logged[0] = '\0';
    fake_init(&fake, slots, &desc);
    fake.synchronous = synchronous;
    fake_open(&fake);
}

static inline void begin(uint32_t slots)
{
    begin_synchronous(slots, 0);
}

static inline void end(void)
{
    fake_fini(&fake);
    counting_is_balanced(&counting);
}

static inline struct trm_stream *make_stream(void)
{
    struct trm_stream *stream;
    OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &stream));
    return stream;
}

static inline uint32_t calls(enum fake_call call)
{
    return atomic_load(&fake.calls[call]);
}

static inline void fail_next(enum fake_call call, int32_t status)
{
    atomic_store(&fake.fail_next[call], status);
}

#endif
