#!/usr/bin/env bash
# stress.sh ROUNDS PACKAGE...: runs the tests again and again, shuffled, beside busy loops. Prints
# the output of packages that fail, and finally how often each test failed.
set -euo pipefail

rounds=$1
shift
# Their lengths have no common factor, so all pairs occur.
loads=(0 2 4 8) processors=(1 2 1,2)
folder=$(mktemp -d)
burning=()
stop() { [[ ${#burning[@]} -eq 0 ]] || kill "${burning[@]}" 2>/dev/null || true; burning=(); }
trap 'stop; rm -rf "$folder"' EXIT

for ((round = 0; round < rounds; round++)); do
  load=${loads[round % ${#loads[@]}]} cpu=${processors[round % ${#processors[@]}]}
  for ((i = 0; i < load; i++)); do
    while :; do :; done &
    burning+=($!)
  done
  TIMEFORMAT="round $((round + 1)) of $rounds: $load busy loops, -cpu $cpu: %R s, %U s of processor time and %S s in the kernel"
  time "${GO:-go}" test -vet=off -ldflags='-s -w' -timeout 60m -p 2 -count=1 -short -shuffle=on -cpu "$cpu" "$@" >"$folder/output" 2>&1 || true
  stop
  grep -v -E '^(ok|\?)\s' "$folder/output" || true
  # A failed package ends with a line of FAIL and its name, after those of its failed tests.
  awk '
    /^--- FAIL: / { tests[++n] = $3 }
    /^FAIL\t/ { for (i = 1; i <= n; i++) print $2, tests[i]; if (!n) print $2, "(ended without the name of a test)"; n = 0 }
  ' "$folder/output" >>"$folder/failures"
done
sort "$folder/failures" | uniq -c | sort -rn
[[ ! -s $folder/failures ]]
