#!/bin/sh
# Every kernel that comes with the library gives the same on Vulkan and on the cpu.

. "$top_srcdir/tests/differential/validation.sh"

exec "$top_builddir/tests/differential/builtin"
