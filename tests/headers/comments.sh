#!/bin/sh
# Every public function says, in this order: what it does, its parameters, whether it blocks, from which
# threads it may be called, who owns what, and its errors.
#
#   tests/headers/comments.sh [FOLDER]        of headers; without it, the public ones
#
# In the comment above a function (or above the first of a group without blank lines) these labels begin a
# line or follow three spaces:
#
#     Blocks      no | yes, until …
#     Threads     any | one at a time for each stream
#     Ownership   who keeps what alive, what the caller destroys
#     Errors      the statuses, and when
#
# A header may state any of them once for all of its functions, after the line "Unless a function says
# otherwise:" of the comment at its top; a function that differs says so itself. Each parameter is named in
# the comment or in that part of the header.

folder=${1:-${top_srcdir:-.}/include/trireme}

for header in "$folder"/*.h; do
    awk -v header="$(basename "$header")" '
    function complain(text) {
        printf "%s:%d: %s %s\n", header, line_of, name, text
        bad++
    }
    # Where a label stands in a comment, or 0.
    function place(comment, label) {
        return match(comment, "(\n|   )" label "   *[^ \n]") ? RSTART : 0
    }
    function check(    i, k, at, last, count, words, parameters) {
        line_of = FNR
        name = declaration
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        functions++
        if (comment == "") {
            complain("has no comment")
            return
        }
        last = 0
        for (i = 1; i <= 4; i++) {
            at = place(comment, label[i])
            if (at == 0 && place(defaults, label[i]) == 0)
                complain("does not say: " label[i])
            if (at != 0 && at < last)
                complain("says " label[i] " out of order")
            if (at != 0)
                last = at
        }
        parameters = declaration
        sub(/^[^(]*\(/, "", parameters)
        sub(/\)[^)]*$/, "", parameters)
        gsub(/\([^()]*\)/, "", parameters)
        count = split(parameters, words, ",")
        for (k = 1; k <= count; k++) {
            gsub(/\[[^\]]*\]/, "", words[k])
            sub(/^.*[^A-Za-z0-9_]/, "", words[k])
            if (words[k] == "" || words[k] == "void")
                continue
            if (!(comment ~ ("(^|[^A-Za-z0-9_])" words[k] "([^A-Za-z0-9_]|$)")) &&
                !(defaults ~ ("(^|[^A-Za-z0-9_])" words[k] "([^A-Za-z0-9_]|$)")))
                complain("does not say what `" words[k] "` is")
        }
    }
    BEGIN {
        label[1] = "Blocks"
        label[2] = "Threads"
        label[3] = "Ownership"
        label[4] = "Errors"
    }
    # A function-like line before the first comment has none; a blank line parts a comment from what follows.
    /^\/\*/ { comment = ""; within = 1 }
    within {
        text = $0
        sub(/^\/\*/, "", text)
        sub(/^ \* ?/, "", text)
        comment = comment "\n" text
        if ($0 ~ /\*\//) {
            within = 0
            if (!seen_top) {
                seen_top = 1
                if ((at = index(comment, "Unless a function says otherwise:")) != 0)
                    defaults = substr(comment, at + 34)
                comment = ""
            }
        }
        next
    }
    /^$/ { comment = "" }
    /^TRM_API [^"]*\(/ && !/TRM_API_(BEGIN|END)/ { declaration = ""; in_declaration = 1 }
    in_declaration {
        declaration = declaration " " $0
        if ($0 ~ /;/) {
            in_declaration = 0
            check()
        }
    }
    END {
        print functions + 0 > "/dev/stderr"
        exit bad > 0
    }' "$header" || echo failed >&2
done 2>"${TMPDIR:-/tmp}/comments.$$"
functions=$(awk '/^[0-9]/ { sum += $1 } END { print sum + 0 }' "${TMPDIR:-/tmp}/comments.$$")
failed=$(grep -c failed "${TMPDIR:-/tmp}/comments.$$")
rm -f "${TMPDIR:-/tmp}/comments.$$"

echo "$functions functions"
test "$functions" -gt 0 && test "$failed" -eq 0
