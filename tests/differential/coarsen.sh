#!/bin/sh
# backend.sh with coarsened kernels of the vulkan backend: each invocation runs three items. Most grids are not
# divisible by three, so the remainder is tested as well.

TRIREME_VULKAN_ITEMS=3
export TRIREME_VULKAN_ITEMS
. "$top_srcdir/tests/differential/backend.sh"
