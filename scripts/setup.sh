#!/usr/bin/env bash
# Makes a bare machine ready. `scripts/setup.sh run` installs what building and running
# need, `scripts/setup.sh test` also what the tests need, `scripts/setup.sh all` also what
# `make test-all` uses if it is there, `scripts/setup.sh dist` what packing programs for
# other machines and testing the packages needs, `scripts/setup.sh web` what the page
# in web/ needs, and `scripts/setup.sh web-test` also a browser for its tests. It prints
# nothing if nothing is missing.
#
# Debian and Ubuntu: missing packages are installed through apt, given root or
# sudo. Elsewhere it looks for the programs and libraries themselves, and names the
# packages of those that are missing. SHADEONCE_SETUP=skip skips everything.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

readonly goal=${1:-}
case $goal in
run | test | all | dist | web | web-test) ;;
*)
  echo "usage: scripts/setup.sh run|test|all|dist|web|web-test" >&2
  exit 2
  ;;
esac

# What GLFW links (-lGL and the X11 libraries) and internal/renderer/gpu includes
# (vulkan/vulkan.h), a C++ compiler for the panels' library, then the Vulkan
# loader and a driver.
apt_run=(gcc g++ libc6-dev libvulkan-dev libx11-dev libxrandr-dev libxinerama-dev
  libxcursor-dev libxi-dev libxxf86vm-dev libgl-dev
  libvulkan1 mesa-vulkan-drivers)
# Validation layer, shader compiler and validator, a display without a screen, and
# keys and pointer for it.
apt_test=(vulkan-validationlayers glslang-tools spirv-tools xvfb xdotool)
# What reads RenderDoc's captures, for the tests that open some, if the captures are here.
apt_captures=(renderdoccmd)
# CGAL, which is all headers, and what builds examples/vulkan-c. Tests that need them are
# skipped where they are missing.
apt_all=(libcgal-dev cmake)
# Compilers for Windows, wine, and programs that make and check packages. The scripts that need one
# report it if it is missing.
apt_dist=(gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64 wine64 zip dpkg-dev lintian debootstrap)
# A compressor for the page, the browser for its tests, and node and npm, unless npm is installed already.
browser=
[[ $goal != web-test ]] || browser=" chromium"
apt_web=(zstd $browser)
command -v npm >/dev/null || apt_web+=(nodejs npm)

fedora_run="gcc gcc-c++ glibc-devel vulkan-headers vulkan-loader mesa-vulkan-drivers libX11-devel libXrandr-devel libXinerama-devel libXcursor-devel libXi-devel libXxf86vm-devel libglvnd-devel"
fedora_test="vulkan-validation-layers glslang spirv-tools xorg-x11-server-Xvfb xdotool"
arch_run="gcc vulkan-headers vulkan-icd-loader vulkan-swrast libx11 libxrandr libxinerama libxcursor libxi libxxf86vm libglvnd"
arch_test="vulkan-validation-layers glslang spirv-tools xorg-server-xvfb xdotool"
suse_run="gcc gcc-c++ glibc-devel vulkan-headers libvulkan1 libvulkan_lvp libX11-devel libXrandr-devel libXinerama-devel libXcursor-devel libXi-devel libXxf86vm-devel Mesa-libGL-devel"
suse_test="vulkan-validationlayers glslang-devel spirv-tools xorg-x11-server-Xvfb xdotool"

stop() {
  echo "setup: $*" >&2
  exit 1
}

