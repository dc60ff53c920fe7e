#!/usr/bin/env bash
# test-windows.sh [FOLDER]: builds the programs for Windows, or takes those of FOLDER, and runs them by wine. What
# they print, and the bytes that they write, are those of the program of this machine.
#
# Where mingw-w64 or wine is missing it says so and skips. Everything happens in a prefix of wine's own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/package/common.sh

skip() {
  echo "test-windows: skipped: $*" >&2
  exit 0
}

readonly gcc=x86_64-w64-mingw32-gcc
command -v "$gcc" >/dev/null || skip "no $gcc (Debian, Ubuntu: gcc-mingw-w64-x86-64, g++-mingw-w64-x86-64)"
wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null) || skip "no wine (Debian, Ubuntu: wine64)"
work=$(mktemp -d)
server=
export WINEPREFIX=$work/prefix WINESERVER=/usr/lib/wine/wineserver64
[[ -x $WINESERVER ]] || WINESERVER=$(command -v wineserver) || skip "no wineserver"
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; "$WINESERVER" -k 2>/dev/null || true; rm -rf "$work"' EXIT
export WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe="
unset DISPLAY WAYLAND_DISPLAY

programs=${1:-}
if [[ -z $programs ]]; then
  scripts/package/windows.sh "$work/bin"
  programs=$work/bin
fi
here=$work/here
mkdir -p "$here"
build "$here" ./cmd/shadeonce

# Go 1.26 takes its random numbers from a library that wine 8 lacks.
printf '%s\n' '#include <windows.h>' '#include <ntsecapi.h>' \
  '__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, (ULONG)size); }' >"$work/prng.c"
"$gcc" -shared -o "$work/bcryptprimitives.dll" "$work/prng.c" -ladvapi32
"$wine" wineboot -i >"$work/log" 2>&1 || skip "wine cannot make a prefix: $(tail -n 1 "$work/log")"
system=$WINEPREFIX/drive_c/windows/system32
[[ -e $system/bcryptprimitives.dll ]] || cp "$work/bcryptprimitives.dll" "$system/"
ran=$("$wine" "$programs/shadeonce.exe" --version 2>&1) || skip "wine does not run the program: $ran"

# Tests of packages that know the system's memory and numbers. Those of files want what wine 8 lacks.
CGO_ENABLED=0 GOOS=windows "$go" test -trimpath -short -vet=off -ldflags='-s -w' -exec "$wine" \
  ./internal/base/{bytesize,names,must} ./internal/simt ./geometry/order

# Each line is a command; both programs run it in folders of their own, with the same input. The name of
# the machine's system, and times, are no part of what they say.
mkdir "$work/linux" "$work/windows"
mesh=$'v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3 4\r\n'
plain() { tr -d '\r' | sed -E -e 's/Go on [a-z0-9]+, [0-9]+ threads?/Go/; s/[0-9.]+ ms$/ms/; s/ +ms$/ ms/; s/shadeonce\.exe/shadeonce/g; s|\\|/|g'; }
count=0
same() { # same STATUS ARGUMENTS... ; STATUS files: what they print has times, and is not compared
  local want=${1% *} what=${1#* } status system
  shift
  for system in linux windows; do
    status=0
    if [[ $system == linux ]]; then
      (cd "$work/linux" && printf '%s' "$mesh" | "$here/shadeonce" "$@") >"$work/$system.out" 2>&1 || status=$?
    else
      (cd "$work/windows" && printf '%s' "$mesh" | "$wine" "$programs/shadeonce.exe" "$@") >"$work/$system.out" 2>&1 || status=$?
    fi
    [[ $status == "$want" ]] || { echo "test-windows: $* ends with status $status on $system, not $want:" >&2; cat "$work/$system.out" >&2; exit 1; }
    plain <"$work/$system.out" >"$work/$system.text"
  done
  rm -f "$work"/{linux,windows}/walk/walk.json # has times
  [[ $what == files ]] || diff "$work/linux.text" "$work/windows.text" >&2 || { echo "test-windows: $* prints something else on Windows" >&2; exit 1; }
  diff -r "$work/linux" "$work/windows" >&2 || { echo "test-windows: $* writes something else on Windows" >&2; exit 1; }
  count=$((count + 1))
}

same 0 analyze asset:sphere6 --strategy naive-index,warp,claim,hash --backend cpu
same "0 files" render asset:knot --backend cpu --raster soft --size 160x120 -o knot.png
same "0 files" render asset:knot --backend cpu --raster soft --size 160x120 -o knot.png # replaces the file
same 0 convert asset:sphere6 -o sphere.ply --order forsyth
same 0 convert sphere.ply -o sphere.glb
same 0 analyze sphere.glb sphere.ply --strategy claim --backend cpu --csv
same 0 analyze - --strategy claim --backend cpu --csv # a mesh with CRLF from standard input
same 0 analyze - --strategy claim --backend cpu --json -o rows.json
same 0 compare rows.json rows.json
same 1 compare - rows.json
same "0 files" apps walk --grid 32 --agents 500 --steps 2 --backend cpu -o walk
# Not a second time: wine 8 cannot remove the files of a folder as Go 1.26 does.
same 2 analyze --strategy nothing asset:knot
for system in linux windows; do
  printf 'v 0 0 0\nv 1 0 0\nf 1 2 9\n' >"$work/$system/broken.obj"
done
same 1 analyze broken.obj --backend cpu
same 2 render asset:knot -o "sphere.ply"
echo "test-windows: $count commands print and write the same by wine as here"

# One frame by winevulkan, on this machine's driver; it wants a display.
if command -v Xvfb >/dev/null; then
  exec {number}<> <(:)
  Xvfb -displayfd "$number" -screen 0 1024x768x24 >/dev/null 2>&1 &
  server=$!
  read -r display <&"$number"
  export DISPLAY=:$display
  if text=$("$wine" "$programs/shadeonce.exe" devices 2>&1) && [[ $text != *"no Vulkan device"* ]]; then
    "$wine" "$programs/shadeonce.exe" render asset:knot --backend gpu --size 160x120 -o "Z:${work//\//\\}\\gpu.png" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    "$here/shadeonce" render asset:knot --backend gpu --size 160x120 -o "$work/here.png" >/dev/null 2>&1 || skip "no Vulkan here"
    cmp "$work/gpu.png" "$work/here.png"
    echo "test-windows: a frame by Vulkan is the same by wine as here"
    if [[ -e $programs/shadeonce-viewer.exe ]]; then
      said=$(SHADEONCE_CALIBRATION=off "$wine" "$programs/shadeonce-viewer.exe" --frames 2 asset:cube 2>&1)
      [[ $said == *"2 frames: median"* ]] || { echo "test-windows: the viewer says: $said" >&2; exit 1; }
      echo "test-windows: the viewer draws in a window"
    fi
  else
    echo "test-windows: wine has no Vulkan device here: no frame was drawn by it: $text" >&2
  fi
fi
