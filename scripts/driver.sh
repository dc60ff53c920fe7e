# What swiftshader.sh and mesa25.sh share, which read this file: a Vulkan driver of
# Debian's packages is unpacked into the user's cache. Nothing is installed.
#
# Where a driver cannot be had, the script prints nothing, says why on standard error
# and succeeds: tests are skipped then. The caller sets `driver`, the name of the driver.

skip() {
  echo "$driver: skipped: $*" >&2
  exit 0
}

# provide FOLDER CHOSEN FILE...: prints the path of an ICD file, whose folder holds the
# libraries: CHOSEN where that is not empty, else icd.json of the FOLDER of the cache. Where
# that is missing, the caller's `download` leaves packages in an empty folder and FILEs, by
# name, are copied out of them. The first is the driver.
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
    # shellcheck disable=SC2064 # the folder of now
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
    # Last and at once, so that what is cut short is not taken for whole.
    printf '{"ICD": {"api_version": "1.1.0", "library_path": "%s"}, "file_format_version": "1.0.0"}\n' "$folder/$1" >icd.json
    mv icd.json "$folder/icd.json" || skip "cannot write $folder"
  fi
  missing=$(LD_LIBRARY_PATH=$folder ldd "$folder/$1" 2>/dev/null | awk '/not found/ { print $1 }' | paste -sd ' ')
  [[ -z $missing ]] || skip "libraries are missing: $missing"
  echo "$folder/icd.json"
}
