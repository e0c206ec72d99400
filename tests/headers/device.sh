#!/bin/sh
# The headers for kernels in CUDA C++ compile without a warning for each architecture that they are for.

nvcc=${NVCC-nvcc}
if ! command -v "$nvcc" >/dev/null; then
    echo "nvcc was not found"
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for architecture in 80 90; do
    "$nvcc" -std=c++17 -Werror all-warnings -I"$top_srcdir/include" -arch="sm_$architecture" -cubin \
        -o "$work/pipe.cubin" "$top_srcdir/tests/headers/pipe.cu" || exit 1
done
# Older ones are refused with the reason.
"$nvcc" -I"$top_srcdir/include" -arch=sm_75 -cubin -o "$work/pipe.cubin" "$top_srcdir/tests/headers/pipe.cu" \
    2>"$work/errors" && exit 1
grep -q "needs compute capability 8.0" "$work/errors"
