#!/usr/bin/env bash
# test-windows.sh [FOLDER]: builds the programs for Windows, or takes those of FOLDER, and runs them by wine. What
# they print, and the bytes that they write, are those of the program of this machine. The command line's own tests run, too,
# unless FOLDER has none.
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
trap '"$WINESERVER" -k 2>/dev/null || true; [[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
# Without a debugger, which would show a dialog after a crash, and wait for ever.
export WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe,winedbg.exe="
# The Makefile's tests have a validation layer, which is not there by wine, and settings of malloc, with which
# wine failed once in sixty starts.
unset DISPLAY WAYLAND_DISPLAY SHADEONCE_VALIDATION GLIBC_TUNABLES

programs=${1:+$(realpath "$1")}
if [[ -z $programs ]]; then
  TESTS=wine scripts/package/windows.sh "$work/bin"
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
# A waiting program keeps wine's services alive. Services that a test starts would keep the test's output open
# until they end: go test would wait for them, and fail.
coproc waiting { "$wine" cmd /c 'echo up& set /p line=' 2>/dev/null; }
read -r up <&"${waiting[0]}" || skip "wine does not run its own programs"
system=$WINEPREFIX/drive_c/windows/system32
[[ -e $system/bcryptprimitives.dll ]] || cp "$work/bcryptprimitives.dll" "$system/"

# Tests of the packages that depend on the system, such as its memory and clock, and of those that count.
CGO_ENABLED=0 GOOS=windows "$go" test -trimpath -short -vet=off -ldflags='-s -w' -exec "$wine" \
  ./internal/base/{bytesize,clock,names,must} ./internal/{simt,shape} ./internal/spirv/... ./geometry ./geometry/{order,reuse} ./internal/measure/print

# Each `same` below is a command, which both programs run in their own folder with the same input. The output
# is compared without the system's name and without times.
mkdir "$work/linux" "$work/windows"
# The input is a file, since writing to a pipe fails if the program ends without reading it.
printf 'v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3 4\r\n' >"$work/mesh.obj"
plain() { tr -d '\r' | sed -E -e 's/Go on [a-z0-9]+, [0-9]+ threads?/Go/; s/[0-9.]+ ms$/ms/; s/ +ms$/ ms/; s/shadeonce\.exe/shadeonce/g; s|\\|/|g'; }
count=0
same() { # same STATUS ARGUMENTS...; "STATUS files" compares only files, since the output has times
  local want=${1% *} what=${1#* } status system
  shift
  for system in linux windows; do
    status=0
    if [[ $system == linux ]]; then
      (cd "$work/linux" && "$here/shadeonce" "$@" <"$work/mesh.obj") >"$work/$system.out" 2>&1 || status=$?
    else
      (cd "$work/windows" && "$wine" "$programs/shadeonce.exe" "$@" <"$work/mesh.obj") >"$work/$system.out" 2>&1 || status=$?
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
# With a coarse clock a pass may take no time: the command must write JSON although its speed is infinite.
same "0 files" bench asset:cube --backend cpu --runs 2 --json
# walk does not run a second time: wine 8 cannot remove a folder's files in the way of Go 1.26 (windows.sh).
same 2 analyze --strategy nothing asset:knot
for system in linux windows; do
  printf 'v 0 0 0\nv 1 0 0\nf 1 2 9\n' >"$work/$system/broken.obj"
done
same 1 analyze broken.obj --backend cpu
same 2 render asset:knot -o "sphere.ply"
echo "test-windows: $count commands print and write the same by wine as here"

# One frame by winevulkan, and the viewer; both want a display.
command -v Xvfb >/dev/null || { echo "test-windows: no Xvfb: no frame was drawn by wine" >&2; exit 0; }
"$here/shadeonce" render asset:knot --backend gpu --size 160x120 -o "$work/here.png" >"$work/log" 2>&1 || skip "no Vulkan here: $(tail -n 1 "$work/log")"
exec {number}< <(exec Xvfb -displayfd 1 -screen 0 1024x768x24 2>/dev/null)
server=$!
read -r display <&"$number" || { echo "test-windows: Xvfb does not start" >&2; exit 1; }

# A program that finds no desktop starts explorer.exe, waits ten seconds for it, and goes on without a
# display driver, and so without Vulkan: a busy machine needs longer. Explorer's own command runs when
# the desktop stands, however late. An explorer.exe that began without a display must have ended before.
#
# Left out are tests of links, pipes, names and shells that Windows lacks (TestConvert, TestBadInput,
# TestAnalyzeEscapesNamesInTables, TestReportSaysWhatIsTrue, TestDocuments), of words that differ
# (TestABadFileDoesNotLoseTheOthers), of how Linux hides Vulkan (TestWithoutVulkan*, TestDoctorListsDrivers), and two that
# take minutes by wine (TestSameBytesEverywhere, TestHostileFolder).
unix='TestConvert|TestBadInput|TestAnalyzeEscapesNamesInTables|TestReportSaysWhatIsTrue|TestDocuments|TestABadFileDoesNotLoseTheOthers'
unix+='|TestWithoutVulkan.*|TestDoctorListsDrivers|TestSameBytesEverywhere|TestHostileFolder'
cat >"$work/frames.bat" <<END
@echo off
"Z:${programs//\//\\}\\shadeonce.exe" render asset:knot --backend gpu --size 160x120 -o gpu.png >gpu.txt 2>&1
echo status %ERRORLEVEL% >>gpu.txt
if not exist "Z:${programs//\//\\}\\shadeonce-viewer.exe" exit
"Z:${programs//\//\\}\\shadeonce-viewer.exe" --frames 2 asset:cube >viewer.txt 2>&1
if not exist "Z:${programs//\//\\}\\shadeonce.test.exe" exit
set SHADEONCE_NO_VALIDATION=1
cd /d "Z:${PWD//\//\\}\\cmd\\shadeonce"
"Z:${programs//\//\\}\\shadeonce.test.exe" -test.short -test.v "-test.skip=^($unix)\$" >"Z:${work//\//\\}\\tests.txt" 2>&1
echo status %ERRORLEVEL% >>"Z:${work//\//\\}\\tests.txt"
END
cd "$work"
"$WINESERVER" -k || true
"$WINESERVER" -w
DISPLAY=:$display SHADEONCE_CALIBRATION=off timeout 20m "$wine" 'C:\windows\explorer.exe' /desktop cmd /c frames.bat >log 2>&1 || { echo "test-windows: wine's desktop ends with status $?:" >&2; cat log >&2; exit 1; }
grep -q '^status 0' gpu.txt || { cat gpu.txt >&2; echo "test-windows: no frame by Vulkan" >&2; exit 1; }
cmp gpu.png here.png
echo "test-windows: a frame by Vulkan is the same by wine as here"
if [[ -e $programs/shadeonce-viewer.exe ]]; then
  grep -q "2 frames: median" viewer.txt || { echo "test-windows: the viewer says: $(cat viewer.txt)" >&2; exit 1; }
  echo "test-windows: the viewer draws in a window"
fi
if [[ -e $programs/shadeonce.test.exe ]]; then
  tr -d '\r' <tests.txt >tests.log
  grep -q '^status 0' tests.log || { grep -v '^=== \|^ *--- PASS' tests.log >&2; echo "test-windows: a test of the command line fails by wine" >&2; exit 1; }
  echo "test-windows: $(grep -c '^ *--- PASS' tests.log) tests of the command line pass by wine, $(grep -c '^ *--- SKIP' tests.log) skip"
fi
