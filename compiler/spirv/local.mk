# Reading, checking and reflecting SPIR-V.

libtrireme_internal_la_SOURCES += \
	compiler/spirv/addresses.c \
	compiler/spirv/annotate.c \
	compiler/spirv/calls.c \
	compiler/spirv/check.c compiler/spirv/check.h \
	compiler/spirv/check_arithmetic.c \
	compiler/spirv/check_composite.c \
	compiler/spirv/check_extended.c \
	compiler/spirv/check_group.c \
	compiler/spirv/check_image.c \
	compiler/spirv/check_memory.c \
	compiler/spirv/constant_fold.c \
	compiler/spirv/cooperative.c \
	compiler/spirv/debug.c \
	compiler/spirv/grammar.c compiler/spirv/grammar.h \
	compiler/spirv/half.c compiler/spirv/half.h \
	compiler/spirv/ids.c \
	compiler/spirv/layout.c \
	compiler/spirv/spirv.h \
	compiler/spirv/names.c \
	compiler/spirv/preamble.c \
	compiler/spirv/read.c \
	compiler/spirv/read_constants.c \
	compiler/spirv/read_function.c \
	compiler/spirv/read_image.c \
	compiler/spirv/read_types.c \
	compiler/spirv/read_variable.c \
	compiler/spirv/reader.h \
	compiler/spirv/reflect.c \
	compiler/spirv/reflect_image.c \
	compiler/spirv/reflect_members.c \
	compiler/spirv/strip.c \
	compiler/spirv/validate.h \
	compiler/spirv/validate_dominators.c \
	compiler/spirv/validate_flow.c \
	compiler/spirv/validate_structure.c \
	compiler/spirv/views.c \
	compiler/spirv/words.c

EXTRA_DIST += compiler/spirv/capabilities.inc compiler/spirv/opcodes.inc
