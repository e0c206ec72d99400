# The catalogue of the built-in kernels, from the comments at the heads of their shaders:
#
#     awk -f catalogue.awk -v format=text NAME.comp     what `trireme info --kernels NAME` prints
#     awk -f catalogue.awk -v format=mdoc FILE...       the entries in trireme-kernels(7)
#
# The comment is the one that begins with the kernel's name. What stands before the first heading says what the kernel computes:
#
#     /* NAME: what it computes, in a sentence or a formula
#      *
#      *      further formulas, kept as they are
#      *
#      * further sentences
#      *
#      * Arguments
#      *     name            a row for each, in the order of the signature; text is in column 20
#      *                     and goes on there
#      * Launch
#      *     how many work-items or groups
#      * Constants
#      *     name            a row for each, with its default in parentheses (1):
#      *                       0 a line that is indented further is kept as it is
#      * Notes
#      *     anything else
#      * Example
#      *     lines that are kept as they are: commands or C
#      * SPDX-License-Identifier: MIT
#      */
#
# Constants and Notes may be absent. A comment in another layout is an error.

function fail(what)
{
    printf "%s:%d: %s\n", FILENAME, FNR, what >"/dev/stderr"
    failed = 1
    exit 1
}

# ---- writing

# Text in lines of 80 columns; the first one begins with `first`, the others with as many blanks.
function fill(first, text,    words, count, i, line, used, indent)
{
    indent = sprintf("%" length(first) "s", "")
    count = split(text, words, " ")
    line = first
    used = 0
    for (i = 1; i <= count; i++) {
        if (used > 0 && length(line) + 1 + length(words[i]) > 80) {
            print line
            line = indent
            used = 0
        }
        line = line (used++ > 0 ? " " : "") words[i]
    }
    print line
}

# Text that is no request and no escape to mdoc.
function roff(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/`/, "\\(ga", text)
    gsub(/'/, "\\(aq", text)
    return text ~ /^[.]/ ? "\\&" text : text
}

# The same for sentences: each begins on a line of its own.
function sentences(text,    lines)
{
    while (match(text, /([a-z0-9)`]|[A-Za-z][A-Z])[.][)]? [^ ]/)) {
        lines = lines substr(text, 1, RSTART + RLENGTH - 3) "\n"
        text = substr(text, RSTART + RLENGTH - 1)
    }
    return roff(lines text)
}

function title(name, text)
{
    if (format == "mdoc") {
        print ".Ss " name
        print sentences(text)
    } else {
        fill("", text)
    }
}

function paragraph(text)
{
    if (format == "mdoc") {
        print ".Pp"
        print sentences(text)
    } else {
        print ""
        fill("", text)
    }
}

function literal_begin()
{
    if (format == "mdoc")
        print ".Bd -literal" (section == "" ? " -offset indent" : "")
    else if (section == "")
        print ""
    literal = 1
}

function literal_line(text, indent)
{
    if (!literal)
        literal_begin()
    if (format == "mdoc")
        print roff(text)
    else
        print sprintf("%" indent "s", "") text
}

function literal_end()
{
    if (literal && format == "mdoc")
        print ".Ed"
    literal = 0
}

function section_begin(name)
{
    section = name
    met[name] = 1
    if (format == "mdoc") {
        if (name == "Arguments")
            print ".Bl -tag -width Ds"
        print ".It Sy " name
        if (name == "Arguments" || name == "Constants")
            print ".Bl -tag -width radius_most -compact"
    } else {
        if (name == "Arguments")
            print ""
        print name
    }
}

function section_end()
{
    flush()
    literal_end()
    if (format == "mdoc" && (section == "Arguments" || section == "Constants"))
        print ".El"
}

# The row or the paragraph that was collected.
function flush()
{
    if (label != "") {
        if (format == "mdoc") {
            print ".It Va " label
            print sentences(collected)
        } else {
            fill(sprintf("    %-16s", label), collected)
        }
    } else if (collected != "" && section != "") {
        if (format == "mdoc")
            print sentences(collected)
        else
            fill("    ", collected)
    } else if (collected != "" && titled) {
        paragraph(collected)
    } else if (collected != "") {
        title(kernel, collected)
        titled = 1
    }
    label = collected = ""
}

function collect(text)
{
    literal_end()
    collected = collected (collected == "" ? "" : " ") text
}

# ---- reading

function read_row(line,    name)
{
    if (line ~ /^                     /) {
        flush()
        literal_line(substr(line, 22), 21)
    } else if (line ~ /^                    /) {
        if (label == "" || literal)
            fail("text without a row, or after lines that are kept")
        collect(substr(line, 21))
    } else {
        flush()
        literal_end()
        name = substr(line, 5, 16)
        sub(/ +$/, "", name)
        if (name !~ /^[A-Za-z0-9_]+$/ || line !~ /^    [A-Za-z0-9_]+  +[^ ]/ || substr(line, 21, 1) == " ")
            fail("a row has a name in column 4 and its text in column 20")
        label = name
        collect(substr(line, 21))
    }
}

function read_section(line)
{
    if (line !~ /^    /)
        fail("neither a heading nor indented by four columns")
    if (section == "Arguments" || section == "Constants")
        read_row(line)
    else if (section == "Example")
        literal_line(substr(line, 5), 4)
    else
        collect(substr(line, 5))
}

function read_prose(line)
{
    if (line == "") {
        flush()
        literal_end()
    } else if (line ~ /^    /) {
        flush()
        sub(/^     /, "", line)
        literal_line(line, 5)
    } else {
        collect(line)
    }
}

function finish()
{
    section_end()
    if (format == "mdoc")
        print ".El"
    if (!met["Arguments"] || !met["Launch"] || !met["Example"])
        fail("there is no Arguments, Launch or Example")
    inside = 0
    done++
}

FNR == 1 {
    if (inside)
        fail("the comment before does not end with a line SPDX-License-Identifier")
    kernel = FILENAME
    sub(/.*\//, "", kernel)
    sub(/\.comp$/, "", kernel)
    files++
}

!inside && index($0, "/* " kernel ": ") == 1 {
    inside = 1
    section = label = ""
    titled = literal = 0
    split("", met)
    collected = substr($0, length(kernel) + 6)
    next
}

inside && / SPDX-License-Identifier:/ {
    finish()
    next
}

inside {
    if ($0 !~ /^ \*($| )/ || /\t/ || / $/)
        fail("a line of the comment begins with \" * \", and has no tab and no blank at its end")
    line = substr($0, 4)
    if (line ~ /^(Arguments|Launch|Constants|Notes|Example)$/) {
        section_end()
        section_begin(line)
    } else if (section != "") {
        read_section(line)
    } else {
        read_prose(line)
    }
}

END {
    if (!failed && (inside || done != files)) {
        printf "%s: no comment begins with \"/* %s: \" and ends with a line SPDX-License-Identifier\n", \
            FILENAME, kernel >"/dev/stderr"
        failed = 1
    }
    exit failed
}
