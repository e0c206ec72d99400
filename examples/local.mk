# Numbered programs that a newcomer reads in order. `make` builds them; `make check` and `make check-valgrind`
# run them. Each exits with 0 on success, and with 77 if the device lacks a feature.
#
# To add one: three more lines here, and one in examples/README.md.

EXAMPLES += \
	examples/01-hello \
	examples/02-kernel \
	examples/03-sequential \
	examples/04-double \
	examples/05-triple \
	examples/06-streams \
	examples/07-asking \
	examples/08-loader \
	examples/09-training \
	examples/10-inference \
	examples/11-graph \
	examples/12-dependencies \
	examples/13-prediction \
	examples/14-c-function \
	examples/15-memory \
	examples/16-callbacks \
	examples/17-errors \
	examples/18-two-interfaces \
	examples/19-image \
	examples/20-film \
	examples/21-devices \
	examples/22-data-parallel \
	examples/23-profile \
	examples/24-event-loop \
	examples/25-stream-pool \
	examples/26-freshness \
	examples/27-branches \
	examples/28-warps \
	examples/29-training-loop \
	examples/30-group-pool \
	examples/31-token-events \
	examples/32-joins

examples_01_hello_SOURCES = examples/01-hello.c examples/example.h
examples_01_hello_LDADD = libtrireme.la
examples_01_hello_LDFLAGS = $(UNINSTALLED_LINK)

examples_02_kernel_SOURCES = examples/02-kernel.c examples/example.h
examples_02_kernel_LDADD = libtrireme.la
examples_02_kernel_LDFLAGS = $(UNINSTALLED_LINK)

examples_03_sequential_SOURCES = examples/03-sequential.c examples/example.h
examples_03_sequential_LDADD = libtrireme.la
examples_03_sequential_LDFLAGS = $(UNINSTALLED_LINK)

examples_04_double_SOURCES = examples/04-double.c examples/example.h
examples_04_double_LDADD = libtrireme.la
examples_04_double_LDFLAGS = $(UNINSTALLED_LINK)

examples_05_triple_SOURCES = examples/05-triple.c examples/example.h
examples_05_triple_LDADD = libtrireme.la
examples_05_triple_LDFLAGS = $(UNINSTALLED_LINK)

examples_06_streams_SOURCES = examples/06-streams.c examples/example.h
examples_06_streams_LDADD = libtrireme.la
examples_06_streams_LDFLAGS = $(UNINSTALLED_LINK)

examples_07_asking_SOURCES = examples/07-asking.c examples/example.h
examples_07_asking_LDADD = libtrireme.la
examples_07_asking_LDFLAGS = $(UNINSTALLED_LINK)

examples_08_loader_SOURCES = examples/08-loader.c examples/example.h
examples_08_loader_LDADD = libtrireme.la -lm
examples_08_loader_LDFLAGS = $(UNINSTALLED_LINK)

examples_09_training_SOURCES = examples/09-training.c examples/example.h
examples_09_training_LDADD = libtrireme.la -lm
examples_09_training_LDFLAGS = $(UNINSTALLED_LINK)

examples_10_inference_SOURCES = examples/10-inference.c examples/example.h
examples_10_inference_LDADD = libtrireme.la
examples_10_inference_LDFLAGS = $(UNINSTALLED_LINK)

examples_11_graph_SOURCES = examples/11-graph.c examples/example.h
examples_11_graph_LDADD = libtrireme.la
examples_11_graph_LDFLAGS = $(UNINSTALLED_LINK)

examples_12_dependencies_SOURCES = examples/12-dependencies.c examples/example.h
examples_12_dependencies_LDADD = libtrireme.la
examples_12_dependencies_LDFLAGS = $(UNINSTALLED_LINK)

examples_13_prediction_SOURCES = examples/13-prediction.c examples/example.h
examples_13_prediction_LDADD = libtrireme.la
examples_13_prediction_LDFLAGS = $(UNINSTALLED_LINK)

examples_14_c_function_SOURCES = examples/14-c-function.c examples/example.h
examples_14_c_function_LDADD = libtrireme.la
examples_14_c_function_LDFLAGS = $(UNINSTALLED_LINK)

examples_15_memory_SOURCES = examples/15-memory.c examples/example.h
examples_15_memory_LDADD = libtrireme.la
examples_15_memory_LDFLAGS = $(UNINSTALLED_LINK)

