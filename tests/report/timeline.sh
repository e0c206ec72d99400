#!/bin/sh
# The timeline in a browser: what it draws, and what it shows under the pointer.

. "$top_srcdir/tests/tools/common.sh"

for browser in chromium chromium-browser google-chrome none; do
    command -v "$browser" >/dev/null 2>&1 && break
done
if test "$browser" = none; then
    echo "skipped: there is no Chromium on PATH"
    exit 77
fi

sample=$top_builddir/tests/report/sample
page=$work/timeline.html

# Chromium writes to these folders as well as to its profile.
XDG_CONFIG_HOME=$work/config
XDG_CACHE_HOME=$work/cache
export XDG_CONFIG_HOME XDG_CACHE_HOME

# browse ARGUMENT… PAGE: standard output and standard error in $work/out and $work/err.
browse()
{
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
      --user-data-dir="$work/profile" --enable-logging=stderr --window-size=1280,900 --virtual-time-budget=3000 \
      "$@" >"$work/out" 2>"$work/err"
}

# Writes the page after its script has run, one element a line. A message on the console is a failure.
dom()
{
    browse --dump-dom "file://$1" || failed "the browser gave up on $1"
    tr '\n' ' ' <"$work/out" | sed 's/></>\n</g' >"$work/dom"
    ! grep -q CONSOLE "$work/err" || failed "on the console: $(grep CONSOLE "$work/err")"
}

# with SCRIPT: writes $work/other.html, a copy of the page that runs SCRIPT at the end. Without a screen there
# are no frames, so callbacks for the next frame run at once.
with()
{
    sed '/^<\/body>/d; /^<\/html>/d' "$page" >"$work/other.html"
    printf '<script>\nrequestAnimationFrame = function (draw) { draw(); };\n%s\n</script>\n</body>\n</html>\n' "$1" >>"$work/other.html"
}

# How many bars are drawn in the lane of a stage, and how many tokens they stand for.
bars()
{
    awk -v stage="data-stage=\"$1\"" '/<g class="stage/ { inside = index($0, stage) > 0 }
        inside && /<g class="bar/ { bars++ } END { print bars + 0 }' "$work/dom"
}

tokens_of()
{
    awk -v stage="data-stage=\"$1\"" '/<g class="stage/ { inside = index($0, stage) > 0 }
        inside && /<g class="bar/ { if (match($0, /data-count="[0-9]+/)) n += substr($0, RSTART + 12, RLENGTH - 12); else n++ }
        END { print n + 0 }' "$work/dom"
}

is()
{
    test "$2" = "$3" || failed "$1: $2 instead of $3"
}

in_dom()
{
    grep -qF -- "$1" "$work/dom" || failed "not on the page: $1"
}

# ---- five tokens: a bar for each in every lane, the critical lane marked

run 0 "$sample" "$work" 5 3
dom "$page"
for stage in load upload compute download sink; do
    is "bars of $stage" "$(bars $stage)" 5
done
is "marked lanes" "$(grep -c '<g class="stage critical"' "$work/dom")" 1
in_dom '<g class="stage critical" data-stage="compute"'
in_dom '>80 % busy · critical</text>'
in_dom '<title>edges: timeline</title>'
in_dom '<p class="advice">'
in_dom '<tr class="critical">'
in_dom '<td>compute (critical)</td>'

# ---- the hint for the token under the pointer

with 'var bar = document.querySelector("[data-stage=compute] [data-token=\"2\"] rect"), box = bar.getBoundingClientRect();
bar.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: box.x + 3, clientY: box.y + 3}));'
dom "$work/other.html"
grep -q 'id="hint"[^>]*>token 2, compute begin 11.0 ms duration 4.00 ms slot 2<' "$work/dom" ||
    failed "the hint: $(grep 'id="hint"' "$work/dom")"
is "bars that are followed" "$(grep -c 'class="bar on"' "$work/dom")" 5
is "ways of a token" "$(grep -c 'class="path"' "$work/dom")" 1

# ---- zoom, by button, wheel and key; and back

