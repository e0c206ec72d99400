#!/bin/sh
# The cases of pools over groups, and of joins, on a vulkan device and two cpu devices.
. "$top_srcdir/tests/vulkan/common.sh"
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
CONFORMANCE_TEAM=vulkan:0,cpu:0,cpu:1
TRIREME_CPU_DEVICES=2
export CONFORMANCE_TEAM TRIREME_CPU_DEVICES
run_in_one_process cpu --filter of_a_group,group_pool,over_a_group
