#!/bin/sh
# Reports and traces are strict JSON, with the members that scripts rely on.

. "$top_srcdir/tests/tools/common.sh"

sample=$top_builddir/tests/report/sample

of_file()
{
    cp "$work/$1" "$work/out"
    shift
    json "$@"
}

members='name:string backend:string device:string strategy:string reason:string depth:number pieces:number
  workers:number one_thread:number branches:number one_by_one:number preempted:number tokens:number skipped:number failed:number cancelled:number dropped:number expired:number late:number measured:number seconds:number bytes_up:number
  bytes_down:number stages[].name:string stages[].tokens:number stages[].bytes:number stages[].busy_seconds:number
  stages[].starved_seconds:number stages[].blocked_seconds:number stages[].mean_seconds:number launches:array
  bound_seconds:number efficiency:number predicted_seconds:number sequential_seconds:number fill:number
  device_bytes:number host_bytes:number host_waits:number pageable_copies:number spread_tokens:number repeated:number failure:string advice:string
  load_waiting_seconds:number sink_waiting_seconds:number processor_seconds:number advised.kind:string
  ahead.tokens:number ahead.budget:number ahead.most:number ahead.bytes:number ahead.source_seconds:number
  ahead.source_spread_seconds:number ahead.take_seconds:number ahead.take_spread_seconds:number
  ahead.predicted_waits:number ahead.waits:number ahead.none:string advised.workers:number advised.depth:number advised.size:number advised.gain:number'

for arguments in "100 3" "1 1" "40 8 4" "40 3 0 18"; do
    run 0 "$sample" "$work" $arguments
    of_file report.json $members critical:string=compute 'launches[].busy_seconds:number'
    of_file trace.json displayTimeUnit:string 'traceEvents[].ph:string' 'traceEvents[].pid:number' \
      'traceEvents[].tid:number' 'traceEvents[].name:string' otherData.pipeline:string=edges
    # The data in the page is JSON as well.
    sed -n '/^<script type="application\/json"/,/^<\/script>/{/script/!p}' "$work/timeline.html" >"$work/data"
    of_file data end:number tokens:array 'tracks[].name:string' 'tracks[].critical:bool' 'tracks[].slices:array'
done

# Nothing measured.
run 0 "$sample" "$work" 0 3
of_file report.json $members critical:null
of_file trace.json traceEvents:array
! grep -q NaN "$work/report.json" "$work/trace.json" "$work/timeline.html" || failed "a NaN"

finish
