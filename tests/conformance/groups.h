/* The files of cases, one an object, in the order in which they run.
 *
 * To add one: append its name here, to sources.mk and to main.c; it defines `void add_NAME(Suite *suite)`.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_GROUPS_H
#define CONFORMANCE_GROUPS_H

#include "tests/check.h"

/* Contexts, devices and handles. */
void add_context(Suite *suite);
void add_device(Suite *suite);
void add_handles(Suite *suite);

/* Streams and waits. */
void add_stream(Suite *suite);
void add_point(Suite *suite);
void add_wait(Suite *suite);
void add_event(Suite *suite);
void add_callback(Suite *suite);
void add_barrier(Suite *suite);
void add_thread_stream(Suite *suite);
void add_ordering(Suite *suite);
void add_failure(Suite *suite);
void add_serial(Suite *suite);
void add_profile(Suite *suite);
void add_lifetime(Suite *suite);
void add_pairs(Suite *suite);

/* Memory. */
void add_buffer(Suite *suite);
void add_span(Suite *suite);
void add_map(Suite *suite);
void add_array(Suite *suite);
void add_transfer_1d(Suite *suite);
void add_transfer_2d(Suite *suite);
void add_fill(Suite *suite);
void add_image(Suite *suite);
void add_image_argument(Suite *suite);
void add_image_copy(Suite *suite);
void add_image_cube(Suite *suite);
void add_image_kernel(Suite *suite);
void add_image_over(Suite *suite);
void add_stream_memory(Suite *suite);
void add_pool(Suite *suite);
void add_memory_kinds(Suite *suite);
void add_two_devices(Suite *suite);

/* Other users of the driver. */
void add_interop(Suite *suite);
void add_interop_ipc(Suite *suite);
void add_interop_vulkan(Suite *suite); /* where the headers of Vulkan are there */

/* Kernels. */
void add_module(Suite *suite);
void add_native(Suite *suite);
void add_kernel(Suite *suite);
void add_argument(Suite *suite);
void add_array_argument(Suite *suite);
void add_launch(Suite *suite);
void add_portable(Suite *suite);
void add_bounds(Suite *suite);
void add_address(Suite *suite);
void add_named(Suite *suite);
void add_glsl(Suite *suite);

/* Graphs. */
void add_graph(Suite *suite);
void add_graph_life(Suite *suite);
void add_graph_refused(Suite *suite);
void add_graph_update(Suite *suite);

/* The coordinator. */
void add_coordinator(Suite *suite);
void add_coordinator_group(Suite *suite);
void add_coordinator_kinds(Suite *suite);
void add_coordinator_pool(Suite *suite);
void add_coordinator_wait(Suite *suite);

/* Pipelines. */
void add_pipeline(Suite *suite);
void add_pipeline_serve(Suite *suite);
void add_pipeline_branches(Suite *suite);
void add_pipeline_branches_failures(Suite *suite);
void add_pipeline_branches_overlap(Suite *suite);
void add_pipeline_streams(Suite *suite);
void add_pipeline_sources(Suite *suite);
void add_pipeline_functions(Suite *suite);
void add_pipeline_failures(Suite *suite);
void add_pipeline_cancel(Suite *suite);
void add_pipeline_states(Suite *suite);
void add_pipeline_fresh(Suite *suite);
void add_pipeline_descriptors(Suite *suite);
void add_pipeline_order(Suite *suite);
void add_pipeline_threads(Suite *suite);
void add_pipeline_cached_operations(Suite *suite);
void add_pipeline_lives(Suite *suite);
void add_pipeline_resident(Suite *suite);
void add_pipeline_image(Suite *suite);
void add_group(Suite *suite);
void add_group_devices(Suite *suite);
void add_group_fork(Suite *suite);
void add_group_join(Suite *suite);
void add_group_pool(Suite *suite);
void add_group_read(Suite *suite);
void add_group_span(Suite *suite);
void add_stream_model(Suite *suite);
void add_stream_width(Suite *suite);
void add_stream_pool(Suite *suite);
void add_stream_pool_task(Suite *suite);
void add_stream_pool_flood(Suite *suite);
void add_stream_pool_strategy(Suite *suite);
void add_collective(Suite *suite);
void add_collective_buckets(Suite *suite);
void add_collective_life(Suite *suite);

/* Processes, threads, signals and memory. */
void add_threads(Suite *suite);
void add_program(Suite *suite);
void add_signals(Suite *suite);
void add_fork(Suite *suite);
void add_interop_processes(Suite *suite);
void add_process_exit(Suite *suite);
void add_out_of_memory(Suite *suite);
void add_out_of_device_memory(Suite *suite);

#endif
