# SPIR-V to C and CUDA C.

core_libcore_la_SOURCES += \
	core/translate/emit.h \
	core/translate/text.c core/translate/text.h \
	core/translate/translate.h \
	core/translate/tree.h

# What instructions compute, and the prelude that kernels call, whose text becomes a table.
core_libcore_la_SOURCES += \
	core/translate/emit_address.c \
	core/translate/emit_constant.c \
	core/translate/emit_memory.c \
	core/translate/emit_op.c core/translate/emit_op.h \
	core/translate/emit_op_arithmetic.c \
	core/translate/emit_op_atomic.c \
	core/translate/emit_op_composite.c \
	core/translate/emit_op_convert.c \
	core/translate/emit_op_glsl.c \
	core/translate/emit_op_matrix.c \
	core/translate/emit_op_subgroup.c \
	core/translate/emit_pattern.c \
	core/translate/emit_prelude.c core/translate/emit_prelude.h \
	core/translate/emit_type.c \
	core/translate/emit_unit.c \
	core/translate/emit_value.c

# The passes on the tree, control flow, names, and the two targets.
core_libcore_la_SOURCES += \
	core/translate/access.c \
	core/translate/body.c \
	core/translate/choose.c \
	core/translate/divide.c \
	core/translate/dominators.c \
	core/translate/dominators.h \
	core/translate/emit.c \
	core/translate/emit_copies.c \
	core/translate/emit_declare.c \
	core/translate/emit_flow.c \
	core/translate/emit_jump.c \
	core/translate/emit_switch.c \
	core/translate/emit_unroll.c \
	core/translate/flatten.c \
	core/translate/flatten.h \
	core/translate/flatten_instruction.c \
	core/translate/flow.c \
	core/translate/flow.h \
	core/translate/guard.c \
	core/translate/keep.c \
	core/translate/lockstep.c \
	core/translate/lockstep.h \
	core/translate/lockstep_loop.c \
	core/translate/localise.c \
	core/translate/names.c \
	core/translate/names.h \
	core/translate/names_reserved.c \
	core/translate/node.c \
	core/translate/operation.c \
	core/translate/passes.h \
	core/translate/place.c \
	core/translate/promote.c \
	core/translate/promote.h \
	core/translate/recompute.c \
	core/translate/rename.c \
	core/translate/replace.c \
	core/translate/replace.h \
	core/translate/row_value.c \
	core/translate/rows.h \
	core/translate/simplify.c \
	core/translate/stream.c \
	core/translate/structure.c \
	core/translate/structure.h \
	core/translate/structure_switch.c \
	core/translate/target.c \
	core/translate/target.h \
	core/translate/target_c.c \
	core/translate/target_c_builtin.c \
	core/translate/target_c_items.c \
	core/translate/target_c_kernel.c \
	core/translate/target_c_memory.c \
	core/translate/target_c_merge.c \
	core/translate/target_cuda.c \
	core/translate/target_cuda_items.c \
	core/translate/target_cuda_rows.c \
	core/translate/target_cuda_several.c \
	core/translate/target_cuda_stages.c \
	core/translate/tidy.c \
	core/translate/translate.c \
	core/translate/uniform.c \
	core/translate/uniform.h \
	core/translate/unused.c \
	core/translate/varying.c \
	core/translate/visit.h

nodist_core_libcore_la_SOURCES = core/translate/prelude_parts.c

# In the order in which they must stand in a text.
PRELUDE_PARTS = \
	$(srcdir)/core/translate/prelude/base.inc \
	$(srcdir)/core/translate/prelude/integer.inc \
	$(srcdir)/core/translate/prelude/float.inc \
	$(srcdir)/core/translate/prelude/transcendental.inc \
	$(srcdir)/core/translate/prelude/atomic.inc \
	$(srcdir)/core/translate/prelude/subgroup.inc

core/translate/prelude_parts.c: $(PRELUDE_PARTS) $(srcdir)/core/translate/prelude/prelude.awk
	$(AM_V_GEN)$(MKDIR_P) core/translate && \
	LC_ALL=C $(AWK) -f $(srcdir)/core/translate/prelude/prelude.awk $(PRELUDE_PARTS) > $@.tmp && \
	mv -f $@.tmp $@

CLEANFILES += core/translate/prelude_parts.c
EXTRA_DIST += $(PRELUDE_PARTS) core/translate/prelude/prelude.awk
