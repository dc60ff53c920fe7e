#!/usr/bin/env bash
# testcost.sh [go test flags and packages]: runs tests and prints their processor time (user plus system, with
# children) by package and for the twenty dearest tests. It depends less than wall time on what else runs.
#
# go test starts this script in place of each test binary. Tests of a package run one at a time, so
# that the time from the end of one test to the end of the next belongs to the next.
set -euo pipefail

# seconds prints the processor time of this shell's ended children, which `times` has written to a file.
seconds() { awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%.2f\n", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$1"; }

if [[ ${1:-} == --binary ]]; then
  shift
  exec 3< <(exec "$@" -test.v -test.parallel=1)
  pid=$! package=$(realpath --relative-to="$TESTCOST_ROOT" .) last=0
  while IFS= read -r line <&3; do
    printf '%s\n' "$line"
    # utime, stime, cutime and cstime in hundredths of a second
    if [[ $line =~ ^---\ (PASS|FAIL|SKIP):\ ([^ ]+) ]] && read -ra stat 2>/dev/null <"/proc/$pid/stat"; then
      now=$((stat[13] + stat[14] + stat[15] + stat[16]))
      echo "$((now - last)) $package ${BASH_REMATCH[2]}" >>"$TESTCOST_FOLDER/tests"
      last=$now
    fi
  done
  status=0
  wait "$pid" || status=$?
  times >"$TESTCOST_FOLDER/times.$$"
  echo "$(seconds "$TESTCOST_FOLDER/times.$$") $package" >>"$TESTCOST_FOLDER/packages"
  exit "$status"
fi

export TESTCOST_ROOT=$PWD TESTCOST_FOLDER
TESTCOST_FOLDER=$(mktemp -d)
trap 'rm -rf "$TESTCOST_FOLDER"' EXIT
status=0
"${GO:-go}" test -count=1 -exec "$(realpath "$0") --binary" "$@" || status=$?
times >"$TESTCOST_FOLDER/times"
printf '\nprocessor time, s   package\n'
sort -rn "$TESTCOST_FOLDER/packages" | awk -v all="$(seconds "$TESTCOST_FOLDER/times")" '
  { sum += $1; if ($1 < 1) small += $1; else printf "%17.1f   %s\n", $1, $2 }
  END {
    printf "%17.1f   packages below 1 s\n%17.1f   compiling and linking\n%17.1f   in all\n", small, all - sum, all
  }'
printf '\nprocessor time, s   test\n'
sort -rn "$TESTCOST_FOLDER/tests" | awk 'NR <= 20 { printf "%17.1f   %s %s\n", $1 / 100, $2, $3 }'
exit "$status"
