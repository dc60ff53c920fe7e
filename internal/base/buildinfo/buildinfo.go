// Package buildinfo says what the running program was built from.
//
// It knows the build's own record, and nothing of what the program does.
package buildinfo

import (
	"runtime/debug"
	"sync"
)

// Program is the part of a row that says which program made it. The JSON names are a
// contract.
type Program struct {
	Version string `json:"version"` // of the module; (devel) for a build outside a release
	Commit  string `json:"commit"`  // with +changes where files differed from it; unknown where the build has no record
}

// By is the running program.
var By = sync.OnceValue(func() Program {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Program{"unknown", "unknown"}
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	return program(info.Main.Version, settings["vcs.revision"], settings["vcs.modified"] == "true")
})

// program completes what a build's record says.
func program(version, commit string, changed bool) Program {
	switch {
	case commit == "":
		commit = "unknown"
	case changed:
		commit += "+changes"
	}
	if version == "" {
		version = "(devel)"
	}
	return Program{version, commit}
}

// String is the commit in short where there is one, else the version.
func (p Program) String() string {
	const short = 12
	if p.Commit == "unknown" {
		return p.Version
	}
	return p.Commit[:min(short, len(p.Commit))]
}
