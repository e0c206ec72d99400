/* Steps that passes share inside this room; passes.h says which pass runs which.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_STEPS_H
#define COMPILER_TRANSLATE_PASSES_STEPS_H

#include "compiler/translate/passes/passes.h"

#define NESTING_MOST 200u /* compilers accept little more */

/* simplify.c: an extract of a component from a built-in that was loaded whole becomes a load of that
 * component. Then only the components in use have to be known, and a component of a dimension in which the
 * group is one work-item wide is uniform. The instructions that make the operands must be known. */
void simplify_extract(struct body *body, struct spirv_instruction *op);

/* simplify.c: variables that only ever hold one constant get it as `initializer` and become
 * `non_writable`. */
void simplify_tables(struct body *body);

/* simplify_control_flow.c: removes jumps to where control goes anyway and scopes without a LEAVE; then sets
 * parents, barriers and jump targets. */
int32_t translate_simplify_control_flow(struct body *body);

/* eliminate_dead_code.c: removes what has no effect and no use that has one; counts `uses`. */
int32_t translate_eliminate_dead_code(struct body *body);

/* uniform.c: finds values that are the same for the whole group and that the group can compute
 * (value_info.is_uniform), and nodes at group level (node.is_uniform): barriers and what is around them. */
int32_t translate_uniform(struct body *body);

/* converge.c: rewrites the constructs around operations of subgroups in which values are exchanged, so
 * that all work-items come to the barriers around them; then does what translate_uniform() does. */
int32_t translate_converge(struct body *body);

/* separate_cases.c: separates the cases with a barrier of the shader from those of a switch whose selector is
 * not uniform (`all`: of every switch with such cases). *found: there were some; then the nodes at group
 * level have to be found again. */
int32_t translate_separate_cases(struct body *body, bool all, bool *found);

/* rematerialize.c: computes cheap values again in each NODE_ITEMS that uses them, instead of spilling
 * them. */
int32_t translate_rematerialize(struct body *body);

/* spill.c: finds the values and variables that one NODE_ITEMS must keep for another, and the NODE_ITEMS that
 * load them. */
int32_t translate_spill(struct body *body);

/* hoist_spills.c: a spilled value that a region assigns in a loop is stored once, at the region's end. */
int32_t translate_hoist_spills(struct body *body);

#endif
