#!/bin/sh
# The conformance suite on the cuda backend, on the stand-in for its driver. Fewer rounds do: the stand-in computes on the cpu.
. "$top_srcdir/tests/cuda/common.sh"
. "$top_srcdir/tests/conformance/run"

CONFORMANCE_QUICK=${CONFORMANCE_QUICK-1}
export CONFORMANCE_QUICK
run_on cuda
