#!/bin/sh
# The conformance suite on the cpu backend as it would be if it had nothing but what is required: asynchronous, and yet all
# emulated by the core. The proxy hides the rest.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
plugin=$top_builddir/tests/plugins/.libs/proxy.so
need_plugin "$plugin"

PROXY_TARGET=$top_builddir/backends/.libs/cpu.so
PROXY_WITHOUT=copy_2d,fill,mark,wait_stream,gate,prefetch,wait_any,notify,abandon,kernel_name,profile,pool,peer
export PROXY_TARGET PROXY_WITHOUT
run_on "$plugin"
