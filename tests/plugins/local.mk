# Plugins that are no good, plugins that are older or newer than the core, and the proxy that makes any backend fail.
# Modules land in tests/plugins/.libs/NAME.so.

# The template backend under another name for its query: what the modules below are made of.
TEMPLATE_SOURCES = \
	backends/template/template.h \
	backends/template/backend.c \
	backends/template/device.c \
	backends/template/memory.c \
	backends/template/stream.c \
	backends/template/module.c

check_LTLIBRARIES += tests/plugins/libborrowed.la
tests_plugins_libborrowed_la_SOURCES = tests/plugins/bad/borrowed.h $(TEMPLATE_SOURCES)
tests_plugins_libborrowed_la_CPPFLAGS = $(AM_CPPFLAGS) -Dtrm_backend_query_v1=template_query

# --------------------------------------------------------------- bad plugins

BAD_PLUGIN_LINK = $(TEST_MODULE_LINK) -export-symbols-regex '^(trm_backend_query_v1|trm_backend_query_v2|unrelated)$$'

check_LTLIBRARIES += tests/plugins/healthy.la
tests_plugins_healthy_la_SOURCES = tests/plugins/bad/healthy.c
tests_plugins_healthy_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_healthy_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/no-symbol.la
tests_plugins_no_symbol_la_SOURCES = tests/plugins/bad/no-symbol.c
tests_plugins_no_symbol_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_no_symbol_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/wrong-major.la
tests_plugins_wrong_major_la_SOURCES = tests/plugins/bad/wrong-major.c
tests_plugins_wrong_major_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_wrong_major_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/future-minor.la
tests_plugins_future_minor_la_SOURCES = tests/plugins/bad/future-minor.c
tests_plugins_future_minor_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_future_minor_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/newer-minor.la
tests_plugins_newer_minor_la_SOURCES = tests/plugins/bad/newer-minor.c
tests_plugins_newer_minor_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_newer_minor_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/short-backend.la
tests_plugins_short_backend_la_SOURCES = tests/plugins/bad/short-backend.c
tests_plugins_short_backend_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_short_backend_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/short-table.la
tests_plugins_short_table_la_SOURCES = tests/plugins/bad/short-table.c
tests_plugins_short_table_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_short_table_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/null-slot.la
tests_plugins_null_slot_la_SOURCES = tests/plugins/bad/null-slot.c
tests_plugins_null_slot_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_null_slot_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/null-probe.la
tests_plugins_null_probe_la_SOURCES = tests/plugins/bad/null-probe.c
tests_plugins_null_probe_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_null_probe_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/null-table.la
tests_plugins_null_table_la_SOURCES = tests/plugins/bad/null-table.c
tests_plugins_null_table_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_null_table_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/bad-name.la
tests_plugins_bad_name_la_SOURCES = tests/plugins/bad/bad-name.c
tests_plugins_bad_name_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_bad_name_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/no-name.la
tests_plugins_no_name_la_SOURCES = tests/plugins/bad/no-name.c
tests_plugins_no_name_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_no_name_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/half-a-gate.la
tests_plugins_half_a_gate_la_SOURCES = tests/plugins/bad/half-a-gate.c
tests_plugins_half_a_gate_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_half_a_gate_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/half-a-pool.la
tests_plugins_half_a_pool_la_SOURCES = tests/plugins/bad/half-a-pool.c
tests_plugins_half_a_pool_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_half_a_pool_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/probe-no.la
tests_plugins_probe_no_la_SOURCES = tests/plugins/bad/probe-no.c
tests_plugins_probe_no_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_probe_no_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/probe-silent.la
tests_plugins_probe_silent_la_SOURCES = tests/plugins/bad/probe-silent.c
tests_plugins_probe_silent_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_probe_silent_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/probe-unending.la
tests_plugins_probe_unending_la_SOURCES = tests/plugins/bad/probe-unending.c
tests_plugins_probe_unending_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_probe_unending_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/slow-probe.la
tests_plugins_slow_probe_la_SOURCES = tests/plugins/bad/slow-probe.c
tests_plugins_slow_probe_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_slow_probe_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/open-fails.la
tests_plugins_open_fails_la_SOURCES = tests/plugins/bad/open-fails.c
tests_plugins_open_fails_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_open_fails_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/no-devices.la
tests_plugins_no_devices_la_SOURCES = tests/plugins/bad/no-devices.c
tests_plugins_no_devices_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_no_devices_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/too-many-devices.la
tests_plugins_too_many_devices_la_SOURCES = tests/plugins/bad/too-many-devices.c
tests_plugins_too_many_devices_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_too_many_devices_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/count-fails.la
tests_plugins_count_fails_la_SOURCES = tests/plugins/bad/count-fails.c
tests_plugins_count_fails_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_count_fails_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/absurd-score.la
tests_plugins_absurd_score_la_SOURCES = tests/plugins/bad/absurd-score.c
tests_plugins_absurd_score_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_absurd_score_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/half-a-collective.la
tests_plugins_half_a_collective_la_SOURCES = tests/plugins/bad/half-a-collective.c
tests_plugins_half_a_collective_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_half_a_collective_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/half-a-resident.la
tests_plugins_half_a_resident_la_SOURCES = tests/plugins/bad/half-a-resident.c
tests_plugins_half_a_resident_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_half_a_resident_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/half-a-graph.la
tests_plugins_half_a_graph_la_SOURCES = tests/plugins/bad/half-a-graph.c
tests_plugins_half_a_graph_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_half_a_graph_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/half-a-profile.la
tests_plugins_half_a_profile_la_SOURCES = tests/plugins/bad/half-a-profile.c
tests_plugins_half_a_profile_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_half_a_profile_la_LIBADD = tests/plugins/libborrowed.la

