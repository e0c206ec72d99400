/* Trireme: how far apart the results of two devices are.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KERNEL_DIFFERENCE_H
#define TRIREME_TOOLS_KERNEL_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Element `index` of an array of a type, as a number. */
double difference_element(const void *elements, int32_t type, uint64_t index);

/* How far a number is from a reference: 0 if they are equal or both NaN, INFINITY if one alone is not finite.
 * is_relative: as a part of the reference where that is above 1. */
double difference_of(double value, double reference, bool is_relative);

/* The largest difference that the order of sums and the rounding of another device explain, for a kernel that
 * computes little per element; 0 for integers that nothing rounds to. */
double difference_tolerance(int32_t type);

#endif
