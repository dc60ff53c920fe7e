#!/usr/bin/env bash
# Fetches SwiftShader, a Vulkan driver of other people's that runs on any CPU, and
# prints the path of its ICD file. Debian ships it inside chromium-common; only the
# two files of it are kept, in the user's cache, and nothing is installed.
#
# Where it cannot be had (no apt, no network, Ubuntu, whose chromium is a snap) it
# prints nothing, says why on standard error and succeeds: tests are skipped then.
# SHADEONCE_SWIFTSHADER names an ICD file to take instead.
set -uo pipefail

readonly folder=${XDG_CACHE_HOME:-$HOME/.cache}/shadeonce/swiftshader
readonly icd=$folder/vk_swiftshader_icd.json

skip() {
  echo "swiftshader: skipped: $*" >&2
  exit 0
}

# fetch downloads the package; where apt's lists are absent or old, root updates them.
fetch() {
  apt-get download chromium-common >/dev/null 2>&1 && return 0
  [[ $(id -u) == 0 ]] || return 1
  apt-get -q update </dev/null >/dev/null 2>&1 && apt-get download chromium-common >/dev/null 2>&1
}

if [[ -n ${SHADEONCE_SWIFTSHADER:-} ]]; then
  [[ -e $SHADEONCE_SWIFTSHADER ]] || skip "no file $SHADEONCE_SWIFTSHADER"
  echo "$SHADEONCE_SWIFTSHADER"
  exit
fi
if [[ ! -e $icd ]]; then
  [[ ${SHADEONCE_SETUP:-} != skip ]] || skip "SHADEONCE_SETUP=skip, and it is not in $folder"
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || skip "it is taken from Debian's package chromium-common, and there is no apt-get"
  work=$(mktemp -d) || skip "no temporary folder"
  trap 'rm -rf "$work"' EXIT
  cd "$work" || skip "no temporary folder"
  echo "swiftshader: fetching Debian's package chromium-common (25 MB)" >&2
  fetch || skip "apt-get cannot download chromium-common"
  dpkg-deb -x ./*.deb unpacked || skip "dpkg-deb cannot unpack chromium-common"
  found=$(find unpacked -name vk_swiftshader_icd.json -printf '%h\n' -quit)
  [[ -n $found ]] || skip "chromium-common holds no SwiftShader here"
  mkdir -p "$folder" || skip "cannot write $folder"
  cp "$found/libvk_swiftshader.so" "$found/vk_swiftshader_icd.json" "$folder" || skip "cannot write $folder"
fi
if ldd "$folder/libvk_swiftshader.so" 2>/dev/null | grep -q 'not found'; then
  skip "libraries are missing: $(ldd "$folder/libvk_swiftshader.so" | awk '/not found/ { print $1 }' | paste -sd ' ')"
fi
echo "$icd"
