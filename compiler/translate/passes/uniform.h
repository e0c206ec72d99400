/* Shared by uniform.c (which nodes are at group level) and varying.c (which values differ between
 * work-items).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_UNIFORM_H
#define COMPILER_TRANSLATE_PASSES_UNIFORM_H

#include "compiler/translate/passes/steps.h"

/* A user of a value, in a list. */
struct user {
    uint32_t id;
    uint32_t next; /* 1 + index; 0: the end */
};

struct analysis {
    struct body *body;
    bool *varying; /* by id: differs between work-items, or the group cannot compute it where it stands */
    /* by number of a node: a work-item may leave a group-level construct, or return, from inside */
    bool *escapes;
    uint32_t *stored; /* by id of a variable: the last region that writes it */
    uint32_t *alias;  /* by id of a variable: the first variable bound to the same memory, or 0 */
    uint32_t region;  /* number of the current region */
    uint32_t *users;  /* by id: 1 + index of its first user */
    struct user *user_list;
    uint32_t user_count, user_capacity;
    uint32_t *work;
    uint32_t work_count;
    struct node **jumps; /* all jumps and returns */
    uint32_t jump_count, jump_capacity;
};

/* Finds the varying values for the nodes that are at group level (is_uniform) now. */
int32_t analysis_find_varying(struct analysis *a);

/* Makes the tables that do not change from one round to the next. False without memory. */
bool analysis_begin(struct analysis *a, struct body *body);

#endif
