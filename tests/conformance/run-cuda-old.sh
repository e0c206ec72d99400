#!/bin/sh
# The conformance suite on the cuda backend with the oldest driver that it supports, which has neither memory
# pools nor managed memory.
. "$top_srcdir/tests/cuda/common.sh"
. "$top_srcdir/tests/conformance/run"

standin_shaped old "driver=11040 pools=no managed=no"
CONFORMANCE_QUICK=1
export CONFORMANCE_QUICK
run_in_one_process cuda
