#!/bin/sh
# The conformance suite on the vulkan backend with the validation layer where it is installed: any message of
# the layer fails the case.
. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/conformance/run"

validation_in_the_log
CONFORMANCE_QUICK=1
export CONFORMANCE_QUICK
run_in_one_process vulkan
