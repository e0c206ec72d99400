# All installed backends land in one folder of the build tree, backends/.libs, under the names they are installed by.
# Each has a folder here with a local.mk of its own that says:
#
#     if BUILD_CPU
#     backends_LTLIBRARIES += backends/cpu.la
#     endif
#     backends_cpu_la_SOURCES = backends/cpu/backend.c …
#     backends_cpu_la_LDFLAGS = $(MODULE_LINK)
#
# A backend includes <trireme/backend.h>, <trireme/backend_util.h> and its own headers, and links nothing of ours.
