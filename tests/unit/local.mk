# Unit tests: a Check program a room, of all the files in its folder, that links the inside of the library
# (libtrireme-internal.la). To add a file, add it to the list of its room; tests/unit/runner.h says how it ends.
#
#     make tests/unit/core/memory/tests && CK_RUN_SUITE=pool tests/unit/core/memory/tests

UNIT_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
UNIT_LIBS = tests/unit/libunit.la libtrireme-internal.la $(CHECK_LIBS)

UNIT_TESTS =
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

# Rooms whose tests leave nothing behind that another of them would see. With a sanitizer, which takes longer to start and to end a
# process than most tests take, they run in one (tests/run-test).
ROOMS_IN_ONE_PROCESS = backends/cpu backends/vulkan compiler/lower compiler/spirv compiler/translate/passes core/cache core/device \
	core/event core/graph core/image core/interop core/module core/stream pipeline/engine pipeline/estimate pipeline/model \
	pipeline/profile pipeline/report pipeline/trial

# What several rooms share: main(), and two backends inside the test program. The work of fake_backend.c is done when the
# test says so; store.c has memory, and runs its streams when the test says so.
check_LTLIBRARIES += tests/unit/libunit.la
tests_unit_libunit_la_CFLAGS = $(UNIT_CFLAGS)
tests_unit_libunit_la_SOURCES = \
	tests/unit/counting.h \
	tests/unit/fake_backend.c \
	tests/unit/fake_backend.h \
	tests/unit/fake_group.h \
	tests/unit/fake_stream.c \
	tests/unit/fake_stream.h \
	tests/unit/folder.h \
	tests/unit/log_lines.h \
	tests/unit/runner.c \
	tests/unit/runner.h \
	tests/unit/store.c \
	tests/unit/store.h \
	tests/unit/stream_fixture.h

# ---------------------------------------------------------------------- base

UNIT_TESTS += tests/unit/base/tests
tests_unit_base_tests_SOURCES = \
	tests/unit/base/barrier.c \
	tests/unit/base/biased_lock.c \
	tests/unit/base/condition.c \
	tests/unit/base/error.c \
	tests/unit/base/file_permissions.c \
	tests/unit/base/fork.c \
	tests/unit/base/log.c \
	tests/unit/base/numa.c \
	tests/unit/base/sha256.c
tests_unit_base_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_tests_LDADD = $(UNIT_LIBS)

# -------------------------------------------------------------- base/program

UNIT_TESTS += tests/unit/base/program/tests
tests_unit_base_program_tests_SOURCES = tests/unit/base/program/program.c
tests_unit_base_program_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_program_tests_LDADD = $(UNIT_LIBS)
EXTRA_tests_unit_base_program_tests_DEPENDENCIES = base/program/supervise$(EXEEXT)

# ------------------------------------------------------------- compiler/glsl

UNIT_TESTS += tests/unit/compiler/glsl/tests
tests_unit_compiler_glsl_tests_SOURCES = \
	tests/unit/compiler/glsl/glsl.c \
	tests/unit/compiler/glsl/program.c
tests_unit_compiler_glsl_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_compiler_glsl_tests_LDADD = $(UNIT_LIBS)
EXTRA_tests_unit_compiler_glsl_tests_DEPENDENCIES = base/program/supervise$(EXEEXT)

# ------------------------------------------------------------ compiler/spirv

UNIT_TESTS += tests/unit/compiler/spirv/tests
tests_unit_compiler_spirv_tests_SOURCES = \
	tests/unit/compiler/spirv/constants.c \
	tests/unit/compiler/spirv/cooperative.c \
	tests/unit/compiler/spirv/flow.c \
	tests/unit/compiler/spirv/lines.c \
	tests/unit/compiler/spirv/image_fixture.h \
	tests/unit/compiler/spirv/image_kinds.c \
	tests/unit/compiler/spirv/images.c \
	tests/unit/compiler/spirv/layout.c \
	tests/unit/compiler/spirv/addresses.c \
	tests/unit/compiler/spirv/pointers.c \
	tests/unit/compiler/spirv/read.c \
	tests/unit/compiler/spirv/reflect.c \
	tests/unit/compiler/spirv/spirv_builder.c \
	tests/unit/compiler/spirv/spirv_builder.h \
	tests/unit/compiler/spirv/spirv_fixture.h \
	tests/unit/compiler/spirv/strip.c \
	tests/unit/compiler/spirv/types.c
tests_unit_compiler_spirv_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_compiler_spirv_tests_LDADD = $(UNIT_LIBS)

# ------------------------------------------------------------ compiler/lower

