#!/bin/sh
# The conformance suite on the template backend: all that may be left out is, so the core's emulations run.
# They are the same however often, and each call works to its end, so fewer rounds do.
. "$top_srcdir/tests/conformance/run"

plugin=$top_builddir/backends/template/.libs/template.so
need_plugin "$plugin"
CONFORMANCE_QUICK=${CONFORMANCE_QUICK-1}
export CONFORMANCE_QUICK
run_without_driver "$plugin"
