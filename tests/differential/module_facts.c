/* SPDX-License-Identifier: MIT */
#include "tests/differential/module_facts.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of the SPIR-V specification that are used here: no header of it is needed to build the
 * tests. */
enum {
    HEADER_WORDS       = 5,
    MOST_IDS           = 1 << 22,
    MOST_ARRAYS        = 8, /* of arrays */
    STAGE_COMPUTE      = 5,
    CLASS_CONSTANT     = 0,
    CLASS_UNIFORM      = 2,
    CLASS_STORAGE      = 12,
    DECORATION_SPEC    = 1,
    DECORATION_BLOCK   = 2,
    DECORATION_BUILTIN = 11,
    DECORATION_BIND    = 33,
    DECORATION_SET     = 34,
    BUILTIN_GROUP_SIZE = 25,
    MODE_SIZE_IDS      = 38,
};

enum opcode {
    OP_ENTRY_POINT       = 15,
    OP_CAPABILITY        = 17,
    OP_TYPE_IMAGE        = 25,
    OP_TYPE_SAMPLER      = 26,
    OP_TYPE_SAMPLED      = 27,
    OP_TYPE_ARRAY        = 28,
    OP_TYPE_UNBOUNDED    = 29,
    OP_TYPE_POINTER      = 32,
    OP_SPEC_COMPOSITE    = 51,
    OP_VARIABLE          = 59,
    OP_DECORATE          = 71,
    OP_MODE_IDS          = 331,
    OP_TYPE_ACCELERATION = 5341,
};

struct id {
    uint32_t opcode;  /* of a type */
    uint32_t pointee; /* of a pointer; of an array: its elements */
    uint32_t set, binding;
    uint32_t spec;
    uint8_t has_binding, is_block, has_spec, is_group_size;
};

struct reading {
    struct module_facts *facts;
    struct id *ids;
    uint32_t bound;
    uint32_t size[3]; /* ids of the size of a work-group; 0: not constants */
};

static const struct {
    uint32_t first, last; /* capabilities */
    uint32_t feature;     /* 0: every module may have them */
} families[] = {
    {0, 1, 0},  /* Matrix, Shader */
    {9, 12, 0}, /* wide and narrow numbers */
    {22, 22, 0},
    {25, 27, MODULE_IMAGES},
    {28, 31, MODULE_DESCRIPTOR_ARRAYS},
    {34, 37, MODULE_IMAGES},
    {39, 39, 0}, /* Int8 */
    {40, 50, MODULE_IMAGES},
    {55, 56, MODULE_IMAGES},
    {61, 68, MODULE_SUBGROUPS},
    {4427, 4427, 0},
    {4428, 4430, MODULE_SHARED_LAYOUT},
    {4433, 4436, 0}, /* 16 bits in blocks */
    {4441, 4442, MODULE_VARIABLE_POINTERS},
    {4448, 4450, 0}, /* 8 bits in blocks */
    {4464, 4468, 0}, /* float controls */
    {4471, 4479, MODULE_RAY_TRACING},
    {5301, 5312, MODULE_DESCRIPTOR_ARRAYS},
    {5340, 5340, MODULE_RAY_TRACING},
    {5345, 5346, 0}, /* the memory model of Vulkan */
    {5347, 5347, MODULE_BUFFER_REFERENCES},
    {5357, 5357, MODULE_COOPERATIVE_MATRIX},
    {6022, 6022, MODULE_COOPERATIVE_MATRIX},
};

static const char *const names[MODULE_FEATURES] = {
    "images",
    "ray tracing",
    "descriptor arrays",
    "buffer references",
    "variable pointers",
    "shared layout",
    "cooperative matrices",
    "views",
    "other stages",
    "subgroups",
    "other capabilities",
};

const char *module_feature_name(uint32_t feature)
{
    for (uint32_t i = 0; i < MODULE_FEATURES; i++)
        if (feature == 1u << i)
            return names[i];
    return "";
}

static uint32_t feature_of_capability(uint32_t capability)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (capability >= families[i].first && capability <= families[i].last)
            return families[i].feature;
    return MODULE_OTHER_CAPABILITIES;
}

static struct id *id_at(const struct reading *reading, uint32_t id)
{
    return &reading->ids[id < reading->bound ? id : 0];
}

static void read_entry(struct module_facts *facts, const uint32_t *words, uint32_t length)
{
    if (words[1] != STAGE_COMPUTE) {
        facts->features |= MODULE_OTHER_STAGES;
        return;
    }
    size_t most = (length - 3) * sizeof(uint32_t);
    if (!facts->is_compute && most > 0) {
        most = most < sizeof(facts->entry) ? most : sizeof(facts->entry);
        memcpy(facts->entry, words + 3, most);
        facts->entry[most - 1] = '\0';
    }
    facts->is_compute = 1;
}

