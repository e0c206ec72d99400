# threads.sh PROCESS: where its threads are, equal ones on one line with their number: the functions from the innermost one where gdb
# tells, else what the system says. Each line begins with "FAILED:", which `.ci/run` looks for in logs.

threads=$(timeout --kill-after=10 60 gdb -nx -batch -p "$1" -ex "thread apply all backtrace 24" 2>/dev/null | awk '
    function end() { if (thread != "") print thread }
    /^Thread / { end(); thread = $0; gsub(/^[^"]*"|".*/, "", thread); thread = thread ":"; between = " "; next }
    /^#/ {
        sub(/^#[0-9]+ +(0x[0-9a-f]+ in )?/, "")
        if ($1 ~ /futex|lll_lock|^_*pthread_|^(start_thread|_*clone3?|syscall|\?\?)$/) next
        thread = thread between $1
        between = " < "
    }
    END { end() }')
test -n "$threads" || threads=$(cd /proc/"$1"/task 2>/dev/null && for task in *; do
    echo "$(cat "$task/comm"): $(sed -n 's/^State:.//p' "$task/status"), $(cat "$task/wchan"), system call $(cat "$task/syscall")"
done)
echo "$threads" | sort | uniq -c | sed 's/^ */FAILED: /'
