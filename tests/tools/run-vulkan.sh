#!/bin/sh
# `trireme run` on the vulkan backend, without a message of the validation layer.

. "$top_srcdir/tests/tools/common.sh"
test -f "$top_builddir/backends/.libs/cpu.so" || { echo "no cpu backend was built"; exit 77; }
. "$top_srcdir/tests/vulkan/common.sh"
validation_printed

look_at_output()
{
    ! printed_in out || failed "the validation layer reports an error or a warning: $*"
    ! printed_in err || failed "the validation layer reports an error or a warning: $*"
}

backend=vulkan
. "$top_srcdir/tests/tools/on-backend.sh"

finish
