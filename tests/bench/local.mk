# Programs that measure peers beside us. `make bench` builds PEERS and calls tests/bench/run-bench, with
# TRIREME (the `trireme` program) and BENCHDIR (where these programs are) in its environment.
#
# To add a peer: a program peer_NAME that calls measure_main(), and NAME in the list in run-bench.

PEERS = \
	tests/bench/spawn \
	tests/bench/start_trireme \
	tests/bench/peer_ring \
	tests/bench/peer_condvar \
	tests/bench/peer_libc

MEASURE = tests/bench/measure.c tests/bench/measure.h

tests_bench_spawn_SOURCES = tests/bench/spawn.c $(MEASURE)
tests_bench_start_trireme_SOURCES = tests/bench/start_trireme.c $(MEASURE)
tests_bench_start_trireme_LDADD = libtrireme.la
tests_bench_start_trireme_LDFLAGS = $(UNINSTALLED_LINK)
tests_bench_peer_ring_SOURCES = tests/bench/peer_ring.c $(MEASURE)
tests_bench_peer_condvar_SOURCES = tests/bench/peer_condvar.c $(MEASURE)
tests_bench_peer_libc_SOURCES = tests/bench/peer_libc.c $(MEASURE)

if HAVE_OPENCL
PEERS += tests/bench/peer_opencl
endif
tests_bench_peer_opencl_SOURCES = tests/bench/peer_opencl.c $(MEASURE)
tests_bench_peer_opencl_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
tests_bench_peer_opencl_LDADD = $(OPENCL_LIBS)

# The suite "kernel": the shaders of this folder and the built-in kernels, beside what compilers and libraries do.
KERNEL_WORK = tests/bench/kernel_work.h $(MEASURE)

PEERS += tests/bench/kernel_trireme
tests_bench_kernel_trireme_SOURCES = tests/bench/kernel_trireme.c $(KERNEL_WORK)
tests_bench_kernel_trireme_LDADD = libtrireme.la
tests_bench_kernel_trireme_LDFLAGS = $(UNINSTALLED_LINK)

if HAVE_OPENCL
PEERS += tests/bench/peer_opencl_kernels
endif
tests_bench_peer_opencl_kernels_SOURCES = tests/bench/peer_opencl_kernels.c $(KERNEL_WORK)
tests_bench_peer_opencl_kernels_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
tests_bench_peer_opencl_kernels_LDADD = $(OPENCL_LIBS)

if HAVE_OPENMP
PEERS += tests/bench/peer_openmp
endif
tests_bench_peer_openmp_SOURCES = tests/bench/peer_openmp.c $(KERNEL_WORK)
tests_bench_peer_openmp_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) -march=native

if HAVE_OPENBLAS
PEERS += tests/bench/peer_openblas
endif
tests_bench_peer_openblas_SOURCES = tests/bench/peer_openblas.c $(KERNEL_WORK)
tests_bench_peer_openblas_CFLAGS = $(AM_CFLAGS) $(OPENBLAS_CFLAGS)
tests_bench_peer_openblas_LDADD = $(OPENBLAS_LIBS)

if HAVE_STARPU
PEERS += tests/bench/peer_starpu
endif
tests_bench_peer_starpu_SOURCES = tests/bench/peer_starpu.c $(MEASURE)
tests_bench_peer_starpu_CFLAGS = $(AM_CFLAGS) $(STARPU_CFLAGS)
tests_bench_peer_starpu_LDADD = $(STARPU_LIBS)

# The suite "pipeline": beside `trireme bench`, the same kernel as the peers' in a pipeline of Trireme; what others do; and
# what this machine can do at most, without any machinery.
PIPELINE_WORK = tests/bench/pipeline_work.h $(MEASURE)
PIPELINE_FLAGS = -march=native -ffp-contract=fast

PEERS += tests/bench/pipeline_trireme
tests_bench_pipeline_trireme_SOURCES = tests/bench/pipeline_trireme.c $(PIPELINE_WORK)
tests_bench_pipeline_trireme_CFLAGS = $(AM_CFLAGS) $(PIPELINE_FLAGS)
tests_bench_pipeline_trireme_LDADD = libtrireme.la -lm
tests_bench_pipeline_trireme_LDFLAGS = $(UNINSTALLED_LINK)

