#!/bin/sh
# An eighth of backend.sh, for `make check` without the long tests.

exec "${SHELL-/bin/sh}" "$top_srcdir/tests/differential/backend.sh" 0/8
