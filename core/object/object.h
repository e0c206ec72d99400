/* The object room: handles, reference counts, and what every object needs.
 *
 * handle        handles, the life of objects, reference counts
 * handle_table  the slots behind handles, which are never freed
 * context       the root object's structure and its allocator (core/context creates it)
 * log           lines of the log that name their object
 * output        the check of output pointers
 * abi           sizes of plugin tables, copies of structures of other versions
 * version       trm_version()
 *
 * Finding a handle takes no lock: a slot is one atomic word. A lock guards only the growth of a context's
 * table.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_OBJECT_H
#define CORE_OBJECT_OBJECT_H

#include "core/object/abi.h"
#include "core/object/context.h"
#include "core/object/desc.h"
#include "core/object/handle.h"
#include "core/object/log.h"
#include "core/object/output.h"

#endif
