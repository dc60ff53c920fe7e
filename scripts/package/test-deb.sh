#!/usr/bin/env bash
# test-deb.sh FOLDER: lets lintian judge the packages of FOLDER, installs them into a fresh Debian of
# debootstrap's, and runs the README's tour there as a user who is not root.
#
# Where that cannot be made, it says why and skips: nothing is installed on this machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

skip() {
  echo "test-deb: skipped: $*" >&2
  exit 0
}

packages=("$1"/*.deb)
[[ -e ${packages[0]} ]] || skip "no packages in $1: run make deb"
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning --tag-display-limit 0 "${packages[@]}"
else
  echo "test-deb: lintian is not installed: the packages are not judged" >&2
fi
[[ $(id -u) == 0 ]] || skip "debootstrap needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
base=${XDG_CACHE_HOME:-$HOME/.cache}/shadeonce/debootstrap-$suite.tar
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
if [[ -e $base ]]; then
  tar -C "$root" -xf "$base"
else
  debootstrap --variant=minbase "$suite" "$root" >"$root.log" 2>&1 || skip "debootstrap fails: $(tail -n 1 "$root.log"); see $root.log"
  rm -f "$root.log"
  mkdir -p "${base%/*}"
  tar -C "$root" -cf "$base.$$" . && mv "$base.$$" "$base"
fi
chmod 755 "$root" # only root can read mktemp's folder, and it becomes the / of the user tourist
chroot "$root" true || skip "chroot cannot enter a folder here"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
[[ ! -d /etc/apt ]] || cp -r /etc/apt/. "$root/etc/apt/" # proxies and mirrors of this machine
for certificates in /etc/ssl/certs /usr/local/share/ca-certificates; do
  [[ ! -d $certificates ]] || { mkdir -p "$root$certificates" && cp -rL "$certificates/." "$root$certificates/" 2>/dev/null || true; }
done
mount -t proc proc "$root/proc" 2>/dev/null || true
cp "${packages[@]}" "$root/tmp/"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/tmp "$@"; }
inside apt-get -q update >"$root/tmp/log" 2>&1 || skip "apt cannot reach its mirrors from the fresh system: $(tail -n 1 "$root/tmp/log")"
# Recommended packages are Vulkan's loader and Mesa's drivers; the tour runs with and without.
inside sh -c 'apt-get install -y -q --no-install-recommends /tmp/*.deb' >"$root/tmp/log" 2>&1 || { tail -n 20 "$root/tmp/log" >&2; exit 1; }
inside useradd -m tourist
tour() { inside su -l tourist -c "set -e; $1"; }
tour 'shadeonce analyze asset:sphere6 --strategy naive-index,warp,claim --backend cpu'
tour 'shadeonce render asset:knot --size 128x128 --backend cpu -o heatmap.png && test -s heatmap.png'
tour 'shadeonce convert asset:knot -o knot.ply && shadeonce analyze knot.ply && rm knot.ply'
tour '! shadeonce-viewer 2>error && grep -q "no display" error'
tour 'test -s /usr/share/man/man1/shadeonce-render.1.gz && test -s /usr/share/doc/shadeonce/copyright'
if inside apt-get install -y -q --no-install-recommends libvulkan1 mesa-vulkan-drivers >"$root/tmp/log" 2>&1; then
  tour 'shadeonce doctor | head -n 3; shadeonce analyze asset:sphere6 --strategy claim --backend gpu'
else
  echo "test-deb: Mesa could not be installed in the fresh system: no tour with Vulkan" >&2
fi
inside apt-get remove -y -q shadeonce shadeonce-viewer >"$root/tmp/log" 2>&1
left=$(inside find /usr -name '*shadeonce*')
[[ -z $left ]] || { echo "test-deb: removal leaves $left" >&2; exit 1; }
echo "test-deb: installed, toured and removed in a fresh $suite"
