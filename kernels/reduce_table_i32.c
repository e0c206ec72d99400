/* reduce_table_i32 for the cpu.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>

#define KERNEL reduce_table_i32
#define ELEMENT int32_t
#define VALUE int32_t
#define LOAD(element) (element)
#define STORE(value) (value)
#define ADD(x, y) ((int32_t)((uint32_t)(x) + (uint32_t)(y)))
#define IS_NAN(value) 0
#include "kernels/reduce_table.h"
