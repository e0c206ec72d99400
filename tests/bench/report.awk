# From the lines of all programs to two tables: targets with ratios, and every case beside its peers.
#
#   awk -v ours=BACKEND -v format=text|markdown|json -f lines.awk -f report.awk targets.txt LINES
#
# A target that names a backend as its sixth word is one for that backend alone. The relation "<+": at most so
# much more than the peer's figure, in the case's unit.
#
# LINES: "ROUND {json}", as printed by `trireme bench --json` and the peers. A ratio is taken within each
# round; what is shown is the median over the rounds.

# All ratios of ours to theirs, round by round.
function ratios(case_key, their_key,   round, list)
{
    list = ""
    for (round = 1; round <= rounds; round++)
        if ((case_key, ours, round) in value && (their_key, round) in value && value[their_key, round] != 0)
            list = list " " value[case_key, ours, round] / value[their_key, round]
    return list
}

function differences(case_key, their_key,   round, list)
{
    list = ""
    for (round = 1; round <= rounds; round++)
        if ((case_key, ours, round) in value && (their_key, round) in value)
            list = list " " value[case_key, ours, round] - value[their_key, round]
    return list
}

# A case "geometric_mean" that a target names: of all the suite's cases that we have, for each backend that has them all.
function add_mean(key,   prefix, i, j, round, sum, count, missing)
{
    prefix = substr(key, 1, index(key, "/"))
    if (key in seen_case || substr(key, length(prefix) + 1) != "geometric_mean")
        return
    for (i = 1; i <= backend_count; i++)
        for (round = 1; round <= rounds; round++) {
            sum = count = missing = 0
            for (j = 1; j <= case_count; j++) {
                if (index(cases[j], prefix) != 1 || !((cases[j], ours, round) in value))
                    continue
                if ((cases[j], backends[i], round) in value && value[cases[j], backends[i], round] > 0)
                    sum += log(value[cases[j], backends[i], round])
                else
                    missing++
                count++
            }
            if (count > 0 && missing == 0)
                value[key, backends[i], round] = exp(sum / count)
        }
    seen_case[key] = 1
    cases[++case_count] = key
    unit[key] = "mean"
}

function all_rounds(case_key, backend,   round, list)
{
    list = ""
    for (round = 1; round <= rounds; round++)
        if ((case_key, backend, round) in value)
            list = list " " value[case_key, backend, round]
    return list
}

# Three digits that count, without an exponent.
function readable(number,   size)
{
    number += 0
    size = number < 0 ? -number : number
    if (size >= 100)
        return sprintf("%.0f", number)
    if (size >= 10)
        return sprintf("%.1f", number)
    if (size >= 1)
        return sprintf("%.2f", number)
    return sprintf("%.3f", number)
}

function add_row(a, b, c, d, e, f,   i)
{
    row_count++
    cell[row_count, 1] = a
    cell[row_count, 2] = b
    cell[row_count, 3] = c
    cell[row_count, 4] = d
    cell[row_count, 5] = e
    cell[row_count, 6] = f
    for (i = 1; i <= 6; i++)
        if (length(cell[row_count, i]) > width[i])
            width[i] = length(cell[row_count, i])
}

# Columns 3 to 5 are numbers.
function print_rows(   row, i, line)
{
    for (row = 1; row <= row_count; row++) {
        line = ""
        for (i = 1; i <= 6; i++)
            line = line sprintf((format == "markdown" ? "| %" : "%") (i >= 3 && i <= 5 ? "" : "-") width[i] \
                                (format == "markdown" ? "s " : "s  "), cell[row, i])
        if (format == "markdown")
            line = line "|"
        sub(/ +$/, "", line)
        print line
        if (format == "markdown" && row == 1)
            print "|---|---|---:|---:|---:|---|"
    }
    row_count = 0
    split("", width)
    split("", cell)
}

