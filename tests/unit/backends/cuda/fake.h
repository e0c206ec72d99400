/* A host that counts allocations and can refuse any of them, for tests of the cuda backend's internals.
 * Its setting cuda.driver is the path of the stand-in for CUDA's driver, unless a test sets another.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_CUDA_FAKE_H
#define TESTS_UNIT_BACKENDS_CUDA_FAKE_H

/* <check.h> defines fail() as a macro, so it is included after the backend's headers. */
#include "backends/cuda/driver/driver.h"

#include "tests/check.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/control.h"

struct fake {
    struct trm_host host;
    int64_t bytes;       /* that the backend holds */
    uint64_t calls;      /* allocations */
    uint64_t refuse_at;  /* refuses this allocation; 0: none */
    const char *driver;  /* the setting cuda.driver; NULL: the host does not know it */
    const char *spin;    /* the setting cuda.spin */
    const char *coarsen; /* the setting cuda.coarsen */
    int32_t trusted;     /* what the host answers for paths */
    int32_t status;      /* of the last failure, with its sentence */
    int64_t native;
    char sentence[1024];
    char log[2048];
    pthread_t thread; /* the test's */
};

static struct fake fake;

static inline void *fake_allocate(void *context, uint64_t size, uint64_t alignment)
{
    void *memory = NULL;
    (void)context;
    if (__atomic_add_fetch(&fake.calls, 1, __ATOMIC_RELAXED) ==
            __atomic_load_n(&fake.refuse_at, __ATOMIC_RELAXED) ||
        posix_memalign(&memory, alignment, size) != 0)
        return NULL;
    __atomic_add_fetch(&fake.bytes, (int64_t)size, __ATOMIC_RELAXED);
    return memory;
}

static inline void fake_release(void *context, void *memory, uint64_t size)
{
    (void)context;
    if (memory != NULL)
        __atomic_sub_fetch(&fake.bytes, (int64_t)size, __ATOMIC_RELAXED);
    free(memory);
}

static inline void fake_log(void *context, int32_t level, const char *message)
{
    (void)context;
    (void)level;
    snprintf(fake.log, sizeof(fake.log), "%s", message);
}

/* Failures of other threads are not kept. */
static inline int32_t fake_fail(void *context, int32_t status, int64_t native_code, const char *sentence)
{
    (void)context;
    if (!pthread_equal(pthread_self(), fake.thread))
        return status;
    fake.status = status;
    fake.native = native_code;
    snprintf(fake.sentence, sizeof(fake.sentence), "%s", sentence);
    return status;
}

static inline int32_t fake_get_setting(void *context, const char *name, char *value, uint64_t capacity,
                                       uint64_t *needed)
{
    const char *text = NULL;
    (void)context;
    if (strcmp(name, "cuda.driver") == 0)
        text = fake.driver;
    else if (strcmp(name, "cuda.spin") == 0)
        text = fake.spin;
    else if (strcmp(name, "cuda.coarsen") == 0)
        text = fake.coarsen;
    if (text == NULL)
        return TRM_ERROR_NOT_FOUND;
    *needed = strlen(text) + 1;
    snprintf(value, capacity, "%s", text);
    return TRM_OK;
}

static inline int32_t fake_trust_file(void *context, const char *path)
{
    (void)context;
    ck_assert_str_eq(path, fake.driver);
    return fake.trusted == TRM_OK ? TRM_OK : fake_fail(NULL, fake.trusted, 0, "not to be trusted");
}

static inline void fake_setup(void)
{
    memset(&fake, 0, sizeof(fake));
    fake.host = (struct trm_host){
        .struct_size = sizeof(fake.host),
        .allocate    = fake_allocate,
        .release     = fake_release,
        .log         = fake_log,
        .fail        = fake_fail,
        .get_setting = fake_get_setting,
        .trust_file  = fake_trust_file,
    };
    fake.driver = CUDA_STANDIN_PATH;
    fake.thread = pthread_self();
}

/* Whatever a test did, the backend holds no memory. */
static inline void fake_teardown(void)
{
    ck_assert_int_eq(fake.bytes, 0);
}

/* Configure the stand-in, before this process first uses it. */
static inline const struct cuda_standin_control *fake_shape(const char *text)
{
    const struct cuda_standin_control *control = cuda_standin_control_of(CUDA_STANDIN_PATH);
    ck_assert_msg(control != NULL, "the stand-in cannot be opened: %s", dlerror());
    ck_assert_int_eq(control->configure(text), 0);
    return control;
}

#endif
