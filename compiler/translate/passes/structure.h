/* What structure.c (blocks, branches, loops) and structure_switch.c share.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_STRUCTURE_H
#define COMPILER_TRANSLATE_PASSES_STRUCTURE_H

#include "compiler/translate/passes/dominators.h"

/* What a branch to a block is while a construct around it is open. */
struct exit {
    enum node_kind kind; /* NODE_BREAK, NODE_CONTINUE or NODE_LEAVE; 0: no more than a branch */
    struct node *target;
};

/* What the phis of a block are for each of its predecessors: sources[pred x phis + phi]. */
struct joins {
    uint32_t phi_count;
    uint32_t *sources;
};

struct structurer {
    struct body *body;
    struct graph graph;
    struct joins *joins; /* [blocks] */
    struct exit *exits;  /* [blocks] */
    uint32_t *reached;   /* [blocks] branches to it that the tree has so far */
    bool *done;          /* [blocks] is in the tree */
    uint32_t *scratch;   /* [blocks] zeros, for those who leave it so */
    uint32_t depth;
};

/* A path begins on the edge from one block to another and ends where it comes to `stop` (NO_BLOCK: nowhere), leaves
 * for another construct, or returns. It is appended to the sequence. */
int32_t structure_path(struct structurer *s, struct node *sequence, uint32_t from, uint32_t to,
                       uint32_t stop);

/* The same from inside of a block on, whose edge was taken before. */
int32_t structure_rest(struct structurer *s, struct node *sequence, uint32_t block, uint32_t stop);

/* The phis of an edge, as copies: `copies` may have some already. */
void structure_copies(struct structurer *s, struct node *copies, uint32_t from, uint32_t to);

/* An OpSwitch at the end of a block; `next` is the block that follows, or NO_BLOCK. */
int32_t structure_switch(struct structurer *s, struct node *sequence, const struct spirv_block *block,
                         uint32_t stop, uint32_t *next);

/* A scope around a path, up to `merge`. */
int32_t structure_scope(struct structurer *s, struct node *sequence, uint32_t from, uint32_t to,
                        uint32_t merge);

/* UNSUPPORTED: control flow is no nest of constructs. */
int32_t structure_refuse(const struct structurer *s, uint32_t block);

/* Opens a construct: branches to the block are exits from now on. Answers what they were, for closing it. */
struct exit structure_open(struct structurer *s, uint32_t block, enum node_kind kind, struct node *target);
void structure_close(struct structurer *s, uint32_t block, struct exit before);

/* Whether the block can be a construct's own end: not where one around it goes already. */
bool structure_is_free(const struct structurer *s, uint32_t block, uint32_t stop);

#endif
