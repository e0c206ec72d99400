# From lines "NAME {json}", where NAME is old, again or new, to a table of medians and the cases that lie outside the spread.

{
    key = field($0, "case") " on " field($0, "backend")
    if (!(key in unit)) {
        unit[key] = field($0, "unit")
        keys[++count] = key
    }
    values[$1, key] = values[$1, key] " " field($0, "median")
}

# Times are better when they are lower, rates when they are higher.
function judge(key, figure, low, high)
{
    if (figure >= low && figure <= high)
        return ""
    return (figure > high) == (unit[key] ~ /\/s$/) ? "better" : "WORSE"
}

END {
    printf "%-44s %-6s %10s %10s %10s   %s\n", "case", "unit", "old", "old again", "new", "spread of old"
    for (i = 1; i <= count; i++) {
        key = keys[i]
        if (!(("old", key) in values) || !(("new", key) in values)) {
            printf "%-44s only in %s\n", key, (("new", key) in values) ? "new" : "old"
            continue
        }
        old = median(values["old", key])
        again = median(values["again", key])
        new = median(values["new", key])
        median(values["old", key] values["again", key])
        verdict = judge(key, new, lowest + 0, highest + 0)
        printf "%-44s %-6s %10.4g %10.4g %10.4g   %.4g to %.4g%s\n", key, unit[key], old, again, new, lowest, highest,
            verdict == "" ? "" : "   " verdict
        if (verdict != "") {
            named++
            list = list sprintf("%s: %s, %+.1f %%\n", key, verdict, old == 0 ? 0 : 100 * (new / old - 1))
        }
    }
    if (named == 0)
        print "No case lies outside the spread."
    else
        printf "\nOutside the spread:\n%s", list
    exit named != 0
}