if HAVE_OPENMP
PEERS += tests/bench/peer_openmp_pipeline tests/bench/peer_bound tests/bench/peer_bound_best
endif
tests_bench_peer_openmp_pipeline_SOURCES = tests/bench/peer_openmp_pipeline.c $(PIPELINE_WORK)
tests_bench_peer_openmp_pipeline_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(PIPELINE_FLAGS)
tests_bench_peer_openmp_pipeline_LDADD = -lm
tests_bench_peer_bound_SOURCES = tests/bench/peer_bound.c $(PIPELINE_WORK)
tests_bench_peer_bound_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(PIPELINE_FLAGS)
tests_bench_peer_bound_LDADD = -lm
tests_bench_peer_bound_best_SOURCES = tests/bench/peer_bound.c $(PIPELINE_WORK)
tests_bench_peer_bound_best_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS) $(PIPELINE_FLAGS) -DBOUND_BEST
tests_bench_peer_bound_best_LDADD = -lm

if HAVE_OPENCL
PEERS += tests/bench/peer_opencl_pipeline
endif
tests_bench_peer_opencl_pipeline_SOURCES = tests/bench/peer_opencl_pipeline.c $(PIPELINE_WORK)
tests_bench_peer_opencl_pipeline_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS) $(PIPELINE_FLAGS)
tests_bench_peer_opencl_pipeline_LDADD = $(OPENCL_LIBS) -lm

if HAVE_STARPU
PEERS += tests/bench/peer_starpu_pipeline
endif
tests_bench_peer_starpu_pipeline_SOURCES = tests/bench/peer_starpu_pipeline.c $(PIPELINE_WORK)
tests_bench_peer_starpu_pipeline_CFLAGS = $(AM_CFLAGS) $(STARPU_CFLAGS) $(PIPELINE_FLAGS)
tests_bench_peer_starpu_pipeline_LDADD = $(STARPU_LIBS) -lm

# The suite "pools": beside `trireme bench`, mixes of tasks of the same kernel on a pool of Trireme and on StarPU.
POOLS_WORK = tests/bench/pools_work.h $(MEASURE)

PEERS += tests/bench/pools_trireme
tests_bench_pools_trireme_SOURCES = tests/bench/pools_trireme.c $(POOLS_WORK)
tests_bench_pools_trireme_CFLAGS = $(AM_CFLAGS) $(PIPELINE_FLAGS)
tests_bench_pools_trireme_LDADD = libtrireme.la
tests_bench_pools_trireme_LDFLAGS = $(UNINSTALLED_LINK)

if HAVE_STARPU
PEERS += tests/bench/peer_starpu_pools
endif
tests_bench_peer_starpu_pools_SOURCES = tests/bench/peer_starpu_pools.c $(POOLS_WORK)
tests_bench_peer_starpu_pools_CFLAGS = $(AM_CFLAGS) $(STARPU_CFLAGS) $(PIPELINE_FLAGS)
tests_bench_peer_starpu_pools_LDADD = $(STARPU_LIBS)

# The suite "advice": reports are taken at their word.
PEERS += tests/bench/advice_trireme
tests_bench_advice_trireme_SOURCES = tests/bench/advice_trireme.c $(MEASURE)
tests_bench_advice_trireme_LDADD = libtrireme.la
tests_bench_advice_trireme_LDFLAGS = $(UNINSTALLED_LINK)

# How old results of TRM_FULL_LATEST are. A program of its own, since ten minutes show more than a round of a suite.
PEERS += tests/bench/latest_trireme
tests_bench_latest_trireme_SOURCES = tests/bench/latest_trireme.c
tests_bench_latest_trireme_LDADD = libtrireme.la
tests_bench_latest_trireme_LDFLAGS = $(UNINSTALLED_LINK)

# What a token costs beside a loop by hand.
PEERS += tests/bench/token_trireme
tests_bench_token_trireme_SOURCES = tests/bench/token_trireme.c $(MEASURE)
tests_bench_token_trireme_LDADD = libtrireme.la
tests_bench_token_trireme_LDFLAGS = $(UNINSTALLED_LINK)

# What descriptors in an event loop cost beside waits.
PEERS += tests/bench/epoll_trireme
tests_bench_epoll_trireme_SOURCES = tests/bench/epoll_trireme.c $(MEASURE)
tests_bench_epoll_trireme_LDADD = libtrireme.la
tests_bench_epoll_trireme_LDFLAGS = $(UNINSTALLED_LINK)

