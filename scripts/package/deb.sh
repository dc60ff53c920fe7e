#!/usr/bin/env bash
# deb.sh BIN OUT: packs the built programs of folder BIN into two Debian packages in folder OUT:
# shadeonce, and shadeonce-viewer. They are for this system's release, whose libraries they need.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/package/common.sh

[[ $# == 2 ]] || stop "usage: deb.sh BIN OUT"
bin=$(realpath "$1") out=$(realpath -m "$2")
for tool in dpkg-deb dpkg-shlibdeps dpkg; do
  command -v "$tool" >/dev/null || stop "needs $tool (Debian, Ubuntu: dpkg-dev)"
done
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

PREFIX=/usr DESTDIR=$work/all BIN=$bin scripts/install.sh install
find "$work/all/usr/share/man" -type f -exec gzip -9n {} +
# Debian's folder for zsh completions
mkdir -p "$work/all/usr/share/zsh/vendor-completions"
mv "$work/all/usr/share/zsh/site-functions"/* "$work/all/usr/share/zsh/vendor-completions/"
rmdir "$work/all/usr/share/zsh/site-functions"

# pack NAME SECTION PROGRAM RELATIONS SUMMARY DESCRIPTION: makes the package of the tree $work/NAME.
pack() {
  local name=$1 section=$2 program=$3 relations=$4 summary=$5 description=$6 tree=$work/$1 docs
  docs=$tree/usr/share/doc/$name
  mkdir -p "$docs" "$tree/DEBIAN" "$work/debian"
  {
    cat LICENSE
    printf '\nThe program contains the modules of Go that modules.txt.gz beside this file names, with the terms of each in full.\n'
    printf 'Of these, what is under the Apache License 2.0 or offers the GNU GPL is also under\n/usr/share/common-licenses/Apache-2.0 and /usr/share/common-licenses/GPL-2.\n'
  } >"$docs/copyright"
  licences "$program" | gzip -9n >"$docs/modules.txt.gz"
  { # a changelog of Debian's form, whose only entry is this build; ours is beside it
    printf '%s (%s) unstable; urgency=low\n\n  * Built from commit %s.\n\n' "$name" "$version" "$commit"
    printf ' -- the shadeonce authors <shadeonce@users.noreply.github.com>  %s\n' "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
  } | gzip -9n >"$docs/changelog.gz"
  gzip -9nc CHANGELOG.md >"$docs/NEWS.md.gz"
  # Go programs are position-independent only if the standard library is rebuilt, too.
  mkdir -p "$tree/usr/share/lintian/overrides"
  printf '%s: hardening-no-pie\n%s: initial-upload-closes-no-bugs\n' "$name" "$name" >"$tree/usr/share/lintian/overrides/$name"
  # dpkg-shlibdeps reads a source package's control file.
  printf 'Source: shadeonce\n\nPackage: %s\nArchitecture: any\n' "$name" >"$work/debian/control"
  depends=$(cd "$work" && dpkg-shlibdeps -O "$program" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: the shadeonce authors <shadeonce@users.noreply.github.com>\n' "$name" "$version" "$(dpkg --print-architecture)"
    printf 'Installed-Size: %d\nDepends: %s\n%sSection: %s\nPriority: optional\nHomepage: https://github.com/shadeonce/shadeonce\n' \
      "$(du -sk --apparent-size --exclude=DEBIAN "$tree" | cut -f1)" "$depends" "$relations" "$section"
    printf 'Description: %s\n%s\n' "$summary" "$description"
  } >"$tree/DEBIAN/control"
  (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$tree" "$out/${name}_${version}_$(dpkg --print-architecture).deb" >/dev/null
}

# Move the viewer's files out of the common tree; the rest belongs to the command line's package.
viewer=$work/shadeonce-viewer
(cd "$work/all" && find . \( -name '*shadeonce-viewer*' -o -path '*/mime/*.xml' \) -type f) | while IFS= read -r file; do
  mkdir -p "$viewer/${file%/*}"
  mv "$work/all/$file" "$viewer/$file"
done
find "$work/all" -type d -empty -delete
mv "$work/all" "$work/shadeonce"

text=' shadeonce streams meshes and captured frames through compute shaders that
 find repeated indices within small batches, and shade each batch'"'"'s unique
 vertices once. It shows how often every vertex was shaded.'
pack shadeonce graphics "$work/shadeonce/usr/bin/shadeonce" $'Recommends: libvulkan1, mesa-vulkan-drivers | vulkan-icd\nSuggests: shadeonce-viewer, glslang-tools, renderdoc\n' \
  "measure and remove repeated vertex shading" "$text
 .
 This package has the command line. It runs on the CPU where there is no Vulkan."
pack shadeonce-viewer graphics "$viewer/usr/bin/shadeonce-viewer" $'Recommends: mesa-vulkan-drivers | vulkan-icd, zenity\nSuggests: shadeonce\n' \
  "viewer of repeated vertex shading" "$text
 .
 This package has the viewer, which shows that in a window."
printf '%s\n' "$out"/*.deb
