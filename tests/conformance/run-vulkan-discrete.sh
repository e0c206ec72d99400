#!/bin/sh
# The conformance suite on what the vulkan backend takes for a discrete GPU: memory that the host does not
# reach, and families of queues that work side by side. The layer is not asked: it would see what the shim
# makes of it, one queue and host-visible memory. The shim has rules of its own.
. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/conformance/run"

VULKAN_SHIM_FAMILIES=graphics:16:64,transfer:2:64,compute:8:64
VULKAN_SHIM_MEMORY=discrete
VULKAN_SHIM_DELAY=100
export VULKAN_SHIM_FAMILIES VULKAN_SHIM_MEMORY VULKAN_SHIM_DELAY
run_on_shimmed_vulkan
