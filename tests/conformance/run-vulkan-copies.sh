#!/bin/sh
# The cases of the conformance suite that copy, with copies by kernels (the setting vulkan.copies) and the
# validation layer.
. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/conformance/run"

validation_in_the_log
TRIREME_VULKAN_COPIES=kernel
CONFORMANCE_QUICK=1
export TRIREME_VULKAN_COPIES CONFORMANCE_QUICK
run_in_one_process vulkan --filter cop,load,row,fill,byte,offset,graph,map,array
