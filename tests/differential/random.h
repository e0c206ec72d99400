/* Numbers that look random and are the same everywhere for one seed (SplitMix64: G. Steele, D. Lea, C. Flood,
 * "Fast Splittable Pseudorandom Number Generators", 2014).
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_RANDOM_H
#define TESTS_DIFFERENTIAL_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15u;
    mixed          = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed          = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

/* 0 … count − 1; count is not 0 */
static inline uint32_t random_below(struct random *random, uint32_t count)
{
    return (uint32_t)(((random_next(random) >> 32) * count) >> 32);
}

/* 0 ≤ x < 1 */
static inline double random_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

#endif