with 'document.getElementById("in").click();'
dom "$work/other.html"
zoomed=$(bars compute)
test "$zoomed" -gt 0 && test "$zoomed" -lt 5 || failed "$zoomed bars of compute after zooming in"
with 'var svg = document.getElementById("timeline"), box = svg.getBoundingClientRect();
svg.dispatchEvent(new WheelEvent("wheel", {deltaY: -900, clientX: box.right - 20, clientY: box.y + 50, cancelable: true}));'
dom "$work/other.html"
is "loads in sight at the end" "$(bars load)" 0
with 'var svg = document.getElementById("timeline");
["+", "+", "ArrowRight", "0"].forEach(function (key) { svg.dispatchEvent(new KeyboardEvent("keydown", {key: key})); });'
dom "$work/other.html"
is "bars of compute after zooming out again" "$(bars compute)" 5

# ---- many tokens: as many bars as fit on a screen, which together stand for all tokens

run 0 "$sample" "$work" 5000 3
dom "$page"
for stage in load upload compute download sink; do
    is "tokens of $stage" "$(tokens_of $stage)" 5000
    test "$(bars $stage)" -lt 1200 || failed "$(bars $stage) bars of $stage are drawn"
done

# ---- loaders overlap, a token fails, nothing at all

run 0 "$sample" "$work" 40 8 4 18
dom "$page"
is "bars of load" "$(bars load)" 40
is "heights of bars of load" "$(awk '/<g class="stage/ { inside = index($0, "\"load\"") > 0 }
    inside && /<rect x=/ && match($0, / y="[0-9.]+/) { print substr($0, RSTART, RLENGTH) }' "$work/dom" | sort -u | wc -l)" 4
is "bars that failed" "$(grep -c 'class="bar bad"' "$work/dom")" 5
in_dom '&lt;no&gt; &amp; "picture"'
run 0 "$sample" "$work" 0 3
dom "$page"
is "bars of nothing" "$(bars compute)" 0

# ---- two devices: a lane for each stage on each of them, and a table

run 0 "$sample" "$work" 6 3 0 0 1 2
dom "$page"
for lane in load "cpu:0 upload" "cpu:0 compute" "cpu:0 download" "cpu:1 upload" "cpu:1 compute" "cpu:1 download" sink; do
    case $lane in
    cpu*) wanted=3 ;;
    *) wanted=6 ;;
    esac
    is "bars of $lane" "$(bars "$lane")" $wanted
done
is "lanes" "$(grep -c '<g class="stage' "$work/dom")" 8
is "marked lanes" "$(grep -c '<g class="stage critical"' "$work/dom")" 2
in_dom '<td>cpu:1</td>'
with 'var bar = document.querySelector("[data-stage=\"cpu:1 compute\"] [data-token=\"3\"] rect"), box = bar.getBoundingClientRect();
bar.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: box.x + 3, clientY: box.y + 3}));'
dom "$work/other.html"
grep -q 'id="hint"[^>]*>token 3, cpu:1 compute begin' "$work/dom" || failed "the hint: $(grep 'id="hint"' "$work/dom")"
is "bars that are followed" "$(grep -c 'class="bar on"' "$work/dom")" 5

# ---- every width shows all of its text: none is cut off, scaled, or under another

# Each frame tells the page around it what does not fit.
fits()
{
    with 'var wrong = [], svg = document.getElementById("timeline"), area = svg.getBoundingClientRect(), times = [];
function box(element) { return element.getBoundingClientRect(); }
function meet(a, b) { return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1; }
function cut(element, around) {
  var inner = box(element);
  if (inner.left < around.left - 0.5 || inner.right > around.right + 0.5 || inner.top < around.top - 0.5 || inner.bottom > around.bottom + 0.5)
    wrong.push("cut: " + element.textContent);
}
if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page is wider than its window");
if (Math.abs(svg.viewBox.baseVal.width - area.width) > 1) wrong.push("the picture is scaled");
svg.querySelectorAll("text").forEach(function (text) { cut(text, area); });
svg.querySelectorAll(".stage").forEach(function (stage) {
  var lane = box(stage.querySelector(".lane")), name = box(stage.querySelector(".name")), share = box(stage.querySelector(".share"));
  if (meet(name, lane) || meet(share, lane)) wrong.push("a label is under the lane: " + stage.dataset.stage);
  stage.querySelectorAll(".none").forEach(function (none) { cut(none, lane); });
});
svg.querySelectorAll(".time").forEach(function (time) { times.push(box(time)); });
for (var i = 1; i < times.length; i++) if (times[i - 1].right > times[i].left) wrong.push("times overlap");
if (times.length < 2) wrong.push("fewer than two times");
document.querySelectorAll("main *").forEach(function (element) {
  if (!element.closest("svg") && !element.closest(".scroll") && element.clientWidth > 0 && element.scrollWidth > element.clientWidth)
    wrong.push("does not fit: " + element.textContent);
});
svg.querySelectorAll(".bar:not(.some)").forEach(function (bar) {
  var at = box(bar);
  bar.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: at.right - 1, clientY: at.top + 2}));
  var hint = document.getElementById("hint");
  if (box(hint).left < 0 || box(hint).right > innerWidth) wrong.push("cut: the hint");
});
parent.postMessage(innerWidth + ": " + (wrong.join(", ") || "all fits"), "*");'
    {
        printf '<!DOCTYPE html><title>widths</title><body><script>addEventListener("message", function (event) {
  var line = document.createElement("p"); line.textContent = "width " + event.data; document.body.appendChild(line); });</script>\n'
        for width; do
            printf '<iframe src="other.html" style="width: %spx; height: 900px; border: 0"></iframe>\n' "$width"
        done
    } >"$work/widths.html"
    dom "$work/widths.html"
    for width; do
        grep -qF "<p>width $width: all fits</p>" "$work/dom" ||
            failed "at a width of $width: $(grep "<p>width $width:" "$work/dom")"
    done
}