# The suite "gpu": pipelines, copies, launches and kernels beside what is written by hand for the driver.
GPU_WORK = tests/bench/gpu_work.h $(MEASURE)

PEERS += tests/bench/gpu_trireme
tests_bench_gpu_trireme_SOURCES = tests/bench/gpu_trireme.c $(GPU_WORK)
tests_bench_gpu_trireme_LDADD = libtrireme.la -lm
tests_bench_gpu_trireme_LDFLAGS = $(UNINSTALLED_LINK)

if HAVE_OPENCL
PEERS += tests/bench/peer_opencl_gpu
endif
tests_bench_peer_opencl_gpu_SOURCES = tests/bench/peer_opencl_gpu.c $(GPU_WORK)
tests_bench_peer_opencl_gpu_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
tests_bench_peer_opencl_gpu_LDADD = $(OPENCL_LIBS) -lm

if HAVE_LIBVULKAN
PEERS += tests/bench/peer_vulkan
endif
tests_bench_peer_vulkan_SOURCES = tests/bench/peer_vulkan.c $(GPU_WORK)
tests_bench_peer_vulkan_LDADD = -lvulkan -lm

# The suite "serve" of `trireme bench`, by hand for CUDA's driver, which it opens when it runs.
if BUILD_CUDA
PEERS += tests/bench/peer_cuda_serve
endif
tests_bench_peer_cuda_serve_SOURCES = tests/bench/peer_cuda_serve.c $(MEASURE)
tests_bench_peer_cuda_serve_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_bench_peer_cuda_serve_LDADD = -ldl -lm

# The suite "wild": kernels as people run them, beside the same in OpenCL C and in CUDA C. wild/shaders/*.spv are kept beside their
# sources, so that neither a tarball nor a machine with a GPU needs a GLSL compiler. After a change of one: `tools/trireme kc -q FILE.comp`.
WILD_WORK = \
	tests/bench/wild/cases_network.c \
	tests/bench/wild/cases_numeric.c \
	tests/bench/wild/data.h \
	tests/bench/wild/wild.c \
	tests/bench/wild/wild.h \
	$(MEASURE)

PEERS += tests/bench/wild/wild_trireme
tests_bench_wild_wild_trireme_SOURCES = tests/bench/wild/wild_trireme.c $(WILD_WORK)
tests_bench_wild_wild_trireme_LDADD = libtrireme.la -lm
tests_bench_wild_wild_trireme_LDFLAGS = $(UNINSTALLED_LINK)

if HAVE_OPENCL
PEERS += tests/bench/wild/peer_opencl
endif
tests_bench_wild_peer_opencl_SOURCES = tests/bench/wild/peer_opencl.c $(WILD_WORK)
tests_bench_wild_peer_opencl_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
tests_bench_wild_peer_opencl_LDADD = $(OPENCL_LIBS) -lm

WILD_SHADERS = argsort depthwise fft gemm im2col layer_norm n_body q4_matvec rotary softmax warp
EXTRA_DIST += \
	$(WILD_SHADERS:%=tests/bench/wild/shaders/%.comp) $(WILD_SHADERS:%=tests/bench/wild/shaders/%.spv) \
	tests/bench/wild/by_hand.cuh tests/bench/wild/peer_cuda.cu tests/bench/wild/shaders/wild.cl

# By hand, so that the package as a whole needs neither C++ nor CUDA.
OTHER_PEERS =
if HAVE_NVCC
OTHER_PEERS += tests/bench/peer_cuda
endif
tests/bench/peer_cuda: tests/bench/peer_cuda.cu tests/bench/measure.c tests/bench/gpu_work.h tests/bench/measure.h
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/measure.c -o tests/bench/peer_cuda-measure.o && \
	  $(NVCC) -O3 -std=c++17 -arch=native -I$(srcdir)/tests/bench $(srcdir)/tests/bench/peer_cuda.cu \
	  tests/bench/peer_cuda-measure.o -o $@ -lcuda -ldl

