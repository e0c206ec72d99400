/* What uniform.c (which nodes stand at the level of the group) and varying.c (which values differ between items) share.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_UNIFORM_H
#define COMPILER_TRANSLATE_PASSES_UNIFORM_H

#include "compiler/translate/passes/steps.h"

/* Values that use a value, as lists. */
struct user {
    uint32_t id;
    uint32_t next; /* 1 + index */
};

struct analysis {
    struct body *body;
    bool *varying; /* by id: differs between items, or cannot be computed by the group where it stands */
    bool *
        escapes; /* by number of a node: an item may leave a construct of the group, or return, from inside */
    uint32_t *stored; /* by id of a variable: the last stretch that writes it */
    uint32_t *alias;  /* by id of a variable: the first that is bound to the same place, or itself */
    uint32_t region;  /* number of the one at hand */
    uint32_t *users;  /* by id: 1 + index of its first user */
    struct user *user_list;
    uint32_t user_count, user_capacity;
    uint32_t *work;
    uint32_t work_count;
    struct node **jumps; /* all jumps and returns */
    uint32_t jump_count, jump_capacity;
};

/* Finds out which values are varying, with the nodes at the level of the group (is_uniform) as they are. */
int32_t analysis_find_varying(struct analysis *a);

/* Tables that do not change from one round to the next. 0 without memory. */
bool analysis_begin(struct analysis *a, struct body *body);

#endif
