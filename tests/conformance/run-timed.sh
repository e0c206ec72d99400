#!/bin/sh
# The conformance suite on a device with memory of its own and three engines, which the tests of pipelines
# use.
. "$top_srcdir/tests/conformance/run"

plugin=$top_builddir/tests/plugins/.libs/timed.so
need_plugin "$plugin"
CONFORMANCE_QUICK=1
export CONFORMANCE_QUICK
run_in_one_process "$plugin"
