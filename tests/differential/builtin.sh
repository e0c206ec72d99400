#!/bin/sh
# Every kernel of the library gives the same results on Vulkan and on the cpu.

. "$top_srcdir/tests/differential/validation.sh"

exec "$top_builddir/tests/differential/builtin"
