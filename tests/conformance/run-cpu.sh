#!/bin/sh
# The conformance suite on the cpu backend.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
run_without_driver cpu
