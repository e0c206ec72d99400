/* Names of opcodes and capabilities, for messages.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "compiler/spirv/spirv.h"

struct name {
    uint32_t number;
    const char *name;
};

/* Both tables are sorted by number, for bsearch(). */
#define O(number, name)    \
    {                      \
        number, "Op" #name \
    }
static const struct name opcodes[] = {
#include "compiler/spirv/opcodes.inc"
};

#define C(number, name) \
    {                   \
        number, #name   \
    }
static const struct name capabilities[] = {
#include "compiler/spirv/capabilities.inc"
};

static int compare(const void *key, const void *entry)
{
    uint32_t number = *(const uint32_t *)key;
    uint32_t other  = ((const struct name *)entry)->number;

    return number < other ? -1 : number > other;
}

const char *spirv_opcode_name(uint32_t opcode, char space[32])
{
    const struct name *found = bsearch(&opcode, opcodes, SPIRV_COUNT(opcodes), sizeof(opcodes[0]), compare);

    if (found != NULL)
        return found->name;
    snprintf(space, 32, "OpUnknown(%u)", opcode);
    return space;
}

const char *spirv_capability_name(uint32_t capability, char space[32])
{
    const struct name *found =
        bsearch(&capability, capabilities, SPIRV_COUNT(capabilities), sizeof(capabilities[0]), compare);

    if (found != NULL)
        return found->name;
    snprintf(space, 32, "Capability(%u)", capability);
    return space;
}
