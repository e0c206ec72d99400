#!/bin/sh
# The vulkan backend gives the same as the cpu's: every kernel that comes with the library, the shaders that
# were written for the purpose, and some random ones.

. "$top_srcdir/tests/vulkan/common.sh"
validation_in_the_log
unset TRIREME_BACKEND

"$top_builddir/tests/differential/builtin" backend || exit
cd "$top_builddir/tests/differential" || exit 1
./differential --on backend,cpu --generate 12 --seed 100 || exit
exec ./differential --on backend,cpu "$top_srcdir"/tests/differential/shaders/*.comp
