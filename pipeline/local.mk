# Pipelines and the coordinator. To add a file: append it (headers too) to its room.

# pipeline/report: measuring a pipeline, and writing reports and traces of it.
libtrireme_internal_la_SOURCES += \
	pipeline/report/advice.c pipeline/report/advice.h \
	pipeline/report/advice_devices.c \
	pipeline/report/advice_drops.c \
	pipeline/report/advice_limits.c \
	pipeline/report/advice_settings.c \
	pipeline/report/advice_tokens.c \
	pipeline/report/format.c \
	pipeline/report/measure.c pipeline/report/measure.h \
	pipeline/report/measure_report.c pipeline/report/measure_state.h \
	pipeline/report/names.c \
	pipeline/report/output_file.c \
	pipeline/report/predict.c pipeline/report/predict.h \
	pipeline/report/predict_exact.c \
	pipeline/report/predict_recent.c \
	pipeline/report/predict_shared.c \
	pipeline/report/prediction.c \
	pipeline/report/report.h pipeline/report/report_internal.h \
	pipeline/report/rates.c \
	pipeline/report/report_ahead.c \
	pipeline/report/report_branches.c \
	pipeline/report/report_devices.c \
	pipeline/report/report_json.c \
	pipeline/report/report_text.c \
	pipeline/report/shared.c \
	pipeline/report/shared.h \
	pipeline/report/slices.c \
	pipeline/report/timeline_html.c \
	pipeline/report/timeline_script.c \
	pipeline/report/timeline_style.c \
	pipeline/report/trace.c pipeline/report/trace.h \
	pipeline/report/trace_events.c \
	pipeline/report/words.c \
	pipeline/report/writer.c pipeline/report/writer.h

# pipeline/estimate: how long work takes on a device.
libtrireme_internal_la_SOURCES += \
	pipeline/estimate/average.h \
	pipeline/estimate/buffer.c pipeline/estimate/buffer.h \
	pipeline/estimate/estimate.c pipeline/estimate/estimate.h \
	pipeline/estimate/load.c pipeline/estimate/load.h \
	pipeline/estimate/model.c pipeline/estimate/model.h \
	pipeline/estimate/transfer.c pipeline/estimate/transfer.h

# pipeline/trial: what a pipeline finds out while it runs.
libtrireme_internal_la_SOURCES += \
	pipeline/trial/depth_trial.c pipeline/trial/depth_trial.h \
	pipeline/trial/proof.c pipeline/trial/proof.h \
	pipeline/trial/rounds.c pipeline/trial/rounds.h \
	pipeline/trial/sampling.c pipeline/trial/sampling.h \
	pipeline/trial/strategy_trial.c pipeline/trial/strategy_trial.h \
	pipeline/trial/ways.c pipeline/trial/ways.h \
	pipeline/trial/trial.h

# pipeline/engine: the device side, which enqueues tokens.
libtrireme_internal_la_SOURCES += \
	pipeline/engine/arguments.c \
	pipeline/engine/away.c pipeline/engine/away.h \
	pipeline/engine/branches.c \
	pipeline/engine/check.c \
	pipeline/engine/choose.c \
	pipeline/engine/copy.c pipeline/engine/copy.h \
	pipeline/engine/engine.c pipeline/engine/engine.h \
	pipeline/engine/engine_internal.h \
	pipeline/engine/enqueue.c \
	pipeline/engine/cached_operations.c pipeline/engine/cached_operations.h \
	pipeline/engine/holds.c \
	pipeline/engine/host_stage.c \
	pipeline/engine/pieces.c \
	pipeline/engine/port_image.c pipeline/engine/port_image.h \
	pipeline/engine/port_memory.c \
	pipeline/engine/ports.c \
	pipeline/engine/progress.c \
	pipeline/engine/range.h \
	pipeline/engine/record_operations.c \
	pipeline/engine/reorder.c \
	pipeline/engine/recording.c \
	pipeline/engine/scratch.c \
	pipeline/engine/slot.c \
	pipeline/engine/spread.c pipeline/engine/spread.h \
	pipeline/engine/stage_arguments.c \
	pipeline/engine/stages.c pipeline/engine/stages.h \
	pipeline/engine/strategy_role_streams.c \
	pipeline/engine/strategy_slot_graphs.c \
	pipeline/engine/strategy_slot_streams.c \
	pipeline/engine/strategy_zero_copy.c \
	pipeline/engine/times.c \
	pipeline/engine/slots_in_use.c \
	pipeline/engine/tune.c

