#!/bin/sh
# The conformance suite on the cpu backend as it would be if it had gates and nothing else of what is
# optional: the core lets streams and callbacks wait by gates, and finds out by a thread of its own when to
# open them. The proxy hides the rest.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
run_on_proxied_cpu copy_2d,fill,mark,wait_stream,prefetch,wait_any,notify,abandon,kernel_name,profile,pool,peer,graph