for arguments in "5 3" "40 8 4 18" "5 3 0 0 0" "0 3" "6 3 0 0 1 2"; do
    # shellcheck disable=SC2086 # arguments
    run 0 "$sample" "$work" $arguments
    fits 320 360 414 480 560 700 900 1280 1600
done

# ---- the picture: the browser counts the colours of a screenshot

# colours PICTURE: how many there are, and how many pixels have those of tokens, of the light page and of the
# dark one.
colours()
{
    cat >"$work/count.html" <<'END'
<!DOCTYPE html><title>counting</title><img src="shot.png"><script>
addEventListener('load', function () {
  var image = document.images[0], canvas = document.createElement('canvas'), seen = {}, count = {token: 0, light: 0, dark: 0};
  canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;
  var context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  var pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
  var names = {0x7cb5ec: 'token', 0xf6a26b: 'token', 0x7ed0a4: 'token', 0xe98fb5: 'token', 0xb3a1ea: 'token',
    0xf6f7f9: 'light', 0x12161c: 'dark'};
  for (var i = 0; i < pixels.length; i += 4) {
    var colour = pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2];
    seen[colour] = 1;
    if (names[colour]) count[names[colour]]++;
  }
  document.title = 'colours=' + Object.keys(seen).length + ' token=' + count.token + ' light=' + count.light +
    ' dark=' + count.dark + ';';
});
</script>
END
    browse --allow-file-access-from-files --dump-dom "file://$work/count.html"
    grep -o 'colours=[0-9][^;]*' "$work/out" | head -n 1
}

screenshot()
{
    rm -f "$work/shot.png"
    browse "$@" --screenshot="$work/shot.png" "file://$page"
    test -s "$work/shot.png" || failed "no picture was taken"
}

# of COUNTS NAME
of()
{
    echo "$1" | sed "s/.*$2=\([0-9]*\).*/\1/"
}

at_least()
{
    test "${2:-0}" -ge "$3" || failed "$1: ${2:-0}, less than $3"
}

run 0 "$sample" "$work" 5 3
screenshot
light=$(colours)
at_least "colours of the light page" "$(of "$light" colours)" 40
at_least "pixels of tokens" "$(of "$light" token)" 10000
at_least "pixels of the light page" "$(of "$light" light)" 100000
is "pixels of the dark page" "$(of "$light" dark)" 0
screenshot --blink-settings=preferredColorScheme=0
dark=$(colours)
at_least "pixels of the dark page" "$(of "$dark" dark)" 100000
is "pixels of the light page" "$(of "$dark" light)" 0
at_least "pixels of tokens in the dark" "$(of "$dark" token)" 10000
run 0 "$sample" "$work" 0 3
screenshot
is "pixels of tokens where there are none" "$(of "$(colours)" token)" 0

# ---- a fault of the page is detected

with 'document.getElementById("absent").click();'
browse --dump-dom "file://$work/other.html"
grep -q CONSOLE "$work/err" || failed "the console of the browser is not seen"

finish
