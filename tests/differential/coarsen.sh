#!/bin/sh
# The same of the vulkan backend's kernels in which an invocation does the work of several: three, so that
# some are left over of any grid but every third.

TRIREME_VULKAN_ITEMS=3
export TRIREME_VULKAN_ITEMS
. "$top_srcdir/tests/differential/backend.sh"
