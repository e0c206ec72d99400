# Sourced by the tests of `trireme check`, behind common.sh: looks at findings in the JSON that it prints.

# check STATUS ARGUMENT…: runs `trireme check --json`, which must exit with STATUS
check()
{
    expected=$1
    shift
    run "$expected" "$trireme" check --json "$@"
    json version:string 'findings[].section:string' 'findings[].subject:string' 'findings[].topic:string' \
        'findings[].state:string' 'findings[].text:string' ok:number warnings:number failed:number not_here:number
}

# of KERNEL: the findings that are looked for from here on are of this kernel, of several in one check; "": of any
of()
{
    section=${1:+Kernel $1}
}

# finding STATE SUBJECT TOPIC TEXT: prints the finding with these; TEXT is a part of its text or its remedy
section=
finding()
{
    SECTION=$section STATE=$1 SUBJECT=$2 TOPIC=$3 TEXT=$4 awk '
        function value(line) {
            sub(/^[^:]*: "/, "", line)
            sub(/",?$/, "", line)
            return line
        }
        /^ *"section": / { section = value($0) }
        /^ *"subject": / { subject = value($0) }
        /^ *"topic": / { topic = value($0) }
        /^ *"state": / { state = value($0) }
        /^ *"text": / { text = value($0) }
        /^ *"remedy": / {
            text = text " " value($0)
            if (state == ENVIRON["STATE"] && subject == ENVIRON["SUBJECT"] && topic == ENVIRON["TOPIC"] &&
                index(text, ENVIRON["TEXT"]) && (ENVIRON["SECTION"] == "" || section == ENVIRON["SECTION"]))
                print text
        }' "$work/out"
}

# has STATE SUBJECT TOPIC TEXT: there is such a finding
has()
{
    test -n "$(finding "$@")" || {
        failed "no finding: $section $*"
        cat "$work/out"
    }
}

# lacks STATE SUBJECT TOPIC TEXT: there is no such finding
lacks()
{
    test -z "$(finding "$@")" || failed "a finding: $section $*"
}

# can_compile: is there a compiler of GLSL?
can_compile()
{
    printf '#version 450\nlayout(local_size_x = 8) in;\nvoid main() {}\n' >"$work/empty.comp"
    "$trireme" kc --quiet "$work/empty.comp" 2>/dev/null
}

# kernel_file NAME BODY: writes NAME.comp with buffers x and y of floats
kernel_file()
{
    cat >"$work/$1.comp" <<END
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; float a; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    $2
}
END
}