static int is_array(const struct id *type)
{
    return type->opcode == OP_TYPE_ARRAY || type->opcode == OP_TYPE_UNBOUNDED;
}

static void read_variable(struct reading *reading, const uint32_t *words)
{
    struct module_facts *facts = reading->facts;
    const struct id *pointee   = id_at(reading, id_at(reading, words[1])->pointee);
    const struct id *variable  = id_at(reading, words[2]);
    uint32_t class             = words[3];

    if (!variable->has_binding || facts->variable_count == MODULE_VARIABLES ||
        (class != CLASS_CONSTANT && class != CLASS_UNIFORM && class != CLASS_STORAGE))
        return;
    for (uint32_t i = 0; i < MOST_ARRAYS && is_array(pointee); i++) {
        facts->features |= MODULE_DESCRIPTOR_ARRAYS;
        pointee = id_at(reading, pointee->pointee);
    }
    for (uint32_t i = 0; i < facts->variable_count; i++)
        if (facts->variables[i].set == variable->set && facts->variables[i].binding == variable->binding)
            facts->features |= MODULE_VIEWS;
    facts->variables[facts->variable_count++] =
        (struct module_variable){.set        = variable->set,
                                 .binding    = variable->binding,
                                 .is_uniform = class == CLASS_UNIFORM && pointee->is_block};
}

static void read_decoration(struct reading *reading, const uint32_t *words, uint32_t length)
{
    struct id *target = id_at(reading, words[1]);

    if (words[2] == DECORATION_BLOCK)
        target->is_block = 1;
    if (length < 4)
        return;
    if (words[2] == DECORATION_BUILTIN)
        target->is_group_size |= words[3] == BUILTIN_GROUP_SIZE;
    if (words[2] == DECORATION_SPEC) {
        target->spec     = words[3];
        target->has_spec = 1;
    }
    if (words[2] == DECORATION_SET)
        target->set = words[3];
    if (words[2] == DECORATION_BIND) {
        target->binding     = words[3];
        target->has_binding = 1;
    }
}

static void read_instruction(struct reading *reading, const uint32_t *words, uint32_t length)
{
    uint32_t opcode = words[0] & 0xffff;

    switch (opcode) {
    case OP_CAPABILITY:
        reading->facts->features |= length > 1 ? feature_of_capability(words[1]) : 0;
        break;
    case OP_ENTRY_POINT:
        if (length > 3)
            read_entry(reading->facts, words, length);
        break;
    case OP_DECORATE:
        if (length > 2)
            read_decoration(reading, words, length);
        break;
    case OP_MODE_IDS:
        if (length == 6 && words[2] == MODE_SIZE_IDS)
            memcpy(reading->size, words + 3, sizeof(reading->size));
        break;
    case OP_SPEC_COMPOSITE:
        if (length == 6 && id_at(reading, words[2])->is_group_size)
            memcpy(reading->size, words + 3, sizeof(reading->size));
        break;
    case OP_TYPE_POINTER:
        if (length > 3)
            id_at(reading, words[1])->pointee = words[3];
        break;
    case OP_VARIABLE:
        if (length > 3)
            read_variable(reading, words);
        break;
    case OP_TYPE_ACCELERATION:
        reading->facts->features |= MODULE_RAY_TRACING;
        break;
    case OP_TYPE_IMAGE:
    case OP_TYPE_SAMPLER:
    case OP_TYPE_SAMPLED:
        reading->facts->features |= MODULE_IMAGES;
        break;
    case OP_TYPE_ARRAY:
    case OP_TYPE_UNBOUNDED:
        if (length > 2) {
            id_at(reading, words[1])->opcode  = opcode;
            id_at(reading, words[1])->pointee = words[2];
        }
        break;
    default:
        break;
    }
}

static void read_size(struct reading *reading)
{
    for (uint32_t i = 0; i < 3; i++) {
        const struct id *part           = id_at(reading, reading->size[i]);
        reading->facts->size_ids[i]     = part->spec;
        reading->facts->has_size_ids[i] = part->has_spec;
    }
}

int module_facts_read(struct module_facts *facts, const uint32_t *words, size_t count)
{
    struct reading reading = {.facts = facts};

    memset(facts, 0, sizeof(*facts));
    if (count < HEADER_WORDS || words[0] != 0x07230203u || words[3] > MOST_IDS)
        return 1;
    facts->is_spirv = 1;
    reading.bound   = words[3] + 1;
    reading.ids     = calloc(reading.bound, sizeof(*reading.ids));
    if (!reading.ids)
        return 0;
    for (size_t at = HEADER_WORDS; at < count;) {
        uint32_t length = words[at] >> 16;
        if (length == 0 || length > count - at)
            break;
        read_instruction(&reading, words + at, length);
        at += length;
    }
    read_size(&reading);
    free(reading.ids);
    return 1;
}
