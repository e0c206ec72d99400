# Reading, checking and reflecting SPIR-V.

core_libcore_la_SOURCES += \
	core/spirv/annotate.c \
	core/spirv/calls.c \
	core/spirv/check.c core/spirv/check.h \
	core/spirv/check_arithmetic.c \
	core/spirv/check_branch.c \
	core/spirv/check_composite.c \
	core/spirv/check_extended.c \
	core/spirv/check_group.c \
	core/spirv/check_memory.c \
	core/spirv/constant_fold.c \
	core/spirv/debug.c \
	core/spirv/grammar.c core/spirv/grammar.h \
	core/spirv/half.c core/spirv/half.h \
	core/spirv/ids.c \
	core/spirv/layout.c \
	core/spirv/module.h \
	core/spirv/names.c \
	core/spirv/preamble.c \
	core/spirv/read.c \
	core/spirv/read_constants.c \
	core/spirv/read_function.c \
	core/spirv/read_types.c \
	core/spirv/read_variable.c \
	core/spirv/reader.h \
	core/spirv/reflect.c \
	core/spirv/validate.h \
	core/spirv/validate_dominators.c \
	core/spirv/validate_flow.c \
	core/spirv/validate_structure.c \
	core/spirv/words.c

EXTRA_DIST += core/spirv/capabilities.inc core/spirv/opcodes.inc
