# Prints the table, the reasons and the failures of tests/differential/trial, and writes JSON to the file `json`.
#
# A line has, between tabs: row, file, outcome, features, c, cuda, run, why, reason. Outcomes are taken, refused, failed,
# not-valid, compute-less and left-out.
#
# The only reason known: a translation ends with its first complaint, so the others of the same module are guessed. A
# feature that no taken module of the trial has counts as a reason. A refusal is the only one of its module when the module
# has at most one such feature.

function is_ray(features)
{
    return features ~ /ray tracing/
}

function numberless(text)
{
    gsub(/0x[0-9a-f]+/, "N", text)
    gsub(/-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/, "N", text)
    return text
}

# The sentence without names and numbers.
function plain(reason)
{
    gsub(/"[^"]*"/, "\"…\"", reason)
    gsub(/`[^`]*`/, "`…`", reason)
    gsub(/%[A-Za-z0-9_]+/, "%…", reason)
    gsub(/[^ ]*\.(comp|glsl|h|hlsl|slang|frag|c|cu|spv|spvasm)[:(][0-9:,)]*/, "…", reason)
    if (match(reason, /Capability\([0-9]+\)/))
        return numberless(substr(reason, 1, RSTART - 1)) substr(reason, RSTART, RLENGTH) \
            numberless(substr(reason, RSTART + RLENGTH))
    return numberless(reason)
}

function quote(text)
{
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    gsub(/[\001-\037]/, " ", text)
    return "\"" text "\""
}

function percent(part, whole)
{
    return whole > 0 ? sprintf("%.1f %%", 100 * part / whole) : "-"
}

function count(row, key)
{
    counts[row, key]++
    counts["all", key]++
}

# The first file of a reason.
function add_example(list, key, file)
{
    if (!((list, key) in example))
        example[list, key] = file
}

{
    lines[NR] = $0
    row       = $1
    if (!(row in seen)) {
        seen[row]      = 1
        rows[++height] = row
    }
    if ($3 == "compute-less" || $3 == "left-out" || $3 == "not-valid") {
        count(row, $3)
        if ($3 == "left-out")
            left_out[$9]++
        next
    }
    # A failed module was taken, unless the library called it invalid or did not finish.
    was_taken = $3 == "taken" || ($3 == "failed" && $5 != "")
    if (is_ray($4)) {
        count(row, "ray")
        if (was_taken)
            count(row, "ray-taken")
        if ($3 != "failed")
            next
    } else {
        count(row, "modules")
        if (was_taken)
            count(row, "taken")
        if ($4 !~ /images/) {
            count(row, "buffers")
            if (was_taken)
                count(row, "buffers-taken")
        }
    }
    if (was_taken) {
        split($4, list, ",")
        for (i in list)
            known[list[i]] = 1
    }
    if ($5 != "")
        count(row, "c")
    if ($5 == "yes")
        count(row, "c-yes")
    if ($6 != "")
        count(row, "cuda")
    if ($6 == "yes")
        count(row, "cuda-yes")
    if ($7 == "equal" || $7 == "different")
        count(row, "judged")
    if ($7 == "equal")
        count(row, "equal")
    if ($7 == "unjudged") {
        count(row, "unjudged")
        unjudged[plain($8)]++
        add_example("unjudged", plain($8), $2)
    }
    if ($3 == "refused")
        count(row, "refused")
    if ($3 == "failed") {
        count(row, "failed")
        failed++
    }
}

function print_row(row)
{
    printf "%-20.20s %7d %7d %8s %8s %7d %9s %9s %9s %6d %5d\n", row, counts[row, "modules"], counts[row, "taken"],
        percent(counts[row, "taken"], counts[row, "modules"]), percent(counts[row, "buffers-taken"], counts[row, "buffers"]),
        counts[row, "refused"], (counts[row, "c-yes"] + 0) "/" (counts[row, "c"] + 0),
        (counts[row, "cuda-yes"] + 0) "/" (counts[row, "cuda"] + 0),
        (counts[row, "equal"] + 0) "/" (counts[row, "judged"] + 0), counts[row, "failed"], counts[row, "ray"]
}

function print_table(  i)
{
    printf "%-20s %7s %7s %8s %8s %7s %9s %9s %9s %6s %5s\n", "folder", "modules", "taken", "of all", "buffers",
        "refused", "C", "CUDA C", "equal", "failed", "rays"
    for (i = 1; i <= height; i++)
        print_row(rows[i])
    if (height > 1)
        print_row("all")
    printf "\nbuffers: of the modules without images. rays: modules with ray tracing, in no other column (%d taken).\n",
        counts["all", "ray-taken"]
    printf "Left out: %d without a compute entry, %d not valid, %d not compiled", counts["all", "compute-less"],
        counts["all", "not-valid"], counts["all", "left-out"]
    for (reason in left_out)
        printf " (%s: %d)", reason, left_out[reason]
    printf ". Not judged by a run: %d.\n", counts["all", "unjudged"]
}

function is_alone(features,  list, i, unknown)
{
    split(features, list, ",")
    for (i in list)
        if (!(list[i] in known))
            unknown++
    return unknown <= 1
}

function gather_reasons(  i, field, key)
{
    for (i = 1; i <= NR; i++) {
        split(lines[i], field, "\t")
        if (field[3] != "refused" || is_ray(field[4]))
            continue
        key = plain(field[9])
        reasons[key]++
        alone[key] += is_alone(field[4])
        add_example("refused", key, field[2])
    }
}

# Prints "count (alone) reason" and an example, the largest first.
function print_counts(title, list, others, kind,  key, sort)
{
    sort = "sort -rn | cut -f 2- | tr '\\a' '\\n'"
    for (key in list)
        printf("%d\t%6d %s%s\a       %s\n", list[key], list[key], (kind == "refused" ? "(" others[key] ") " : ""), key,
            example[kind, key]) | sort
    close(sort)
}

function print_failures(  i, field)
{
    printf "\nFailures:\n"
    for (i = 1; i <= NR; i++) {
        split(lines[i], field, "\t")
        if (field[3] == "failed")
            printf "%s\n       %s\n", field[2], field[9]
    }
}

function write_modules(  i, field)
{
    printf "\"modules\":[" >json
    for (i = 1; i <= NR; i++) {
        split(lines[i], field, "\t")
        printf("%s\n{\"folder\":%s,\"file\":%s,\"outcome\":%s,\"features\":%s,\"c\":%s,\"cuda\":%s," \
            "\"run\":%s,\"why\":%s,\"reason\":%s}",
            (i > 1 ? "," : ""), quote(field[1]), quote(field[2]), quote(field[3]), quote(field[4]), quote(field[5]),
            quote(field[6]), quote(field[7]), quote(field[8]), quote(field[9])) >json
    }
    printf "]" >json
}

function write_folder(row,  keys, n, i)
{
    n = split("modules taken buffers buffers-taken refused c c-yes cuda cuda-yes judged equal unjudged failed ray " \
        "ray-taken compute-less not-valid left-out", keys, " ")
    printf "{\"folder\":%s", quote(row) >json
    for (i = 1; i <= n; i++)
        printf ",\"%s\":%d", keys[i], counts[row, keys[i]] >json
    printf "}" >json
}

function write_json(  i, key, comma)
{
    printf "{\"folders\":[" >json
    for (i = 1; i <= height; i++) {
        printf("%s\n", (i > 1 ? "," : "")) >json
        write_folder(rows[i])
    }
    printf "],\n\"reasons\":[" >json
    for (key in reasons) {
        printf "%s\n{\"reason\":%s,\"modules\":%d,\"alone\":%d,\"example\":%s}", comma, quote(key), reasons[key],
            alone[key], quote(example["refused", key]) >json
        comma = ","
    }
    printf "],\n" >json
    write_modules()
    printf "}\n" >json
    close(json)
}

END {
    print_table()
    gather_reasons()
    if (counts["all", "refused"]) {
        printf "\nRefused: modules (the only reason known), reason, an example\n"
        fflush()
        print_counts("refused", reasons, alone, "refused")
    }
    if (counts["all", "unjudged"]) {
        printf "\nNot judged by a run\n"
        fflush()
        print_counts("unjudged", unjudged, unjudged, "unjudged")
    }
    if (failed)
        print_failures()
    if (json != "")
        write_json()
    exit failed ? 1 : 0
}
