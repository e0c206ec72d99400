#!/bin/sh
# Every kernel that comes with the library runs on Vulkan.

. "$top_srcdir/tests/differential/validation.sh"

exec "$top_builddir/tests/differential/builtin"