examples_16_callbacks_SOURCES = examples/16-callbacks.c examples/example.h
examples_16_callbacks_LDADD = libtrireme.la
examples_16_callbacks_LDFLAGS = $(UNINSTALLED_LINK)

examples_17_errors_SOURCES = examples/17-errors.c examples/example.h
examples_17_errors_LDADD = libtrireme.la
examples_17_errors_LDFLAGS = $(UNINSTALLED_LINK)

examples_18_two_interfaces_SOURCES = examples/18-two-interfaces.c examples/example.h
examples_18_two_interfaces_LDADD = libtrireme.la
examples_18_two_interfaces_LDFLAGS = $(UNINSTALLED_LINK)

examples_19_image_SOURCES = examples/19-image.c examples/example.h
examples_19_image_LDADD = libtrireme.la -lm
examples_19_image_LDFLAGS = $(UNINSTALLED_LINK)

examples_20_film_SOURCES = examples/20-film.c examples/example.h
examples_20_film_LDADD = libtrireme.la
examples_20_film_LDFLAGS = $(UNINSTALLED_LINK)

examples_21_devices_SOURCES = examples/21-devices.c examples/example.h
examples_21_devices_LDADD = libtrireme.la
examples_21_devices_LDFLAGS = $(UNINSTALLED_LINK)

examples_22_data_parallel_SOURCES = examples/22-data-parallel.c examples/example.h
examples_22_data_parallel_LDADD = libtrireme.la -lm
examples_22_data_parallel_LDFLAGS = $(UNINSTALLED_LINK)

examples_23_profile_SOURCES = examples/23-profile.c examples/example.h
examples_23_profile_LDADD = libtrireme.la
examples_23_profile_LDFLAGS = $(UNINSTALLED_LINK)

examples_24_event_loop_SOURCES = examples/24-event-loop.c examples/example.h
examples_24_event_loop_LDADD = libtrireme.la
examples_24_event_loop_LDFLAGS = $(UNINSTALLED_LINK)

examples_25_stream_pool_SOURCES = examples/25-stream-pool.c examples/example.h
examples_25_stream_pool_LDADD = libtrireme.la
examples_25_stream_pool_LDFLAGS = $(UNINSTALLED_LINK)

examples_26_freshness_SOURCES = examples/26-freshness.c examples/example.h
examples_26_freshness_LDADD = libtrireme.la
examples_26_freshness_LDFLAGS = $(UNINSTALLED_LINK)

examples_27_branches_SOURCES = examples/27-branches.c examples/example.h
examples_27_branches_LDADD = libtrireme.la
examples_27_branches_LDFLAGS = $(UNINSTALLED_LINK)

examples_28_warps_SOURCES = examples/28-warps.c examples/example.h
examples_28_warps_CPPFLAGS = $(AM_CPPFLAGS) -DINCLUDE_FOLDER='"$(abs_top_srcdir)/include"'
examples_28_warps_LDADD = libtrireme.la
examples_28_warps_LDFLAGS = $(UNINSTALLED_LINK)

examples_29_training_loop_SOURCES = examples/29-training-loop.c examples/training_loop.h examples/example.h
examples_29_training_loop_LDADD = libtrireme.la
examples_29_training_loop_LDFLAGS = $(UNINSTALLED_LINK)

examples_30_group_pool_SOURCES = examples/30-group-pool.c examples/example.h
examples_30_group_pool_LDADD = libtrireme.la
examples_30_group_pool_LDFLAGS = $(UNINSTALLED_LINK)

examples_31_token_events_SOURCES = examples/31-token-events.c examples/example.h
examples_31_token_events_LDADD = libtrireme.la
examples_31_token_events_LDFLAGS = $(UNINSTALLED_LINK)

examples_32_joins_SOURCES = examples/32-joins.c examples/example.h
examples_32_joins_LDADD = libtrireme.la
examples_32_joins_LDFLAGS = $(UNINSTALLED_LINK)

noinst_PROGRAMS += $(EXAMPLES)
TESTS += $(EXAMPLES)

# All of them on Vulkan and on CUDA as well.
dist_check_SCRIPTS += examples/run-cuda.sh examples/run-vulkan.sh
TESTS += examples/run-cuda.sh examples/run-vulkan.sh

# They are installed too, because README.md and the pages in doc/ refer to them.
examplesdir = $(docdir)/examples
dist_examples_DATA = examples/README.md examples/example.h examples/training_loop.h $(EXAMPLES:=.c)
