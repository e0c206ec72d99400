#!/bin/sh
# `trireme run` on the cuda backend; and `trireme info -v` says what a driver lacks, and why one is refused.

. "$top_srcdir/tests/tools/common.sh"
test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
. "$top_srcdir/tests/cuda/common.sh"

look_at_output()
{
    :
}

backend=cuda
. "$top_srcdir/tests/tools/on-backend.sh"

# ---- a driver without some functions

run 0 "$trireme" info --json
json 'devices[].backend:string=cuda' 'devices[].id:string'
out_has '"id": "cuda:0"'
test "${CUDA_TEST_DRIVER-}" != real || finish

standin_shaped lacking "missing=cuMemPoolCreate,cuGraphInstantiateWithFlags"
run 0 "$trireme" info -v
err_has "cuMemPoolCreate"
err_has "cuGraphInstantiateWithFlags"
compare 1 -k sobel

standin_shaped old "driver=11040"
run 0 "$trireme" info -v
out_has "11.4"
compare 1 -k sobel

standin_shaped two "devices=2 name=Twin"
run 0 "$trireme" info
out_has "cuda:1"
out_has "Twin"
run 0 env TRIREME_DEVICE=cuda:1 "$trireme" run -k copy in.y4m out.y4m

# ---- drivers that are refused

refused()
{
    standin_shaped refused "$1"
    run 1 "$trireme" info
    err_has "$2"
}
refused "driver=11020" "11.2"
refused "devices=0" "no device"
refused "missing=cuLaunchKernel" "cuLaunchKernel"
refused "fault=cuInit:1:on:CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
TRIREME_CUDA_DRIVER=libcuda-that-does-not-exist.so.1
run 1 "$trireme" info
err_has "libcuda-that-does-not-exist.so.1"

finish
