/* reduce_table_bf16 for the cpu.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>

#include "kernels/bits.h"

#define KERNEL reduce_table_bf16
#define ELEMENT uint16_t
#define VALUE float
#define LOAD(element) widen(element)
#define STORE(value) narrow(value)
#define ADD(x, y) ((x) + (y))
#define IS_NAN(value) ((value) != (value))

/* A bfloat16 is the upper half of a float. */
static inline __attribute__((always_inline)) float widen(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

/* Rounds to the nearest, of two to the even one; a NaN stays one. */
static inline __attribute__((always_inline)) uint16_t narrow(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t nan = (bits >> 16) | 0x40u, rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;

    return (uint16_t)(value != value ? nan : rounded);
}

#include "kernels/reduce_table.h"
