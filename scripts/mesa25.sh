#!/usr/bin/env bash
# Fetches the CPU driver of Mesa 25, which has mesh shaders, and prints the path of its ICD
# file. Programs need the file's folder on LD_LIBRARY_PATH, for its libdrm. The packages are
# those of Debian 12's backports, with a list of sources of its own: the system's stays as
# it is. Other systems: SHADEONCE_MESA25 names an ICD file to take instead.
set -uo pipefail
readonly driver=mesa25 mesa=25.0.7-2~bpo12+1 drm=2.4.123-1~bpo12+1
source "$(dirname "${BASH_SOURCE[0]}")/driver.sh"

download() {
  local mirror has
  # The mirror of the system's own sources.
  mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI) $(LABEL)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "bookworm" && $2 == "main" && ($4 == "Debian" && NF == 4 || $3 ~ /\/debian\/?$/) { print $3; exit }')
  [[ -n $mirror ]] || skip "it is taken from Debian 12's backports, and Debian 12 is not among apt's sources"
  echo "$driver: fetching Debian's packages mesa-vulkan-drivers, libdrm2 and libdrm-amdgpu1 of bookworm-backports (12 MB)" >&2
  echo "deb $mirror bookworm-backports main" >sources.list
  mkdir -p lists/partial cache/archives/partial
  # For apt-get and apt-cache. Sandbox: root's temporary folder is closed to apt's own user.
  cat >apt.conf <<EOF
Dir::Etc::SourceList "$PWD/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$PWD/lists";
Dir::Cache "$PWD/cache";
Acquire::Languages "none";
Acquire::http::Timeout "30";
APT::Sandbox::User "root";
EOF
  export APT_CONFIG=$PWD/apt.conf
  apt-get -q update </dev/null >log 2>&1 && [[ $(apt-cache madison mesa-vulkan-drivers) ]] || skip "apt-get cannot read the list of $mirror bookworm-backports"
  has=$(apt-cache madison mesa-vulkan-drivers | awk '$3 == "'"$mesa"'"')
  [[ -n $has ]] || skip "bookworm-backports has another version than $mesa of mesa-vulkan-drivers now: $(apt-cache madison mesa-vulkan-drivers | awk '{ print $3 }' | paste -sd ' ')"
  apt-get -q download "mesa-vulkan-drivers=$mesa" "libdrm2=$drm" "libdrm-amdgpu1=$drm" </dev/null >log 2>&1 ||
    skip "apt-get cannot download them: $(grep -m 1 '^E:' log)"
}

provide "mesa-$mesa" "${SHADEONCE_MESA25:-}" libvulkan_lvp.so libdrm.so.2 libdrm_amdgpu.so.1
