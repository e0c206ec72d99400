/* Is a file a shared object for this machine, and all of it there?
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_ELF_FILE_H
#define CORE_PLUGIN_ELF_FILE_H

#include <stdint.h>

/* Looks at the headers only. The dynamic linker makes most of these checks too, but it answers a file
 * that was cut off with a SIGBUS, and says less. Errors: NOT_FOUND, ABI, explained. */
int32_t core_elf_check(const char *path);

#endif
