#!/bin/sh
# backend.sh with rewritten kernels of the vulkan backend: loops do three rounds in a turn, and each invocation of a
# kernel without loops runs three items. Most grids and counts of rounds are not divisible by three, so the remainder
# is tested as well.

TRIREME_VULKAN_ITEMS=3
TRIREME_VULKAN_UNROLL=3
export TRIREME_VULKAN_ITEMS TRIREME_VULKAN_UNROLL
. "$top_srcdir/tests/differential/backend.sh"
