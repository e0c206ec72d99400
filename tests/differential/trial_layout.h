/* What the structs in a module's buffers consist of, as records of shader_case.h: with data of the wrong
 * types (integers that are tiny floats) results differ for no fault of ours.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_TRIAL_LAYOUT_H
#define TESTS_DIFFERENTIAL_TRIAL_LAYOUT_H

#include <stdint.h>
#include <trireme/shader.h>

#include "tests/differential/shader_case.h"

/* ",u64" or a gap before it, ",4294967295pad", of each field, and the gap behind the last */
#define TRIAL_RECORD (CASE_FIELDS * 18u + 16u)

struct trial_layout {
    char record[TRIAL_RECORD]; /* as shader_case.h has it: "3f32,u32" */
    uint32_t size;             /* bytes of one record */
    int has_integers, has_halves;
};

/* The records of the buffer that is this parameter of the module's kernels. 0: its block has members and an
 * array without a length, or more than CASE_FIELDS scalars. */
int trial_layout_read(struct trial_layout *layout, struct trm_shader *module, uint32_t parameter);

#endif
