# Hostile SPIR-V. The corpus, and what `make check` makes of it and of the modules that are shipped, is a test like others;
# `make fuzz FUZZ_SECONDS=600` looks for more with libFuzzer, which comes with clang.
#
# To add a module to the corpus: write NAME.comp, make NAME.spv of it with glslc, append both to FUZZ_CORPUS.

FUZZ_CORPUS = \
	tests/fuzz/corpus/arithmetic.comp \
	tests/fuzz/corpus/arithmetic.spv \
	tests/fuzz/corpus/arithmetic-debug.spv \
	tests/fuzz/corpus/control.comp \
	tests/fuzz/corpus/control.spv \
	tests/fuzz/corpus/control-1.6.spv \
	tests/fuzz/corpus/control-debug.spv \
	tests/fuzz/corpus/shared.comp \
	tests/fuzz/corpus/shared.spv \
	tests/fuzz/corpus/shared-1.0.spv \
	tests/fuzz/corpus/shared-debug.spv \
	tests/fuzz/corpus/subgroup.comp \
	tests/fuzz/corpus/subgroup.spv \
	tests/fuzz/corpus/subgroup-debug.spv
EXTRA_DIST += $(FUZZ_CORPUS)

check_PROGRAMS += tests/fuzz/spirv_mutations
TESTS += tests/fuzz/spirv_mutations
tests_fuzz_spirv_mutations_SOURCES = \
	tests/fuzz/spirv_mutations.c \
	tests/fuzz/spirv_fuzzer.c tests/fuzz/spirv_fuzzer.h
tests_fuzz_spirv_mutations_CFLAGS = $(UNIT_CFLAGS)
tests_fuzz_spirv_mutations_LDADD = $(UNIT_LIBS)

# What libFuzzer found stays in fuzz/found for the next time; a crash is a file named crash-….
FUZZ_SECONDS = 60
FUZZ_CC = clang
FUZZ_CFLAGS = -std=c11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
FUZZ_FLAGS = -max_len=65536 -timeout=10 -rss_limit_mb=4096

fuzz: all
	@$(MKDIR_P) fuzz/found
	$(FUZZ_CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
	  -DTRM_BACKENDDIR='"$(backendsdir)"' -DTRM_KERNELDIR='"$(kerneldir)"' -DTRM_SYSCONFDIR='"$(sysconfdir)"' $(FUZZ_CFLAGS) -pthread \
	  $$(for file in $(core_libcore_la_SOURCES) $(nodist_core_libcore_la_SOURCES); do \
	       case $$file in *.c) if test -f $$file; then echo $$file; else echo $(srcdir)/$$file; fi;; esac; done) \
	  $(srcdir)/tests/fuzz/spirv_fuzzer.c -o fuzz/spirv_fuzzer $(LIBS) -ldl -lm
	cd fuzz && ./spirv_fuzzer -max_total_time=$(FUZZ_SECONDS) $(FUZZ_FLAGS) found \
	  $(abs_top_srcdir)/tests/fuzz/corpus
