/* Tasks for the cases of the coordinator.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_TASKS_H
#define CONFORMANCE_TASKS_H

#include "harness.h"

#include <stdatomic.h>

/* Kernels work on N elements of type uint32_t. */
enum {
    N     = 1000,
    BYTES = N * sizeof(uint32_t)
};

/* The coordinator of the case, created and destroyed by the fixture of its group. */
extern struct trm_coordinator *coordinator;

void open_coordinator(void);
TCase *group_with_coordinator(Suite *suite, const char *name);

/* The dependencies of a task: AFTER(1, 2). */
#define AFTER(...) \
    (const uint64_t[]){__VA_ARGS__}, (uint32_t)(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define AFTER_NOTHING NULL, 0

struct trm_task task_of(int32_t kind, uint64_t id, const uint64_t *after, uint32_t count);

int32_t add_upload(uint64_t id, struct trm_buffer *buffer, const void *from, const uint64_t *after,
                   uint32_t count);
int32_t add_download(uint64_t id, void *to, struct trm_buffer *buffer, const uint64_t *after, uint32_t count);
int32_t add_nothing(uint64_t id, const char *name, const uint64_t *after, uint32_t count);
int32_t add_host(uint64_t id, trm_callback_fn host, void *user, const uint64_t *after, uint32_t count);

/* data[i] = data[i] × factor + addend */
int32_t add_affine(uint64_t id, struct trm_buffer *data, uint32_t factor, uint32_t addend,
                   const uint64_t *after, uint32_t count);

/* A kernel that fails with TRM_ERROR_KERNEL and this native code. */
int32_t add_failing(uint64_t id, const char *name, int32_t native_code, const uint64_t *after,
                    uint32_t count);

/* Functions of tasks. `user` is an atomic_int: the first sleeps until it is not 0, the second adds 1. */
void stand(void *user, int32_t status);
void count_up(void *user, int32_t status);

/* All N elements have this value. */
void ck_all(const uint32_t *data, uint32_t value);

#endif
