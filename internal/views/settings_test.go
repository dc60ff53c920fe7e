package views

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

func TestSettlePassesOverWhatDoesNotWork(t *testing.T) {
	start := Settings{Strategy: "warp", Lanes: 32, Load: renderer.SimpleLoad}
	native := start
	native.Subgroups = renderer.NativeSubgroups
	native.Lanes = 8
	only8 := func(s Settings) error {
		if s.Subgroups == renderer.NativeSubgroups && s.Lanes != 8 {
			return errors.New("not native here")
		}
		return nil
	}
	for name, c := range map[string]struct {
		good, want Settings
		knob       *Knob
		step       int
		found      Settings
		notice     string
	}{
		"works at once": {native, ViewKnob.Turned(native, 1), &ViewKnob, 1, ViewKnob.Turned(native, 1), ""},
		"the only value that works is where it was": {
			native, LanesKnob.Turned(native, 1), &LanesKnob, 1, native, "warp, 16 lanes, indexed queue, counts view: not native here",
		},
		"the next value works": {
			start, SubgroupsKnob.Turned(start, 1), &SubgroupsKnob, 1, SubgroupsKnob.Turned(start, 2),
			"warp, 32 lanes, indexed queue, counts view: not native here",
		},
		"no knob": {start, SubgroupsKnob.Turned(start, 1), nil, 0, start, "warp, 32 lanes, indexed queue, counts view: not native here"},
	} {
		t.Run(name, func(t *testing.T) {
			found, notice := settle(c.good, c.want, c.knob, c.step, only8)
			require.Equal(t, c.found, found)
			if c.notice == "" {
				require.NoError(t, notice)
				return
			}
			require.EqualError(t, notice, c.notice)
		})
	}
}
