/* Shared by the tests of the pool: a device whose memory is the host's, and short names for its calls.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_CORE_MEMORY_POOL_FIXTURE_H
#define TESTS_UNIT_CORE_MEMORY_POOL_FIXTURE_H

#include "tests/check.h"
#include <string.h>
#include <trireme/trireme.h>

#include "core/memory/block.h"
#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)

static struct store store;
static struct trm_context *context;

static inline void open_store(void)
{
    memset(&store, 0, sizeof(store));
    store.unified = 1;
    store_prepare(&store, "store");
    context = store_context(NULL);
    store_open(&store, context);
}

static inline void close_store(void)
{
    store_close(&store);
    trm_context_destroy(context);
}

static inline struct trm_buffer *make(uint64_t size)
{
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, size, &buffer), TRM_OK);
    return buffer;
}

static inline struct trm_buffer *make_on(struct trm_stream *stream, uint64_t size)
{
    struct trm_buffer *buffer;

    ck_assert_int_eq(trm_stream_alloc(stream, size, &buffer), TRM_OK);
    return buffer;
}

static inline struct trm_pool_stats statistics(void)
{
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};

    ck_assert_int_eq(trm_pool_get_stats(store.device, &stats), TRM_OK);
    return stats;
}

static inline void use(struct trm_stream *stream, struct trm_buffer *buffer)
{
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 1, 1), TRM_OK);
}

#endif
