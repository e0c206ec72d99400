#!/bin/sh
# The conformance suite on the cuda backend, on the stand-in for its driver. Fewer rounds do: the stand-in
# computes on the cpu. For the thread sanitizer, what waits and what threads share: the rest takes long, and
# is the same without.
. "$top_srcdir/tests/cuda/common.sh"
. "$top_srcdir/tests/conformance/run"

CONFORMANCE_QUICK=${CONFORMANCE_QUICK-1}
export CONFORMANCE_QUICK
case ${INSTRUMENTED-no} in
thread*) run_on cuda --filter thread,order,wait,event,callback,graph,stream,pipeline ;;
*) run_on cuda ;;
esac
