# Sourced by the scripts of this folder: the version, the date and the licences of packages. The
# same commit gives the same bytes everywhere.

go=${GO:-go}

stop() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# The date of the commit, or without git, of the changelog.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
buildvcs=${BUILDVCS:-$(git status --porcelain >/dev/null 2>&1 && echo auto || echo false)} # as in the Makefile
commit=$(git rev-parse --short=10 HEAD 2>/dev/null || echo unknown)
# There are no releases yet: versions order by date.
version=${VERSION:-0~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d.%H%M%S).$commit}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C

# build OUT COMMAND...: builds programs into folder OUT, without paths of this machine, debug
# information or the time. The environment names the system and the compilers.
build() {
  local out=$1
  shift
  GOFLAGS="-trimpath -buildvcs=$buildvcs" "$go" build -ldflags="-s -w ${LDFLAGS:-}" -o "$out/" "$@"
}

# licences PROGRAM...: our licence and those of the modules in the programs. Modules of C and C++
# keep those of their parts in other files, and those in subfolders.
licences() {
  local name folder file
  cat LICENSE
  "$go" version -m "$@" | awk '$1 == "dep" { print $2 "@" $3 }' | sort -u | while read -r name; do
    folder=$("$go" list -m -f '{{.Dir}}' "${name%@*}" </dev/null)
    find "$folder" -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -path '*/_licenses/*' \) ! -name '*.go' |
      sort | while IFS= read -r file; do
      printf '\n\n==== %s: %s\n\n' "$name" "${file#"$folder"/}"
      cat "$file"
    done
  done
  printf '\n\n==== the Go standard library\n\n'
  cat "$("$go" env GOROOT)/LICENSE"
}

# sbom PROGRAM: a list of the modules in a program, by its own record, as SPDX 2.3.
sbom() {
  "$go" version -m "$1" | awk -v name="${1##*/}" -v version="$version" -v commit="$commit" -v made="$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)" '
    function package(module, version, comment) {
      n++
      printf "\nPackageName: %s\nSPDXID: SPDXRef-%d\nPackageVersion: %s\nPackageDownloadLocation: NOASSERTION\nFilesAnalyzed: false\n", module, n, version
      printf "ExternalRef: PACKAGE-MANAGER purl pkg:golang/%s@%s\n", module, version
      if (comment) printf "PackageComment: <text>go.sum %s</text>\n", comment
      print n == 1 ? "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-1" : "Relationship: SPDXRef-1 DEPENDS_ON SPDXRef-" n
    }
    NR == 1 {
      toolchain = $2
      printf "SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\nDocumentName: %s\n", name
      printf "DocumentNamespace: https://github.com/shadeonce/shadeonce/sbom/%s/%s\nCreator: Tool: go version -m\nCreated: %s\n", name, commit, made
    }
    $1 == "mod" { package($2, version) ; package("stdlib", substr(toolchain, 3)) }
    $1 == "dep" { package($2, $3, $4) }'
}
