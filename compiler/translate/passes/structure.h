/* Shared by structure.c (blocks, branches, loops) and structure_switch.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_STRUCTURE_H
#define COMPILER_TRANSLATE_PASSES_STRUCTURE_H

#include "compiler/translate/passes/dominators.h"

/* The meaning of a branch to a block while a construct around it is open. */
struct exit {
    enum node_kind kind; /* NODE_BREAK, NODE_CONTINUE or NODE_LEAVE; 0: a plain branch */
    struct node *target;
};

/* The sources of a block's phis for each of its predecessors: sources[pred x phis + phi]. */
struct joins {
    uint32_t phi_count;
    uint32_t *sources;
};

struct structurer {
    struct body *body;
    struct graph graph;
    struct joins *joins; /* [blocks] */
    struct exit *exits;  /* [blocks] */
    uint32_t *reached;   /* [blocks] how many branches to it are in the tree */
    bool *done;          /* [blocks] it is in the tree */
    uint32_t *scratch;   /* [blocks] zeros; a user restores them */
    uint32_t depth;
};

/* Appends a path to the sequence. It begins on the edge from one block to another and ends where it reaches
 * `stop` (NO_BLOCK: nowhere), leaves for an outer construct, or returns. */
int32_t structure_path(struct structurer *s, struct node *sequence, uint32_t from, uint32_t to,
                       uint32_t stop);

/* The same from the inside of a block on, after its edge was taken. */
int32_t structure_rest(struct structurer *s, struct node *sequence, uint32_t block, uint32_t stop);

/* Appends the phis of an edge to `copies`, which may have some already. */
void structure_copies(struct structurer *s, struct node *copies, uint32_t from, uint32_t to);

/* Appends an OpSwitch at the end of a block; *next is the block that follows, or NO_BLOCK. */
int32_t structure_switch(struct structurer *s, struct node *sequence, const struct spirv_block *block,
                         uint32_t stop, uint32_t *next);

/* Appends a scope around a path, up to `merge`. */
int32_t structure_scope(struct structurer *s, struct node *sequence, uint32_t from, uint32_t to,
                        uint32_t merge);

/* Fails with UNSUPPORTED: the control flow is not structured. */
int32_t structure_refuse(const struct structurer *s, uint32_t block);

/* Opens a construct: branches to the block are exits from now on. Returns their former meaning, for
 * structure_close(). */
struct exit structure_open(struct structurer *s, uint32_t block, enum node_kind kind, struct node *target);
void structure_close(struct structurer *s, uint32_t block, struct exit before);

/* Can the block be the end of a new construct? Not if it is the end of an outer one. */
bool structure_is_free(const struct structurer *s, uint32_t block, uint32_t stop);

#endif
