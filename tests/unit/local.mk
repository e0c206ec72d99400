# Unit tests: Check programs that link the inside of the library (core/libcore.la) and include core/*.h.
#
# To add one:
#
#     UNIT_TESTS += tests/unit/settings
#     tests_unit_settings_SOURCES = tests/unit/settings.c
#     tests_unit_settings_CFLAGS = $(UNIT_CFLAGS)
#     tests_unit_settings_LDADD = $(UNIT_LIBS)

UNIT_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
UNIT_LIBS = core/libcore.la $(CHECK_LIBS)

UNIT_TESTS =
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

EXTRA_DIST += tests/unit/counting.h tests/unit/folder.h tests/unit/runner.h

UNIT_TESTS += tests/unit/error
tests_unit_error_SOURCES = tests/unit/error.c
tests_unit_error_CFLAGS = $(UNIT_CFLAGS)
tests_unit_error_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/object
tests_unit_object_SOURCES = tests/unit/object.c
tests_unit_object_CFLAGS = $(UNIT_CFLAGS)
tests_unit_object_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/object_inside
tests_unit_object_inside_SOURCES = tests/unit/object_inside.c
tests_unit_object_inside_CFLAGS = $(UNIT_CFLAGS)
tests_unit_object_inside_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/config_file
tests_unit_config_file_SOURCES = tests/unit/config_file.c
tests_unit_config_file_CFLAGS = $(UNIT_CFLAGS)
tests_unit_config_file_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/glsl_program
tests_unit_glsl_program_SOURCES = tests/unit/glsl_program.c
tests_unit_glsl_program_CFLAGS = $(UNIT_CFLAGS)
tests_unit_glsl_program_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/context
tests_unit_context_SOURCES = tests/unit/context.c
tests_unit_context_CFLAGS = $(UNIT_CFLAGS)
tests_unit_context_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/elf_file
tests_unit_elf_file_SOURCES = tests/unit/elf_file.c
tests_unit_elf_file_CFLAGS = $(UNIT_CFLAGS)
tests_unit_elf_file_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/registry
tests_unit_registry_SOURCES = tests/unit/registry.c tests/unit/registry_fixture.h
tests_unit_registry_CFLAGS = $(UNIT_CFLAGS)
tests_unit_registry_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/registry_choice
tests_unit_registry_choice_SOURCES = tests/unit/registry_choice.c tests/unit/registry_fixture.h
tests_unit_registry_choice_CFLAGS = $(UNIT_CFLAGS)
tests_unit_registry_choice_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/selection
tests_unit_selection_SOURCES = tests/unit/selection.c
tests_unit_selection_CFLAGS = $(UNIT_CFLAGS)
tests_unit_selection_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/setting_value
tests_unit_setting_value_SOURCES = tests/unit/setting_value.c
tests_unit_setting_value_CFLAGS = $(UNIT_CFLAGS)
tests_unit_setting_value_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/settings
tests_unit_settings_SOURCES = tests/unit/settings.c
tests_unit_settings_CFLAGS = $(UNIT_CFLAGS)
tests_unit_settings_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/trust
tests_unit_trust_SOURCES = tests/unit/trust.c
tests_unit_trust_CFLAGS = $(UNIT_CFLAGS)
tests_unit_trust_LDADD = $(UNIT_LIBS)

# Backends that do nothing, for tests/unit/registry and tests/unit/registry_choice.
FAKE_LINK = $(TEST_MODULE_LINK) -export-symbols-regex '^trm_backend_query_v1$$'

check_LTLIBRARIES += tests/unit/fake-one.la
tests_unit_fake_one_la_SOURCES = tests/unit/fake.c
tests_unit_fake_one_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"one"' -DFAKE_SCORE=100 -DFAKE_DEVICES=1
tests_unit_fake_one_la_LDFLAGS = $(FAKE_LINK)

check_LTLIBRARIES += tests/unit/fake-two.la
tests_unit_fake_two_la_SOURCES = tests/unit/fake.c
tests_unit_fake_two_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"two"' -DFAKE_SCORE=300 -DFAKE_DEVICES=2
tests_unit_fake_two_la_LDFLAGS = $(FAKE_LINK)

check_LTLIBRARIES += tests/unit/fake-three.la
tests_unit_fake_three_la_SOURCES = tests/unit/fake.c
tests_unit_fake_three_la_CPPFLAGS = $(AM_CPPFLAGS) -DFAKE_NAME='"three"' -DFAKE_SCORE=200 -DFAKE_DEVICES=3
tests_unit_fake_three_la_LDFLAGS = $(FAKE_LINK)

# A backend inside the test program, whose work is done when the test says so.
FAKE_BACKEND = tests/unit/fake_backend.c tests/unit/fake_backend.h tests/unit/fake_stream.c tests/unit/fake_stream.h

UNIT_TESTS += tests/unit/event
tests_unit_event_SOURCES = tests/unit/event.c $(FAKE_BACKEND)
tests_unit_event_CFLAGS = $(UNIT_CFLAGS)
tests_unit_event_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/gates
tests_unit_gates_SOURCES = tests/unit/gates.c $(FAKE_BACKEND)
tests_unit_gates_CFLAGS = $(UNIT_CFLAGS)
tests_unit_gates_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/service
tests_unit_service_SOURCES = tests/unit/service.c
tests_unit_service_CFLAGS = $(UNIT_CFLAGS)
tests_unit_service_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/device
tests_unit_device_SOURCES = tests/unit/device.c tests/unit/stream_fixture.h $(FAKE_BACKEND)
tests_unit_device_CFLAGS = $(UNIT_CFLAGS)
tests_unit_device_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/stream
tests_unit_stream_SOURCES = tests/unit/stream.c tests/unit/stream_fixture.h $(FAKE_BACKEND)
tests_unit_stream_CFLAGS = $(UNIT_CFLAGS)
tests_unit_stream_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/use
tests_unit_use_SOURCES = tests/unit/use.c $(FAKE_BACKEND)
tests_unit_use_CFLAGS = $(UNIT_CFLAGS)
tests_unit_use_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/wait_any
tests_unit_wait_any_SOURCES = tests/unit/wait_any.c $(FAKE_BACKEND)
tests_unit_wait_any_CFLAGS = $(UNIT_CFLAGS)
tests_unit_wait_any_LDADD = $(UNIT_LIBS)

