package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
)

// Setting is a row of the table of settings: a value or an action. Flags, keys, help, panels, undo,
// the stamp of pictures and the remembered settings are all derived from the table.
type Setting struct {
	Name string // of its control in the panels; empty if it has no control, or one that the panels make without the table
	Tip  string // the control's tooltip

	Key    string // as people call it: "S", "Ctrl+F12", "Left, PageUp"; empty for none
	Back   bool   // Shift with the key steps backwards
	Each   bool   // each key of the list has its own effect: `do` gets the key's place in the list, from 1
	Effect string // the key's help; empty means "next NAME"

	Flag   string // empty for none
	Usage  string // the flag's help; empty if internal/cli adds the flag
	Kept   Kept
	Values []string // the choices, in the order in which keys step through them; nil for a setting without choices
	Most   int      // whole numbers are limited to Least..Most
	Least  int
	Slider *Slider // bounds of the slider that sets a number; nil if there is none

	value value
	omit  func(*State) bool      // reports whether Flags omits the setting; nil means never
	do    func(s *State, by int) // what the key does; nil steps through the values
	shows func(*State) string    // the value in help; nil shows the setting's
}

// Slider bounds a control for a number.
type Slider struct {
	Least, Most float32
	Format      string
	Logarithmic bool
}

// Kept says where a flag's value is saved. A later constant adds to the places of the earlier ones.
type Kept int

const (
	Nowhere  Kept = iota
	Pictures      // in saved pictures
	OnKeep        // also for the next start, if the user keeps the settings
	Always        // for every next start: habits, which do not depend on the scene
)

// At returns a pointer to the value that a control edits, or to a copy if the value is derived from other fields. It
// returns nil for settings that are only read and written as text.
func (k *Setting) At(s *State) any {
	if k.value.at == nil {
		return nil
	}
	return k.value.at(s)
}

// isSwitch reports whether the setting's values are off and on.
func (k *Setting) isSwitch() bool {
	_, is := k.At(&State{}).(*bool)
	return is
}

// Value returns the name of the setting's current value.
func (k *Setting) Value(s *State) string {
	text := k.value.get(s)
	switch {
	case !k.isSwitch():
		return text
	case k.Values == nil:
		return map[string]string{"false": "off", "true": "on"}[text]
	}
	return k.Values[at(text == "true")]
}

func at(second bool) int {
	if second {
		return 1
	}
	return 0
}

// Choose sets the value to Values[i].
func (k *Setting) Choose(s *State, i int) {
	text := k.Values[i]
	if k.isSwitch() {
		text = strconv.FormatBool(i == 1)
	}
	_ = k.value.set(s, text) // the values of the table are valid
}

// turn advances the setting by a number of values, wrapping around.
func (k *Setting) turn(s *State, by int) {
	values := k.Offered(s)
	n := len(values)
	k.Choose(s, ((slices.Index(values, k.Value(s))+by)%n+n)%n)
}

// Turned returns a copy of w in which this setting is advanced by a number of values, wrapping around.
func (k *Setting) Turned(w Settings, by int) Settings {
	s := State{MeshShaders: true}
	s.Want = w
	k.turn(&s, by)
	return s.Want
}

// Press performs the action of the setting's key. FindKey returns the number `by` that belongs to the key.
func (k *Setting) Press(s *State, by int) {
	switch {
	case k.do != nil:
		k.do(s, by)
	case k.isSwitch():
		on := k.At(s).(*bool)
		*on = !*on
	default:
		k.turn(s, by)
		s.Turned, s.Step = k, by
	}
}

// Named returns the setting with the named control. It panics if there is none.
func Named(name string) *Setting {
	return find(name, func(k *Setting) bool { return k.Name == name })
}

// ByFlag returns the setting that a flag sets. It panics if there is none.
func ByFlag(flag string) *Setting {
	return find(flag, func(k *Setting) bool { return k.Flag == flag })
}

func find(what string, is func(*Setting) bool) *Setting {
	i := slices.IndexFunc(rows, is)
	if i < 0 {
		panic("no setting " + what) // a mistake in the program
	}
	return rows[i]
}

