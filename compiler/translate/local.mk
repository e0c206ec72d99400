# SPIR-V to C and CUDA C, by rooms from the bottom up; compiler/translate/translate.h says what each is for.

libtrireme_internal_la_SOURCES += \
	compiler/translate/translate.c \
	compiler/translate/translate.h

# Growing text and identifiers.
libtrireme_internal_la_SOURCES += \
	compiler/translate/text/names.c \
	compiler/translate/text/names.h \
	compiler/translate/text/text.c \
	compiler/translate/text/text.h

# The body of a kernel as a tree.
libtrireme_internal_la_SOURCES += \
	compiler/translate/tree/access.c \
	compiler/translate/tree/access.h \
	compiler/translate/tree/body.c \
	compiler/translate/tree/body.h \
	compiler/translate/tree/node.c \
	compiler/translate/tree/node.h \
	compiler/translate/tree/operation.c \
	compiler/translate/tree/operation.h \
	compiler/translate/tree/replace.c \
	compiler/translate/tree/replace.h \
	compiler/translate/tree/tree.h \
	compiler/translate/tree/visit.h

# The passes on it.
libtrireme_internal_la_SOURCES += \
	compiler/translate/passes/bound_loops.c \
	compiler/translate/passes/converge.c \
	compiler/translate/passes/dominators.c \
	compiler/translate/passes/dominators.h \
	compiler/translate/passes/eliminate_dead_code.c \
	compiler/translate/passes/flatten.c \
	compiler/translate/passes/flatten.h \
	compiler/translate/passes/flatten_instruction.c \
	compiler/translate/passes/flatten_pointer.c \
	compiler/translate/passes/hoist_spills.c \
	compiler/translate/passes/if_convert.c \
	compiler/translate/passes/lockstep.c \
	compiler/translate/passes/lockstep.h \
	compiler/translate/passes/lockstep_loop.c \
	compiler/translate/passes/pair_sines.c \
	compiler/translate/passes/passes.h \
	compiler/translate/passes/place.c \
	compiler/translate/passes/promote.c \
	compiler/translate/passes/promote.h \
	compiler/translate/passes/promote_rename.c \
	compiler/translate/passes/rematerialize.c \
	compiler/translate/passes/separate_cases.c \
	compiler/translate/passes/simplify.c \
	compiler/translate/passes/simplify_control_flow.c \
	compiler/translate/passes/spill.c \
	compiler/translate/passes/split.h \
	compiler/translate/passes/split_at_barriers.c \
	compiler/translate/passes/split_checks.c \
	compiler/translate/passes/split_leave.c \
	compiler/translate/passes/split_waits.c \
	compiler/translate/passes/steps.h \
	compiler/translate/passes/structure.c \
	compiler/translate/passes/structure.h \
	compiler/translate/passes/structure_switch.c \
	compiler/translate/passes/uniform.c \
	compiler/translate/passes/uniform.h \
	compiler/translate/passes/uniform_jumps.c \
	compiler/translate/passes/varying.c

# The functions that translated kernels call: their text becomes a table.
libtrireme_internal_la_SOURCES += \
	compiler/translate/prelude/prelude.c \
	compiler/translate/prelude/prelude.h

# The tree as text.
libtrireme_internal_la_SOURCES += \
	compiler/translate/emit/address.c \
	compiler/translate/emit/array.c \
	compiler/translate/emit/bounds.c \
	compiler/translate/emit/constant.c \
	compiler/translate/emit/control_flow.c \
	compiler/translate/emit/declare.c \
	compiler/translate/emit/emit.c \
	compiler/translate/emit/emit.h \
	compiler/translate/emit/emitter.h \
	compiler/translate/emit/flow.c \
	compiler/translate/emit/flow.h \
	compiler/translate/emit/jump.c \
	compiler/translate/emit/memory.c \
	compiler/translate/emit/name.c \
	compiler/translate/emit/op.c \
	compiler/translate/emit/op.h \
	compiler/translate/emit/op_arithmetic.c \
	compiler/translate/emit/op_atomic.c \
	compiler/translate/emit/op_composite.c \
	compiler/translate/emit/matrix_memory.c \
	compiler/translate/emit/op_convert.c \
	compiler/translate/emit/op_cooperative.c compiler/translate/emit/op_cooperative.h \
	compiler/translate/emit/op_exchange.c \
	compiler/translate/emit/op_glsl.c \
	compiler/translate/emit/op_image.c \
	compiler/translate/emit/op_sample.c \
	compiler/translate/emit/op_matrix.c \
	compiler/translate/emit/op_subgroup.c \
	compiler/translate/emit/parallel_copy.c \
	compiler/translate/emit/pattern.c \
	compiler/translate/emit/row_guard.c \
	compiler/translate/emit/row_index.c \
	compiler/translate/emit/row_value.c \
	compiler/translate/emit/rows.h \
	compiler/translate/emit/switch.c \
	compiler/translate/emit/type.c \
	compiler/translate/emit/unit.c \
	compiler/translate/emit/unroll.c \
	compiler/translate/emit/value.c

# The two languages.
libtrireme_internal_la_SOURCES += \
	compiler/translate/targets/c_builtin.c \
	compiler/translate/targets/c_items.c \
	compiler/translate/targets/c_kernel.c \
	compiler/translate/targets/c_memory.c \
	compiler/translate/targets/c_merge.c \
	compiler/translate/targets/c_target.c \
	compiler/translate/targets/c_target.h \
	compiler/translate/targets/common.c \
	compiler/translate/targets/common.h \
	compiler/translate/targets/cuda_bounds.c \
	compiler/translate/targets/cuda_coarsen.c \
	compiler/translate/targets/cuda_items.c \
	compiler/translate/targets/cuda_loops.c \
	compiler/translate/targets/cuda_rows.c \
	compiler/translate/targets/cuda_stages.c \
	compiler/translate/targets/cuda_target.c \
	compiler/translate/targets/cuda_target.h \
	compiler/translate/targets/targets.h

nodist_libtrireme_internal_la_SOURCES = compiler/translate/prelude/prelude_parts.c

# In the order in which they must stand in a text.
PRELUDE_PARTS = \
	$(srcdir)/compiler/translate/prelude/base.inc \
	$(srcdir)/compiler/translate/prelude/integer.inc \
	$(srcdir)/compiler/translate/prelude/float.inc \
	$(srcdir)/compiler/translate/prelude/transcendental.inc \
	$(srcdir)/compiler/translate/prelude/atomic.inc \
	$(srcdir)/compiler/translate/prelude/subgroup.inc \
	$(srcdir)/compiler/translate/prelude/matrix.inc \
	$(srcdir)/compiler/translate/prelude/image.inc \
	$(srcdir)/compiler/translate/prelude/sample.inc \
	$(srcdir)/compiler/translate/prelude/cube.inc \
	$(srcdir)/compiler/translate/prelude/depth.inc

compiler/translate/prelude/prelude_parts.c: $(PRELUDE_PARTS) $(srcdir)/compiler/translate/prelude/prelude.awk
	$(AM_V_GEN)$(MKDIR_P) compiler/translate/prelude && \
	LC_ALL=C $(AWK) -f $(srcdir)/compiler/translate/prelude/prelude.awk $(PRELUDE_PARTS) > $@.tmp && \
	mv -f $@.tmp $@

CLEANFILES += compiler/translate/prelude/prelude_parts.c
EXTRA_DIST += $(PRELUDE_PARTS) compiler/translate/prelude/prelude.awk
