#!/bin/sh
# The conformance suite on a Vulkan 1.1 device with only the features that the vulkan backend requires. The
# validation layer is off: the shim hides the other features and checks that none of them is used.
. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/conformance/run"

VULKAN_SHIM_API=1.1
VULKAN_SHIM_HIDE=VK_KHR_push_descriptor,VK_EXT_calibrated_timestamps,VK_EXT_memory_budget,VK_EXT_external_memory_host
VULKAN_SHIM_HIDE=$VULKAN_SHIM_HIDE,VK_KHR_external_memory_fd,VK_KHR_external_semaphore_fd,VK_EXT_robustness2
VULKAN_SHIM_HIDE=$VULKAN_SHIM_HIDE,VK_EXT_host_query_reset,VK_KHR_maintenance4
export VULKAN_SHIM_API VULKAN_SHIM_HIDE
run_on_shimmed_vulkan
