#!/bin/sh
# Each call of a plugin's slot that returns a status is checked: core_answer() or core_stream_commit(), or core_kernel_commit() or
# commit_wait(), which call it, is in the same statement or soon after it. (core/plugin/answer.h says why.)
#
#   tests/plugins/unchecked.sh [ROOT]        from the source root without arguments

root=${1:-${top_srcdir:-.}}
cd "$root" || exit 1
slots=$(awk '
    /^struct trm_[a-z]*_ops \{/ || /^struct trm_backend \{/ { within = 1 }
    /^\};/ { within = 0 }
    within && match($0, /int32_t \(\*[a-z_0-9]+\)/) { print substr($0, RSTART + 10, RLENGTH - 11) }' \
    include/trireme/backend*.h | sort -u)
test "$(echo "$slots" | wc -l)" -ge 50 || {
    echo "include/trireme/backend*.h have too few slots: the check reads nothing"
    exit 1
}

# One statement a line, with comments left out and strings empty.
find core pipeline -name '*.c' | sort | xargs awk '
    FNR == 1 { comment = 0; statement = "" }
    {
        sub(/\/\/.*/, "")
        gsub(/"[^"]*"/, "\"\"")
        text = $0 " "
        kept = ""
        while (text != "") {
            mark = comment ? "*/" : "/*"
            at   = index(text, mark)
            if (!comment)
                kept = kept (at ? substr(text, 1, at - 1) : text)
            text = at ? substr(text, at + 2) : ""
            if (at)
                comment = !comment
        }
        while (match(kept, /[;{}]/)) {
            print FILENAME ": " statement substr(kept, 1, RSTART)
            statement = ""
            kept = substr(kept, RSTART + 1)
        }
        statement = statement kept
    }' | tr -s ' ' | awk -v slots="$slots" '
    BEGIN {
        count = split(slots, names, "\n")
        for (i = 1; i <= count; i++)
            all = all (i > 1 ? "|" : "") names[i]
        call = "(ops|backend(->|\\.)(device|memory|stream|module|profile|pool|peer|graph|interop|image|collective|table))(->|\\.)(" all ")\\("
        soon = 6 # statements
    }
    {
        if (/core_answer|core_(stream|kernel)_commit|commit_wait/)
            open_call = ""
        else if (open_call != "" && (++age > soon || $1 != open_file)) {
            print open_call ": its answer is not checked"
            bad++
            open_call = ""
        }
    }
    { sub(/memory\.free\(/, "") } # pool.free() has a status, this one has none
    $0 ~ call {
        calls++
        if (!/core_answer|core_(stream|kernel)_commit|commit_wait/ && open_call == "") {
            open_call = $0
            open_file = $1
            age = 0
        }
    }
    END {
        if (open_call != "") {
            print open_call ": its answer is not checked"
            bad++
        }
        print calls + 0 " calls of slots"
        exit bad > 0 || calls < 40
    }'
