#!/bin/sh
# The conformance suite on the cpu backend as it would be if it had nothing but what is required:
# asynchronous, and yet all else emulated by the core. The proxy hides the rest.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
run_on_proxied_cpu copy_2d,fill,mark,wait_stream,gate,prefetch,wait_any,notify,abandon,kernel_name,profile,pool,peer,graph
