#!/bin/sh
# The conformance suite on a device that is copied to and from by kernels (the setting vulkan.copies), with the validation layer.
. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/conformance/run"

validation_in_the_log
TRIREME_VULKAN_COPIES=kernel
VULKAN_SHIM_FAMILIES=graphics:16:64,transfer:2:64,compute:8:64
VULKAN_SHIM_MEMORY=discrete
export TRIREME_VULKAN_COPIES VULKAN_SHIM_FAMILIES VULKAN_SHIM_MEMORY
run_on_shimmed_vulkan
