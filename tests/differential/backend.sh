#!/bin/sh
# The vulkan and the cpu backend give the same results: for every kernel of the library, the shaders of this
# folder, and some random ones. An argument I/N selects a part, counted from 0, to run parts in parallel.

. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/differential/both-ways.sh"
validation_in_the_log
unset TRIREME_BACKEND

part=${1-0/1}
test "${part%/*}" != 0 || "$top_builddir/tests/differential/builtin" backend || exit
spirv=$XDG_CACHE_HOME/differential
mkdir -p "$spirv" && cd "$top_builddir/tests/differential" || exit 1
test "${part%/*}" != 0 || ./differential --cache "$spirv" --on backend,cpu --generate 12 --seed 100 || exit
both_ways --cache "$spirv" --part "$part" --on backend,cpu "$top_srcdir"/tests/differential/shaders/*.comp "$top_srcdir"/tests/differential/shaders/*.spvasm