check_LTLIBRARIES += tests/plugins/flips-a-bit.la
tests_plugins_flips_a_bit_la_SOURCES = tests/plugins/bad/flips-a-bit.c
tests_plugins_flips_a_bit_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_flips_a_bit_la_LIBADD = tests/plugins/libborrowed.la

# ------------------------------------------------- other minor versions

check_LTLIBRARIES += tests/plugins/newer.la
tests_plugins_newer_la_SOURCES = tests/plugins/newer.c
tests_plugins_newer_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_newer_la_LIBADD = tests/plugins/libborrowed.la

# Compiled against the header as it was in minor 0, which comes before today's.
check_LTLIBRARIES += tests/plugins/libborrowed-old.la tests/plugins/old.la
tests_plugins_libborrowed_old_la_SOURCES = $(TEMPLATE_SOURCES)
tests_plugins_libborrowed_old_la_CPPFLAGS = -I$(top_srcdir)/tests/plugins/abi-1.0 $(AM_CPPFLAGS) \
	-Dtrm_backend_query_v1=template_query
tests_plugins_old_la_SOURCES = tests/plugins/old.c
tests_plugins_old_la_CPPFLAGS = -I$(top_srcdir)/tests/plugins/abi-1.0 $(AM_CPPFLAGS)
tests_plugins_old_la_LDFLAGS = $(BAD_PLUGIN_LINK)
tests_plugins_old_la_LIBADD = tests/plugins/libborrowed-old.la

EXTRA_DIST += tests/plugins/abi-1.0/pin.h tests/plugins/abi-1.0/pins.h tests/plugins/abi-1.0/pins_backend.h \
	tests/plugins/abi-1.0/pins_numbers.h tests/plugins/abi-1.0/pins_public.h tests/plugins/abi-1.0/trireme/backend.h

# ------------------------------------------------------------------ the proxy

check_LTLIBRARIES += tests/plugins/proxy.la
tests_plugins_proxy_la_SOURCES = \
	tests/plugins/proxy/control.h \
	tests/plugins/proxy/proxy.h \
	tests/plugins/proxy/backend.c \
	tests/plugins/proxy/device.c \
	tests/plugins/proxy/enqueue.c \
	tests/plugins/proxy/extras.c \
	tests/plugins/proxy/faults.c \
	tests/plugins/proxy/graph.c \
	tests/plugins/proxy/interop.c \
	tests/plugins/proxy/ledger.c \
	tests/plugins/proxy/memory.c \
	tests/plugins/proxy/module.c \
	tests/plugins/proxy/stream.c \
	tests/plugins/proxy/wait.c
tests_plugins_proxy_la_LDFLAGS = $(TEST_MODULE_LINK) -export-symbols-regex '^(trm_backend_query_v1|proxy_control)$$'

# ------------------------------------------- a backend whose every slot may lie

check_LTLIBRARIES += tests/plugins/hostile.la
tests_plugins_hostile_la_SOURCES = \
	tests/plugins/hostile/hostile.h \
	tests/plugins/hostile/backend.c \
	tests/plugins/hostile/stream.c \
	tests/plugins/hostile/extras.c \
	tests/plugins/hostile/image.c \
	tests/plugins/hostile/interop.c
tests_plugins_hostile_la_LDFLAGS = $(TEST_MODULE_LINK) \
	-export-symbols-regex '^(trm_backend_query_v1|hostile_control)$$'
