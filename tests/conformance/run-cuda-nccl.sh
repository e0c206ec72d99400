#!/bin/sh
# All cases of collectives on one to four devices of the stand-in for CUDA's driver, by the stand-in for NCCL.
. "$top_srcdir/tests/cuda/common.sh"
. "$top_srcdir/tests/conformance/run"

CONFORMANCE_QUICK=1
CONFORMANCE_NCCL=yes
TRIREME_CUDA_NCCL=$standin/libnccl.so
export CONFORMANCE_QUICK CONFORMANCE_NCCL TRIREME_CUDA_NCCL
cases=of_the_backend,large_spans,many_spans,in_every_way,order_of_its_streams,sets_of_streams,all_its_streams,when_handles,same_bits
# A sanitizer takes twice as long: it sees one device, and several.
case ${INSTRUMENTED-no} in
no) counts="1 2 3 4" ;;
*) counts="1 3" ;;
esac
for devices in $counts; do
    standin_shaped "nccl-$devices" "devices=$devices peers=no"
    (run_in_one_process cuda --filter "$cases") || exit 1
done
