/* What the tests of the built-in kernels share: running one of them on the device under test, and comparing
 * what it left with what a plain function makes in double precision.
 *
 * The device is the best of the backend that CONFORMANCE_BACKEND names, else TRIREME_BACKEND, else the cpu's.
 *
 *     struct kernel *axpy = kernel_open("axpy", NULL, 0);
 *     RUN(axpy, groups_for(n, 256), 1, 1, read_only("x", x, n * 4), read_write("y", y, n * 4),
 *         scalar_f32("a", 2), scalar_u32("count", n));
 *     kernel_close(axpy);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_KERNELS_HARNESS_H
#define TESTS_KERNELS_HARNESS_H

#include "tests/check.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/trireme.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What one float carries: the distance from 1 to the next. A result that was rounded once is off by half of
 * it. */
#define ULP 0x1p-23

struct kernel;

/* ---- the device under test: the fixture of every case ---- */

void fixture_setup(void);
void fixture_teardown(void);

struct trm_device *fixture_device(void);
struct trm_stream *fixture_stream(void);

/* The call succeeded, or the test fails and says why not. */
void must(int32_t status);

/* Runs a suite whose cases were added to `group`. For main(). */
TCase *suite_group(const char *suite);
int suite_run(TCase *group);

/* ---- kernels ---- */

/* A built-in kernel with these constants (u32, by name). It is there, or the test fails. */
struct constant {
    const char *name; /* NULL: the group's size */
    uint32_t value;
};
struct kernel *kernel_open(const char *name, const struct constant *constants, size_t count);
void kernel_close(struct kernel *kernel);

enum role {
    ROLE_READ,       /* must be as it was afterwards */
    ROLE_WRITE,      /* holds nonsense before */
    ROLE_READ_WRITE, /* comes back changed */
    ROLE_U32,
    ROLE_F32,
};

/* An argument by its name. */
struct value {
    const char *name;
    enum role role;
    void *data;
    size_t size; /* bytes */
    uint32_t u32;
    float f32;
};

struct value read_only(const char *name, const void *data, size_t size);
struct value write_only(const char *name, void *data, size_t size);
struct value read_write(const char *name, void *data, size_t size);
struct value scalar_u32(const char *name, uint32_t value);
struct value scalar_f32(const char *name, float value);

/* Launch and wait. Buffers have just the size that is given and end with a guard: what a kernel writes beyond
 * is a failure, and so is a change of what it only reads. */
void kernel_run(struct kernel *kernel, uint32_t x, uint32_t y, uint32_t z, const struct value *values,
                size_t count);

#define RUN(kernel, x, y, z, ...)                                    \
    kernel_run(kernel, x, y, z, (const struct value[]){__VA_ARGS__}, \
               COUNT(((const struct value[]){__VA_ARGS__})))

/* Groups that cover so many items; one at least, so that a kernel sees that there is nothing to do. */
uint32_t groups_for(size_t items, size_t group);

/* ---- data ---- */

/* Sizes that are about those where something changes. The first is 0. */
extern const size_t sizes[13];

/* Memory of so many bytes, 1 at least, that is there. free() ends it. */
void *allocate(size_t size);

/* Numbers that are the same each time. */
struct generator {
    uint64_t state;
};
uint32_t random_u32(struct generator *generator);
/* From low to high. */
float random_f32(struct generator *generator, double low, double high);
float *random_floats(size_t count, double low, double high, uint64_t seed);
uint8_t *random_bytes(size_t count, uint64_t seed);

/* 16-bit floats, IEEE 754 binary16. */
double half_value(uint16_t half);
uint16_t half_of(double value); /* to the nearest, of two the even one */

/* ---- comparing ---- */

/* `got` is within `tolerance` of `expected`; both are NaN; or both are the same infinity. Else the test fails
 * and says where: at element `index` of `what`. */
void expect_near(const char *what, size_t index, double got, double expected, double tolerance);
void expect_equal(const char *what, size_t index, uint64_t got, uint64_t expected);

#endif
