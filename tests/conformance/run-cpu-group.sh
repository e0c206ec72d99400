#!/bin/sh
# The cases of pipelines and groups on the cpu backend divided into three devices, with pipelines over all of them.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
TRIREME_CPU_DEVICES=3 CONFORMANCE_GROUP=1
export TRIREME_CPU_DEVICES CONFORMANCE_GROUP
run_without_driver cpu --filter token,slot,pipeline,run,cancel,fail,group,source,sink
