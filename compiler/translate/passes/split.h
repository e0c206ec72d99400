/* Shared by split_at_barriers.c (regions and nodes of the group), split_leave.c (work-items that leave a
 * construct of the group one by one), split_waits.c (loops that may wait for what work-items do) and
 * split_checks.c (checks of barriers).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_SPLIT_H
#define COMPILER_TRANSLATE_PASSES_SPLIT_H

#include "compiler/translate/passes/steps.h"

/* A construct of the group that work-items leave divergently. */
struct divergent {
    const struct divergent *up;
    const struct node *target;
    enum node_kind kind; /* of the jumps that leave it */
    uint32_t gone;       /* the flag of the work-items that left */
    uint32_t depth;      /* of those around it, and itself */
};

/* A loop of the group around the current region. */
struct round {
    struct round *up;
    const struct node *loop;
    const struct divergent *masks; /* those of the loop and of what is around it */
    uint32_t stays; /* the group's flag that a work-item is left in it; 0: none was needed yet */
    bool asks;      /* each round begins with the question whether one is left */
    bool is_left;   /* by the region that is being ended */
};

/* By number of a node: how work-items leave it divergently. */
enum {
    LEFT_BEHIND = 1, /* a SWITCH, SCOPE or LOOP: to what follows */
    LEFT_ROUND  = 2, /* a LOOP: to its next round */
};

struct splitter {
    struct body *body;
    uint8_t *left;                     /* by number of a node: LEFT_… */
    const bool *waits;                 /* by number of a LOOP of the group (split_waits.c) */
    uint32_t bool_type;                /* 0 until the first flag */
    const struct divergent *divergent; /* the innermost */
    struct round *round;               /* the innermost */
    struct node *sequence;             /* nodes at group level are appended here */
    struct node *region;               /* SEQUENCE: the nodes since the last barrier */
    bool has_returned;                 /* some work-items may have */
    bool is_asking;                    /* the region sets a flag that the group has just cleared */
};

/* ---- split_leave.c */

/* An assignment; of a constant to a flag. NULL without memory. */
struct node *split_copy(struct splitter *c, uint32_t target, uint32_t source);
struct node *split_flag(struct splitter *c, uint32_t target, uint64_t bits);

/* A flag of each work-item, or of the group. 0 without memory. */
uint32_t split_new_flag(struct splitter *c, const char *name, bool is_uniform);

/* Finds which rounds the region leaves (is_left). False when it leaves none. */
bool split_find_left(struct splitter *c, const struct node *region);

/* Wraps a region so that work-items that are gone skip it, and asks those that stay to say so in the rounds
 * that it leaves. Returns what stands in its place. */
struct node *split_wrap(struct splitter *c, struct node *region);

/* Behind the region: the group leaves the loops in which no work-item is left. */
void split_leave_rounds(struct splitter *c);

/* Lets the loop, whose body is split, begin each round by asking whether a work-item is left. */
void split_ask(struct splitter *c, const struct round *round);

/* Appends the loop, behind the question whether any work-item comes to it where it would not end without one.
 * split_expect() begins that, while the region before the loop is open, and returns the flag; 0: no
 * question. */
uint32_t split_expect(struct splitter *c, const struct node *loop);
void split_append_loop(struct splitter *c, struct node *loop, uint32_t comes);

/* ---- split_waits.c */

/* Finds which loops of the group might not end where no work-item comes, before the body is split. False
 * without memory. */
bool split_find_waits(struct splitter *c);

/* ---- split_checks.c */

/* Notes for each node the first barrier of the shader inside, which is lost once the node is split. */
void split_note_barriers(struct node *node);

/* Counts the work-items that come to a barrier of the shader. */
void split_count_barrier(struct splitter *c, const struct node *barrier);

/* Counts which way the work-items go at a condition of the group. */
void split_count_ways(struct splitter *c, const struct node *node);

#endif
