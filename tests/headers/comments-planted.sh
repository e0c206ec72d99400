#!/bin/sh
# Tests tests/headers/comments.sh: it fails for a comment that lacks one of the parts, and accepts a complete
# one.

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

header()
{
    printf '/* A header.\n *\n * Unless a function says otherwise:\n *\n * Ownership   none\n */\n%s\n' "$1" >"$work/one.h"
}

# says_not WORDS HEADER: the check fails and prints these words.
says_not()
{
    header "$2"
    if sh "$top_srcdir/tests/headers/comments.sh" "$work" >"$work.out" 2>&1; then
        echo "not seen: $1"
        failed=1
    elif ! grep -qF "$1" "$work.out"; then
        cat "$work.out"
        failed=1
    fi
}

header '/* Sum two numbers.
 *
 * a, b      numbers
 * Blocks    no
 * Threads   any
 * Errors    none
 */
TRM_API int32_t trm_sum(int32_t a,
                        int32_t b);'
sh "$top_srcdir/tests/headers/comments.sh" "$work" || failed=1

says_not "has no comment" 'TRM_API int32_t trm_sum(int32_t a);'
says_not "does not say: Blocks" '/* a is summed.
 * Threads   any
 * Errors    none
 */
TRM_API int32_t trm_sum(int32_t a);'
says_not "does not say: Errors" '/* a is summed.
 * Blocks    no
 * Threads   any
 */
TRM_API int32_t trm_sum(int32_t a);'
says_not 'does not say what `a` is' '/* It is summed.
 * Blocks    no
 * Threads   any
 * Errors    none
 */
TRM_API int32_t trm_sum(int32_t a);'
says_not "out of order" '/* a is summed.
 * Errors    none
 * Blocks    no
 * Threads   any
 */
TRM_API int32_t trm_sum(int32_t a);'
rm -f "$work.out"
exit $failed
