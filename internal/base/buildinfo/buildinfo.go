// Package buildinfo says what the running program was built from.
//
// It reads only the build's own record.
package buildinfo

import (
	"runtime/debug"
	"sync"
)

// Program says which program made a row of results; rows embed it. The JSON names are stable: programs rely on them.
type Program struct {
	Version string `json:"version"` // the module's version; (devel) for a build outside a release
	Commit  string `json:"commit"`  // ends in +changes if files differed from it; unknown if the build has no record
}

// By returns the version and commit of the running program.
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

// program converts a build's record.
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

// String returns the abbreviated commit if there is one, else the version.
func (p Program) String() string {
	const short = 12
	if p.Commit == "unknown" {
		return p.Version
	}
	return p.Commit[:min(short, len(p.Commit))]
}
