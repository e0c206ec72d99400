#!/bin/sh
# A privileged program loads no code from the paths in its environment; the same program without privileges
# does.

fail()
{
    echo "FAILED: $*"
    exit 1
}

skip()
{
    echo "skipped: $*"
    exit 77
}

test "$(id -u)" -eq 0 || skip "only root can make a setuid program"
command -v setpriv >/dev/null || skip "setpriv was not found"

umask 022
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/plugins" "$work/config" "$work/config/trireme"
cp "$top_builddir/backends/template/.libs/template.so" "$work/plugins" || fail "copying the template backend"
cp "$top_builddir/tests/plugins/setuid-helper" "$work/helper" || fail "copying the helper"
printf 'backend.path = %s\n' "$work/plugins" >"$work/config/trireme/trireme.conf"

# as_nobody VARIABLE=VALUE…
as_nobody()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups \
        env -u TRIREME_BACKEND -u TRIREME_BACKEND_PATH -u TRIREME_CONFIG -u TRIREME_LOG -u TRIREME_LOG_FILE XDG_CONFIG_HOME="$work/nowhere" "$@" "$work/helper"
}

finds_it()
{
    found=$(as_nobody "$@")
    echo "$found" | grep "^candidate accepted $work/plugins/template.so$" >/dev/null ||
        { echo "$found"; fail "$*: the plugin is not found without privilege"; }
}

does_not()
{
    found=$(as_nobody "$@")
    echo "$found" | grep '^secure 1$' >/dev/null || skip "the temporary folder allows no setuid programs"
    ! echo "$found" | grep "$work" >/dev/null || { echo "$found"; fail "$*: a privileged program looked there"; }
}

# A file that the environment names is written with the rights of the user alone.
mkdir "$work/profiles" && chmod 1777 "$work/profiles" || fail "making a folder"
writes_it()
{
    as_nobody TRIREME_PROFILE="$work/profiles/user.txt" >"$work/found"
    test -s "$work/profiles/user.txt" || { cat "$work/found"; fail "no profile is written without privilege"; }
}
writes_nothing()
{
    as_nobody TRIREME_PROFILE="$work/profiles/root.txt" >"$work/found"
    test ! -e "$work/profiles/root.txt" || fail "a privileged program wrote a profile"
}

# So is the log; a privileged program has none on standard error either.
logs_it()
{
    as_nobody TRIREME_LOG=debug TRIREME_LOG_FILE="$work/profiles/user.log" >"$work/found" 2>&1
    test -s "$work/profiles/user.log" || { cat "$work/found"; fail "no log is written without privilege"; }
    as_nobody TRIREME_LOG=debug 2>&1 >"$work/found" | grep debug >/dev/null ||
        fail "nothing is logged to standard error without privilege"
}
logs_nothing()
{
    as_nobody TRIREME_LOG=debug TRIREME_LOG_FILE="$work/profiles/root.log" >"$work/found" 2>"$work/error"
    test ! -e "$work/profiles/root.log" || fail "a privileged program opened the log file of its environment"
    test ! -s "$work/error" || { cat "$work/error"; fail "a privileged program logged to standard error"; }
}

writes_it
logs_it
for answer in finds_it does_not; do
    $answer TRIREME_BACKEND_PATH="$work/plugins"
    $answer TRIREME_BACKEND="$work/plugins/template.so"
    $answer TRIREME_CONFIG="$work/config/trireme/trireme.conf"
    $answer XDG_CONFIG_HOME="$work/config"
    chown root:root "$work/helper" && chmod 4755 "$work/helper" || fail "making the helper setuid"
done
writes_nothing
logs_nothing
exit 0