if HAVE_NVCC
OTHER_PEERS += tests/bench/wild/peer_cuda
endif
tests/bench/wild/peer_cuda: tests/bench/wild/peer_cuda.cu tests/bench/wild/by_hand.cuh $(WILD_WORK)
	$(AM_V_GEN)$(MKDIR_P) tests/bench/wild && objects= && \
	  for part in wild/cases_network wild/cases_numeric wild/wild measure; do \
	    object=tests/bench/wild/peer_cuda-`basename $$part`.o && objects="$$objects $$object" && \
	    $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/$$part.c -o $$object || exit 1; \
	  done && \
	  $(NVCC) -O3 -std=c++17 -arch=native -I$(srcdir)/tests/bench/wild $(srcdir)/tests/bench/wild/peer_cuda.cu \
	  $$objects -o $@ -lm

# NCCL called directly, by hand: make tests/bench/peer_nccl, with NCCL=DIR where it is not beside CUDA.
NCCL = /usr/local/cuda
tests/bench/peer_nccl: tests/bench/peer_nccl.cu tests/bench/measure.c tests/bench/measure.h
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/measure.c -o tests/bench/peer_nccl-measure.o && \
	  $(NVCC) -O3 -std=c++17 -arch=native -I$(srcdir)/tests/bench -I'$(NCCL)/include' $(srcdir)/tests/bench/peer_nccl.cu \
	  tests/bench/peer_nccl-measure.o -o $@ -L'$(NCCL)/lib' -Xlinker -l:libnccl.so.2 -Xlinker -rpath='$(NCCL)/lib'

# Sums behind a backward pass, by NCCL and by hand: make tests/bench/peer_backward
tests/bench/peer_backward: tests/bench/peer_backward.cu kernels/sgemm.cu tests/bench/measure.c tests/bench/measure.h
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/measure.c -o tests/bench/peer_backward-measure.o && \
	  $(NVCC) -O3 -std=c++17 -arch=native -I$(srcdir)/tests/bench -I$(srcdir) -I'$(NCCL)/include' \
	  $(srcdir)/tests/bench/peer_backward.cu tests/bench/peer_backward-measure.o -o $@ \
	  -L'$(NCCL)/lib' -Xlinker -l:libnccl.so.2 -Xlinker -rpath='$(NCCL)/lib'

# The same through the memory of the host, by hand: make tests/bench/peer_staging
tests/bench/peer_staging: tests/bench/peer_staging.cu tests/bench/measure.c tests/bench/measure.h
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/measure.c -o tests/bench/peer_staging-measure.o && \
	  $(NVCC) -O3 -std=c++17 -arch=native -I$(srcdir)/tests/bench $(srcdir)/tests/bench/peer_small_sums.cu tests/bench/peer_staging.cu \
	  tests/bench/peer_staging-measure.o -o $@

# Small sums by hand: make tests/bench/peer_small_sums
tests/bench/peer_small_sums: tests/bench/peer_small_sums.cu tests/bench/measure.c tests/bench/measure.h
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/measure.c -o tests/bench/peer_small_sums-measure.o && \
	  $(NVCC) -O3 -std=c++17 -arch=native -I$(srcdir)/tests/bench $(srcdir)/tests/bench/peer_small_sums.cu \
	  tests/bench/peer_small_sums-measure.o -o $@ -lcuda

# The least that a token on a kernel that stays can take, by hand: make tests/bench/peer_cuda_resident
tests/bench/peer_cuda_resident: tests/bench/peer_cuda_resident.cu tests/bench/measure.c tests/bench/measure.h
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/measure.c -o tests/bench/peer_cuda_resident-measure.o && \
	  $(NVCC) -O3 -std=c++17 -arch=native -I$(srcdir)/tests/bench $(srcdir)/tests/bench/peer_cuda_resident.cu \
	  tests/bench/peer_cuda_resident-measure.o -o $@

# The built-in kernels beside others written by hand, in one process.
if HAVE_NVCC
OTHER_PEERS += tests/bench/cuda_kernels
endif
tests/bench/cuda_kernels: tests/bench/cuda_kernels.cu tests/bench/cuda_by_hand.cuh tests/bench/measure.c tests/bench/measure.h libtrireme.la
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/measure.c -o tests/bench/cuda_kernels-measure.o && \
	  $(NVCC) -O3 -std=c++17 -arch=native -I$(srcdir)/tests/bench -I$(srcdir)/include \
	  $(srcdir)/tests/bench/cuda_kernels.cu tests/bench/cuda_kernels-measure.o -o $@ -L.libs -ltrireme \
	  -Xlinker -rpath='$(abs_builddir)/.libs' -ldl

