/* Looks into the program's own headers for the dynamic linker that it asks for.
 * SPDX-License-Identifier: MIT
 */
#include "base/linkage.h"

#include <link.h>
#include <stddef.h>

/* The program comes first. A static one names no dynamic linker. */
static int look_at_program(struct dl_phdr_info *info, size_t size, void *user)
{
    bool *is_static = user;
    (void)size;
    *is_static = true;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_INTERP)
            *is_static = false;
    }
    return 1;
}

bool base_program_is_static(void)
{
    bool is_static = false;
    dl_iterate_phdr(look_at_program, &is_static);
    return is_static;
}
