/* What promote.c (which variables, where phis stand) and rename.c (loads and stores go) share.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_PROMOTE_H
#define COMPILER_TRANSLATE_PASSES_PROMOTE_H

#include "compiler/translate/passes/dominators.h"

struct block_list {
    uint32_t block;
    struct block_list *next;
};

/* A variable that becomes values. */
struct promoted {
    uint32_t id;
    uint32_t type;             /* of its value */
    struct block_list *reads;  /* blocks that read it before they write it */
    struct block_list *writes; /* blocks that write it */
    uint32_t last_read, last_write;
    uint32_t current; /* its value at the place at hand, while renaming; 0: none yet */
    uint32_t zero;    /* the constant that stands for no value, once it is needed */
    bool is_vector;
    bool is_excluded; /* stays a variable */
};

/* A phi that promotion adds to the beginning of a block. */
struct phi {
    uint32_t variable; /* index */
    uint32_t id;
    struct spirv_instruction *op; /* operands are added edge by edge */
    struct phi *next;
};

struct promoter {
    struct body *body;
    struct graph graph;
    uint32_t *frontier_start, *frontiers;
    struct promoted *variables;
    uint32_t variable_count;
    uint32_t *slot; /* [slot_count] by id of a variable: 1 + index, 0: none */
    uint32_t slot_count;
    struct phi **phis;                       /* [blocks] */
    uint32_t *live, *writes, *placed, *work; /* [blocks], marked with 1 + index of a variable */
    uint32_t *joins;                         /* [blocks] */
    uint32_t steps;
    uint32_t *replacement; /* [replacement_count] by id: what a load that is gone stands for; 0: itself */
    uint32_t replacement_count;
};

/* The variable to be promoted that a pointer points to (into), or NULL. */
struct promoted *promote_variable(const struct promoter *p, uint32_t pointer);

/* Loads and stores of the variables become values. */
int32_t promote_rename(struct promoter *p);

#endif
