/* What buffers of the tests hold: numbers of ten types, made and compared.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_ELEMENT_H
#define TESTS_DIFFERENTIAL_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "tests/differential/random.h"

enum element_class {
    ELEMENT_PAD, /* a byte that is filled with zero and never compared */
    ELEMENT_SIGNED,
    ELEMENT_UNSIGNED,
    ELEMENT_FLOAT,
};

struct element_type {
    const char *name;
    enum element_class kind;
    uint32_t size; /* bytes */
    int32_t type;  /* enum trm_type */
};

/* "i8" … "f64", "pad"; NULL for no such name. The name need not end with a zero. */
const struct element_type *element_type(const char *name, size_t length);

enum value_rule {
    VALUE_ANY = 0, /* integers: all bits; floats: -1 … 1 */
    VALUE_RANGE,   /* low … high */
    VALUE_LOG,     /* either sign, magnitudes from 2^low to 2^high, all scales alike */
    /* half of them infinities, NaN, zeros, halves, ones, extremes of integers; the rest as ANY */
    VALUE_SPECIAL,
    VALUE_INDEX, /* low + index x high */
};

struct value_source {
    enum value_rule rule;
    double low, high;
};

void element_make(const struct element_type *type, const struct value_source *source, uint64_t index,
                  struct random *random, void *bytes);

/* How much two floats may differ: by any one of these. Integers may not. */
struct tolerance {
    double ulp; /* units in the last place of the larger one */
    double absolute;
    double relative;
};

/* Whether two are the same. All NaNs are alike; what is smaller than the smallest normal number counts as
 * zero. */
int element_same(const struct element_type *type, const struct tolerance *tolerance, const void *one,
                 const void *other);

/* For messages: "-1.5 (0xbfc00000)". */
void element_print(const struct element_type *type, const void *bytes, char text[64]);

/* A number as text, put into an element. 0 when it is none. */
int element_parse(const struct element_type *type, const char *text, void *bytes);

#endif
