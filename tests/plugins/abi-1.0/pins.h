/* The layout of the plugin ABI as minor 0 of major 1 had it, and of the public descriptors of that time, on
 * machines whose long and pointers have 64 bits. Nothing here ever changes: a line that no longer compiles is
 * a break that users would have noticed. Tables and descriptors that begin with struct_size may have grown at
 * their end since.
 * SPDX-License-Identifier: MIT
 */
#ifndef ABI_1_0_PINS_H
#define ABI_1_0_PINS_H

#include "tests/plugins/abi-1.0/pins_backend.h"
#include "tests/plugins/abi-1.0/pins_numbers.h"
#include "tests/plugins/abi-1.0/pins_public.h"

#endif
