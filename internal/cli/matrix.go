package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// pair is a row of the command line's matrix: each of `flags` excludes all of `others`, or needs one of them. A
// flag stands for any given value except an empty one, false and 0. "flag=a|b" stands for the values a and b. As
// a value, FILE stands for any name but that of a vertex shader, and PREFIX: for any value with that prefix.
type pair struct {
	flags, others string // separated by spaces
	why           string
	needs         bool
	of            string // the names of the commands; empty for all commands with these flags
}

// matrix says which flags exclude or need one another, except for flags that ask for modes of a frame,
// which are in plan.Matrix.
var matrix = []pair{
	{"plan", "repeat", "draws nothing", false, ""},
	{"json csv", "repeat", "prints timings", true, ""},
	{"repeat", "samples=4|9|16", "times pictures of one sample per pixel", false, ""},
	{"raster=soft", "backend=gpu device validation", "runs on the CPU", false, "render bench"},
	{"backend=cpu", "raster=hardware|compute|fused|mesh", plan.OnlySoft, false, ""},
	{"backend=cpu", "device validation", "runs without Vulkan", false, ""},
	{"strategy=hardware", "lanes batch batching unique workgroup table probes subgroups queue queue-budget load", "has no strategy", false, "render"},
	{"strategy=hardware", "cull", "culls nothing beforehand", false, "render"},
	{"batching=static", "unique", "cuts batches by indices", false, ""},
	{"vertex-shader", "load", "says what a vertex costs", false, "render shadeonce-viewer"},
	{"vertex-shader=FILE|captured", "backend=cpu", "is timed on a GPU", false, "bench"},
	{"view=varying:", "vertex-shader=FILE|captured", "shows an output of a vertex shader", true, ""},
	{"entry uniforms print-uniforms language define include loop-limit strict", "vertex-shader=FILE", "", true, ""},
	{"range", "view=varying:", "maps an output of the vertex shader", true, "render"},
	{"transparent", "background", "leaves the background out", false, "render"},
	{"isolate", "hide", "shows only some draws", false, ""},
	{"json", "csv", "", false, ""},
	{"calibrate", "json", "", false, ""},
	{"device", "calibrate", "", true, "devices"},
	{"benchstat", "frame", "prints the geometry pass", false, ""},
	{"raster=auto|hardware|compute|fused|soft hardware-share", "frame", "is for whole frames", true, "bench"},
	{"size camera", "frame cull", "is for whole frames and for culling", true, "bench"},
	{"sort", "per-draw", "sorts draws", true, ""},
	{"passes print-uniforms", "per-draw max-ideal fail-below fail-above", "counts nothing", false, ""},
	{"passes", "strategy order model", "counts nothing", false, ""},
	{"print-uniforms", "passes output json csv", "prints only YAML", false, ""},
	{"paper", "lanes batch batching unique workgroup table", "sets the batches", false, ""},
	{"strategy=auto", "batch unique", "picks the batches", false, "shadeonce-viewer"},
	{"before", "compare", "", false, ""},
	{"turntable", "frames", "saves a whole turn", false, "shadeonce-viewer"},
	{"deterministic", "backend=gpu device validation runs time-budget", "takes no times, and no device", false, "report"},
}

// CheckFlags returns an error if given flags exclude one another, or need a flag that is not given.
func CheckFlags(flags *pflag.FlagSet) error {
	for _, name := range []string{"define", "include"} {
		if f := flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return Usagef("--%s is given nothing", name)
		}
	}
	for _, p := range matrix {
		var all []string
		given := ""
		for _, other := range p.in(flags) {
			all = append(all, strings.ReplaceAll(words(other), "|", " or "))
			given = cmp.Or(given, asked(flags, other))
		}
		for _, flag := range strings.Fields(p.flags) {
			text := asked(flags, flag)
			if text == "" || len(all) == 0 || p.needs == (given != "") {
				continue
			}
			if p.why != "" {
				text += " " + p.why + ": it"
			}
			if p.needs {
				return Usagef("%s needs %s", text, strings.Join(all, " or "))
			}
			return Usagef("%s excludes %s", text, given)
		}
	}
	return nil
}

