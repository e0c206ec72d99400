/* What a trial has to know about a SPIR-V module that the library may refuse: read from its words alone, with
 * every word checked.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_MODULE_FACTS_H
#define TESTS_DIFFERENTIAL_MODULE_FACTS_H

#include <stddef.h>
#include <stdint.h>

enum module_feature {
    MODULE_IMAGES             = 1u << 0, /* images, samplers and texel buffers */
    MODULE_RAY_TRACING        = 1u << 1,
    MODULE_DESCRIPTOR_ARRAYS  = 1u << 2,
    MODULE_BUFFER_REFERENCES  = 1u << 3,
    MODULE_VARIABLE_POINTERS  = 1u << 4,
    MODULE_SHARED_LAYOUT      = 1u << 5,
    MODULE_COOPERATIVE_MATRIX = 1u << 6,
    MODULE_VIEWS              = 1u << 7, /* several variables of one set and binding */
    MODULE_OTHER_STAGES       = 1u << 8, /* beside a compute entry */
    MODULE_SUBGROUPS          = 1u << 9,
    MODULE_OTHER_CAPABILITIES = 1u << 10, /* a capability that this file does not know */
    MODULE_FEATURES           = 11,
};

#define MODULE_VARIABLES 256u

/* A variable with a set and a binding. */
struct module_variable {
    uint32_t set, binding;
    int is_uniform; /* a uniform buffer */
};

struct module_facts {
    int is_spirv;   /* has the header of a module, in this machine's byte order */
    int is_compute; /* has a compute entry */
    uint32_t features;
    char entry[128]; /* the name of the first compute entry */
    struct module_variable variables[MODULE_VARIABLES];
    uint32_t variable_count;
    uint32_t size_ids[3]; /* SpecId of the constants that are the size of a work-group */
    int has_size_ids[3];
};

/* 0 without memory. */
int module_facts_read(struct module_facts *facts, const uint32_t *words, size_t count);

/* The name of one feature, such as "images". */
const char *module_feature_name(uint32_t feature);

#endif
