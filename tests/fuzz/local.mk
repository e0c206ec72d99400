# Hostile input. A fuzz target takes random bytes, makes what it tests of them, and checks what must hold for any input:
#
#     make fuzz FUZZ_SECONDS=10                       each target for ten seconds; without it, for a minute
#     make fuzz FUZZ_HOURS=8 FUZZ_SEED=1              each for eight hours, from a seed
#     make fuzz FUZZ_TARGETS=tests/fuzz/spirv_fuzzer  this one, and random kernels
#     make fuzz-translations                          random kernels alone: the cpu beside Vulkan
#     make -C asan/build fuzz                         in the sanitizers' build that `make check-asan` made
#     make fuzz-libfuzzer FUZZ_HOURS=8                in a build by clang, with its libFuzzer, which follows the coverage
#     tests/fuzz/spirv_fuzzer FILE                    runs an input once
#
# To add the target NAME:
#
# - Write tests/fuzz/NAME_fuzzer.c; tests/fuzz/fuzz.h says what it defines.
# - Add the five lines that stand under "targets" for `spirv`.
# - Put files to begin with into tests/fuzz/corpus/NAME/ (add them to FUZZ_CORPUS), and words of a text format into
#   tests/fuzz/corpus/NAME.dict. Both are optional.
#
# What a target needs besides (a plugin, a folder of the build) it finds by the variables that all tests have: see
# AM_TESTS_ENVIRONMENT in tests/local.mk. It may write into the folder that it is started in, fuzz/NAME of the build tree.

FUZZ_CORPUS = \
	tests/fuzz/corpus/config.dict \
	tests/fuzz/corpus/config/selections.conf \
	tests/fuzz/corpus/config/usual.conf \
	tests/fuzz/corpus/include.dict \
	tests/fuzz/corpus/include/cycle.txt \
	tests/fuzz/corpus/include/deep.txt \
	tests/fuzz/corpus/include/kinds.txt \
	tests/fuzz/corpus/include/letters.txt \
	tests/fuzz/corpus/include/usual.txt \
	tests/fuzz/corpus/media.dict \
	tests/fuzz/corpus/media/folder.pgm \
	tests/fuzz/corpus/media/gray.pgm \
	tests/fuzz/corpus/media/number-images.raw \
	tests/fuzz/corpus/media/numbers.raw \
	tests/fuzz/corpus/media/rgb.ppm \
	tests/fuzz/corpus/media/video.y4m \
	tests/fuzz/corpus/media/video10.y4m \
	tests/fuzz/corpus/spirv/arithmetic.comp \
	tests/fuzz/corpus/spirv/arithmetic.spv \
	tests/fuzz/corpus/spirv/arithmetic-debug.spv \
	tests/fuzz/corpus/spirv/bfloats.spv \
	tests/fuzz/corpus/spirv/control.comp \
	tests/fuzz/corpus/spirv/control.spv \
	tests/fuzz/corpus/spirv/control-1.6.spv \
	tests/fuzz/corpus/spirv/control-debug.spv \
	tests/fuzz/corpus/spirv/pointers.spv \
	tests/fuzz/corpus/spirv/pointers-shared.spv \
	tests/fuzz/corpus/spirv/images.comp \
	tests/fuzz/corpus/spirv/images.spv \
	tests/fuzz/corpus/spirv/group-decode.spv \
	tests/fuzz/corpus/spirv/group-elements.spv \
	tests/fuzz/corpus/spirv/group-tensor.spv \
	tests/fuzz/corpus/spirv/images-debug.spv \
	tests/fuzz/corpus/spirv/samples.spv \
	tests/fuzz/corpus/spirv/shared.comp \
	tests/fuzz/corpus/spirv/shared.spv \
	tests/fuzz/corpus/spirv/shared-1.0.spv \
	tests/fuzz/corpus/spirv/shared-debug.spv \
	tests/fuzz/corpus/spirv/shared-layout.spv \
	tests/fuzz/corpus/spirv/subgroup.comp \
	tests/fuzz/corpus/spirv/subgroup.spv \
	tests/fuzz/corpus/spirv/subgroup-debug.spv \
	tests/fuzz/corpus/spirv/views.comp \
	tests/fuzz/corpus/spirv/views.spv
