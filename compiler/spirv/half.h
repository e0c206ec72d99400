/* Floats of 16 bits, for processors and compilers that may not have them.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_HALF_H
#define COMPILER_SPIRV_HALF_H

#include <math.h>
#include <stdint.h>

/* The value of a half's bits: exact. */
double spirv_half_value(uint16_t bits);

/* The nearest half, ties to even; too large is infinity. */
uint16_t spirv_half_bits(double value);

/* What OpQuantizeToF16 gives: as through a half, and what would be a denormal there is zero. */
double spirv_half_quantize(double value);

#endif
