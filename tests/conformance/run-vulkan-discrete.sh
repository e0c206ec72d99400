#!/bin/sh
# The conformance suite on a shim that looks like a discrete GPU: memory that the host cannot map, and several
# families of queues. The validation layer is off, because below the shim it sees one queue and host-visible
# memory; the shim checks rules of its own.
. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/conformance/run"

VULKAN_SHIM_FAMILIES=graphics:16:64,transfer:2:64,compute:8:64
VULKAN_SHIM_MEMORY=discrete
VULKAN_SHIM_DELAY=100
export VULKAN_SHIM_FAMILIES VULKAN_SHIM_MEMORY VULKAN_SHIM_DELAY
run_on_shimmed_vulkan
