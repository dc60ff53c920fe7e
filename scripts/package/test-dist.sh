#!/usr/bin/env bash
# test-dist.sh [PART]...: builds parts of dist.sh (all) from the commit twice, in two folders, and compares the
# results byte for byte. Each build has its own cache. With CACHE=shared both use the user's cache, which is
# faster, but compares only linking and packing.
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
