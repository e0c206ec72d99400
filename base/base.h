/* The base layer: what all others need of the C library and the kernel.
 *
 * allocate          memory from the program's allocator
 * arena             memory that is freed all at once
 * barrier           memory barriers of which one side pays for both
 * beside            what is installed beside the library
 * biased_lock       a mutex that one thread takes without atomic operations
 * compiler          branch hints, the cast from a member to its structure
 * edit_distance     how far two names are from each other
 * error             the last error of a thread, names of statuses
 * file_bytes        reading and writing parts of an open file
 * file_permissions  whether only root and this user can replace a file
 * fork              words that tell the child of a fork
 * futex             sleeping on a word, condition variables, the monotonic clock, deadlines
 * linkage           whether the program is static
 * lock              a mutex of four bytes
 * log               lines to the program, a file or standard error
 * numa              memory and threads near a device
 * read_file         a whole file into an arena
 * sha256            SHA-256
 * thread            starting the library's own threads
 * type              sizes and names of element types: trm_type_size(), trm_type_name(); a name as a type
 *
 * Nothing here knows a context. Only the last error (thread-local) is kept between calls.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/allocate.h"
#include "base/arena.h"
#include "base/barrier.h"
#include "base/beside.h"
#include "base/biased_lock.h"
#include "base/compiler.h"
#include "base/edit_distance.h"
#include "base/error.h"
#include "base/file_bytes.h"
#include "base/file_permissions.h"
#include "base/fork.h"
#include "base/futex.h"
#include "base/linkage.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/numa.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "base/thread.h"
#include "base/type.h"

#endif
