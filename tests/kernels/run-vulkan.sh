#!/bin/sh
# The built-in kernels on Vulkan, compared with double precision, without a message of the validation layer.

. "$top_srcdir/tests/vulkan/common.sh"
validation_in_the_log

# One process a program, with one device: opening one takes longer than most cases.
CONFORMANCE_BACKEND=vulkan
CK_FORK=no
export CONFORMANCE_BACKEND CK_FORK
failures=0
for group in elementwise conversion collective linear training filters pixels mips; do
    "$top_builddir/tests/kernels/$group" || failures=$((failures + 1))
done
test "$failures" -eq 0
