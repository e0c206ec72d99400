#!/bin/sh
# The cases of collectives on the cpu backend divided into two to four devices, and into six, more than one kernel
# reads; and those of many spans on devices whose kernels do not reach memory through addresses, and on devices without
# pinned memory, where no table can be written. run-cpu.sh has them on one. A sanitizer takes minutes: that of
# addresses sees the ways between few devices and between many, that of threads those between few, since a device more
# has the same threads.
. "$top_srcdir/tests/conformance/run"

need_the_cpu_backend
case ${INSTRUMENTED-no} in
no) counts="2 3 4 6" ;;
thread*) counts=3 ;;
*) counts="3 6" ;;
esac
for devices in $counts; do
    TRIREME_CPU_DEVICES=$devices
    export TRIREME_CPU_DEVICES
    (run_without_driver cpu --filter collective) || exit 1
done
TRIREME_CPU_DEVICES=2
export TRIREME_CPU_DEVICES
(run_on_proxied_cpu address --filter many_spans,many_small,more_small) || exit 1
(run_on_proxied_cpu host_pointer --filter that_overlap) || exit 1
