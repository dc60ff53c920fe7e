package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listed is one package as `go list -json` describes it.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// listPackages lists all packages of the project and their dependencies.
func listPackages(t *testing.T) []listed {
	cmd := exec.Command("go", "list", "-buildvcs=false", "-deps", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = projectRoot(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "go list: %s", &stderr)
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// offences checks packages against the tables of imports_test.go. It returns a
// sentence per offence, which names the import, in the order of packages.
func offences(packages []listed) []string {
	var bad []string
	graph := map[string][]string{}
	for _, p := range packages {
		graph[p.ImportPath] = p.Imports
	}
	for _, p := range packages {
		path, ours := short(p.ImportPath)
		if !ours {
			continue
		}
		home := roomOf(path)
		if home < 0 {
			bad = append(bad, path+" is in no room of the table in internal/rules/imports_test.go")
			continue
		}
		for _, imported := range p.Imports {
			bad = append(bad, judge(path, home, imported)...)
		}
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports) {
			bad = append(bad, judgeTest(path, home, imported)...)
		}
		for _, b := range bans {
			if b.room != path {
				continue
			}
			if chain := reach(graph, p.ImportPath, b.path); chain != nil {
				bad = append(bad, fmt.Sprintf("%s must never reach %s: %s", path, b.path, strings.Join(chain, " -> ")))
			}
		}
	}
	return bad
}

// judge returns what is wrong with one import of package path in room home; nil if nothing is.
func judge(path string, home int, imported string) []string {
	if target, ours := short(imported); ours {
		if allowed(home, roomOf(target)) {
			return nil
		}
		return []string{fmt.Sprintf("%s imports %s: it may import %s", path, target, privileges(home))}
	}
	for _, r := range reservations {
		if !under(imported, r.path) || slices.Contains(r.only, rooms[home].path) {
			continue
		}
		who := strings.Join(r.only, ", ")
		if who == "" {
			who = "tests"
		}
		return []string{fmt.Sprintf("%s imports %s: only %s may", path, imported, who)}
	}
	return nil
}

// judgeTest is judge for an import of the package's tests, which may reach every room.
func judgeTest(path string, home int, imported string) []string {
	if _, ours := short(imported); ours {
		return nil
	}
	for _, r := range reservations {
		if r.freeTests && under(imported, r.path) {
			return nil
		}
	}
	return judge(path+" (tests)", home, imported)
}

// allowed reports whether code of room home may import room target.
func allowed(home, target int) bool {
	switch {
	case target < 0:
		return false
	case target == home:
		return true
	case slices.Contains(rooms[home].may, everything):
		// Two commands do not import each other, in either direction.
		return target < home && !strings.HasPrefix(rooms[target].path, "cmd/")
	}
	return slices.Contains(rooms[home].may, rooms[target].path)
}

func privileges(home int) string {
	may := rooms[home].may
	switch {
	case len(may) == 0:
		return "none of ours"
	case slices.Contains(may, everything):
		return "what stands above it in the table"
	}
	return strings.Join(may, ", ")
}

// reach returns the shortest chain of imports from a package to one at or below path, or nil.
func reach(graph map[string][]string, from, path string) []string {
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if under(at, path) {
			var chain []string
			for ; at != ""; at = before[at] {
				name, _ := short(at)
				chain = append(chain, name)
			}
			slices.Reverse(chain)
			return chain
		}
		for _, next := range graph[at] {
			if _, seen := before[next]; !seen {
				before[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// short returns an import path without the module's own, and whether it is ours.
func short(importPath string) (string, bool) {
	if !under(importPath, module) {
		return importPath, false
	}
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"), true
}

// roomOf returns the index in the table of the room of package path, or -1.
func roomOf(path string) int {
	return slices.IndexFunc(rooms, func(r room) bool {
		return path == r.path || under(path, r.path+"/internal")
	})
}

// under reports whether path is at or below base.
func under(path, base string) bool {
	return path == base || strings.HasPrefix(path, base+"/")
}
