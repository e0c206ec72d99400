#!/bin/sh
# `trireme check --plugin`: healthy plugins pass and their gaps are named; each bad one fails with the reason.

. "$top_srcdir/tests/tools/common.sh"
. "$top_srcdir/tests/tools/check-common.sh"

plugins=$(cd "$top_builddir/tests/plugins/.libs" && pwd)
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME

run 0 "$trireme" check --plugin "$plugins/healthy.so"
out_has '    make -j4 -f "$(pkg-config --variable=conformancedir trireme)/conformance.mk"'
out_has "CONFORMANCE_BACKEND=$plugins/healthy.so ./conformance"
out_has "ok        healthy:0"
check 0 --plugin "$plugins/healthy.so"
has ok healthy "" "$plugins/healthy.so"
has ok plugin ABI "healthy 1.0"
has "not here" plugin tables "graph is not there: graphs are enqueued operation by operation"
has "not here" plugin stream "fill is not there"
has "not here" healthy:0 kernel "no portable kernels"
for topic in opened copies events; do
    has ok healthy:0 $topic ""
done
(cd "$plugins" && "$trireme" check --quick --plugin healthy.so >/dev/null 2>&1) || # a name is a path
    case $trireme in
    /*) failed "a relative path" ;;
    esac

refused()
{
    check 1 --plugin "$plugins/$1.so"
    has failed "$1" "" "$2"
    has failed "$1" "" "$3"
}
refused no-symbol "it has no function trm_backend_query_v1" "Build the plugin against"
refused wrong-major "version 2 of the plugin ABI" "Build the plugin against"
refused half-a-gate "stream.gate and stream.open_gates" "Build the plugin against"
refused null-slot "" "Build the plugin against"
refused probe-no "libfoo.so.1 not found" "Install the driver"
refused open-fails "The driver is out of order" "Look at the driver"
refused no-devices "it has no devices" ""
has "not here" plugin tables "graph is not there" # the tables are complete all the same
has "not here" plugin device "check_loss is not there"

# Loads, and computes wrong.
check 1 --plugin "$plugins/flips-a-bit.so"
has failed flips-a-bit:0 copies "of 4097 bytes that went to the device and back, byte 4096 is"
has failed flips-a-bit:0 copies "Correct the plugin; the conformance suite has"
has ok flips-a-bit:0 opened ""

# A kernel that such a backend cannot take is no fault of the kernel.
TRIREME_BACKEND=$plugins/healthy.so check 0 --quick axpy
has "not here" healthy:0 loaded "the backend takes no SPIR-V"
out_lacks "without this feature"

# ---- a device whose calls fail

test -f "$top_builddir/backends/.libs/cpu.so" || finish
PROXY_TARGET=$(cd "$top_builddir/backends/.libs" && pwd)/cpu.so
export PROXY_TARGET

# fails RULE TOPIC TEXT: with this fault of the proxy
fails()
{
    PROXY_FAULT=$1 check 1 --quick --plugin "$plugins/proxy.so"
    has failed proxy:0 "$2" "$3"
}
check 0 --plugin "$plugins/proxy.so"
fails device_open:1:forever:-14 opened "makes call 1 of device_open fail"
fails stream_create:1:forever:-14 streams "makes call 1 of stream_create fail"
fails allocate:1:forever:-5 copies "Free memory of the device"
fails copy:9:once:-14 copies "a copy of 17 bytes failed"
fails stamp_record:2:once:-14 events "makes call 2 of stamp_record fail"
fails launch:1:once:-14 kernel "axpy cannot be run"
fails launch:6:once:-14 pipeline "makes call 6 of launch fail"
fails load:1:forever:-14 kernel "axpy cannot be loaded"
PROXY_ASYNC_FAULT=copy:5:-14 check 1 --quick --plugin "$plugins/proxy.so"
has failed proxy:0 copies "a copy of 3 bytes failed"
has ok proxy:0 events ""

# A lost device ends the work on it.
fails copy:3:once:-9 copies "The device stopped working"
lacks failed proxy:0 events ""

# Without any optional function the core does the rest.
PROXY_WITHOUT=all check 0 --quick --plugin "$plugins/proxy.so"
has ok proxy:0 pipeline ""
has "not here" proxy:0 pinned ""
has "not here" proxy:0 zero-copy "memory that the host shares"

finish