EXTRA_DIST += $(FUZZ_CORPUS) tests/fuzz/run-fuzz

# ------------------------------------------------------------------- targets

FUZZ_TARGETS =

# Programs of the inside of the library, as the unit tests are.
FUZZ_CFLAGS = $(UNIT_CFLAGS)
FUZZ_LIBS = tests/fuzz/libfuzz.la libtrireme-internal.la
FUZZ_LINK = $(UNINSTALLED_LINK) $(FUZZ_ENGINE)
FUZZ_ENGINE =

check_LTLIBRARIES += tests/fuzz/libfuzz.la
tests_fuzz_libfuzz_la_SOURCES = \
	tests/fuzz/driver.c \
	tests/fuzz/fuzz.h \
	tests/fuzz/input.c \
	tests/fuzz/mutate.c \
	tests/fuzz/mutate.h

# SPIR-V: read, reflected, translated.
FUZZ_TARGETS += tests/fuzz/spirv_fuzzer
tests_fuzz_spirv_fuzzer_SOURCES = tests/fuzz/spirv_fuzzer.c tests/fuzz/spirv_fuzzer.h
tests_fuzz_spirv_fuzzer_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_spirv_fuzzer_LDADD = $(FUZZ_LIBS)
tests_fuzz_spirv_fuzzer_LDFLAGS = $(FUZZ_LINK)

# trireme.conf and the values of settings.
FUZZ_TARGETS += tests/fuzz/config_fuzzer
tests_fuzz_config_fuzzer_SOURCES = tests/fuzz/config_fuzzer.c
tests_fuzz_config_fuzzer_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_config_fuzzer_LDADD = $(FUZZ_LIBS)
tests_fuzz_config_fuzzer_LDFLAGS = $(FUZZ_LINK)

# The files that GLSL includes.
FUZZ_TARGETS += tests/fuzz/include_fuzzer
tests_fuzz_include_fuzzer_SOURCES = tests/fuzz/include_fuzzer.c
tests_fuzz_include_fuzzer_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_include_fuzzer_LDADD = $(FUZZ_LIBS)
tests_fuzz_include_fuzzer_LDFLAGS = $(FUZZ_LINK)

# Frames as `trireme run` reads and writes them.
FUZZ_TARGETS += tests/fuzz/media_fuzzer
tests_fuzz_media_fuzzer_SOURCES = tests/fuzz/media_fuzzer.c $(RUN_FILES) $(OUTPUT_FILES)
tests_fuzz_media_fuzzer_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_media_fuzzer_LDADD = $(FUZZ_LIBS) -lm
tests_fuzz_media_fuzzer_LDFLAGS = $(FUZZ_LINK)

# The tables of a plugin, and what its functions answer. The plugin is the hostile backend of tests/plugins.
FUZZ_TARGETS += tests/fuzz/plugin_fuzzer
tests_fuzz_plugin_fuzzer_SOURCES = tests/fuzz/plugin_fuzzer.c $(HOSTILE_SCENE)
tests_fuzz_plugin_fuzzer_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_plugin_fuzzer_LDADD = $(FUZZ_LIBS)
tests_fuzz_plugin_fuzzer_LDFLAGS = $(FUZZ_LINK)
tests/fuzz/plugin_fuzzer-run: tests/plugins/hostile.la

# The public functions, called by four threads.
FUZZ_TARGETS += tests/fuzz/api_fuzzer
tests_fuzz_api_fuzzer_SOURCES = tests/fuzz/api_fuzzer.c tests/fuzz/api_images.c tests/fuzz/api_images.h
tests_fuzz_api_fuzzer_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_api_fuzzer_LDADD = $(FUZZ_LIBS)
tests_fuzz_api_fuzzer_LDFLAGS = $(FUZZ_LINK)
tests/fuzz/api_fuzzer-run: tests/fuzz/trireme/supervise
# The library, which is a part of the program, looks for it beside itself.
tests/fuzz/trireme/supervise: base/program/supervise$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) tests/fuzz/trireme && ln -sfn ../../../base/program/supervise$(EXEEXT) tests/fuzz/trireme/supervise
CLEANFILES += tests/fuzz/trireme/supervise

