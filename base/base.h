/* What the layers above use of the base.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "base/allocate.h"
#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/file_permissions.h"
#include "base/fork.h"
#include "base/futex.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/read_file.h"
#include "base/sha256.h"
#include "base/thread.h"

#endif