UNIT_TESTS += tests/unit/compiler/lower/tests
tests_unit_compiler_lower_tests_SOURCES = \
	tests/unit/compiler/lower/bfloats.c \
	tests/unit/compiler/lower/bindings.c \
	tests/unit/compiler/lower/group.c \
	tests/unit/compiler/lower/group_edges.c \
	tests/unit/compiler/lower/lower_fixture.h \
	tests/unit/compiler/lower/samples.c \
	tests/unit/compiler/lower/trinary.c \
	tests/unit/compiler/spirv/image_fixture.h \
	tests/unit/compiler/spirv/spirv_builder.c \
	tests/unit/compiler/spirv/spirv_builder.h \
	tests/unit/compiler/spirv/spirv_fixture.h
tests_unit_compiler_lower_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_compiler_lower_tests_LDADD = $(UNIT_LIBS)

# -------------------------------------------------------- compiler/translate

# Some of these compile what the translator writes and run it; without a compiler they are skipped.
UNIT_TESTS += tests/unit/compiler/translate/tests
tests_unit_compiler_translate_tests_SOURCES = \
	tests/unit/compiler/spirv/spirv_builder.c \
	tests/unit/compiler/spirv/spirv_builder.h \
	tests/unit/compiler/translate/copies.c \
	tests/unit/folder.h \
	tests/unit/compiler/translate/barriers.c \
	tests/unit/compiler/translate/bounds.c \
	tests/unit/compiler/translate/flow.c \
	tests/unit/compiler/translate/leaves.c \
	tests/unit/compiler/translate/lockstep.c \
	tests/unit/compiler/translate/ops.h \
	tests/unit/compiler/translate/ops_atomic.c \
	tests/unit/compiler/translate/ops_bfloat.c \
	tests/unit/compiler/translate/ops_convert.c \
	tests/unit/compiler/translate/ops_exchange.c \
	tests/unit/compiler/translate/ops_float.c \
	tests/unit/compiler/translate/ops_group.c \
	tests/unit/compiler/translate/ops_image.c \
	tests/unit/compiler/translate/ops_integer.c \
	tests/unit/compiler/translate/ops_memory.c \
	tests/unit/compiler/translate/pointers.c \
	tests/unit/compiler/translate/rows.c \
	tests/unit/compiler/translate/stages.c \
	tests/unit/compiler/translate/text.c \
	tests/unit/compiler/translate/text_cuda.c \
	tests/unit/compiler/translate/translated.c \
	tests/unit/compiler/translate/translated.h
tests_unit_compiler_translate_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_compiler_translate_tests_LDADD = $(UNIT_LIBS) -ldl -lm

EXTRA_DIST += \
	tests/unit/shaders/ops_atomic.comp tests/unit/shaders/ops_atomic.spv tests/unit/shaders/ops_atomic_plain.spv \
	tests/unit/shaders/ops_composite.comp tests/unit/shaders/ops_composite.spv tests/unit/shaders/ops_composite_plain.spv \
	tests/unit/shaders/ops_convert.comp tests/unit/shaders/ops_convert.spv tests/unit/shaders/ops_convert_plain.spv \
	tests/unit/shaders/ops_double.comp tests/unit/shaders/ops_double.spv tests/unit/shaders/ops_double_plain.spv \
	tests/unit/shaders/ops_exchange.comp tests/unit/shaders/ops_exchange.spv tests/unit/shaders/ops_exchange_plain.spv \
	tests/unit/shaders/ops_float.comp tests/unit/shaders/ops_float.spv tests/unit/shaders/ops_float_plain.spv \
	tests/unit/shaders/ops_function.comp tests/unit/shaders/ops_function.spv tests/unit/shaders/ops_function_plain.spv \
	tests/unit/shaders/ops_geometry.comp tests/unit/shaders/ops_geometry.spv tests/unit/shaders/ops_geometry_plain.spv \
	tests/unit/shaders/ops_half.comp tests/unit/shaders/ops_half.spv tests/unit/shaders/ops_half_plain.spv \
	tests/unit/shaders/ops_image.comp tests/unit/shaders/ops_image.spv tests/unit/shaders/ops_image_plain.spv \
	tests/unit/shaders/ops_integer.comp tests/unit/shaders/ops_integer.spv tests/unit/shaders/ops_integer_plain.spv \
	tests/unit/shaders/ops_matrix.comp tests/unit/shaders/ops_matrix.spv tests/unit/shaders/ops_matrix_plain.spv \
	tests/unit/shaders/ops_memory.comp tests/unit/shaders/ops_memory.spv tests/unit/shaders/ops_memory_plain.spv \
	tests/unit/shaders/ops_narrow.comp tests/unit/shaders/ops_narrow.spv tests/unit/shaders/ops_narrow_plain.spv \
	tests/unit/shaders/ops_subgroup.comp tests/unit/shaders/ops_subgroup.spv tests/unit/shaders/ops_subgroup_plain.spv

