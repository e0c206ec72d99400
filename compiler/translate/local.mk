# SPIR-V to C and CUDA C.

libtrireme_internal_la_SOURCES += \
	compiler/translate/emit.h \
	compiler/translate/text.c compiler/translate/text.h \
	compiler/translate/translate.h \
	compiler/translate/tree.h

# What instructions compute, and the prelude that kernels call, whose text becomes a table.
libtrireme_internal_la_SOURCES += \
	compiler/translate/emit_address.c \
	compiler/translate/emit_constant.c \
	compiler/translate/emit_memory.c \
	compiler/translate/emit_op.c compiler/translate/emit_op.h \
	compiler/translate/emit_op_arithmetic.c \
	compiler/translate/emit_op_atomic.c \
	compiler/translate/emit_op_composite.c \
	compiler/translate/emit_op_convert.c \
	compiler/translate/emit_op_glsl.c \
	compiler/translate/emit_op_matrix.c \
	compiler/translate/emit_op_subgroup.c \
	compiler/translate/emit_pattern.c \
	compiler/translate/emit_prelude.c compiler/translate/emit_prelude.h \
	compiler/translate/emit_type.c \
	compiler/translate/emit_unit.c \
	compiler/translate/emit_value.c

# The passes on the tree, control flow, names, and the two targets.
libtrireme_internal_la_SOURCES += \
	compiler/translate/access.c \
	compiler/translate/body.c \
	compiler/translate/if_convert.c \
	compiler/translate/split_at_barriers.c \
	compiler/translate/dominators.c \
	compiler/translate/dominators.h \
	compiler/translate/emit.c \
	compiler/translate/emit_copies.c \
	compiler/translate/emit_declare.c \
	compiler/translate/emit_flow.c \
	compiler/translate/emit_jump.c \
	compiler/translate/emit_switch.c \
	compiler/translate/emit_unroll.c \
	compiler/translate/flatten.c \
	compiler/translate/flatten.h \
	compiler/translate/flatten_instruction.c \
	compiler/translate/flow.c \
	compiler/translate/flow.h \
	compiler/translate/guard.c \
	compiler/translate/spill.c \
	compiler/translate/lockstep.c \
	compiler/translate/lockstep.h \
	compiler/translate/lockstep_loop.c \
	compiler/translate/localise.c \
	compiler/translate/names.c \
	compiler/translate/names.h \
	compiler/translate/names_reserved.c \
	compiler/translate/node.c \
	compiler/translate/operation.c \
	compiler/translate/passes.h \
	compiler/translate/place.c \
	compiler/translate/promote.c \
	compiler/translate/promote.h \
	compiler/translate/rematerialize.c \
	compiler/translate/rename.c \
	compiler/translate/replace.c \
	compiler/translate/replace.h \
	compiler/translate/row_value.c \
	compiler/translate/rows.h \
	compiler/translate/simplify.c \
	compiler/translate/row_index.c \
	compiler/translate/structure.c \
	compiler/translate/structure.h \
	compiler/translate/structure_switch.c \
	compiler/translate/target.c \
	compiler/translate/target.h \
	compiler/translate/target_c.c \
	compiler/translate/target_c_builtin.c \
	compiler/translate/target_c_items.c \
	compiler/translate/target_c_kernel.c \
	compiler/translate/target_c_memory.c \
	compiler/translate/target_c_merge.c \
	compiler/translate/target_cuda.c \
	compiler/translate/target_cuda_items.c \
	compiler/translate/target_cuda_rows.c \
	compiler/translate/target_cuda_coarsen.c \
	compiler/translate/target_cuda_stages.c \
	compiler/translate/tidy.c \
	compiler/translate/translate.c \
	compiler/translate/uniform.c \
	compiler/translate/uniform.h \
	compiler/translate/eliminate_dead_code.c \
	compiler/translate/varying.c \
	compiler/translate/visit.h

nodist_libtrireme_internal_la_SOURCES = compiler/translate/prelude_parts.c

# In the order in which they must stand in a text.
PRELUDE_PARTS = \
	$(srcdir)/compiler/translate/prelude/base.inc \
	$(srcdir)/compiler/translate/prelude/integer.inc \
	$(srcdir)/compiler/translate/prelude/float.inc \
	$(srcdir)/compiler/translate/prelude/transcendental.inc \
	$(srcdir)/compiler/translate/prelude/atomic.inc \
	$(srcdir)/compiler/translate/prelude/subgroup.inc

compiler/translate/prelude_parts.c: $(PRELUDE_PARTS) $(srcdir)/compiler/translate/prelude/prelude.awk
	$(AM_V_GEN)$(MKDIR_P) compiler/translate && \
	LC_ALL=C $(AWK) -f $(srcdir)/compiler/translate/prelude/prelude.awk $(PRELUDE_PARTS) > $@.tmp && \
	mv -f $@.tmp $@

CLEANFILES += compiler/translate/prelude_parts.c
EXTRA_DIST += $(PRELUDE_PARTS) compiler/translate/prelude/prelude.awk
