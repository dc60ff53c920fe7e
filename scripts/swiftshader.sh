#!/usr/bin/env bash
# Fetches SwiftShader, another Vulkan driver that runs on any CPU, and
# prints the path of its ICD file. Debian ships it inside chromium-common; only its
# library is kept, in the user's cache. Ubuntu's chromium is a snap: skipped there.
# SHADEONCE_SWIFTSHADER names an ICD file to take instead.
set -uo pipefail
readonly driver=swiftshader
source "$(dirname "${BASH_SOURCE[0]}")/driver.sh"

# If apt's lists are missing or old, root updates them.
download() {
  echo "$driver: fetching Debian's package chromium-common (25 MB)" >&2
  apt-get download chromium-common >/dev/null 2>&1 && return
  [[ $(id -u) == 0 ]] && apt-get -q update </dev/null >/dev/null 2>&1 && apt-get download chromium-common >/dev/null 2>&1 ||
    skip "apt-get cannot download chromium-common"
}

provide swiftshader "${SHADEONCE_SWIFTSHADER:-}" libvk_swiftshader.so