# A backend inside the test program that has memory, and runs its queues when the test says so.
STORE = tests/unit/store.c tests/unit/store.h

UNIT_TESTS += tests/unit/size_class
tests_unit_size_class_SOURCES = tests/unit/size_class.c
tests_unit_size_class_CFLAGS = $(UNIT_CFLAGS)
tests_unit_size_class_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/array
tests_unit_array_SOURCES = tests/unit/array.c $(STORE)
tests_unit_array_CFLAGS = $(UNIT_CFLAGS)
tests_unit_array_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/buffer
tests_unit_buffer_SOURCES = tests/unit/buffer.c $(STORE)
tests_unit_buffer_CFLAGS = $(UNIT_CFLAGS)
tests_unit_buffer_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/launch
tests_unit_launch_SOURCES = tests/unit/launch.c $(STORE)
tests_unit_launch_CFLAGS = $(UNIT_CFLAGS)
tests_unit_launch_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/memory_failures
tests_unit_memory_failures_SOURCES = tests/unit/memory_failures.c $(STORE)
tests_unit_memory_failures_CFLAGS = $(UNIT_CFLAGS)
tests_unit_memory_failures_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/peer
tests_unit_peer_SOURCES = tests/unit/peer.c $(STORE)
tests_unit_peer_CFLAGS = $(UNIT_CFLAGS)
tests_unit_peer_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pool
tests_unit_pool_SOURCES = tests/unit/pool.c tests/unit/pool_fixture.h $(STORE)
tests_unit_pool_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pool_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pool_ordered
tests_unit_pool_ordered_SOURCES = tests/unit/pool_ordered.c $(STORE)
tests_unit_pool_ordered_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pool_ordered_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pool_slabs
tests_unit_pool_slabs_SOURCES = tests/unit/pool_slabs.c tests/unit/pool_fixture.h $(STORE)
tests_unit_pool_slabs_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pool_slabs_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/pool_threads
tests_unit_pool_threads_SOURCES = tests/unit/pool_threads.c $(STORE)
tests_unit_pool_threads_CFLAGS = $(UNIT_CFLAGS)
tests_unit_pool_threads_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/transfer
tests_unit_transfer_SOURCES = tests/unit/transfer.c $(STORE)
tests_unit_transfer_CFLAGS = $(UNIT_CFLAGS)
tests_unit_transfer_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/transfer_2d
tests_unit_transfer_2d_SOURCES = tests/unit/transfer_2d.c $(STORE)
tests_unit_transfer_2d_CFLAGS = $(UNIT_CFLAGS)
tests_unit_transfer_2d_LDADD = $(UNIT_LIBS)

# The cpu backend by itself: the tests drive its tables, with no core between.
if BUILD_CPU
UNIT_TESTS += \
	tests/unit/cpu_device \
	tests/unit/cpu_failures \
	tests/unit/cpu_kernels \
	tests/unit/cpu_streams \
	tests/unit/cpu_threads \
	tests/unit/cpu_transfers \
	tests/unit/cpu_waits

check_LTLIBRARIES += tests/unit/cpu_object.la
endif

CPU_UNIT_LIBS = backends/cpu/libcpu.la $(CHECK_LIBS)
CPU_HOST = tests/unit/cpu_host.h
CPU_FIXTURE = $(CPU_HOST) tests/unit/cpu_fixture.h

tests_unit_cpu_object_la_SOURCES = tests/unit/cpu_object.c
tests_unit_cpu_object_la_LDFLAGS = $(TEST_MODULE_LINK)

tests_unit_cpu_device_SOURCES = tests/unit/cpu_device.c $(CPU_HOST)
tests_unit_cpu_device_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_device_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_failures_SOURCES = tests/unit/cpu_failures.c $(CPU_FIXTURE)
tests_unit_cpu_failures_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_failures_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_kernels_SOURCES = tests/unit/cpu_kernels.c $(CPU_HOST)
tests_unit_cpu_kernels_CPPFLAGS = $(AM_CPPFLAGS) -DCPU_OBJECT='"$(abs_top_builddir)/tests/unit/.libs/cpu_object.so"'
tests_unit_cpu_kernels_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_kernels_LDADD = $(CPU_UNIT_LIBS)
tests_unit_cpu_kernels_DEPENDENCIES = backends/cpu/libcpu.la tests/unit/cpu_object.la

tests_unit_cpu_streams_SOURCES = tests/unit/cpu_streams.c $(CPU_FIXTURE)
tests_unit_cpu_streams_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_streams_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_threads_SOURCES = tests/unit/cpu_threads.c $(CPU_FIXTURE)
tests_unit_cpu_threads_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_threads_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_transfers_SOURCES = tests/unit/cpu_transfers.c $(CPU_HOST)
tests_unit_cpu_transfers_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_transfers_LDADD = $(CPU_UNIT_LIBS)

tests_unit_cpu_waits_SOURCES = tests/unit/cpu_waits.c $(CPU_FIXTURE)
tests_unit_cpu_waits_CFLAGS = $(UNIT_CFLAGS)
tests_unit_cpu_waits_LDADD = $(CPU_UNIT_LIBS)
