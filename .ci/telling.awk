# What a log says about a failure, in a few lines: tests, cases of Check and checks of shell tests that failed, errors of compilers, and
# a line for each thing that a sanitizer found: who did what, with the innermost functions of ours. Where there is nothing of these,
# what make says.

function end_finding()
{
    if (finding != "" && findings++ < 4) print finding
    finding = ""
}

# "… in NAME FILE:LINE" (address sanitizer) or "#3 NAME FILE:LINE (…)" (thread sanitizer), as " < NAME FILE:LINE".
function add_frame(line,    word)
{
    if (frames >= 5 || line ~ /lib(san|tsan|asan)|sanitizer_common|<null>|libc_start_call_main|start_thread|clone3/) return
    sub(/^ +#[0-9]+ (0x[0-9a-f]+ in )?/, "", line)
    split(line, word, " ")
    sub(/.*\//, "", word[2])
    finding = finding (frames++ ? " < " : " ") word[1] " " word[2]
}

/^[^ ]+\.[ch]:[0-9]+:[FE]:|^ended while this case ran: |^(FAIL|FAILED|ERROR): |: (fatal )?error: |: runtime error: / { end_finding(); if (lines++ < 6) print; next }
/\*\*\* / { made = $0 }
/(WARNING|ERROR): [A-Za-z]+Sanitizer/ { end_finding(); finding = $0; sub(/.*(WARNING|ERROR): /, "", finding); frames = 9; next }
/^SUMMARY: / { end_finding(); next }
finding == "" { next }
/^ +#[0-9]+ / { add_frame($0); next }
/^ *(Location is|As if|Thread T[0-9]|Mutex )/ { frames = 9; next }
/^ *(Previous |Direct |Indirect )?[A-Za-z]+ of (size|[0-9])|^(freed|previously allocated) by/ {
    sub(/^ +/, "")
    gsub(/ (at 0x[0-9a-f]+|\(mutexes:.*\))/, "")
    finding = finding " | " $0
    frames = 0
}
END {
    end_finding()
    if (lines + findings == 0 && made != "") print made
}
