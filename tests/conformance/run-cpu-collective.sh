#!/bin/sh
# The cases of collectives on the cpu backend divided into two to four devices, and into six, more than one kernel
# reads. run-cpu.sh has them on one.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
for devices in 2 3 4 6; do
    TRIREME_CPU_DEVICES=$devices
    export TRIREME_CPU_DEVICES
    (run_without_driver cpu --filter collective) || exit 1
done