check_PROGRAMS += $(FUZZ_TARGETS)

# --------------------------------------------------------- tests of `make check`

# The driver finds a fault that is planted, and keeps its input.
check_PROGRAMS += tests/fuzz/planted_fuzzer
tests_fuzz_planted_fuzzer_SOURCES = tests/fuzz/planted_fuzzer.c
tests_fuzz_planted_fuzzer_LDADD = tests/fuzz/libfuzz.la
dist_check_SCRIPTS += tests/fuzz/driver.sh
TESTS += tests/fuzz/driver.sh

# Each module of the corpus and of the library, damaged in the same ways each time.
check_PROGRAMS += tests/fuzz/spirv_mutations
TESTS += tests/fuzz/spirv_mutations
tests_fuzz_spirv_mutations_SOURCES = \
	tests/fuzz/spirv_mutations.c \
	tests/fuzz/spirv_fuzzer.c tests/fuzz/spirv_fuzzer.h
tests_fuzz_spirv_mutations_CFLAGS = $(UNIT_CFLAGS)
tests_fuzz_spirv_mutations_LDADD = $(UNIT_LIBS)

# ----------------------------------------------------------------- make fuzz

FUZZ_SECONDS = 60
FUZZ_HOURS =
FUZZ_SEED =
FUZZ_FLAGS = -max_len=16384 -timeout=60 -rss_limit_mb=4096

# A rule for each, so that `make -j` runs several at once, and `make -k` all of them though one fails.
FUZZ_RUNS = $(FUZZ_TARGETS:=-run)

fuzz: $(FUZZ_RUNS) fuzz-translations

$(FUZZ_RUNS): all $(FUZZ_TARGETS)
	@$(AM_TESTS_ENVIRONMENT) \
	seconds=$(FUZZ_SECONDS); test -z "$(FUZZ_HOURS)" || seconds=$$(($(FUZZ_HOURS) * 3600)); \
	$(SHELL) $(srcdir)/tests/fuzz/run-fuzz $(@:-run=) -max_total_time=$$seconds \
	  $(FUZZ_SEED:%=-seed=%) $(FUZZ_FLAGS)

# Random kernels that are well-formed, translated for the cpu and run beside Vulkan (tests/differential/generator.h). Those that
# differ stay in fuzz/translations. Without a Vulkan device there is nothing to compare with.
fuzz-translations: all tests/differential/differential
	@$(AM_TESTS_ENVIRONMENT) \
	seconds=$(FUZZ_SECONDS); test -z "$(FUZZ_HOURS)" || seconds=$$(($(FUZZ_HOURS) * 3600)); \
	seed=$(FUZZ_SEED); $(MKDIR_P) fuzz/translations; \
	tests/differential/differential --generate 8 --seconds $$seconds --seed $${seed:-$$(date +%s)} \
	  --keep fuzz/translations >fuzz/translations/log 2>&1; status=$$?; \
	case $$status in \
	0) echo "translations: $$(tail -n 1 fuzz/translations/log)";; \
	77) echo "translations: $$(tail -n 1 fuzz/translations/log)";; \
	*) grep DIFFERENT fuzz/translations/log; tail -n 5 fuzz/translations/log; \
	  echo "translations: failed with status $$status; fuzz/translations/log has all that it printed"; exit 1;; \
	esac

# clang's libFuzzer brings its own main(), which the linker finds before the driver's.
fuzz-libfuzzer: all
	+@$(SUB_BUILD); goal='-k fuzz FUZZ_ENGINE=-fsanitize=fuzzer'; \
	sub_build CC=clang CXX=clang++ CFLAGS='-O1 -g -fsanitize=fuzzer-no-link' --enable-sanitizer=address,undefined
