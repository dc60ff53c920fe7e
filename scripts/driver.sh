# Sourced by swiftshader.sh and mesa25.sh: unpacks a Vulkan driver from Debian's packages into
# the user's cache. Nothing is installed.
#
# If a driver is not available, the script prints nothing, says why on standard error and
# succeeds, so that tests are skipped. The caller sets `driver`, the name of the driver.

skip() {
  echo "$driver: skipped: $*" >&2
  exit 0
}

# provide FOLDER CHOSEN FILE...: prints the path of an ICD file: CHOSEN, or if that is empty,
# icd.json of FOLDER in the cache, beside the libraries. If icd.json is missing, provide calls
# the caller's `download` in an empty folder, copies the FILEs out of the downloaded packages,
# and writes it. The first FILE is the driver.
provide() {
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/shadeonce/$1 chosen=$2 work package missing
  shift 2
  if [[ -n $chosen ]]; then
    [[ -e $chosen ]] || skip "no file $chosen"
    realpath "$chosen"
    exit
  fi
  if [[ ! -e $folder/icd.json ]]; then
    [[ ${SHADEONCE_SETUP:-} != skip ]] || skip "SHADEONCE_SETUP=skip, and it is not in $folder"
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || skip "it is taken from Debian's packages, and there is no apt-get"
    work=$(mktemp -d) || skip "no temporary folder"
    # shellcheck disable=SC2064 # $work must be expanded now
    trap "rm -rf '$work'" EXIT
    cd "$work" || skip "no temporary folder"
    download
    for package in ./*.deb; do
      dpkg-deb -x "$package" unpacked || skip "dpkg-deb cannot unpack $package"
    done
    mkdir -p "$folder" || skip "cannot write $folder"
    for package; do
      find unpacked -name "$package" -exec cp -L {} "$folder/" \; -quit
      [[ -e $folder/$package ]] || skip "the packages hold no $package here, or $folder cannot be written"
    done
    # icd.json is moved into place last, so that an interrupted download does not count as complete.
    printf '{"ICD": {"api_version": "1.1.0", "library_path": "%s"}, "file_format_version": "1.0.0"}\n' "$folder/$1" >icd.json
    mv icd.json "$folder/icd.json" || skip "cannot write $folder"
  fi
  missing=$(LD_LIBRARY_PATH=$folder ldd "$folder/$1" 2>/dev/null | awk '/not found/ { print $1 }' | paste -sd ' ')
  [[ -z $missing ]] || skip "libraries are missing: $missing"
  echo "$folder/icd.json"
}
