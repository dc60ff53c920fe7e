#!/usr/bin/env bash
# dist.sh OUT: everything that can be handed on, built from the commit into folder OUT: static programs
# for four systems, the programs with Vulkan for this Linux and for Windows, Debian packages, their
# checksums and lists of modules. `dist.sh OUT PART...` makes only those parts; TARGETS are the systems of static.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/package/common.sh

[[ $# -ge 1 ]] || stop "usage: dist.sh OUT [static|linux|windows|deb]..."
mkdir -p "$1"
out=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# pack NAME KIND PROGRAM...: packs programs, documents, licences and the list of modules, in a folder
# NAME, as KIND: tar.gz or zip.
pack() {
  local name=$1 kind=$2 program to=$work/pack/$1
  shift 2
  rm -rf "$work/pack"
  mkdir -p "$to"
  cp "$@" "$to/"
  cp -r README.md CHANGELOG.md docs "$to/"
  rm -rf "$to/docs/results"
  licences "$@" >"$to/LICENSES.txt"
  for program; do
    sbom "$program" >"$to/${program##*/}.spdx"
    cp "$to/${program##*/}.spdx" "$out/$name-${program##*/}.spdx"
  done
  find "$to" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  rm -f "$out/$name.$kind"
  if [[ $kind == zip ]]; then
    (cd "$work/pack" && find . -type f | sort | zip -q -X -@ "$out/$name.zip")
  else
    tar -C "$work/pack" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
  fi
}

make_static() {
  local os arch kind
  for target in ${TARGETS:-linux/amd64 linux/arm64 windows/amd64 darwin/arm64}; do
    os=${target%/*} arch=${target#*/} kind=tar.gz
    [[ $os != windows ]] || kind=zip
    CGO_ENABLED=0 GOOS=$os GOARCH=$arch build "$work/$os-$arch" ./cmd/shadeonce
    pack "shadeonce-$version-$os-$arch-cpu" "$kind" "$work/$os-$arch"/*
  done
}

linux_programs() { # once for archive and packages
  [[ -d $work/linux ]] || CGO_ENABLED=1 build "$work/linux" ./cmd/shadeonce ./cmd/viewer
}

make_linux() {
  linux_programs
  mkdir -p "$work/named"
  cp "$work/linux/shadeonce" "$work/named/"
  cp "$work/linux/viewer" "$work/named/shadeonce-viewer"
  pack "shadeonce-$version-linux-$("$go" env GOARCH)" tar.gz "$work/named"/*
}

make_deb() {
  linux_programs
  scripts/package/deb.sh "$work/linux" "$out"
}

make_windows() {
  scripts/package/windows.sh "$work/windows"
  pack "shadeonce-$version-windows-amd64" zip "$work/windows"/*.exe
}

[[ $# -gt 0 ]] || set -- static linux windows deb
for part; do
  "make_$part"
done
(cd "$out" && rm -f SHA256SUMS && find . -type f -printf '%P\n' | sort | xargs -d '\n' sha256sum >"$work/sums" && mv "$work/sums" SHA256SUMS)
cat "$out/SHA256SUMS"
