/* The kernels of the cases as C functions, for devices that take them.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_FUNCTIONS_H
#define CONFORMANCE_FUNCTIONS_H

#include <trireme/cpu_kernel.h>

#include "kernels.h"

extern const struct trm_cpu_kernel kernel_functions[];
extern const size_t kernel_functions_size; /* bytes */

#endif
