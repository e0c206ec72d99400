/* Trireme: what the commands share about kernels: their signatures, the values of their types, and the names
 * that a misspelled one may mean.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KERNEL_KERNEL_H
#define TRIREME_TOOLS_KERNEL_KERNEL_H

#include "tools/kernel/signature.h"
#include "tools/kernel/suggest.h"
#include "tools/kernel/value.h"

#endif
