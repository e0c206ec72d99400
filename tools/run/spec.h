/* Trireme: a kernel as it stands on the command line: NAME[:name=value,…].
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_SPEC_H
#define TRIREME_TOOLS_RUN_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/fault.h"

enum {
    SPEC_OPTIONS = 32
};

struct spec_option {
    char *name;
    char *value; /* a list has its commas */
    bool used;
};

struct spec {
    const char *text; /* as it was given */
    char *kernel;     /* a name, or the path of a .spv or .comp */
    struct spec_option options[SPEC_OPTIONS];
    uint32_t option_count;
};

/* "convolve3x3:weights=0,1,0,1,-4,1,0,1,0,planes=y": what stands between two commas and has no '=' goes on the value before. */
bool spec_parse(struct spec *spec, const char *text, struct fault *fault);
void spec_release(struct spec *spec);

/* The value of an option, noting that it was used; NULL when it was not given. */
const char *spec_value(struct spec *spec, const char *name);

#endif
