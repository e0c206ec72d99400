#!/bin/sh
# The conformance suite on the cuda backend, on the stand-in for its driver. Fewer rounds suffice, because the
# stand-in computes on the cpu. Under the thread sanitizer only the cases about waits and threads run: the
# others are slow and have no threads, and tests/cuda/pipelines has pipelines.
. "$top_srcdir/tests/cuda/common.sh"
. "$top_srcdir/tests/conformance/run"

CONFORMANCE_QUICK=${CONFORMANCE_QUICK-1}
export CONFORMANCE_QUICK
case ${INSTRUMENTED-no} in
thread*) run_in_one_process cuda --filter thread,order,wait,event,callback,graph ;;
*) run_in_one_process cuda ;;
esac
