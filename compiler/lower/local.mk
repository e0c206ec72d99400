# Modules made plainer before they are read.
libtrireme_internal_la_SOURCES += \
	compiler/lower/bfloats.c \
	compiler/lower/bindings.c \
	compiler/lower/lower.h \
	compiler/lower/module.c compiler/lower/module.h \
	compiler/lower/samples.c
