#!/bin/sh
# The conformance suite on the template backend: all that may be left out is, so the core's emulations run.
. "$top_srcdir/tests/conformance/run"

plugin=$top_builddir/backends/template/.libs/template.so
need_plugin "$plugin"
run_on "$plugin"
