#!/bin/sh
# Every shader of tests/differential/shaders, unoptimized and optimized, gives the same results on Vulkan and
# on the cpu.

. "$top_srcdir/tests/differential/validation.sh"
. "$top_srcdir/tests/differential/both-ways.sh"

spirv=$XDG_CACHE_HOME/differential
mkdir -p "$spirv" || exit 1
both_ways --cache "$spirv" "$top_srcdir"/tests/differential/shaders/*.comp "$top_srcdir"/tests/differential/shaders/*.spvasm
