/* 16-bit floats in software, since the processor or compiler may lack them.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_HALF_H
#define COMPILER_SPIRV_HALF_H

#include <math.h>
#include <stdint.h>

/* The exact value of a half. */
double spirv_half_value(uint16_t bits);

/* The nearest half; ties go to even, too large values become infinity. */
uint16_t spirv_half_bits(double value);

/* The result of OpQuantizeToF16: the value rounded to a half, with denormal halves flushed to zero. */
double spirv_half_quantize(double value);

#endif
