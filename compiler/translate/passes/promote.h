/* Shared by promote.c (which variables, where phis stand) and promote_rename.c (replaces loads and stores).
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
    uint32_t current; /* its value at the current position of promote_rename(); 0: none yet */
    uint32_t zero;    /* the constant for reads before any write, made on first use */
    bool is_vector;
    bool is_excluded; /* stays a variable */
};

/* A phi that promotion adds to the beginning of a block. */
struct phi {
    uint32_t variable; /* index of the variable */
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
    uint32_t *slot; /* [slot_count] by id of a variable: 1 + its index; 0: none */
    uint32_t slot_count;
    struct phi **phis;                       /* [blocks] */
    uint32_t *live, *writes, *placed, *work; /* [blocks], marked with 1 + index of a variable */
    uint32_t *joins;                         /* [blocks] */
    uint32_t steps;
    uint32_t *replacement; /* [replacement_count] by id: the value that replaces a removed load; 0: itself */
    uint32_t replacement_count;
};

/* The promoted variable that a pointer points to or into; NULL when there is none. */
struct promoted *promote_variable(const struct promoter *p, uint32_t pointer);

/* Replaces loads and stores of the variables by values. */
int32_t promote_rename(struct promoter *p);

#endif
