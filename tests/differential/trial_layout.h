/* What the structs in a module's buffers consist of: the reflection of the library does not say it, and with
 * data of the wrong types (integers that are tiny floats) results differ for no fault of ours.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_TRIAL_LAYOUT_H
#define TESTS_DIFFERENTIAL_TRIAL_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct trial_layout {
    char record[256]; /* as shader_case.h has it: "3f32,u32" */
    uint32_t size;    /* bytes of one record */
    int has_integers, has_halves;
};

/* The records of the buffer on a set and binding. 0: its block has members and an array without a length, or
 * too many members, or the words cannot be followed. */
int trial_layout_read(struct trial_layout *layout, const uint32_t *words, size_t count, uint32_t set,
                      uint32_t binding);

#endif
