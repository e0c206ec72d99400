# A build for another processor and its tests under an emulator. `make check-aarch64` makes such a build in aarch64/ of the build
# tree, where tests/aarch64/run-tests calls the two targets below: between them it puts the native supervisor in place.

# Rooms without vectors, conversions of numbers and calls of the system compute the same on any processor. Where they have atomics,
# tests/conformance/run-cpu.sh runs them; the emulator reorders no accesses of memory, so their tests would show no more.
ALIKE_EVERYWHERE = compiler/glsl compiler/lower compiler/spirv \
	core/context core/device core/graph core/interop core/memory core/module core/settings \
	pipeline/coordinator pipeline/engine pipeline/estimate pipeline/model pipeline/pool pipeline/profile pipeline/queue \
	pipeline/report pipeline/trial
EMULATED_UNIT_TESTS = $(filter-out $(ALIKE_EVERYWHERE:%=tests/unit/%/tests),$(UNIT_TESTS))
EMULATED_KERNEL_TESTS = tests/kernels/collective tests/kernels/conversion tests/kernels/linear
EMULATED_LOGS = $(EMULATED_UNIT_TESTS:=.log) $(EMULATED_KERNEL_TESTS:=.log) tests/conformance/run-cpu.log

EXTRA_DIST += tests/aarch64/as tests/aarch64/fetch-check tests/aarch64/run-tests

# The kernels that are written by hand; the tests have the others compiled.
emulated-programs: libtrireme.la backends/cpu.la all-local $(KERNEL_SPV) \
		$(EMULATED_UNIT_TESTS) $(EMULATED_KERNEL_TESTS) tests/conformance/conformance
	@for tuned in $(HAND_TUNED); do \
	  $(BUILD_HAND_TUNED); \
	done

# Not through check-TESTS, which builds the programs of all tests.
emulated-tests:
	@rm -f $(EMULATED_LOGS) $(EMULATED_LOGS:.log=.trs) $(TEST_SUITE_LOG)
	@$(MAKE) --no-print-directory $(TEST_SUITE_LOG) TEST_LOGS='$(EMULATED_LOGS)'
