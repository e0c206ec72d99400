/* Shared by uniform.c (which nodes are at group level), uniform_jumps.c (which jumps the group takes) and
 * varying.c (which values differ between work-items).
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

/* What uniform_jumps.c knows about jumps, by number of a node. Positions are those in the order of the text,
 * UINT32_MAX where there is no such jump. */
struct jump_table {
    uint32_t from, to;              /* the positions of the node and of the last one inside */
    uint32_t first_jump, jumps_end; /* the jumps inside, by index */
    uint32_t out,
        next;        /* of a LOOP, SWITCH, SCOPE: the first jump of work-items behind it; to its next round */
    uint32_t round;  /* of a LOOP: the first jump to its next round, of the group too */
    uint32_t any;    /* the first jump that leaves it, or to its next round, of the group too */
    uint32_t exits;  /* jumps that leave it, without those with a uniform way */
    bool is_told;    /* of a jump: a work-item tells the group whether all take it */
    bool is_assumed; /* of a jump: counts as the group's, to see whether its condition is uniform then */
    bool is_left;    /* of a LOOP: work-items leave it one by one, and code behind it runs for them */
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
    struct jump_table *table;
    bool *kept; /* by id: made in a loop that work-items leave one by one, and used outside of it */
};

/* Finds the varying values for the nodes that are at group level (is_uniform) now. */
int32_t analysis_find_varying(struct analysis *a);

/* Marks the nodes with barriers inside of a group-level construct as group-level, and the sequences in
 * them. */
void uniform_mark_inside(struct node *node);

/* Takes that back: no node below is at group level. */
void uniform_forget(struct node *node);

/* Lists the jumps and their positions. False without memory. */
bool jumps_find(struct analysis *a);

/* Raise jumps to group level, with what is around them: those in sequences of the group; those whose paths
 * are uniform; those that all work-items take or none; those that are assumed. The latter three are false
 * when there were none. */
void jumps_lift_plain(struct analysis *a);
bool jumps_lift_known(struct analysis *a);
bool jumps_lift_shared(struct analysis *a);
bool jumps_lift_assumed(struct analysis *a);

/* What follows a jump in a loop may be uniform only if all work-items take it together, and so may its own
 * condition, in the next round. So some jumps are assumed to be the group's, and dropped again if their way
 * is not uniform (`all`: in any case) for what the others that are assumed make of the values. False when
 * there were none. */
bool jumps_assume(struct analysis *a);
bool jumps_drop_assumed(struct analysis *a, bool all);

/* Finds the loops that work-items leave one by one. False when there are none. */
bool jumps_find_left(struct analysis *a);

/* Makes the tables that do not change from one round to the next. False without memory. */
bool analysis_begin(struct analysis *a, struct body *body);

#endif
