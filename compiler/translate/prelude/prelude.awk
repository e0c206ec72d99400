# Makes a table in C of the parts of the prelude. See base.inc for what the files look like.
# SPDX-License-Identifier: MIT

function quoted(line) {
    gsub(/\\/, "\\\\", line)
    gsub(/"/, "\\\"", line)
    return "    \"" line "\\n\"\n"
}

# The C type, suffix of functions and so on that a word stands for, put in where the text has them.
function put(text, word) {
    gsub(/\$n/, word, text)
    if (word == "32" || word == "64") {
        gsub(/\$t/, "uint" word "_t", text)
        gsub(/\$s/, "int" word "_t", text)
        gsub(/\$h/, word == "32" ? "31" : "63", text)
    } else {
        gsub(/\$t/, types[word], text)
        gsub(/\$m/, word == "f32" ? "f" : "", text)
    }
    return text
}

function write(name, text) {
    names[count] = name
    printf "    {\"%s\", %s,\n%s    },\n", name, language, text
    order[count] = count
    count++
}

function finish(    n, words, i) {
    if (name == "")
        return
    if (list == "") {
        write(name, text)
    } else {
        n = split(list, words, " ")
        for (i = 1; i <= n; i++)
            write(put(name, words[i]), put(text, words[i]))
    }
    name = ""
}

BEGIN {
    types["f32"] = "float"
    types["f64"] = "double"
    types["i32"] = "int32_t"
    types["u32"] = "uint32_t"
    types["i64"] = "int64_t"
    types["u64"] = "uint64_t"
    count = 0
    print "/* Made of compiler/translate/prelude/ by prelude.awk. */"
    print "#include \"compiler/translate/prelude/prelude.h\"\n"
    print "const struct prelude_part prelude_parts[] = {"
}

FNR == 1 { finish() }

/^\/\/! / {
    finish()
    language = $2 == "c" ? "TRM_LANGUAGE_C" : $2 == "cuda" ? "TRM_LANGUAGE_CUDA" : "0"
    name = $3
    list = ""
    for (i = 5; i <= NF; i++)
        list = list " " $i
    text = ""
    next
}

name != "" { text = text quoted($0) }

END {
    finish()
    print "};\n"
    print "const uint32_t prelude_part_count = sizeof(prelude_parts) / sizeof(prelude_parts[0]);\n"
    # Insertion sort: there are a few hundred.
    for (i = 1; i < count; i++) {
        moved = order[i]
        for (j = i - 1; j >= 0 && names[order[j]] > names[moved]; j--)
            order[j + 1] = order[j]
        order[j + 1] = moved
    }
    printf "const uint16_t prelude_part_order[] = {"
    for (i = 0; i < count; i++)
        printf "%s%d,", i % 16 == 0 ? "\n    " : " ", order[i]
    print "\n};"
}
