#!/bin/sh
# The cases of coordinators on the cpu backend, with coordinators that draw from a pool of three streams.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
CONFORMANCE_POOL=3
export CONFORMANCE_POOL
run_without_driver cpu --filter task,coordinator,cycle,waiting_for,forgetting,callback,destroying,graph
