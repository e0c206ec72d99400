/* Inside the fake backend.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_FAKE_STREAM_H
#define TESTS_UNIT_FAKE_STREAM_H

#include "tests/unit/fake_backend.h"

struct trm_backend_device {
    struct fake *fake;
    _Atomic uint32_t children;
};

struct trm_backend_memory {
    struct trm_backend_device *device;
    int32_t kind;
    int32_t owned;
    unsigned char *bytes;
};

struct trm_backend_stamp {
    struct trm_backend_device *device;
    _Atomic int32_t in_flight;
    uint64_t time;
};

/* Counts a call, and answers the failure that the test asked for. */
int32_t fake_called(struct fake *fake, enum fake_call call);

void fake_stream_table(struct trm_stream_ops *ops, uint32_t slots);
int32_t fake_stream_nothing(struct trm_backend_stream *stream, uint64_t value);
int32_t fake_stamp_record(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stamp *stamp);

#endif
