#!/bin/sh
# The cuda and the cpu backend give the same results: for every kernel of the library, the shaders of this
# folder, and some random ones.

. "$top_srcdir/tests/cuda/common.sh"
unset TRIREME_BACKEND
CONFORMANCE_BACKEND=cuda
export CONFORMANCE_BACKEND

"$top_builddir/tests/differential/builtin" backend || exit
spirv=$XDG_CACHE_HOME/differential
mkdir -p "$spirv" && cd "$top_builddir/tests/differential" || exit 1
./differential --cache "$spirv" --on backend,cpu --generate 12 --seed 100 || exit
exec ./differential --cache "$spirv" --on backend,cpu "$top_srcdir"/tests/differential/shaders/*.comp "$top_srcdir"/tests/differential/shaders/*.spvasm "$top_srcdir"/tests/differential/shaders/large/*.comp
