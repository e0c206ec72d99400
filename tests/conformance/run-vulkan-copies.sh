#!/bin/sh
# What copies, of the conformance suite, where kernels do it (the setting vulkan.copies), with the validation
# layer.
. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/conformance/run"

validation_in_the_log
TRIREME_VULKAN_COPIES=kernel
CONFORMANCE_QUICK=1
export TRIREME_VULKAN_COPIES CONFORMANCE_QUICK
run_on vulkan --filter cop,load,row,fill,byte,offset,graph,map,array
