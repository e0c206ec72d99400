#!/bin/sh
# The cases of coordinators on three cpu devices, with coordinators that draw from a pool over all of them.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
CONFORMANCE_POOL=3 CONFORMANCE_POOL_OF_GROUP=1 TRIREME_CPU_DEVICES=3
export CONFORMANCE_POOL CONFORMANCE_POOL_OF_GROUP TRIREME_CPU_DEVICES
run_without_driver cpu --filter task,coordinator,cycle,waiting_for,forgetting,callback,destroying,graph
