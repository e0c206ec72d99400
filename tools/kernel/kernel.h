/* Trireme: what the commands share about kernels.
 *
 * code         finding a kernel by what the user calls it, and reflecting it
 * difference   how far apart the results of two devices are
 * signature    the signature of a kernel as text and as JSON
 * spec         a kernel of the command line: NAME[:name=value,…]
 * suggest      the names that a misspelled one may mean
 * value        scalar values as bits, as numbers and as text
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KERNEL_KERNEL_H
#define TRIREME_TOOLS_KERNEL_KERNEL_H

#include "tools/kernel/code.h"
#include "tools/kernel/difference.h"
#include "tools/kernel/signature.h"
#include "tools/kernel/spec.h"
#include "tools/kernel/suggest.h"
#include "tools/kernel/value.h"

#endif
