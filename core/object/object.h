/* What other rooms use of handles, contexts and structures that cross the ABI.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_OBJECT_H
#define CORE_OBJECT_OBJECT_H

#include "core/object/abi.h"
#include "core/object/context.h"
#include "core/object/handle.h"
#include "core/object/log.h"
#include "core/object/output.h"

#endif
