/* reduce_table_i64 for the cpu.
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>

#define KERNEL reduce_table_i64
#define ELEMENT int64_t
#define VALUE int64_t
#define LOAD(element) (element)
#define STORE(value) (value)
#define ADD(x, y) ((int64_t)((uint64_t)(x) + (uint64_t)(y)))
#define IS_NAN(value) 0
#include "kernels/reduce_table.h"
