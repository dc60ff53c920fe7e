#!/usr/bin/env bash
# stress.sh ROUNDS PACKAGE...: runs the tests again and again, shuffled, beside busy loops. Prints
# the output of packages that fail, and finally how often each test failed. With BESIDE=n that many
# rounds run at the same time, so each is disturbed by the others, and tests meet themselves.
set -euo pipefail

rounds=$1 beside=${BESIDE:-1}
shift
# Their lengths have no common factor, so all pairs occur.
loads=(0 2 4 8) processors=(1 2 1,2)
folder=$(mktemp -d)
burning=()
stop() { [[ ${#burning[@]} -eq 0 ]] || kill "${burning[@]}" 2>/dev/null || true; burning=(); }
trap 'stop; rm -rf "$folder"' EXIT

# test_once NUMBER LOAD PACKAGE...
test_once() {
  local cpu=${processors[($1 - 1) % ${#processors[@]}]} output=$folder/output.$1
  TIMEFORMAT="round $1 of $rounds: $2 busy loops, $beside at a time, -cpu $cpu: %R s, %U s of processor time and %S s in the kernel"
  time "${GO:-go}" test -vet=off -ldflags='-s -w' -timeout 90m -p 2 -count=1 -short -shuffle=on -cpu "$cpu" "${@:3}" >"$output" 2>&1 || true
  grep -v -E '^(ok|\?)\s' "$output" || true
  # A failed package ends with a line of FAIL and its name, after those of its failed tests.
  awk '
    /^--- FAIL: / { tests[++n] = $3 }
    /^FAIL\t/ { for (i = 1; i <= n; i++) print $2, tests[i]; if (!n) print $2, "(ended without the name of a test)"; n = 0 }
  ' "$output" >>"$folder/failures"
}

for ((group = 0; group * beside < rounds; group++)); do
  load=${loads[group % ${#loads[@]}]} running=()
  for ((i = 0; i < load; i++)); do
    while :; do :; done &
    burning+=($!)
  done
  for ((round = group * beside + 1; round <= rounds && round <= (group + 1) * beside; round++)); do
    test_once "$round" "$load" "$@" &
    running+=($!)
  done
  wait "${running[@]}"
  stop
done
sort "$folder/failures" | uniq -c | sort -rn
[[ ! -s $folder/failures ]]
