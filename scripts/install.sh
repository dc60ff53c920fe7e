#!/usr/bin/env bash
# Puts the programs and what a desktop and a shell want of them under PREFIX, or
# takes them away again: `scripts/install.sh install|uninstall`.
#
# PREFIX (/usr/local), DESTDIR (empty; before PREFIX, for packages) and BIN (bin,
# where the built programs are) come from the environment. The viewer is installed
# as shadeonce-viewer, since others have a viewer too. Manual pages and completion
# are written by the programs themselves.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix
bin=${BIN:-bin}
readonly programs=(shadeonce shadeonce-viewer)
# Files that are copied from share/ here to share/ there.
readonly data=(
  applications/shadeonce-viewer.desktop
  icons/hicolor/scalable/apps/shadeonce-viewer.svg
  mime/packages/shadeonce.xml
)

stop() {
  echo "install: $*" >&2
  exit 1
}

[[ $prefix == /* ]] || stop "PREFIX must begin with /: $prefix"

# Updates the desktop's caches of MIME types and programs. If DESTDIR is set, the package's
# own scripts do it.
refresh_caches() {
  [[ -z ${DESTDIR:-} ]] || return 0
  local share=$root/share
  if [[ -d $share/mime/packages ]] && command -v update-mime-database >/dev/null; then
    update-mime-database "$share/mime"
  fi
  if [[ -d $share/applications ]] && command -v update-desktop-database >/dev/null; then
    update-desktop-database -q "$share/applications"
  fi
}

# write_pages FOLDER: writes completion and manual pages into share/ of FOLDER.
write_pages() {
  local share=$1/share name
  install -d "$share"/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d,man/man1}
  ln -s "$(realpath "$bin/shadeonce")" "$1/shadeonce"
  ln -s "$(realpath "$bin/viewer")" "$1/shadeonce-viewer"
  # The pages bear the date of the source, so that they are the same wherever they are written.
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
  export SOURCE_DATE_EPOCH TZ=UTC
  for name in "${programs[@]}"; do
    "$1/$name" completion bash >"$share/bash-completion/completions/$name"
    "$1/$name" completion zsh >"$share/zsh/site-functions/_$name"
    "$1/$name" completion fish >"$share/fish/vendor_completions.d/$name.fish"
    "$1/$name" --man "$share/man/man1"
  done
}

install_all() {
  [[ -x $bin/shadeonce && -x $bin/viewer ]] || stop "no programs in $bin: run make build first"
  local scratch file
  scratch=$(mktemp -d) || stop "no temporary folder"
  trap "rm -rf '$scratch'" EXIT
  write_pages "$scratch"
  for file in "${data[@]}"; do
    install -D -m 644 "share/$file" "$scratch/share/$file"
  done
  # Copied last, since the steps above may fail.
  install -D -m 755 "$bin/shadeonce" "$root/bin/shadeonce"
  install -D -m 755 "$bin/viewer" "$root/bin/shadeonce-viewer"
  (cd "$scratch" && find share -type f -print0) | while IFS= read -r -d '' file; do
    install -D -m 644 "$scratch/$file" "$root/$file"
  done
  refresh_caches
}

uninstall_all() {
  local name file
  for name in "${programs[@]}"; do
    rm -f "$root/bin/$name" "$root/share/bash-completion/completions/$name" \
      "$root/share/zsh/site-functions/_$name" "$root/share/fish/vendor_completions.d/$name.fish"
  done
  for file in "${data[@]}"; do
    rm -f "$root/share/$file"
  done
  rm -f "$root"/share/man/man1/shadeonce{,-*}.1
  refresh_caches
}

case ${1:-} in
install) install_all ;;
uninstall) uninstall_all ;;
*)
  echo "usage: scripts/install.sh install|uninstall" >&2
  exit 2
  ;;
esac
