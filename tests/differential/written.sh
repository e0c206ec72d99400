#!/bin/sh
# Every shader of tests/differential/shaders, unoptimized and optimized, gives the same results on Vulkan and
# on the cpu.

. "$top_srcdir/tests/differential/validation.sh"

exec "$top_builddir/tests/differential/differential" "$top_srcdir"/tests/differential/shaders/*.comp
