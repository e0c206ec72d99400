#!/bin/sh
# Every public function stands in the lists of calls with wrong handles (calls.c, calls_group.c), ends an object (objects.c), or takes
# no handle, which the list below says.

without_handle="
trm_clock_now trm_context_create trm_format_name trm_format_size trm_last_error trm_predict trm_program_release
trm_report_format trm_report_prediction trm_setting_count trm_setting_describe trm_slot_state_name trm_stage_name
trm_status_name trm_status_text trm_strategy_name trm_stream_strategy_find trm_stream_strategy_name trm_type_name
trm_type_size trm_version"

folder=$top_srcdir/tests/conformance
missing=0
for function in $(grep '^trm_' "$top_srcdir/core/symbols.txt"); do
    case $function in
    *_destroy) files=$folder/objects.c ;;
    *) files="$folder/calls.c $folder/calls_group.c" ;;
    esac
    # shellcheck disable=SC2086 # a list
    is_listed=$(grep -lw "$function" $files)
    case "$without_handle " in
    *[[:space:]]"$function"[[:space:]]*)
        test -z "$is_listed" && continue
        echo "$function is in the list of calls, and in that of functions without a handle"
        ;;
    *)
        test -n "$is_listed" && continue
        echo "$function has no row in tests/conformance/calls.c or calls_group.c"
        ;;
    esac
    missing=$((missing + 1))
done
test "$missing" -eq 0