// in returns those of the row's `others` that a command has; nil if the row does not apply to the
// command.
func (p *pair) in(flags *pflag.FlagSet) (others []string) {
	if p.of != "" && !slices.Contains(strings.Fields(p.of), flags.Name()) {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(p.others), func(other string) bool {
		name, _, _ := strings.Cut(other, "=")
		return flags.Lookup(name) == nil
	})
}

// words returns NAME=VALUE as users write it: --NAME VALUE, with NAME behind a prefix.
func words(term string) string {
	return "--" + strings.NewReplacer("=", " ", ":", ":NAME").Replace(term)
}

// asked returns the flag that `term` names, as users write it, if it was given with one of term's values; otherwise
// "". `term` is NAME or NAME=VALUE|VALUE: see pair.
func asked(flags *pflag.FlagSet, term string) string {
	name, values, valued := strings.Cut(term, "=")
	f := flags.Lookup(name)
	if f == nil {
		return ""
	}
	have := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		have = list.GetSlice()
	}
	off := map[string]string{"bool": "false", "int": "0"}[f.Value.Type()]
	if !valued && f.Changed && strings.Join(have, ",") != off {
		return "--" + name
	}
	for _, value := range have {
		if valued && slices.ContainsFunc(strings.Split(values, "|"), func(want string) bool {
			return value == want || want == "FILE" && value != "" && !slices.Contains(shaderNames(), value) || strings.HasSuffix(want, ":") && strings.HasPrefix(value, want)
		}) {
			return "--" + name + " " + value
		}
	}
	return ""
}

// ExplainFlags adds to each flag's help which flags it excludes and needs.
func ExplainFlags(flags *pflag.FlagSet) {
	type clause struct {
		verb   string
		others []string
	}
	says := map[string][]clause{} // by flag
	say := func(name, value, verb, other, flag string) {
		verb = strings.TrimPrefix(value+" "+verb, " ")
		for i, c := range says[name] {
			switch {
			case strings.HasSuffix(verb, c.verb) && slices.Contains(c.others, flag):
				return // the help already says this for all values
			case verb == c.verb:
				says[name][i].others = append(c.others, other)
				return
			}
		}
		says[name] = append(says[name], clause{verb, []string{other}})
	}
	for _, p := range matrix {
		others := p.in(flags)
		for _, flag := range strings.Fields(p.flags) {
			name, value, _ := strings.Cut(flag, "=")
			for i, other := range others {
				of, its, _ := strings.Cut(other, "=")
				switch {
				case flags.Lookup(name) == nil:
				case !p.needs:
					say(name, value, "excludes", words(other), words(other))
					say(of, its, "excludes", words(flag), words(flag))
				case i == 0:
					say(name, value, "needs", words(strings.Join(others, " or --")), "")
				}
			}
		}
	}
	for _, x := range plan.Matrix {
		name, value, flag := modeFlag(flags, x.Mode)
		otherName, otherValue, other := modeFlag(flags, x.Other)
		if x.Why == "" || name == "" {
			continue
		}
		if needed, needs := strings.CutPrefix(x.Why, "needs "); needs {
			say(name, "", "needs", needed, "")
		} else if other != "" {
			say(name, value, "excludes", other, "--"+otherName)
		}
		say(otherName, otherValue, "excludes", flag, flag)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		for _, c := range says[f.Name] {
			var lines []string
			for some := range slices.Chunk(c.others, 8) {
				lines = append(lines, strings.Join(some, ", "))
			}
			f.Usage += ";\n" + c.verb + " " + strings.Join(lines, ",\n    ")
		}
	})
}

// modeFlag returns the flag that asks for a mode, its value, and both as a text for messages; "" if the command has
// no such flag.
func modeFlag(flags *pflag.FlagSet, m *plan.Mode) (name, value, text string) {
	name, value, _ = strings.Cut(strings.TrimPrefix(m.Flag, "--"), " ")
	switch f := flags.Lookup(name); {
	case f == nil:
		return "", "", ""
	case strings.HasPrefix(value, "{"): // one of several values
		return name, m.Name, m.Name + " (--" + name + ")"
	case strings.Contains(f.Usage, value):
		return name, value, m.Flag
	}
	return "", "", ""
}
