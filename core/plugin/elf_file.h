/* Checks that a file is a complete shared object for this machine.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_PLUGIN_ELF_FILE_H
#define CORE_PLUGIN_ELF_FILE_H

#include <stdint.h>

/* Reads the headers only. The dynamic linker makes most of these checks too, but it crashes with SIGBUS on
 * a truncated file, and explains less. Errors: NOT_FOUND, ABI, explained. */
int32_t core_elf_check(const char *path);

#endif
