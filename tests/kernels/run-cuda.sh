#!/bin/sh
# The built-in kernels on the cuda backend, compared with double precision.

. "$top_srcdir/tests/cuda/common.sh"

CONFORMANCE_BACKEND=cuda
export CONFORMANCE_BACKEND
failures=0
for group in elementwise conversion collective linear training filters pixels mips; do
    "$top_builddir/tests/kernels/$group" || failures=$((failures + 1))
done
test "$failures" -eq 0