tests_plugins_hostile_la_LIBADD = tests/plugins/libborrowed.la

HOSTILE_SCENE = \
	tests/plugins/hostile/hostile.h \
	tests/plugins/hostile/scene.h \
	tests/plugins/hostile/scene.c \
	tests/plugins/hostile/uses.c
HOSTILE_FIXTURE = \
	tests/plugins/hostile/fixture.h \
	tests/plugins/hostile/fixture.c \
	$(HOSTILE_SCENE)

# ------------------------------------------------- a device of known times

check_LTLIBRARIES += tests/plugins/timed.la
tests_plugins_timed_la_SOURCES = \
	tests/plugins/timed/timed.h \
	tests/plugins/timed/backend.c \
	tests/plugins/timed/device.c \
	tests/plugins/timed/engine.c \
	tests/plugins/timed/enqueue.c \
	tests/plugins/timed/memory.c \
	tests/plugins/timed/module.c \
	tests/plugins/timed/progress.c \
	tests/plugins/timed/stream.c
tests_plugins_timed_la_LDFLAGS = $(TEST_MODULE_LINK) -export-symbols-regex '^trm_backend_query_v1$$'

# ------------------------------------------------------------------ the tests

PLUGIN_TESTS = \
	tests/plugins/answers \
	tests/plugins/collectives \
	tests/plugins/generations \
	tests/plugins/images \
	tests/plugins/proxied \
	tests/plugins/proxy_itself \
	tests/plugins/refused \
	tests/plugins/tables \
	tests/plugins/trusted

check_PROGRAMS += $(PLUGIN_TESTS)
TESTS += $(PLUGIN_TESTS)

NEST = tests/plugins/nest.h tests/plugins/nest.c
PLUGIN_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
PLUGIN_TEST_LIBS = libtrireme.la $(CHECK_LIBS)

tests_plugins_answers_SOURCES = tests/plugins/answers.c $(NEST) $(HOSTILE_FIXTURE)
tests_plugins_answers_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_answers_LDADD = $(PLUGIN_TEST_LIBS)

tests_plugins_collectives_SOURCES = tests/plugins/collectives.c $(NEST)
tests_plugins_collectives_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_collectives_LDADD = $(PLUGIN_TEST_LIBS)

tests_plugins_generations_SOURCES = tests/plugins/generations.c $(NEST)
tests_plugins_generations_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_generations_LDADD = $(PLUGIN_TEST_LIBS)

tests_plugins_images_SOURCES = tests/plugins/images.c $(NEST) $(HOSTILE_SCENE)
tests_plugins_images_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_images_LDADD = $(PLUGIN_TEST_LIBS)

tests_plugins_proxied_SOURCES = tests/plugins/proxied.c $(NEST)
tests_plugins_proxied_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_proxied_LDADD = $(PLUGIN_TEST_LIBS)

tests_plugins_proxy_itself_SOURCES = tests/plugins/proxy_itself.c $(NEST)
tests_plugins_proxy_itself_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_proxy_itself_LDADD = $(PLUGIN_TEST_LIBS)

tests_plugins_refused_SOURCES = tests/plugins/refused.c $(NEST)
tests_plugins_refused_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_refused_LDADD = $(PLUGIN_TEST_LIBS)

tests_plugins_tables_SOURCES = tests/plugins/tables.c $(NEST) $(HOSTILE_FIXTURE)
tests_plugins_tables_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_tables_LDADD = $(PLUGIN_TEST_LIBS)

tests_plugins_trusted_SOURCES = tests/plugins/trusted.c $(NEST)
tests_plugins_trusted_CFLAGS = $(PLUGIN_TEST_CFLAGS)
tests_plugins_trusted_LDADD = $(PLUGIN_TEST_LIBS)

check_PROGRAMS += tests/plugins/setuid-helper
tests_plugins_setuid_helper_SOURCES = tests/plugins/setuid-helper.c
tests_plugins_setuid_helper_LDADD = libtrireme-internal.la
tests_plugins_setuid_helper_LDFLAGS = $(UNINSTALLED_LINK)

TESTS_OF_PLUGINS = tests/plugins/unchecked.sh tests/plugins/contract.sh tests/plugins/setuid.sh tests/plugins/out-of-tree.sh \
	tests/plugins/static.sh
dist_check_SCRIPTS += $(TESTS_OF_PLUGINS)
TESTS += $(TESTS_OF_PLUGINS)

# This one installs too, so it waits until the tests of packaging have done so.
tests/plugins/out-of-tree.log: tests/packaging/uninstall.log
