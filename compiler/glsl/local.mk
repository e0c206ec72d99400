# GLSL to SPIR-V, through shaderc: the library or the program.
libtrireme_internal_la_SOURCES += \
	compiler/glsl/glsl.c compiler/glsl/glsl.h \
	compiler/glsl/glsl_gather.c compiler/glsl/glsl_gather.h \
	compiler/glsl/glsl_include.c compiler/glsl/glsl_include.h \
	compiler/glsl/glsl_library.c compiler/glsl/glsl_library.h \
	compiler/glsl/glsl_program.c compiler/glsl/glsl_program.h \
	compiler/glsl/glsl_scan.c compiler/glsl/glsl_scan.h