EXTRA_DIST += \
	tests/unit/shaders/bounds/barriers.comp tests/unit/shaders/bounds/barriers.spv \
	tests/unit/shaders/bounds/barriers_plain.spv \
	tests/unit/shaders/bounds/compile.sh \
	tests/unit/shaders/bounds/overrun.h \
	tests/unit/shaders/bounds/overrun_barriers.comp tests/unit/shaders/bounds/overrun_barriers.spv \
	tests/unit/shaders/bounds/overrun_barriers_plain.spv \
	tests/unit/shaders/bounds/overrun_lockstep.comp tests/unit/shaders/bounds/overrun_lockstep.spv \
	tests/unit/shaders/bounds/overrun_lockstep_plain.spv \
	tests/unit/shaders/bounds/overrun_rounds.comp tests/unit/shaders/bounds/overrun_rounds.spv \
	tests/unit/shaders/bounds/overrun_rounds_plain.spv \
	tests/unit/shaders/bounds/overrun_rows.comp tests/unit/shaders/bounds/overrun_rows.spv \
	tests/unit/shaders/bounds/overrun_rows_no_lines.spv tests/unit/shaders/bounds/overrun_rows_plain.spv \
	tests/unit/shaders/bounds/overrun_views.comp tests/unit/shaders/bounds/overrun_views.spv \
	tests/unit/shaders/bounds/overrun_views_plain.spv

EXTRA_DIST += \
	tests/unit/shaders/flow/compile.sh \
	tests/unit/shaders/flow/flow_functions.h \
	tests/unit/shaders/flow/blur.comp tests/unit/shaders/flow/blur.spv tests/unit/shaders/flow/blur_plain.spv \
	tests/unit/shaders/flow/bounds.comp tests/unit/shaders/flow/bounds.spv tests/unit/shaders/flow/bounds_plain.spv \
	tests/unit/shaders/flow/flow.comp tests/unit/shaders/flow/flow.spv tests/unit/shaders/flow/flow_plain.spv \
	tests/unit/shaders/flow/group_guards.comp tests/unit/shaders/flow/group_guards.spv tests/unit/shaders/flow/group_guards_plain.spv \
	tests/unit/shaders/flow/groups.comp tests/unit/shaders/flow/groups.spv tests/unit/shaders/flow/groups_plain.spv \
	tests/unit/shaders/flow/guards.comp tests/unit/shaders/flow/guards.spv tests/unit/shaders/flow/guards_plain.spv \
	tests/unit/shaders/flow/inside.comp tests/unit/shaders/flow/inside.spv tests/unit/shaders/flow/inside_plain.spv \
	tests/unit/shaders/flow/keeps.comp tests/unit/shaders/flow/keeps.spv tests/unit/shaders/flow/keeps_plain.spv \
	tests/unit/shaders/flow/leaves.comp tests/unit/shaders/flow/leaves.spv tests/unit/shaders/flow/leaves_plain.spv \
	tests/unit/shaders/flow/lockstep.comp tests/unit/shaders/flow/lockstep.spv tests/unit/shaders/flow/lockstep_plain.spv \
	tests/unit/shaders/flow/neighbours.comp tests/unit/shaders/flow/neighbours.spv tests/unit/shaders/flow/neighbours_plain.spv \
	tests/unit/shaders/flow/reduce.comp tests/unit/shaders/flow/reduce.spv tests/unit/shaders/flow/reduce_plain.spv \
	tests/unit/shaders/flow/rounds.comp tests/unit/shaders/flow/rounds.spv tests/unit/shaders/flow/rounds_plain.spv \
	tests/unit/shaders/flow/rounds_inside.comp tests/unit/shaders/flow/rounds_inside.spv tests/unit/shaders/flow/rounds_inside_plain.spv \
	tests/unit/shaders/flow/saxpy.comp tests/unit/shaders/flow/saxpy.spv tests/unit/shaders/flow/saxpy_plain.spv \
	tests/unit/shaders/flow/texels.comp tests/unit/shaders/flow/texels.spv tests/unit/shaders/flow/texels_plain.spv \
	tests/unit/shaders/flow/selects.comp tests/unit/shaders/flow/selects.spv tests/unit/shaders/flow/selects_plain.spv \
	tests/unit/shaders/flow/sgemm.comp tests/unit/shaders/flow/sgemm.spv tests/unit/shaders/flow/sgemm_plain.spv \
	tests/unit/shaders/flow/sines.comp tests/unit/shaders/flow/sines.spv tests/unit/shaders/flow/sines_plain.spv \
	tests/unit/shaders/flow/early.comp tests/unit/shaders/flow/early.spv tests/unit/shaders/flow/early_plain.spv \
	tests/unit/shaders/flow/spills.comp tests/unit/shaders/flow/spills.spv tests/unit/shaders/flow/spills_plain.spv \
	tests/unit/shaders/flow/stages.spvasm tests/unit/shaders/flow/stages.spv

