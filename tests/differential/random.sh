#!/bin/sh
# Random shaders leave the same on Vulkan as on the cpu. `make differential` runs more of them.

cd "$top_builddir/tests/differential" || exit 1
exec ./differential --generate 24
