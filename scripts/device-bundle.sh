#!/usr/bin/env bash
# Packs the tests that need a device into one archive, for a machine that has a device but
# neither Go nor this tree: stripped test binaries in their packages' folders, the tree's
# files, which some tests read, the Vulkan loader and the validation layer of this machine,
# and run.sh, which needs bash, awk and coreutils. gzip: every machine can unpack it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly out=$PWD/bin/test-device-bundle.tar.gz name=test-device-bundle most=60000000
# Without cmd/shadeonce, whose tests expect choices that auto makes on the CPU driver. Each
# package takes 5 to 13 MB of the archive.
readonly packages=(internal/renderer/gpu apps/walk internal/renderer/present oracle internal/measure)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
to=$work/$name
mkdir -p "$to/tree" "$to/lib" "$to/layer" bin
# No test reads the results of earlier measurements, so they are left out.
git ls-files -z --cached --others --exclude-standard -- . ':!docs/results' |
  tar -c --null -T - --ignore-failed-read | tar -x -C "$to/tree"
for package in "${packages[@]}"; do
  ${GO:-go} test -c -ldflags='-s -w' -o "$to/tree/$package/${package##*/}.test" "./$package"
done
printf '%s\n' "${packages[@]}" >"$to/packages"
cp scripts/run-bundle.sh "$to/run.sh"
library() { ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }'; }
cp -L "$(library libvulkan.so.1)" "$to/lib/"
layer=$(library libVkLayer_khronos_validation.so)
for folder in {/usr/share,/usr/local/share,/etc}/vulkan/explicit_layer.d; do
  [[ -n $layer && -e $folder/VkLayer_khronos_validation.json ]] || continue
  cp -L "$layer" "$to/layer/"
  sed 's|"library_path": *"|&./|' "$folder/VkLayer_khronos_validation.json" >"$to/layer/VkLayer_khronos_validation.json"
done
tar -C "$work" -c "$name" | gzip -9 >"$out"
bytes=$(stat -c %s "$out")
((bytes <= most)) || { echo "$out has $bytes bytes, more than $most" >&2 && exit 1; }
echo "$out: $((bytes / 1000000)) MB; unpack it there and run $name/run.sh -short"