EXTRA_DIST += \
	tests/unit/shaders/passes/compile.sh \
	tests/unit/shaders/passes/arrays.comp \
	tests/unit/shaders/passes/arrays.spv \
	tests/unit/shaders/passes/bound_loops.comp \
	tests/unit/shaders/passes/bound_loops.spv \
	tests/unit/shaders/passes/components.comp \
	tests/unit/shaders/passes/components.spv \
	tests/unit/shaders/passes/converge_loop.comp \
	tests/unit/shaders/passes/converge_loop.spv \
	tests/unit/shaders/passes/converge_sides.comp \
	tests/unit/shaders/passes/converge_sides.spv \
	tests/unit/shaders/passes/converge_switch.comp \
	tests/unit/shaders/passes/converge_switch.spv \
	tests/unit/shaders/passes/converge_uniform.comp \
	tests/unit/shaders/passes/converge_uniform.spv \
	tests/unit/shaders/passes/early.comp \
	tests/unit/shaders/passes/early.spv \
	tests/unit/shaders/passes/early_optimized.spv \
	tests/unit/shaders/passes/gone.comp \
	tests/unit/shaders/passes/gone.spv \
	tests/unit/shaders/passes/kept_condition.comp \
	tests/unit/shaders/passes/kept_condition.spv \
	tests/unit/shaders/passes/kept_in_loop.comp \
	tests/unit/shaders/passes/kept_in_loop.spv \
	tests/unit/shaders/passes/left_one_by_one.comp \
	tests/unit/shaders/passes/left_one_by_one.spv \
	tests/unit/shaders/passes/loop_once.comp \
	tests/unit/shaders/passes/loop_once.spv \
	tests/unit/shaders/passes/loops.comp \
	tests/unit/shaders/passes/loops.spv \
	tests/unit/shaders/passes/loops_optimized.spv \
	tests/unit/shaders/passes/many_calls.comp \
	tests/unit/shaders/passes/many_calls.spv \
	tests/unit/shaders/passes/reduce.comp \
	tests/unit/shaders/passes/reduce.spv \
	tests/unit/shaders/passes/return_before_barrier.comp \
	tests/unit/shaders/passes/return_before_barrier.spv \
	tests/unit/shaders/passes/separated.comp \
	tests/unit/shaders/passes/separated.spv \
	tests/unit/shaders/passes/saxpy.comp \
	tests/unit/shaders/passes/saxpy.spv \
	tests/unit/shaders/passes/swap.comp \
	tests/unit/shaders/passes/swap.spv \
	tests/unit/shaders/passes/table.comp \
	tests/unit/shaders/passes/table.spv \
	tests/unit/shaders/passes/uniform_if.comp \
	tests/unit/shaders/passes/uniform_if.spv

# ------------------------------------------------- compiler/translate/passes

UNIT_TESTS += tests/unit/compiler/translate/passes/tests
tests_unit_compiler_translate_passes_tests_SOURCES = \
	tests/unit/compiler/translate/passes/bound_loops.c \
	tests/unit/compiler/translate/passes/converge.c \
	tests/unit/compiler/translate/passes/split_at_barriers.c \
	tests/unit/compiler/translate/passes/flatten.c \
	tests/unit/compiler/translate/passes/place.c \
	tests/unit/compiler/translate/passes/promote.c \
	tests/unit/compiler/translate/passes/structure.c \
	tests/unit/compiler/translate/passes/tree_expect.h \
	tests/unit/compiler/translate/passes/tree_text.c \
	tests/unit/compiler/translate/passes/tree_text.h
tests_unit_compiler_translate_passes_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_compiler_translate_passes_tests_LDADD = $(UNIT_LIBS)

# --------------------------------------------------------------- core/object

# inside.c includes the sources, to set their numbers; so it is a program of its own.
UNIT_TESTS += tests/unit/core/object/tests tests/unit/core/object/inside
tests_unit_core_object_tests_SOURCES = \
	tests/unit/core/object/desc.c \
	tests/unit/core/object/object.c
tests_unit_core_object_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_object_tests_LDADD = $(UNIT_LIBS)

tests_unit_core_object_inside_SOURCES = tests/unit/core/object/inside.c
tests_unit_core_object_inside_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_object_inside_LDADD = $(UNIT_LIBS)

# -------------------------------------------------------------- core/context

UNIT_TESTS += tests/unit/core/context/tests
tests_unit_core_context_tests_SOURCES = \
	tests/unit/core/context/context.c
tests_unit_core_context_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_context_tests_LDADD = $(UNIT_LIBS)

# ------------------------------------------------------------- core/settings

UNIT_TESTS += tests/unit/core/settings/tests
tests_unit_core_settings_tests_SOURCES = \
	tests/unit/core/settings/config_file.c \
	tests/unit/core/settings/selection.c \
	tests/unit/core/settings/setting_value.c \
	tests/unit/core/settings/settings.c
tests_unit_core_settings_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_settings_tests_LDADD = $(UNIT_LIBS)

# --------------------------------------------------------------- core/plugin

