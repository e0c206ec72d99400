#!/bin/sh
# The conformance suite on the cpu backend with gates as its only optional function; the proxy hides the rest.
# The core emulates waits of streams and callbacks with gates, which a thread of the core opens.
# The log is on, so that its lines are made. Under the thread sanitizer only the cases about waits and threads run:
# run-cpu.sh has the others there.
. "$top_srcdir/tests/conformance/run"

TRIREME_LOG=debug
export TRIREME_LOG

need_the_cpu_backend
case ${INSTRUMENTED-no} in
thread*) set -- --filter thread,order,wait,event,callback,graph ;;
*) set -- ;;
esac
run_on_proxied_cpu copy_2d,fill,mark,wait_stream,prefetch,wait_any,notify,abandon,kernel_name,profile,pool,peer,graph "$@"
