/* reduce_table_f16 for the cpu.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>

#include "kernels/bits.h"

#define KERNEL reduce_table_f16
#define ELEMENT uint16_t
#define VALUE float
#define LOAD(element) widen(element)
#define STORE(value) narrow(value)
#define ADD(x, y) ((x) + (y))
#define IS_NAN(value) ((value) != (value))

static inline __attribute__((always_inline)) float widen(uint16_t half)
{
    uint32_t bits = bits_of(float_of((uint32_t)(half & 0x7fff) << 13) * 0x1p112f);

    bits |= (half & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
    return float_of(bits | (uint32_t)(half & 0x8000) << 16);
}

/* Rounds to the nearest, of two to the even one, as translated code does
 * (compiler/translate/prelude/base.inc). */
static inline __attribute__((always_inline)) uint16_t narrow(float value)
{
    uint32_t all = bits_of(value), bits = all & 0x7fffffffu;
    uint32_t normal = (bits + 0xc8000fffu + (bits >> 13 & 1u)) >> 13;
    uint32_t small  = bits_of(float_of(bits) + 0.5f) - 0x3f000000u;
    uint32_t large  = bits > 0x7f800000u ? 0x7e00u : 0x7c00u;
    uint32_t half   = bits >= 0x47800000u ? large : bits < 0x38800000u ? small : normal;

    return (uint16_t)(half | (all >> 16 & 0x8000u));
}

#include "kernels/reduce_table.h"