UNIT_TESTS += tests/unit/core/plugin/tests
tests_unit_core_plugin_tests_SOURCES = \
	tests/unit/core/plugin/abi_layout.c \
	tests/unit/core/plugin/elf_file.c \
	tests/unit/core/plugin/registry.c \
	tests/unit/core/plugin/registry_choice.c \
	tests/unit/core/plugin/registry_fixture.h \
	tests/unit/uninstalled.c
tests_unit_core_plugin_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_plugin_tests_LDADD = $(UNIT_LIBS)

# Backends that do nothing.
FAKE_LINK = $(TEST_MODULE_LINK) -export-symbols-regex '^trm_backend_query_v1$$'

check_LTLIBRARIES += tests/unit/core/plugin/fake-one.la
tests_unit_core_plugin_fake_one_la_SOURCES = tests/unit/core/plugin/fake.c
tests_unit_core_plugin_fake_one_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"one"' -DFAKE_SCORE=100 -DFAKE_DEVICES=1
tests_unit_core_plugin_fake_one_la_LDFLAGS = $(FAKE_LINK)

check_LTLIBRARIES += tests/unit/core/plugin/fake-two.la
tests_unit_core_plugin_fake_two_la_SOURCES = tests/unit/core/plugin/fake.c
tests_unit_core_plugin_fake_two_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"two"' -DFAKE_SCORE=300 -DFAKE_DEVICES=2
tests_unit_core_plugin_fake_two_la_LDFLAGS = $(FAKE_LINK)

check_LTLIBRARIES += tests/unit/core/plugin/fake-three.la
tests_unit_core_plugin_fake_three_la_SOURCES = tests/unit/core/plugin/fake.c
tests_unit_core_plugin_fake_three_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"three"' -DFAKE_SCORE=200 -DFAKE_DEVICES=3
tests_unit_core_plugin_fake_three_la_LDFLAGS = $(FAKE_LINK)

EXTRA_tests_unit_core_plugin_tests_DEPENDENCIES = \
	tests/unit/core/plugin/fake-one.la tests/unit/core/plugin/fake-two.la tests/unit/core/plugin/fake-three.la

# ---------------------------------------------------------------- core/cache

UNIT_TESTS += tests/unit/core/cache/tests
tests_unit_core_cache_tests_SOURCES = \
	tests/unit/core/cache/cache.c
tests_unit_core_cache_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_cache_tests_LDADD = $(UNIT_LIBS)

# --------------------------------------------------------------- core/shader

UNIT_TESTS += tests/unit/core/shader/tests
tests_unit_core_shader_tests_SOURCES = \
	tests/unit/core/shader/kernel_path.c \
	tests/unit/core/shader/shader.c \
	tests/unit/uninstalled.c
tests_unit_core_shader_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_shader_tests_LDADD = $(UNIT_LIBS)

# --------------------------------------------------------------- core/device

UNIT_TESTS += tests/unit/core/device/tests
tests_unit_core_device_tests_SOURCES = \
	tests/unit/core/device/device.c
tests_unit_core_device_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_device_tests_LDADD = $(UNIT_LIBS)

# --------------------------------------------------------------- core/stream

UNIT_TESTS += tests/unit/core/stream/tests
tests_unit_core_stream_tests_SOURCES = \
	tests/unit/core/stream/deferred.c \
	tests/unit/core/stream/gates.c \
	tests/unit/core/stream/in_flight.c \
	tests/unit/core/stream/observe.c \
	tests/unit/core/stream/range.c \
	tests/unit/core/stream/point_fd.c \
	tests/unit/core/stream/service.c \
	tests/unit/core/stream/stream.c \
	tests/unit/core/stream/wait_any.c
tests_unit_core_stream_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_stream_tests_LDADD = $(UNIT_LIBS)

# ---------------------------------------------------------------- core/event

UNIT_TESTS += tests/unit/core/event/tests
tests_unit_core_event_tests_SOURCES = \
	tests/unit/core/event/event.c
tests_unit_core_event_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_event_tests_LDADD = $(UNIT_LIBS)

# ---------------------------------------------------------------- core/image

UNIT_TESTS += tests/unit/core/image/tests
tests_unit_core_image_tests_SOURCES = tests/unit/core/image/image.c
tests_unit_core_image_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_image_tests_LDADD = $(UNIT_LIBS)

# --------------------------------------------------------------- core/memory

UNIT_TESTS += tests/unit/core/memory/tests
tests_unit_core_memory_tests_SOURCES = \
	tests/unit/core/memory/array.c \
	tests/unit/core/memory/buffer.c \
	tests/unit/core/memory/failures.c \
	tests/unit/core/memory/peer.c \
	tests/unit/core/memory/pool.c \
	tests/unit/core/memory/pool_fixture.h \
	tests/unit/core/memory/pool_ordered.c \
	tests/unit/core/memory/pool_slabs.c \
	tests/unit/core/memory/pool_threads.c \
	tests/unit/core/memory/size_class.c \
	tests/unit/core/memory/transfer.c \
	tests/unit/core/memory/transfer_2d.c