# at_least A B: version A is B or newer.
at_least() { [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

check_go() {
  local go=${GO:-go} need have
  command -v "$go" >/dev/null || stop "no Go found: install it from https://go.dev/dl and put it on the PATH"
  need=$(awk '$1 == "go" { print $2; exit }' go.mod)
  # Asked from /, so that go.mod is not seen and no toolchain is fetched for the answer.
  have=$(cd / && GOTOOLCHAIN=local "$go" env GOVERSION) || stop "'$go env' does not run"
  have=${have#go}
  have=${have%% *}
  [[ $have == [0-9]* ]] || return 0 # a development build
  at_least "$have" "$need" && return 0
  at_least "$have" 1.21 ||
    stop "Go $have is too old to fetch Go $need by itself: install it from https://go.dev/dl"
  [[ $(cd / && "$go" env GOTOOLCHAIN) != local* ]] ||
    stop "Go $have is older than the $need that go.mod asks for, and GOTOOLCHAIN=local forbids to fetch it: run 'go env -w GOTOOLCHAIN=auto', or install it from https://go.dev/dl"
  echo "setup: Go $have is older than the $need that go.mod asks for: it fetches that once, by itself"
}

# missing_debs PACKAGE...: those that are not installed, one a line.
missing_debs() {
  dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk -v want="$*" '
      $2 == "installed" { have[$1] = 1 }
      END { n = split(want, p, " "); for (i = 1; i <= n; i++) if (!(p[i] in have)) print p[i] }'
}

# install_debs PACKAGE...: installs packages through apt. If that fails, it updates apt's
# lists and tries again.
install_debs() {
  local as=() log
  if [[ $(id -u) != 0 ]]; then
    if ! command -v sudo >/dev/null || { ! sudo -n true 2>/dev/null && [[ ! -t 0 ]]; }; then
      stop "missing packages, and neither root nor sudo to install them: run as root: apt-get install -y --no-install-recommends $*"
    fi
    as=(sudo)
  fi
  local apt=("${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300)
  log=$(mktemp) || stop "no temporary file"
  echo "setup: installing with apt-get: $*"
  if ! "${apt[@]}" install --no-install-recommends "$@" </dev/null >"$log" 2>&1; then
    "${apt[@]}" update </dev/null >>"$log" 2>&1
    if ! "${apt[@]}" install --no-install-recommends "$@" </dev/null >>"$log" 2>&1; then
      tail -n 20 "$log" >&2
      stop "apt-get could not install them; its whole output is in $log"
    fi
  fi
  rm -f "$log"
}

# missing_things: prints what a build, a run or the tests would not find, for systems
# without dpkg.
missing_things() {
  local cc=${CC:-cc} probe tool dir
  probe=$(mktemp) || stop "no temporary file"
  if ! command -v "$cc" >/dev/null; then
    echo "a C compiler"
  elif ! printf '%s\n' '#include <vulkan/vulkan.h>' '#include <GL/gl.h>' '#include <X11/Xcursor/Xcursor.h>' \
    '#include <X11/extensions/Xrandr.h>' '#include <X11/extensions/Xinerama.h>' '#include <X11/extensions/XInput2.h>' \
    '#include <X11/extensions/xf86vmode.h>' 'int main(void) { return 0; }' |
    "$cc" -x c - -o "$probe" -lGL -lX11 -lXrandr -lXxf86vm -lXi -lXcursor -lXinerama 2>/dev/null; then
    echo "headers and libraries of Vulkan, OpenGL and X11"
  fi
  printf '%s\n' '#include <cstdio>' 'int main() { return 0; }' | ${CXX:-c++} -x c++ - -o "$probe" 2>/dev/null || echo "a C++ compiler"
  rm -f "$probe"
  if [[ $goal == web* ]]; then
    for tool in npm zstd ${browser:+chromium}; do command -v "$tool" >/dev/null || echo "$tool"; done
    return 0
  fi
  [[ $goal != run ]] || return 0
  for tool in glslangValidator spirv-val Xvfb xdotool; do
    command -v "$tool" >/dev/null || echo "$tool"
  done
  for dir in /usr/share /usr/local/share /etc ${XDG_DATA_DIRS:+${XDG_DATA_DIRS//:/ }}; do
    [[ -e $dir/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ]] && return 0
  done
  [[ -n ${VK_LAYER_PATH:-} ]] || echo "Vulkan's validation layer"
}

print_packages() {
  local deb="${apt_run[*]}" fed=$fedora_run arch=$arch_run suse=$suse_run
  if [[ $goal == web* ]]; then
    deb+=" ${apt_web[*]}" fed+=" nodejs-npm zstd$browser" arch+=" npm zstd$browser" suse+=" npm-default zstd$browser"
  elif [[ $goal != run ]]; then
    deb+=" ${apt_test[*]}" fed+=" $fedora_test" arch+=" $arch_test" suse+=" $suse_test"
  fi
  cat >&2 <<EOF
setup: install the packages of your system, as root, then run make again:
  Debian, Ubuntu: apt-get install -y --no-install-recommends $deb
  Fedora:         dnf install -y $fed
  Arch:           pacman -S --needed $arch
  openSUSE:       zypper install -y $suse
EOF
}

[[ ${SHADEONCE_SETUP:-} != skip ]] || exit 0
check_go
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  want=("${apt_run[@]}")
  [[ $goal == run || $goal == web* ]] || want+=("${apt_test[@]}")
  mapfile -t missing < <(missing_debs "${want[@]}")
  [[ ${#missing[@]} == 0 ]] || install_debs "${missing[@]}"
  if [[ $goal == web* ]]; then
    mapfile -t missing < <(missing_debs "${apt_web[@]}")
    [[ ${#missing[@]} == 0 ]] || install_debs "${missing[@]}"
  fi
  extra=()
  [[ $goal != all ]] || extra+=("${apt_all[@]}")
  [[ $goal != dist ]] || extra+=("${apt_dist[@]}")
  [[ ($goal != test && $goal != all) || ! -d ../shared/captures ]] || extra+=("${apt_captures[@]}")
  if [[ ${#extra[@]} != 0 ]]; then
    mapfile -t missing < <(missing_debs "${extra[@]}")
    [[ ${#missing[@]} == 0 ]] || (install_debs "${missing[@]}") || true # stop leaves the subshell only
  fi
else
  missing=$(missing_things | paste -sd ';' - | sed 's/;/; /g')
  if [[ -n $missing ]]; then
    print_packages
    stop "missing: $missing"
  fi
fi