# pipeline/queue: states of slots; sources, sinks, runs; the entry points of pipelines.
libtrireme_internal_la_SOURCES += \
	pipeline/queue/ahead.c pipeline/queue/ahead.h \
	pipeline/queue/cancel.c \
	pipeline/queue/failure.c \
	pipeline/queue/fresh.c \
	pipeline/queue/group_pipeline.c \
	pipeline/queue/join.c pipeline/queue/join.h \
	pipeline/queue/join_times.c \
	pipeline/queue/loader.c \
	pipeline/queue/members.c \
	pipeline/queue/next.c \
	pipeline/queue/order.c \
	pipeline/queue/pipeline.c \
	pipeline/queue/queue.c pipeline/queue/queue.h \
	pipeline/queue/report.c \
	pipeline/queue/run.c \
	pipeline/queue/serve.c \
	pipeline/queue/sink.c \
	pipeline/queue/source.c pipeline/queue/source.h \
	pipeline/queue/states.c \
	pipeline/queue/token_fd.c \
	pipeline/queue/trace.c \
	pipeline/queue/wait.c

# pipeline/group: groups of devices, and what exists on each of them.
libtrireme_internal_la_SOURCES += \
	pipeline/group/contents.c \
	pipeline/group/data.c pipeline/group/data.h \
	pipeline/group/group.c pipeline/group/group.h \
	pipeline/group/part.c \
	pipeline/group/replica.c

# pipeline/model: how long tasks take and which hinder each other, also kept between runs.
libtrireme_internal_la_SOURCES += \
	pipeline/model/learn.c pipeline/model/learn.h \
	pipeline/model/model.h \
	pipeline/model/stored.c pipeline/model/stored.h \
	pipeline/model/stored_list.c \
	pipeline/model/width.c \
	pipeline/model/workload.c pipeline/model/workload.h

# pipeline/pool: streams that are lent, and which one is lent next.
libtrireme_internal_la_SOURCES += \
	pipeline/pool/choose.c \
	pipeline/pool/draw.c \
	pipeline/pool/errand.c \
	pipeline/pool/follow.c \
	pipeline/pool/stored_models.c pipeline/pool/stored_models.h \
	pipeline/pool/lend.c \
	pipeline/pool/lesson.c \
	pipeline/pool/pool.c pipeline/pool/pool.h \
	pipeline/pool/presume.c \
	pipeline/pool/submit.c \
	pipeline/pool/team.c pipeline/pool/team.h \
	pipeline/pool/team_choose.c \
	pipeline/pool/team_copy.c \
	pipeline/pool/team_plan.c \
	pipeline/pool/team_submit.c \
	pipeline/pool/trial.c pipeline/pool/trial.h \
	pipeline/pool/watch.c \
	pipeline/pool/width.c

# pipeline/collective: operations over one span on each device of a group.
libtrireme_internal_la_SOURCES += \
	pipeline/collective/bucket.c \
	pipeline/collective/call.c \
	pipeline/collective/check.c \
	pipeline/collective/choose.c \
	pipeline/collective/collective.c pipeline/collective/collective.h \
	pipeline/collective/direct.c \
	pipeline/collective/meeting.c \
	pipeline/collective/message.c \
	pipeline/collective/native.c \
	pipeline/collective/reduce.c \
	pipeline/collective/relay.c \
	pipeline/collective/table.c pipeline/collective/table.h \
	pipeline/collective/task.c

# pipeline/profile: profiles of devices and contexts.
libtrireme_internal_la_SOURCES += \
	pipeline/profile/profile.c pipeline/profile/profile.h \
	pipeline/profile/profile_advice.c \
	pipeline/profile/profile_calls.c \
	pipeline/profile/profile_json.c \
	pipeline/profile/profile_sums.c \
	pipeline/profile/profile_tasks.c \
	pipeline/profile/profile_text.c \
	pipeline/profile/profile_trace.c \
	pipeline/profile/profile_view.c

# pipeline/context: contexts, and the profile that a setting asks for.
libtrireme_internal_la_SOURCES += \
	pipeline/context/context.c \
	pipeline/context/program_profile.c pipeline/context/program_profile.h

# pipeline/coordinator: tasks that name each other by id.
libtrireme_internal_la_SOURCES += \
	pipeline/coordinator/cause.c \
	pipeline/coordinator/check.c \
	pipeline/coordinator/coordinator.c pipeline/coordinator/coordinator.h \
	pipeline/coordinator/cycle.c \
	pipeline/coordinator/done.c \
	pipeline/coordinator/errand.c \
	pipeline/coordinator/flight.c \
	pipeline/coordinator/graph.c \
	pipeline/coordinator/own_pool.c \
	pipeline/coordinator/schedule.c \
	pipeline/coordinator/settle.c \
	pipeline/coordinator/submit.c \
	pipeline/coordinator/task.c \
	pipeline/coordinator/wait.c
