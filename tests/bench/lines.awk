# Functions for reading the lines of `trireme bench --json`, for run-bench and compare-builds.

# The member `name` of a line; "" where it has none.
function field(line, name,   at, rest)
{
    at = index(line, "\"" name "\": ")
    if (at == 0)
        return ""
    rest = substr(line, at + length(name) + 4)
    if (substr(rest, 1, 1) == "\"") {
        rest = substr(rest, 2)
        return substr(rest, 1, index(rest, "\"") - 1)
    }
    match(rest, /^[-+.0-9eE]+/)
    return substr(rest, 1, RLENGTH)
}

# The median of the numbers in `list`, which are separated by blanks; also sets lowest and highest.
function median(list,   numbers, count, i, j, swap)
{
    count = split(list, numbers, " ")
    for (i = 2; i <= count; i++)
        for (j = i; j > 1 && numbers[j] + 0 < numbers[j - 1] + 0; j--) {
            swap = numbers[j]
            numbers[j] = numbers[j - 1]
            numbers[j - 1] = swap
        }
    lowest = numbers[1]
    highest = numbers[count]
    return count % 2 ? numbers[(count + 1) / 2] : (numbers[count / 2] + numbers[count / 2 + 1]) / 2
}
