#!/usr/bin/env bash
# windows.sh OUT: builds shadeonce.exe and shadeonce-viewer.exe into folder OUT by mingw-w64. They need
# no DLLs beside them, and look for Vulkan's loader at run time. TESTS=wine also builds
# shadeonce.test.exe, the command line's tests, for wine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/package/common.sh

[[ $# == 1 ]] || stop "usage: windows.sh OUT"
readonly prefix=x86_64-w64-mingw32
for tool in gcc g++ windres; do
  command -v "$prefix-$tool" >/dev/null ||
    stop "needs $prefix-$tool (Debian, Ubuntu: gcc-mingw-w64-x86-64, g++-mingw-w64-x86-64, binutils-mingw-w64-x86-64)"
done
work=$(mktemp -d)
resources=(cmd/shadeonce/resource_windows_amd64.syso cmd/viewer/resource_windows_amd64.syso)
trap 'rm -rf "$work" "${resources[@]}"' EXIT
mkdir -p "$1"
out=$(realpath "$1")

# The headers of Vulkan only: those of this system's C library are not for Windows. They are named by
# C_INCLUDE_PATH, since a folder of CGO_CFLAGS would come before vulkan-go's own headers.
mkdir "$work/include"
for headers in vulkan vk_video; do
  [[ -d /usr/include/$headers ]] || stop "no headers of Vulkan in /usr/include (Debian, Ubuntu: libvulkan-dev)"
  ln -s "/usr/include/$headers" "$work/include/$headers"
done
export C_INCLUDE_PATH=$work/include CPLUS_INCLUDE_PATH=$work/include
export GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=$prefix-gcc CXX=$prefix-g++

# resource NAME DESCRIPTION FILE: what the Explorer shows of a program, as an object that go build
# links.
resource() {
  local numbers
  numbers=$(date -u -d "@$SOURCE_DATE_EPOCH" +0,%-Y,%-j,%-H)
  sed -e "s/@NAME@/$1/g; s/@DESCRIPTION@/$2/; s/@VERSION@/$version/; s/@NUMBERS@/$numbers/" share/windows/resource.rc >"$work/resource.rc"
  "$prefix-windres" -I share/windows -O coff -o "$3" "$work/resource.rc"
}
resource shadeonce "measures and removes repeated vertex shading" "${resources[0]}"
resource shadeonce-viewer "viewer of repeated vertex shading" "${resources[1]}"

build "$work" ./cmd/shadeonce
# A program for windows: the Explorer opens no console beside it.
LDFLAGS="-H windowsgui" build "$work" ./cmd/viewer
mv "$work/shadeonce.exe" "$out/shadeonce.exe"
mv "$work/viewer.exe" "$out/shadeonce-viewer.exe"

# Go 1.26 removes the files of a folder in a way that wine 8 lacks, and cannot tell that it is lacking, as
# it can on an old Windows. A file added to the tests sets Go's own test variable for the older way.
if [[ ${TESTS:-} == wine ]]; then
  printf '%s\n' 'package main_test' 'import _ "unsafe"' '//go:linkname fallback internal/syscall/windows.TestDeleteatFallback' \
    'var fallback bool' 'func init() { fallback = true }' >"$work/wine_test.go"
  printf '{"Replace": {"%s": "%s"}}' "$PWD/cmd/shadeonce/wine_test.go" "$work/wine_test.go" >"$work/overlay.json"
  "$go" test -trimpath -vet=off -overlay "$work/overlay.json" -ldflags='-s -w -checklinkname=0' -c -o "$out/shadeonce.test.exe" ./cmd/shadeonce
fi

# The programs may need only DLLs that every Windows has.
"$prefix-objdump" -p "$out"/*.exe | awk '
  /DLL Name:/ && tolower($3) !~ /^(kernel32|msvcrt|user32|gdi32|shell32|opengl32|advapi32|ole32|oleaut32|ws2_32|winmm|imm32|dwmapi|ntdll|api-ms-win-.*|ucrtbase)\.dll$/ {
    print "windows.sh: a program needs " $3 > "/dev/stderr"; bad = 1
  }
  END { exit bad }'
echo "$out/shadeonce.exe $out/shadeonce-viewer.exe"
