#!/usr/bin/env bash
# test-dist.sh [PART]...: builds parts of dist.sh (all) from the commit twice, in two folders, and compares the
# results byte for byte. Each build has a cache of its own; CACHE=shared takes the user's for both, which is
# quicker and compares linking and packing alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
folders=(one another/one)
for folder in "${folders[@]}"; do
  git clone -q --shared . "$work/$folder/tree"
done
for folder in "${folders[@]}"; do
  [[ ${CACHE:-} == shared ]] || export GOCACHE=$work/$folder/cache
  "$work/$folder/tree/scripts/package/dist.sh" "$work/$folder/out" "$@" >/dev/null
done
diff -r "$work/one/out" "$work/another/one/out"
echo "test-dist: the same bytes from two folders:"
cat "$work/one/out/SHA256SUMS"