# Forms of kernels that stream, by hand: make tests/bench/cuda_streaming
tests/bench/cuda_streaming: tests/bench/cuda_streaming.cu
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(NVCC) -O3 -std=c++17 -arch=sm_90 -Xcompiler -march=native $(srcdir)/tests/bench/cuda_streaming.cu -o $@

if HAVE_TBB
OTHER_PEERS += tests/bench/peer_tbb
endif
tests/bench/peer_tbb: tests/bench/peer_tbb.cpp tests/bench/measure.c tests/bench/measure.h tests/bench/pipeline_work.h
	$(AM_V_GEN)$(MKDIR_P) tests/bench && \
	  $(CC) -D_GNU_SOURCE -O2 -c $(srcdir)/tests/bench/measure.c -o tests/bench/peer_tbb-measure.o && \
	  $(CXX) -std=c++17 -pthread -D_GNU_SOURCE $(PIPELINE_FLAGS) $(TBB_CFLAGS) -I$(srcdir)/tests/bench \
	  $(srcdir)/tests/bench/peer_tbb.cpp tests/bench/peer_tbb-measure.o -o $@ $(TBB_LIBS) -lm

# The cpu backend alone, for those who work on it: make tests/bench/cpu_micro
tests_bench_cpu_micro_SOURCES = tests/bench/cpu_micro.c tests/unit/backends/cpu/host.h
tests_bench_cpu_micro_LDADD = backends/cpu/libcpu.la

# What bounds a cpu that is divided in two: make tests/bench/halves_bound
tests_bench_halves_bound_SOURCES = tests/bench/halves_bound.c $(MEASURE)
tests_bench_halves_bound_CFLAGS = $(AM_CFLAGS) $(PIPELINE_FLAGS)

# What is compared is compiled as well as the compiler can. Flags of a program come before CFLAGS, whose -O2 would win.
tests/bench/peer_openmp tests/bench/peer_openmp_pipeline tests/bench/peer_bound tests/bench/peer_bound_best \
tests/bench/peer_starpu tests/bench/peer_starpu_pipeline tests/bench/pipeline_trireme \
tests/bench/peer_starpu_pools tests/bench/pools_trireme tests/bench/halves_bound: CFLAGS += -O3

EXTRA_PROGRAMS += $(PEERS) tests/bench/cpu_micro tests/bench/halves_bound
CLEANFILES += $(PEERS) $(OTHER_PEERS) tests/bench/peer_tbb-measure.o tests/bench/peer_cuda-measure.o \
	tests/bench/cuda_kernels-measure.o tests/bench/wild/peer_cuda-*.o tests/bench/cpu_micro \
	tests/bench/halves_bound \
	tests/bench/peer_nccl tests/bench/peer_nccl-measure.o \
	tests/bench/peer_backward tests/bench/peer_backward-measure.o \
	tests/bench/peer_staging tests/bench/peer_staging-measure.o \
	tests/bench/peer_small_sums tests/bench/peer_small_sums-measure.o \
	tests/bench/peer_cuda_resident tests/bench/peer_cuda_resident-measure.o \
	tests/bench/cuda_streaming

EXTRA_DIST += \
	tests/bench/cuda_by_hand.cuh \
	tests/bench/cuda_kernels.cu \
	tests/bench/cuda_streaming.cu \
	tests/bench/peer_cuda.cu \
	tests/bench/peer_backward.cu \
	tests/bench/peer_nccl.cu \
	tests/bench/peer_cuda_resident.cu \
	tests/bench/peer_small_sums.cu tests/bench/peer_staging.cu \
	tests/bench/peer_tbb.cpp \
	tests/bench/peer_torch.py \
	tests/bench/peer_torch_streams.py \
	tests/bench/pools_kernel.cu \
	tests/bench/compare-builds \
	tests/bench/compare-builds.awk \
	tests/bench/translate-growth \
	tests/bench/lines.awk \
	tests/bench/report.awk \
	tests/bench/run-bench \
	tests/bench/shaders/blur.comp \
	tests/bench/shaders/fma_32.comp \
	tests/bench/shaders/gpu_chain.comp \
	tests/bench/shaders/gemm_tile.comp \
	tests/bench/shaders/saxpy.comp \
	tests/bench/shaders/tree_sum.comp \
	tests/bench/targets.txt
