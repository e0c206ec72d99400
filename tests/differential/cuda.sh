#!/bin/sh
# The cuda and the cpu backend give the same results: for every kernel of the library, the shaders of this
# folder, and some random ones. An argument I/N selects a part, counted from 0, to run parts in parallel. Threads of
# kernels with loops compute several items here, and then, of a few kernels, one.

. "$top_srcdir/tests/cuda/common.sh"
. "$top_srcdir/tests/differential/both-ways.sh"
unset TRIREME_BACKEND
CONFORMANCE_BACKEND=cuda
TRIREME_CUDA_COARSEN=always
export CONFORMANCE_BACKEND TRIREME_CUDA_COARSEN

part=${1-0/1}
test "${part%/*}" != 0 || "$top_builddir/tests/differential/builtin" backend || exit
spirv=$XDG_CACHE_HOME/differential
mkdir -p "$spirv" && cd "$top_builddir/tests/differential" || exit 1
test "${part%/*}" != 0 || ./differential --cache "$spirv" --on backend,cpu --generate 12 --seed 100 || exit
test "${part%/*}" != 0 || (
    TRIREME_CUDA_COARSEN=never
    both_ways --cache "$spirv" --on backend,cpu "$top_srcdir"/tests/differential/shaders/loops_even*.comp
) || exit
both_ways --cache "$spirv" --part "$part" --on backend,cpu "$top_srcdir"/tests/differential/shaders/*.comp "$top_srcdir"/tests/differential/shaders/*.spvasm "$top_srcdir"/tests/differential/shaders/large/*.comp