tests_unit_core_memory_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_memory_tests_LDADD = $(UNIT_LIBS)

# --------------------------------------------------------------- core/module

UNIT_TESTS += tests/unit/core/module/tests
tests_unit_core_module_tests_SOURCES = \
	tests/unit/core/module/launch.c
tests_unit_core_module_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_module_tests_LDADD = $(UNIT_LIBS)

# ---------------------------------------------------------------- core/graph

UNIT_TESTS += tests/unit/core/graph/tests
tests_unit_core_graph_tests_SOURCES = \
	tests/unit/core/graph/graph.c
tests_unit_core_graph_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_graph_tests_LDADD = $(UNIT_LIBS)

# -------------------------------------------------------------- core/interop

UNIT_TESTS += tests/unit/core/interop/tests
tests_unit_core_interop_tests_SOURCES = \
	tests/unit/core/interop/adopted.c \
	tests/unit/core/interop/fixture.h \
	tests/unit/core/interop/interop.c
tests_unit_core_interop_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_core_interop_tests_LDADD = $(UNIT_LIBS)

# ----------------------------------------------------------- pipeline/engine

UNIT_TESTS += tests/unit/pipeline/engine/tests
tests_unit_pipeline_engine_tests_SOURCES = \
	tests/unit/pipeline/engine/branches.c \
	tests/unit/pipeline/engine/check.c \
	tests/unit/pipeline/engine/check_fixture.h \
	tests/unit/pipeline/engine/cached_operations.c \
	tests/unit/pipeline/engine/pieces.c \
	tests/unit/pipeline/engine/ranges.c \
	tests/unit/pipeline/engine/slots_in_use.c \
	tests/unit/pipeline/engine/spread.c \
	tests/unit/pipeline/engine/slots.c \
	tests/unit/pipeline/engine/waits.c
tests_unit_pipeline_engine_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_engine_tests_LDADD = $(UNIT_LIBS)

# ---------------------------------------------------------- pipeline/profile

UNIT_TESTS += tests/unit/pipeline/profile/tests
tests_unit_pipeline_profile_tests_SOURCES = \
	tests/unit/pipeline/profile/context_profile.c \
	tests/unit/pipeline/profile/json.c \
	tests/unit/pipeline/profile/profile.c
tests_unit_pipeline_profile_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_profile_tests_LDADD = $(UNIT_LIBS)
# profile.c sees each lock that is released.
tests_unit_pipeline_profile_tests_LDFLAGS = -Wl,--wrap=pthread_mutex_unlock

# --------------------------------------------------------- pipeline/estimate

UNIT_TESTS += tests/unit/pipeline/estimate/tests
tests_unit_pipeline_estimate_tests_SOURCES = \
	tests/unit/pipeline/estimate/buffer.c \
	tests/unit/pipeline/estimate/estimate.c \
	tests/unit/pipeline/estimate/load.c \
	tests/unit/pipeline/estimate/model.c \
	tests/unit/pipeline/estimate/transfer.c
tests_unit_pipeline_estimate_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_estimate_tests_LDADD = $(UNIT_LIBS)

# ------------------------------------------------------------ pipeline/model

UNIT_TESTS += tests/unit/pipeline/model/tests
tests_unit_pipeline_model_tests_SOURCES = \
	tests/unit/pipeline/model/learn.c \
	tests/unit/pipeline/model/stored.c \
	tests/unit/pipeline/model/width.c \
	tests/unit/pipeline/model/workload.c
tests_unit_pipeline_model_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_model_tests_LDADD = $(UNIT_LIBS)

# ------------------------------------------------------------- pipeline/pool

UNIT_TESTS += tests/unit/pipeline/pool/tests
tests_unit_pipeline_pool_tests_SOURCES = \
	tests/unit/pipeline/pool/choose.c \
	tests/unit/pipeline/pool/errand.c \
	tests/unit/pipeline/pool/fixture.h \
	tests/unit/pipeline/pool/flood.c \
	tests/unit/pipeline/pool/lesson.c \
	tests/unit/pipeline/pool/names.c \
	tests/unit/pipeline/pool/notes.h \
	tests/unit/pipeline/pool/replay.c \
	tests/unit/pipeline/pool/settle.c \
	tests/unit/pipeline/pool/team.c \
	tests/unit/pipeline/pool/team_fixture.h \
	tests/unit/pipeline/pool/trial.c \
	tests/unit/pipeline/pool/watch.c
tests_unit_pipeline_pool_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_pool_tests_LDADD = $(UNIT_LIBS)

# ------------------------------------------------------------ pipeline/queue

