#!/bin/sh
# The conformance suite on the cpu backend with the required functions alone; the proxy hides the optional
# ones. The backend is asynchronous and the core emulates the rest.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
run_on_proxied_cpu copy_2d,fill,mark,wait_stream,gate,prefetch,wait_any,notify,abandon,kernel_name,profile,pool,peer,graph