// AddFlags adds the flags of the table that have a Usage, and those of cli.LookFlags. The caller adds the others with
// the types of internal/cli.
func AddFlags(flags *pflag.FlagSet) {
	begin := Begin()
	(&cli.LookFlags{Light: begin.Want.Look.Light.String()}).AddLook(flags)
	for _, k := range rows {
		if k.Usage == "" {
			continue
		}
		switch p := k.At(&begin).(type) {
		case *bool:
			flags.Bool(k.Flag, *p, k.Usage)
		case *int:
			flags.Int(k.Flag, *p, k.Usage)
		case *uint32:
			flags.Uint32(k.Flag, *p, k.Usage)
		case *float64:
			flags.Float64(k.Flag, *p, k.Usage)
		default:
			flags.String(k.Flag, k.value.get(&begin), k.Usage)
		}
	}
}

// Flags returns the values of flags that restore the settings whose Kept is at least `kept`. It leaves out settings that `omit` omits in this state.
func (s *State) Flags(kept Kept) map[string]string {
	values := map[string]string{}
	for _, k := range rows {
		if k.Kept >= kept && (k.omit == nil || !k.omit(s)) {
			values[k.Flag] = k.value.get(s)
		}
	}
	return values
}

// ApplyFlags sets the flags in `values` whose Kept is at least `kept`. It leaves out flags that the command line sets, and flags that those exclude.
func ApplyFlags(values map[string]string, kept Kept, flags *pflag.FlagSet) error {
	for _, k := range rows {
		value, there := values[k.Flag]
		other := map[string]string{"before": "compare", "compare": "before"}[k.Flag] // the flag that k.Flag excludes
		if k.Kept < kept || !there || flags.Changed(k.Flag) || other != "" && flags.Changed(other) {
			continue
		}
		// FlagSet.Set would mark the flag as given on the command line.
		if err := flags.Lookup(k.Flag).Value.Set(value); err != nil {
			return fmt.Errorf("settings: %s %q: %w", k.Flag, inspect.OneLine(value), err)
		}
	}
	return nil
}

// Names reports whether the command line sets any flag of the table.
func Names(flags *pflag.FlagSet) bool {
	return slices.ContainsFunc(rows, func(k *Setting) bool { return k.Flag != "" && flags.Changed(k.Flag) })
}

// FindKey returns the setting of a key, and the number for Press: the direction in which the key steps or, if Each is set,
// the key's place in the setting's list of keys, from 1. It returns nil for a key without a setting.
func FindKey(key string) (k *Setting, by int) {
	plain, shifted := strings.CutPrefix(key, "Shift+")
	for _, k := range rows {
		keys := strings.Split(k.Key, ", ")
		switch {
		case k.Key == "":
		case slices.Contains(keys, key):
			if k.Each {
				return k, slices.Index(keys, key) + 1
			}
			return k, 1
		case shifted && k.Back && slices.Contains(keys, plain):
			return k, -1
		}
	}
	return nil, 0
}

// HelpGroup is a part of the help. A line holds a key, what it does, and the current value.
type HelpGroup struct {
	Name  string
	Lines [][3]string
}

// HelpGroups returns the help, with the mouse first.
func (s *State) HelpGroups() []HelpGroup {
	groups := []HelpGroup{{"Mouse", mouseHelp}}
	for _, g := range table {
		h := HelpGroup{Name: g.name}
		for i := range g.settings {
			k := &g.settings[i]
			if k.Key == "" {
				continue
			}
			line := [3]string{k.Key, cmp.Or(k.Effect, "next "+k.Name)}
			switch {
			case k.shows != nil:
				line[2] = k.shows(s)
			case k.value.get != nil:
				line[2] = k.Value(s)
			}
			if k.Back {
				line[0] += ", Shift+" + k.Key
				line[1] = "next, previous " + strings.TrimPrefix(line[1], "next ")
			}
			h.Lines = append(h.Lines, line)
		}
		groups = append(groups, h)
	}
	return groups
}
