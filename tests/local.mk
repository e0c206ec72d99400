# What all tests share, and the tests of the build itself: headers, symbols, packaging.
#
# A test is a program or a .sh script that ends with 0 (passed), 77 (skipped) or anything else (failed).

# Nothing of the user's own settings reaches a test, and scripts find the tree and the tools by these names. Kernels that tests
# compile are kept in the build tree, or where TEST_CACHE_HOME says, so that several builds have to compile them but once. (The thread
# sanitizer would sleep for a second at the end of every process in which threads of a driver are left; the address sanitizer would
# have all processes of Check's look through 256 MiB of freed memory as they end.) TEST_KERNEL_CC is the compiler of kernels where
# `cc` compiles for another processor than the tests are built for.
# Lavapipe computes in the thread of its queue: threads of its own wake each other for work of microseconds, which costs up to a quarter
# more processor time for one, and as much again for more.
AM_TESTS_ENVIRONMENT = \
	for variable in $$(env | sed -n 's/^\(TRIREME_[A-Z_]*\)=.*/\1/p'); do unset $$variable; done; \
	test -z "$${TEST_KERNEL_CC-}" || { TRIREME_CPU_COMPILER=$$TEST_KERNEL_CC; export TRIREME_CPU_COMPILER; }; \
	TRIREME_STREAM_MEASURE=no; export TRIREME_STREAM_MEASURE; \
	LP_NUM_THREADS=$${LP_NUM_THREADS-0}; export LP_NUM_THREADS; \
	CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT:-300}; export CK_DEFAULT_TIMEOUT; \
	XDG_CONFIG_HOME='$(abs_top_builddir)/tests/no-config'; export XDG_CONFIG_HOME; \
	XDG_CACHE_HOME="$${TEST_CACHE_HOME:-$(abs_top_builddir)/tests/cache}"; export XDG_CACHE_HOME; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC; \
	PROGRAM_CC='$(strip $(CC) $(SANITIZER_CFLAGS))'; export PROGRAM_CC; \
	CXX='$(CXX)'; export CXX; \
	NM='$(NM)'; export NM; \
	NVCC='$(NVCC)'; export NVCC; \
	MAKE='$(MAKE)'; export MAKE; \
	PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
	PUBLIC_HEADERS='$(triremeinclude_HEADERS)'; export PUBLIC_HEADERS; \
	BACKENDS='$(backends_LTLIBRARIES)'; export BACKENDS; \
	MAN_PAGES='$(dist_man_MANS)'; export MAN_PAGES; \
	prefix='$(prefix)'; export prefix; \
	bindir='$(bindir)'; export bindir; \
	libdir='$(libdir)'; export libdir; \
	includedir='$(includedir)'; export includedir; \
	mandir='$(mandir)'; export mandir; \
	pkglibdir='$(pkglibdir)'; export pkglibdir; \
	docdir='$(docdir)'; export docdir; \
	templatedir='$(templatedir)'; export templatedir; \
	conformancedir='$(conformancedir)'; export conformancedir; \
	backendsdir='$(backendsdir)'; export backendsdir; \
	INSTRUMENTED='$(INSTRUMENTED)'; export INSTRUMENTED; \
	LONG_TESTS='$(LONG_TESTS)'; export LONG_TESTS; \
	ROOMS_IN_ONE_PROCESS='$(ROOMS_IN_ONE_PROCESS)'; export ROOMS_IN_ONE_PROCESS; \
	TEST_LONG="$${TEST_LONG-$(filter command,$(origin TESTS))}"; export TEST_LONG; \
	ASAN_OPTIONS="quarantine_size_mb=16$${ASAN_OPTIONS:+:$$ASAN_OPTIONS}"; export ASAN_OPTIONS; \
	TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:atexit_sleep_ms=0$${TSAN_OPTIONS:+:$$TSAN_OPTIONS}"; export TSAN_OPTIONS;

# Tests that compute little themselves are compiled as TEST_CFLAGS says.
TESTS_THAT_CALL = conformance cuda device pipeline report stress tools unit vulkan
$(TESTS_THAT_CALL:%=tests/%/%.o) $(TESTS_THAT_CALL:%=tests/%/%.lo): CFLAGS = $(TEST_CFLAGS)

# Except the files that make and compare the bytes of large buffers.
CONFORMANCE_THAT_COMPUTES = collective collective_buckets collectives functions harness
$(CONFORMANCE_THAT_COMPUTES:%=tests/conformance/conformance-%.o): CFLAGS = $(TEST_CFLAGS) -O2

# ------------------------------------------------------------ headers, symbols

dist_check_SCRIPTS += \
	tests/fixtures.sh \
	tests/structure.sh \
	tests/structure-planted.sh \
	tests/structure-calls.sh \
	tests/headers/c11.sh \
	tests/headers/comments-planted.sh \
	tests/headers/comments.sh \
	tests/headers/cxx17.sh \
	tests/headers/device.sh \
	tests/symbols/headers.sh \
	tests/symbols/library.sh \
	tests/symbols/plugins.sh \
	tests/packaging/prefix.sh
TESTS += \
	tests/fixtures.sh \
	tests/structure.sh \
	tests/structure-planted.sh \
	tests/structure-calls.sh \
	tests/headers/c11.sh \
	tests/headers/comments-planted.sh \
	tests/headers/comments.sh \
	tests/headers/cxx17.sh \
	tests/headers/device.sh \
	tests/symbols/headers.sh \
	tests/symbols/library.sh \
	tests/symbols/plugins.sh \
	tests/packaging/prefix.sh
EXTRA_DIST += tests/check.h tests/run-test tests/headers/compile-alone tests/headers/pipe.cu tests/symbols/compare

# ------------------------------------------------------------------- packaging
#
# These install the package once, under tests/packaging/stage, and then use it as a stranger would; the last one
# uninstalls it. So they run in this order. One that is run alone later installs it again.

PACKAGING_TESTS = \
	tests/packaging/install.sh \
	tests/packaging/conformance.sh \
	tests/packaging/relocated.sh \
	tests/packaging/readme-program.sh \
	tests/packaging/readme-kernel.sh \
	tests/packaging/writing-a-kernel.sh \
	tests/packaging/writing-a-pipeline.sh \
	tests/packaging/uninstall.sh

dist_check_SCRIPTS += $(PACKAGING_TESTS)
TESTS += $(PACKAGING_TESTS)
EXTRA_DIST += tests/packaging/page tests/packaging/staging

tests/packaging/conformance.log: tests/packaging/install.log
tests/packaging/relocated.log: tests/packaging/install.log
tests/packaging/readme-program.log: tests/packaging/install.log
tests/packaging/readme-kernel.log: tests/packaging/install.log
tests/packaging/writing-a-kernel.log: tests/packaging/install.log
tests/packaging/writing-a-pipeline.log: tests/packaging/install.log
tests/packaging/uninstall.log: tests/packaging/install.log tests/packaging/conformance.log tests/packaging/relocated.log \
	tests/packaging/readme-program.log tests/packaging/readme-kernel.log tests/packaging/writing-a-kernel.log \
	tests/packaging/writing-a-pipeline.log
