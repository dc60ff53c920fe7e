#!/usr/bin/env bash
# Runs the test binaries of `make test-device-bundle`, in whose archive this is run.sh: one
# after another, each in its package's folder and under a time limit. Prints what passed,
# failed and was skipped, with the reason, and leaves whole logs in logs/.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2
readonly here=$PWD

usage() {
  echo "usage: run.sh [-short] [-run REGEX] [-limit SECONDS] [PACKAGE...]; packages: $(paste -sd ' ' packages)" >&2
  exit 2
}

flags=(-test.v -test.timeout 0) limit=1800
while (($#)) && [[ $1 == -* ]]; do
  case $1 in
  -short) flags+=(-test.short) ;;
  -run) (($# > 1)) && flags+=(-test.run "$2") && shift || usage ;;
  -limit) (($# > 1)) && limit=$2 && shift || usage ;;
  *) usage ;;
  esac
  shift
done
(($#)) || set -- $(<packages)

# What the machine lacks is taken from the archive.
ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1 ' || export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[[ ! -e layer/VkLayer_khronos_validation.json ]] || export VK_LAYER_PATH=$here/layer
for folder in {/usr/share,/usr/local/share,/etc}/vulkan/explicit_layer.d ${VK_LAYER_PATH:-}; do
  [[ ! -e $folder/VkLayer_khronos_validation.json ]] || layer=$folder
done
if [[ -n ${layer:-} ]]; then
  echo "under the validation layer of $layer"
  export SHADEONCE_VALIDATION=1
else
  echo "WITHOUT validation: its layer is neither here nor in the archive"
  export SHADEONCE_NO_VALIDATION=1
  unset SHADEONCE_VALIDATION
fi

# Reads a log; prints a line for each test, and for each subtest that failed or was
# skipped. The last line has counts.
summary='
  /^=== (RUN|CONT|NAME) / { name = $3; if ($2 == "RUN") open[name] = 1 }
  /^ +[A-Za-z0-9_]+\.go:[0-9]+: / { reason[name] = $0; sub(/^ +/, "", reason[name]) }
  asked { sub(/^[ \t]+/, ""); error[name] = $0; asked = 0 } # of testify, the first line
  sub(/^[ \t]+Error:[ \t]+/, "") { error[name] = $0; asked = /:$/ }
  match($0, /--- (PASS|FAIL|SKIP): [^ ]+ \(/) {
    split(substr($0, RSTART), part, " ")
    test = part[3]; result = tolower(substr(part[2], 1, 4)); sub_test = test ~ /\//
    delete open[test]
    if (!sub_test) count[result]++
    else if (result == "skip") subtests++
    if (!sub_test || result != "pass") print result, package, test, result == "skip" ? "(" reason[test] ")" : part[4] (test in error ? " " error[test] : "")
  }
  END {
    how = "status " status (status == 124 ? ", at its time limit" : "")
    for (test in open) {
      print "fail", package, test, "(did not end: " how ")"
      if (test !~ /\//) count["fail"]++
    }
    if (status != 0 && !count["fail"]) {
      print "fail", package, "(" how ")"
      count["fail"] = 1
    }
    print count["pass"] + 0, count["fail"] + 0, count["skip"] + 0, subtests + 0
  }'

rm -rf logs
mkdir -p logs || exit 2
passed=0 failed=0 skipped=0 broken=
for package; do
  binary=$here/tree/$package/${package##*/}.test log=$here/logs/${package//\//-}.log
  [[ -x $binary ]] || usage
  start=$SECONDS
  (cd "tree/$package" && exec timeout -k 10 "$limit" "$binary" "${flags[@]}") >"$log" 2>&1 </dev/null
  status=$?
  lines=$(awk -v package="$package" -v status=$status "$summary" "$log")
  read -r p f s subtests <<<"${lines##*$'\n'}"
  [[ $lines != *$'\n'* ]] || echo "${lines%$'\n'*}"
  echo "$package: $p passed, $f failed, $s skipped, and $subtests subtests; $((SECONDS - start)) s"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  ((f == 0)) || broken+=" ${log#"$here"/}"
done
echo "all: $passed passed, $failed failed, $skipped skipped${broken:+; see$broken}"
((failed == 0 && passed > 0))
