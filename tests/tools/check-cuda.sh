#!/bin/sh
# `trireme check` on the cuda backend, and with drivers that fail.

. "$top_srcdir/tests/tools/common.sh"
. "$top_srcdir/tests/tools/check-common.sh"
test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
. "$top_srcdir/tests/cuda/common.sh"
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME

check 0
for topic in opened copies pinned unified events kernel pipeline zero-copy compiler; do
    has ok cuda:0 $topic ""
done

check 0 --quick --backend cpu,cuda transpose
has ok cuda:0 results "the same as on cpu:0 at 1 size"

# cuda reports accesses outside, too.
check 1 --quick axpy:count=1000,y=999
has failed cuda:0 bounds "index 999 of buffer 'y', whose size is 999"

test "${CUDA_TEST_DRIVER-}" != real || finish

# There is no precompiled code for the stand-in, so without a compiler nothing can be loaded.
TRIREME_CUDA_NVRTC=libnvrtc-that-does-not-exist.so check 1 --quick
has failed cuda:0 kernel libnvrtc-that-does-not-exist.so
has ok cuda:0 events ""
has warning cuda:0 compiler "Install NVRTC"

# ---- drivers that fail

TRIREME_BACKEND=^vulkan # with a sanitizer, no Vulkan driver is loaded
TRIREME_CUDA_DRIVER=libcuda-that-does-not-exist.so.1 check 0 --quick --devices cpu
has "not here" cuda "" "libcuda-that-does-not-exist.so.1"
has "not here" cuda "" "Install the driver"
TRIREME_CUDA_DRIVER=libcuda-that-does-not-exist.so.1 check 1 --quick --backend cuda
has failed all "" "libcuda-that-does-not-exist.so.1"
standin_shaped broken "fault=cuMemcpyHtoDAsync_v2:2:on:CUDA_ERROR_ILLEGAL_ADDRESS"
check 1 --quick --backend cuda
has failed cuda:0 copies ""
standin_shaped two "devices=2 name=Twin"
check 0 --quick --backend cuda --devices cuda:1
has ok cuda:1 opened Twin
lacks ok cuda:0 opened ""

finish