# fake_engine.c has the functions of the engine, on a device that the tests command; the real ones are not linked.
UNIT_TESTS += tests/unit/pipeline/queue/tests
tests_unit_pipeline_queue_tests_SOURCES = \
	tests/unit/pipeline/queue/ahead.c \
	tests/unit/pipeline/queue/cancel.c \
	tests/unit/pipeline/queue/failures.c \
	tests/unit/pipeline/queue/fake.c \
	tests/unit/pipeline/queue/fake.h \
	tests/unit/pipeline/queue/fake_engine.c \
	tests/unit/pipeline/queue/favour.c \
	tests/unit/pipeline/queue/files.c \
	tests/unit/pipeline/queue/fresh.c \
	tests/unit/pipeline/queue/members.c \
	tests/unit/pipeline/queue/nodes.c \
	tests/unit/pipeline/queue/order.c \
	tests/unit/pipeline/queue/queue.c \
	tests/unit/pipeline/queue/record.c \
	tests/unit/pipeline/queue/rest.c \
	tests/unit/pipeline/queue/states.c \
	tests/unit/pipeline/queue/times.c \
	tests/unit/pipeline/queue/token_fd.c
tests_unit_pipeline_queue_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_queue_tests_LDADD = $(UNIT_LIBS)

# ----------------------------------------------------------- pipeline/report

UNIT_TESTS += tests/unit/pipeline/report/tests
tests_unit_pipeline_report_tests_SOURCES = \
	tests/unit/pipeline/report/advice.c \
	tests/unit/pipeline/report/advice.h \
	tests/unit/pipeline/report/advice_devices.c \
	tests/unit/pipeline/report/advice_drops.c \
	tests/unit/pipeline/report/advice_host.c \
	tests/unit/pipeline/report/advice_slots.c \
	tests/unit/pipeline/report/advice_uneven.c \
	tests/unit/pipeline/report/branches.c \
	tests/unit/pipeline/report/fixture.h \
	tests/unit/pipeline/report/format.c \
	tests/unit/pipeline/report/format.h \
	tests/unit/pipeline/report/format_devices.c \
	tests/unit/pipeline/report/measure.c \
	tests/unit/pipeline/report/predict.c \
	tests/unit/pipeline/report/predict_recent.c \
	tests/unit/pipeline/report/shared.c \
	tests/unit/pipeline/report/trace.c \
	tests/unit/pipeline/report/trace_reader.h
tests_unit_pipeline_report_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_report_tests_LDADD = $(UNIT_LIBS)

# ------------------------------------------------------------ pipeline/trial

UNIT_TESTS += tests/unit/pipeline/trial/tests
tests_unit_pipeline_trial_tests_SOURCES = \
	tests/unit/pipeline/trial/depth_trial.c \
	tests/unit/pipeline/trial/depth_trial_fixture.h \
	tests/unit/pipeline/trial/recorded.c \
	tests/unit/pipeline/trial/sampling.c \
	tests/unit/pipeline/trial/strategy_trial.c \
	tests/unit/pipeline/trial/strategy_trial_fixture.h
tests_unit_pipeline_trial_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_trial_tests_LDADD = $(UNIT_LIBS)

# ------------------------------------------------------ pipeline/coordinator

UNIT_TESTS += tests/unit/pipeline/coordinator/tests
tests_unit_pipeline_coordinator_tests_SOURCES = \
	tests/unit/pipeline/coordinator/chain.c \
	tests/unit/pipeline/coordinator/coordinator.c \
	tests/unit/pipeline/coordinator/flight.c \
	tests/unit/pipeline/coordinator/flight_failures.c \
	tests/unit/pipeline/coordinator/two_groups.c \
	tests/unit/pipeline/coordinator/flights.h
tests_unit_pipeline_coordinator_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pipeline_coordinator_tests_LDADD = $(UNIT_LIBS)

# -------------------------------------------------------------- backends/cpu

# The cpu backend by itself: the tests call its tables, with no core between. compile.c goes through the public library and opens
# the backend as a program does; so it is a program of its own.
if BUILD_CPU
UNIT_TESTS += tests/unit/backends/cpu/tests tests/unit/backends/cpu/compile
check_LTLIBRARIES += tests/unit/backends/cpu/affine.la tests/unit/backends/cpu/object.la
endif

tests_unit_backends_cpu_tests_SOURCES = \
	tests/unit/backends/cpu/device.c \
	tests/unit/backends/cpu/failures.c \
	tests/unit/backends/cpu/fixture.h \
	tests/unit/backends/cpu/graph.c \
	tests/unit/backends/cpu/held.c \
	tests/unit/backends/cpu/host.h \
	tests/unit/backends/cpu/kernels.c \
	tests/unit/backends/cpu/streams.c \
	tests/unit/backends/cpu/threads.c \
	tests/unit/backends/cpu/transfers.c \
	tests/unit/backends/cpu/waits.c
tests_unit_backends_cpu_tests_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_OBJECT='"$(abs_top_builddir)/tests/unit/backends/cpu/.libs/object.so"'
tests_unit_backends_cpu_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_backends_cpu_tests_LDADD = tests/unit/libunit.la backends/cpu/libcpu.la $(CHECK_LIBS)
EXTRA_tests_unit_backends_cpu_tests_DEPENDENCIES = tests/unit/backends/cpu/object.la

