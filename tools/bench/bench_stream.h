/* Trireme: samples of the suite `stream` that measure objects: events, streams, contexts.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_BENCH_BENCH_STREAM_H
#define TRIREME_TOOLS_BENCH_BENCH_STREAM_H

#include "tools/bench/bench.h"

int32_t bench_event_record(struct bench *bench, const struct bench_case *test, double *value);
int32_t bench_event_wait(struct bench *bench, const struct bench_case *test, double *value);
int32_t bench_event_query(struct bench *bench, const struct bench_case *test, double *value);
int32_t bench_event_create_destroy(struct bench *bench, const struct bench_case *test, double *value);
int32_t bench_stream_create_destroy(struct bench *bench, const struct bench_case *test, double *value);
int32_t bench_context_open_close(struct bench *bench, const struct bench_case *test, double *value);

/* Bytes that one more object allocates from the context's allocator. */
int32_t bench_stream_bytes(struct bench *bench, const struct bench_case *test, double *value);
int32_t bench_event_bytes(struct bench *bench, const struct bench_case *test, double *value);

#endif
