#!/bin/sh
# The cases of collectives on three devices of the stand-in for CUDA's driver, with access to each other's memory and
# without.
. "$top_srcdir/tests/cuda/common.sh"
. "$top_srcdir/tests/conformance/run"

CONFORMANCE_QUICK=1
export CONFORMANCE_QUICK
# Each case compiles its kernels anew.
cases=by_every_operation,in_every_way,of_its_streams,sets_of_streams,when_handles_are_destroyed,another_device
# For all of these there is a library of collectives.
TRIREME_CUDA_NCCL=$standin/libnccl.so
CONFORMANCE_NCCL=yes
export TRIREME_CUDA_NCCL CONFORMANCE_NCCL
# For a sanitizer those with access suffice: without it the threads are the same, and the other ways are among these.
case ${INSTRUMENTED-no} in
no | coverage) accesses="yes no" ;;
*) accesses=yes ;;
esac
for peers in $accesses; do
    standin_shaped "collective-$peers" "devices=3 peers=$peers"
    (run_in_one_process cuda --filter "$cases") || exit 1
done
