# Memory, errors, log, locks, threads, hashing, files: what all layers above need of the system.

# To add a file: append it, headers too.
libtrireme_internal_la_SOURCES += \
	base/allocate.c base/allocate.h \
	base/arena.c base/arena.h \
	base/barrier.c base/barrier.h \
	base/base.h \
	base/beside.c base/beside.h \
	base/biased_lock.c base/biased_lock.h \
	base/compiler.h \
	base/edit_distance.c base/edit_distance.h \
	base/error.c base/error.h \
	base/file_bytes.c base/file_bytes.h \
	base/file_permissions.c base/file_permissions.h \
	base/fork.c base/fork.h \
	base/futex.c base/futex.h \
	base/linkage.c base/linkage.h \
	base/lock.c base/lock.h \
	base/log.c base/log.h \
	base/numa.c base/numa.h \
	base/read_file.c base/read_file.h \
	base/sha256.c base/sha256.h \
	base/thread.c base/thread.h \
	base/type.c base/type.h

# Without optimization and with a sanitizer, hashing what the caches hold is a sixth of the time of the tests.
OPTIMIZED_ALWAYS = sha256
$(OPTIMIZED_ALWAYS:%=base/libtrireme_internal_la-%.lo): CFLAGS += -O2

# base/program: compilers as programs.
libtrireme_internal_la_SOURCES += \
	base/program/program.c base/program/program.h \
	base/program/supervise.h

# The program with which the library runs compilers.
supervisordir = $(pkglibdir)
supervisor_PROGRAMS = base/program/supervise
base_program_supervise_SOURCES = base/program/supervise.c base/program/supervise.h
