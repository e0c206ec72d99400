#!/bin/sh
# The conformance suite on the template backend, which leaves out every optional function, so the core's
# emulations run. Fewer rounds suffice: each call finishes its work before it returns.
. "$top_srcdir/tests/conformance/run"

plugin=$top_builddir/backends/template/.libs/template.so
need_plugin "$plugin"
CONFORMANCE_QUICK=${CONFORMANCE_QUICK-1}
export CONFORMANCE_QUICK
run_in_one_process "$plugin"
