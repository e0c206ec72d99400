/* reduce_table_f32 for the cpu.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>

#define KERNEL reduce_table_f32
#define ELEMENT float
#define VALUE float
#define LOAD(element) (element)
#define STORE(value) (value)
#define ADD(x, y) ((x) + (y))
#define IS_NAN(value) ((value) != (value))
#include "kernels/reduce_table.h"
