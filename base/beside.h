/* What is installed beside the library.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/* Writes the path of `below` ("/trireme/backends"), which begins with a slash, in the folder of the library
 * file. In a program that links the library statically this is the folder of the program. The path may not
 * exist. False when the folder is unknown. */
bool base_beside_library(const char *below, char path[PATH_MAX]);

#endif