# A ratio is compared with its target to three digits: measurements are not more precise than that.
function target_row(i,   key, their_key, their_name, parts, list, figure, theirs, met, target, sign)
{
    key = target_case[i]
    list = all_rounds(key, ours)
    target = (target_relation[i] == ">=" ? "at least " : "at most ") target_limit[i]
    sign = ""
    if (target_against[i] == "-") {
        figure = list == "" ? "" : median(list)
        theirs = their_name = ""
        target = target " " unit[key]
    } else {
        split(target_against[i], parts, ":")
        their_name = parts[1]
        their_key = (parts[2] == "" ? key : target_suite[i] "/" parts[2]) SUBSEP parts[1]
        if (target_relation[i] == "<+") {
            target = target " " unit[key] " more than " target_against[i]
            figure = differences(key, their_key)
        } else {
            target = target " x " target_against[i]
            figure = ratios(key, their_key)
        }
        theirs = figure == "" ? "" : \
                 median(all_rounds(parts[2] == "" ? key : target_suite[i] "/" parts[2], parts[1]))
        figure = figure == "" ? "" : median(figure)
        if (figure != "" && target_against[i] != "-" && target_relation[i] != "<+")
            figure = sprintf("%.3g", figure) + 0
    }
    met = figure == "" ? "not measured" : \
          (target_relation[i] == ">=" ? figure + 0 >= target_limit[i] + 0 \
                                      : figure + 0 <= target_limit[i] + 0) ? "met" : "missed"
    if (target_relation[i] == "<+" && figure != "" && figure + 0 >= 0)
        sign = "+"
    if (format == "json") {
        if (figure != "")
            printf "{\"suite\": \"%s\", \"case\": \"%s\", \"backend\": \"%s\", \"unit\": \"%s\", " \
                   "\"median\": %.6g, \"min\": %.6g, \"max\": %.6g, " \
                   "\"against\": \"%s\", \"target\": \"%s %s\", \"met\": %s}\n", \
                   target_suite[i], substr(key, length(target_suite[i]) + 2), ours, \
                   target_against[i] == "-" || target_relation[i] == "<+" ? unit[key] : "ratio", \
                   figure, lowest, highest, target_against[i], target_relation[i], target_limit[i], met == "met" ? "true" : "false"
        return
    }
    add_row(key, target, list == "" ? "" : readable(median(list)), theirs == "" ? "" : readable(theirs), \
            figure == "" || target_against[i] == "-" ? "" : sign readable(figure), met)
}

function case_rows(key,   i, theirs, first)
{
    first = all_rounds(key, ours)
    for (i = 1; i <= backend_count; i++) {
        if (backends[i] == ours && first == "")
            continue
        theirs = all_rounds(key, backends[i])
        if (theirs == "")
            continue
        add_row(key, backends[i], readable(median(theirs)), readable(lowest) ".." readable(highest), \
                backends[i] == ours || first == "" ? "" : \
                readable(median(ratios(key, key SUBSEP backends[i]))), unit[key])
    }
}

FNR == NR {
    if ($0 ~ /^#/ || NF < 5 || (NF >= 6 && $6 != ours))
        next
    target_count++
    target_suite[target_count] = $1
    target_case[target_count] = $1 "/" $2
    target_relation[target_count] = $3
    target_limit[target_count] = $4
    target_against[target_count] = $5
    next
}

{
    round = $1 + 0
    name = field($0, "suite") "/" field($0, "case")
    backend = field($0, "backend")
    if (backend == "trireme")
        backend = ours
    if (name == "/" || backend == "")
        next
    value[name, backend, round] = field($0, "median")
    unit[name] = field($0, "unit")
    if (round > rounds)
        rounds = round
    if (!(name in seen_case)) {
        seen_case[name] = 1
        cases[++case_count] = name
    }
    if (!(backend in seen_backend)) {
        seen_backend[backend] = 1
        backends[++backend_count] = backend
    }
    if (format == "json")
        print substr($0, index($0, "{"))
}

END {
    if (format != "json")
        add_row("case", "target", "ours", "peer", "ratio", "")
    for (i = 1; i <= target_count; i++)
        add_mean(target_case[i])
    for (i = 1; i <= target_count; i++)
        target_row(i)
    if (format == "json")
        exit
    print_rows()
    print ""
    add_row("case", "who", "median", "rounds", "ours is x", "unit")
    for (i = 1; i <= case_count; i++)
        case_rows(cases[i])
    print_rows()
}
