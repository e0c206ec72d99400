# Man pages go to dist_man_MANS (doc/trireme.1, …), other pages to dist_pages_DATA, results to dist_results_DATA. All are installed,
# since pages name each other.

dist_man_MANS += doc/trireme.1 doc/trireme.3 doc/trireme.7 doc/trireme-kernels.7

# The pages stand below $(docdir) as they stand here, so that the links of README.md and those between pages hold.
pagesdir = $(docdir)/doc
dist_pages_DATA = \
	doc/architecture.md \
	doc/conformance.md \
	doc/cpu-backend.md \
	doc/cuda-backend.md \
	doc/environment.md \
	doc/from-cuda.md \
	doc/profiles.md \
	doc/resident.md \
	doc/several-devices.md \
	doc/streams.md \
	doc/vulkan-backend.md \
	doc/writing-a-backend.md \
	doc/writing-a-kernel.md \
	doc/writing-a-pipeline.md

# Pages give figures from here.
resultsdir = $(docdir)/doc/results
dist_results_DATA = \
	doc/results/2026-11-21-cpu.md \
	doc/results/2026-11-21-cuda-h200.md \
	doc/results/2026-11-21-kernels-cpu.md \
	doc/results/2026-11-21-kernels-h200.md \
	doc/results/2026-11-21-pipelines-cpu.md \
	doc/results/2026-11-21-vulkan-h200.md \
	doc/results/2026-11-22-cuda-h200.md \
	doc/results/2026-11-22-vulkan-h200-timeline.html \
	doc/results/2026-11-22-vulkan-h200.md \
	doc/results/2026-11-23-advice.md \
	doc/results/2026-11-23-h100.md \
	doc/results/2026-11-23-layers.md \
	doc/results/2026-11-23-shaders-found.md \
	doc/results/2026-11-24-h200.md \
	doc/results/2026-11-24-wild.md \
	doc/results/2026-11-28-cpu.md \
	doc/results/2026-11-28-h200.md \
	doc/results/2026-11-28-profiles.md \
	doc/results/2026-11-29-cpu-auto.md \
	doc/results/2026-11-29-cpu-run.md \
	doc/results/2026-11-29-cpu-slots.md \
	doc/results/2026-11-29-cpu-token.md \
	doc/results/2026-11-29-cpu.md \
	doc/results/2026-11-29-h200-group.md \
	doc/results/2026-11-29-h200-streams.svg \
	doc/results/2026-11-29-h200-two.md \
	doc/results/2026-11-29-h200.md \
	doc/results/2026-11-29-pools-cpu.md \
	doc/results/2026-11-29-shaders.md \
	doc/results/2026-11-29-streaming-h200.md \
	doc/results/2026-11-29-wild-cpu.md \
	doc/results/2026-11-29-workloads.md \
	doc/results/2026-11-30-auto.md \
	doc/results/2026-11-30-counters.md \
	doc/results/2026-11-30-cpu-halves.md \
	doc/results/2026-11-30-h200-sums.md \
	doc/results/2026-11-30-pools.md

EXTRA_DIST += doc/update-kernels doc/update-settings

# Bring the list of settings in trireme(7) up to date with the table in the core, and the entries of trireme-kernels(7) with the
# heads of the shaders.
update-man: all
	$(AM_V_GEN)$(SHELL) $(srcdir)/doc/update-settings tools/trireme $(srcdir)/doc/trireme.7 >trireme.7.new && \
	  mv trireme.7.new $(srcdir)/doc/trireme.7
	$(AM_V_GEN)$(SHELL) $(srcdir)/doc/update-kernels $(srcdir) $(srcdir)/doc/trireme-kernels.7 >trireme-kernels.7.new && \
	  mv trireme-kernels.7.new $(srcdir)/doc/trireme-kernels.7

.PHONY: update-man
