/* A backend inside the test program, whose work is done when the test says so.
 *
 * Choose which optional slots it has, open a device, use it through the public functions, and let the
 * streams run (fake_run) or fail (fake_fail). Copies and fills are carried out when they are complete, in
 * host memory. Its kernels do nothing: "work", which takes no argument, "change" and "look", which take a
 * buffer.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_FAKE_BACKEND_H
#define TESTS_UNIT_FAKE_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>
#include <trireme/trireme.h>

#include "core/plugin/registry.h"

/* Optional slots. */
enum fake_slots {
    FAKE_GATES       = 1u << 0,
    FAKE_NOTIFY      = 1u << 1,
    FAKE_WAIT_STREAM = 1u << 2,
    FAKE_WAIT_ANY    = 1u << 3,
    FAKE_ABANDON     = 1u << 4,
    FAKE_MARK        = 1u << 5,
    FAKE_FLUSH       = 1u << 6,
    FAKE_PROFILE     = 1u << 7,
    FAKE_ALL         = (1u << 8) - 1,
    /* The device is lost only when a test says so: fail_next[FAKE_CALL_CHECK_LOSS]. Without it, with any call
     * that answers DEVICE_LOST. */
    FAKE_CHECK_LOSS = 1u << 8,
};

/* Calls that can be counted, and made to fail once. */
enum fake_call {
    FAKE_CALL_OPEN,
    FAKE_CALL_CREATE,
    FAKE_CALL_COPY, /* fill too */
    FAKE_CALL_MARK,
    FAKE_CALL_WAIT_STREAM,
    FAKE_CALL_GATE,
    FAKE_CALL_OPEN_GATES,
    FAKE_CALL_FLUSH,
    FAKE_CALL_QUERY,
    FAKE_CALL_WAIT,
    FAKE_CALL_WAIT_ANY,
    FAKE_CALL_NOTIFY,
    FAKE_CALL_ABANDON,
    FAKE_CALL_STAMP,
    FAKE_CALL_ALLOCATE,
    FAKE_CALL_CHECK_LOSS,
    FAKE_CALL_COUNT,
};

struct trm_backend_stream;

struct fake {
    struct core_backend backend; /* the tables, as the core has them after loading a plugin */
    struct trm_context *context;
    struct trm_device *device;
    uint32_t slots;
    uint64_t synchronous; /* what the device says of itself; set before fake_open() */
    uint64_t unified;     /* the same; 0 hides the host's pointer to device memory */
    uint64_t kind;        /* the same; 0: TRM_DEVICE_VIRTUAL */
    int32_t ends_late;    /* 1: fake_fini() waits for what a callback has destroyed */

    _Atomic uint32_t calls[FAKE_CALL_COUNT];
    _Atomic int32_t fail_next[FAKE_CALL_COUNT];          /* a status that the next such call answers */
    _Atomic uint32_t streams, memories, stamps, devices; /* alive */
    void (*hook)(enum fake_call call); /* runs in each call, without a lock; NULL: there is none */

    pthread_mutex_t lock;   /* guards what follows, and all streams */
    pthread_cond_t changed; /* by CLOCK_MONOTONIC */
    int32_t running;        /* 1: work is done as soon as it can be */
    struct trm_backend_stream *first;
};

/* Makes the backend and a context without plugins (desc NULL), and opens a device on it: another one
 * each time. Until fake_run() or fake_let_run() nothing that is enqueued completes. */
void fake_init(struct fake *fake, uint32_t slots, const struct trm_context_desc *desc);
struct trm_device *fake_open(struct fake *fake);

/* Destroys fake->device (the last one opened) and the context, and checks that the backend's objects
 * have all been destroyed. */
void fake_fini(struct fake *fake);

/* Let a stream do what was enqueued up to `value`; UINT64_MAX: all, and what is still to come. */
void fake_run(struct fake *fake, struct trm_stream *stream, uint64_t value);

/* Let all streams run from now on; or none but by fake_run(). */
void fake_let_run(struct fake *fake);
void fake_hold_back(struct fake *fake);

/* The stream fails now. */
void fake_fail(struct fake *fake, struct trm_stream *stream, int32_t status, int64_t native_code,
               const char *sentence);

/* Enqueue an operation that does nothing but take a number. Returns what the core made of it. */
int32_t fake_enqueue(struct trm_stream *stream);

#endif
