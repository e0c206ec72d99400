/* The suite "wild": what its cases make their data of, and compare results with.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_WILD_DATA_H
#define TRIREME_TESTS_BENCH_WILD_DATA_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wild.h"

static inline void *add_array(struct wild_work *work, size_t bytes)
{
    struct wild_array *array = &work->arrays[work->array_count++];

    array->bytes = bytes;
    array->data  = measure_memory((bytes + 4095) / 4096 * 4096);
    return array->data;
}

static inline void add_output(struct wild_work *work, size_t bytes)
{
    memset(add_array(work, bytes), 0, bytes);
    work->arrays[work->array_count - 1].is_output = true;
}

/* A number between -1 and 1 that depends on the index, without a pattern that one sees. */
static inline float noise(uint64_t index)
{
    index = (index + 1) * 0x9e3779b97f4a7c15u;
    index ^= index >> 29;
    index *= 0xbf58476d1ce4e5b9u;
    index ^= index >> 32;
    return (float)(index & 0xffffff) / 8388608.0f - 1.0f;
}

static inline float *add_noise(struct wild_work *work, size_t count)
{
    float *floats = add_array(work, count * sizeof(float));

    for (size_t i = 0; i < count; i++)
        floats[i] = noise(i + ((uint64_t)work->array_count << 40));
    return floats;
}

static inline struct wild_number whole(uint32_t value)
{
    return (struct wild_number){.is_float = false, .value.u = value};
}

static inline struct wild_number real(float value)
{
    return (struct wild_number){.is_float = true, .value.f = value};
}

static inline uint32_t round_up(uint32_t count, uint32_t multiple)
{
    return (count + multiple - 1) / multiple * multiple;
}

static inline const float *floats_of(const struct wild_work *work, int array)
{
    return work->arrays[array].data;
}

/* Ends the program unless the result is as near to the reference as float arithmetic leads one to expect. */
static inline void compare(const struct wild_work *work, size_t index, double got, double wanted,
                           double tolerance)
{
    if (fabs(got - wanted) <= tolerance * (1 + fabs(wanted)))
        return;
    fprintf(stderr, "%s: result %zu is %.9g, not %.9g\n", work->name, index, got, wanted);
    exit(1);
}

/* Of long references a part is computed: every index that is a multiple of this. */
static inline size_t stride_of(size_t count, size_t checked)
{
    return count <= checked ? 1 : (count / checked) | 1;
}

/* The cases, each in a file of its kind. */
typedef void wild_make_fn(struct wild_work *work, enum wild_size size);
wild_make_fn wild_make_q4, wild_make_softmax, wild_make_norm, wild_make_im2col, wild_make_rotary,
    wild_make_depthwise;
wild_make_fn wild_make_bodies, wild_make_order, wild_make_fft, wild_make_warp;

#endif
