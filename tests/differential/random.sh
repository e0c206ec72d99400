#!/bin/sh
# Random shaders give the same results on Vulkan and on the cpu. `make differential` runs more of them.

cd "$top_builddir/tests/differential" || exit 1
exec ./differential --generate 24
