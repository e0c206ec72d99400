#!/bin/sh
# Lavapipe compares texels of r32f with a depth, but does not say so. Behind the shim, which says it, it gives the same results as
# the cpu. The layer sees what the device says, and stays off.

. "$top_srcdir/tests/vulkan/common.sh"
unset TRIREME_BACKEND

shim=$(cd "$top_builddir" && pwd)/tests/vulkan/.libs/vulkan-shim.so
if ! test -f "$shim"; then
    echo "the shim was not built"
    exit 77
fi
TRIREME_VULKAN_LOADER=$shim VULKAN_SHIM_COMPARES=1
export TRIREME_VULKAN_LOADER VULKAN_SHIM_COMPARES

spirv=$XDG_CACHE_HOME/differential
mkdir -p "$spirv" && cd "$top_builddir/tests/differential" || exit 1
exec ./differential --cache "$spirv" --on backend,cpu "$top_srcdir"/tests/differential/shaders/images_depth*.comp
