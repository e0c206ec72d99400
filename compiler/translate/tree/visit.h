/* The values that an instruction uses, one after the other. A pointer operand gives the indices of its
 * access, so a value that only takes part in an address counts as used. Variables are not values.
 *
 *     struct visit visit = visit_begin(body, op);
 *     for (uint32_t id; (id = visit_next(&visit)) != 0;)
 *         ...
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_VISIT_H
#define COMPILER_TRANSLATE_TREE_VISIT_H

#include "compiler/translate/tree/body.h"
#include "compiler/translate/tree/operation.h"

struct visit {
    const struct body *body;
    const struct spirv_instruction *op;
    const struct access *access; /* the access that is being listed */
    uint32_t operand;            /* the next of `op` */
    uint32_t index;              /* the next of `access` */
};

static inline struct visit visit_begin(const struct body *body, const struct spirv_instruction *op)
{
    return (struct visit){.body = body, .op = op};
}

/* The next value or constant; 0 at the end. */
static inline uint32_t visit_next(struct visit *visit)
{
    for (;;) {
        if (visit->access != NULL && visit->index < visit->access->count)
            return visit->access->indices[visit->index++];
        visit->access = NULL;
        if (visit->operand == visit->op->operand_count)
            return 0;
        uint32_t at = visit->operand++;
        if (!operand_is_value(visit->op, at))
            continue;
        uint32_t id                 = visit->op->operands[at];
        const struct access *access = &visit->body->values[id].access;
        if (access->variable == 0) {
            enum spirv_id_kind kind = visit->body->module->ids[id].kind;
            if (kind == SPIRV_ID_VALUE || kind == SPIRV_ID_CONSTANT)
                return id;
            continue;
        }
        visit->access = access;
        visit->index  = 0;
    }
}

#endif
