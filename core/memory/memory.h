/* What other rooms use of buffers, pools and copies.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_MEMORY_H
#define CORE_MEMORY_MEMORY_H

#include "core/memory/buffer.h"
#include "core/memory/pool.h"
#include "core/memory/transfer.h"

#endif
