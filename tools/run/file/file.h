/* Trireme: the files of a run.
 *
 * claims     no file of a run destroys another
 * input      reading a file or pipe, until its end or an interrupt
 * outlet     writing a file or pipe
 * sequence   numbered files, or all images of a folder
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_FILE_FILE_H
#define TRIREME_TOOLS_RUN_FILE_FILE_H

#include "tools/run/file/claims.h"
#include "tools/run/file/input.h"
#include "tools/run/file/outlet.h"
#include "tools/run/file/sequence.h"

#endif
