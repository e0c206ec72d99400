#!/bin/sh
# A sixteenth of backend.sh, for `make check` without the long tests. It is the second one, since the first also runs the library's
# kernels and random shaders: gcc needs half a minute for those.

exec "${SHELL-/bin/sh}" "$top_srcdir/tests/differential/backend.sh" 1/16
