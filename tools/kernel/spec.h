/* Trireme: parsing a kernel of the command line: NAME[:name=value,…].
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_KERNEL_SPEC_H
#define TRIREME_TOOLS_KERNEL_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/output/output.h"

enum {
    SPEC_OPTIONS = 32
};

struct spec_option {
    char *name;
    char *value; /* a list includes its commas */
    bool used;
};

struct spec {
    const char *text; /* as it was given */
    char *kernel;     /* a name, or the path of a .spv or .comp */
    struct spec_option options[SPEC_OPTIONS];
    uint32_t option_count;
};

/* Parse "convolve3x3:weights=0,1,0,1,-4,1,0,1,0,planes=y". An item between commas without '=' continues the
 * previous value. */
bool spec_parse(struct spec *spec, const char *text, struct fault *fault);
void spec_release(struct spec *spec);

/* The value of an option, which is marked as used; NULL if it was not given. */
const char *spec_value(struct spec *spec, const char *name);

#endif
