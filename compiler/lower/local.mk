# Modules made plainer before they are read.
libtrireme_internal_la_SOURCES += \
	compiler/lower/bfloats.c \
	compiler/lower/bindings.c \
	compiler/lower/group.c compiler/lower/group.h \
	compiler/lower/group_code.c \
	compiler/lower/group_layout.c \
	compiler/lower/group_math.c \
	compiler/lower/group_memory.c \
	compiler/lower/group_pass.c \
	compiler/lower/group_tensor.c \
	compiler/lower/group_types.c \
	compiler/lower/group_words.c \
	compiler/lower/lower.h \
	compiler/lower/module.c compiler/lower/module.h \
	compiler/lower/samples.c \
	compiler/lower/trinary.c