tests_unit_backends_cpu_compile_SOURCES = tests/unit/backends/cpu/compile.c
tests_unit_backends_cpu_compile_CFLAGS = $(UNIT_CFLAGS)
tests_unit_backends_cpu_compile_LDADD = tests/unit/libunit.la libtrireme.la $(CHECK_LIBS)
tests_unit_backends_cpu_compile_LDFLAGS = $(UNINSTALLED_LINK)
EXTRA_tests_unit_backends_cpu_compile_DEPENDENCIES = tests/unit/backends/cpu/affine.la

tests_unit_backends_cpu_affine_la_SOURCES = tests/unit/backends/cpu/affine.c
tests_unit_backends_cpu_affine_la_LDFLAGS = $(TEST_MODULE_LINK)

tests_unit_backends_cpu_object_la_SOURCES = tests/unit/backends/cpu/object.c
tests_unit_backends_cpu_object_la_LDFLAGS = $(TEST_MODULE_LINK)

# ------------------------------------------------------------- backends/cuda

# The cuda backend on the stand-in for CUDA's driver, or without any.
if BUILD_CUDA
UNIT_TESTS += tests/unit/backends/cuda/tests
endif

tests_unit_backends_cuda_tests_SOURCES = \
	tests/unit/backends/cuda/clock.c \
	tests/unit/backends/cuda/code.h \
	tests/unit/backends/cuda/deferred_submit.c \
	tests/unit/backends/cuda/device.c \
	tests/unit/backends/cuda/failure.c \
	tests/unit/backends/cuda/fake.h \
	tests/unit/backends/cuda/fixture.h \
	tests/unit/backends/cuda/graph.c \
	tests/unit/backends/cuda/loader.c \
	tests/unit/backends/cuda/marks.c \
	tests/unit/backends/cuda/memory.c \
	tests/unit/backends/cuda/module.c \
	tests/unit/backends/cuda/pageable.c \
	tests/unit/backends/cuda/peer.c \
	tests/unit/backends/cuda/physical.c \
	tests/unit/backends/cuda/pool.c \
	tests/unit/backends/cuda/portable.c \
	tests/unit/backends/cuda/profile.c \
	tests/unit/backends/cuda/replay.c \
	tests/unit/backends/cuda/resident_clock.c \
	tests/unit/backends/cuda/sharing.c \
	tests/unit/backends/cuda/streams.h \
	tests/unit/backends/cuda/waiting.c
tests_unit_backends_cuda_tests_CFLAGS = $(UNIT_CFLAGS) $(CUDA_CPPFLAGS) \
	-DCUDA_STANDIN_PATH='"$(abs_top_builddir)/tests/standin/.libs/libcuda.so.1"' \
	-DNVRTC_STANDIN_PATH='"$(abs_top_builddir)/tests/standin/.libs/libnvrtc.so"'
tests_unit_backends_cuda_tests_LDADD = tests/unit/libunit.la backends/cuda/libtrireme-cuda.la $(CHECK_LIBS)

# ----------------------------------------------------------- backends/vulkan

# The vulkan backend without a driver: the tests make up Vulkan's functions.
if BUILD_VULKAN
UNIT_TESTS += tests/unit/backends/vulkan/tests
endif

tests_unit_backends_vulkan_tests_SOURCES = \
	tests/unit/backends/vulkan/access.c \
	tests/unit/backends/vulkan/coarsen.c \
	tests/unit/backends/vulkan/driver.h \
	tests/unit/backends/vulkan/failure.c \
	tests/unit/backends/vulkan/fake.h \
	tests/unit/backends/vulkan/heap.c \
	tests/unit/backends/vulkan/heap_fixture.h \
	tests/unit/backends/vulkan/kernel_timing.c \
	tests/unit/backends/vulkan/loader.c \
	tests/unit/backends/vulkan/matrices.c \
	tests/unit/backends/vulkan/messages.c \
	tests/unit/backends/vulkan/module.c \
	tests/unit/backends/vulkan/physical.c \
	tests/unit/backends/vulkan/pipeline_cache.c \
	tests/unit/backends/vulkan/queue.c \
	tests/unit/backends/vulkan/resident_line.c \
	tests/unit/backends/vulkan/shader.c \
	tests/unit/backends/vulkan/stream_ends.c \
	tests/unit/backends/vulkan/stream_fixture.h \
	tests/unit/backends/vulkan/streams.c \
	tests/unit/backends/vulkan/tlsf.c
tests_unit_backends_vulkan_tests_CFLAGS = $(UNIT_CFLAGS)
tests_unit_backends_vulkan_tests_LDADD = tests/unit/libunit.la backends/vulkan/libvulkan.la $(CHECK_LIBS)
