package views

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
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

// TestOursShowsAnOutputThatOursHave: the varying view goes with the shader whose output it
// shows; other views stay.
func TestOursShowsAnOutputThatOursHave(t *testing.T) {
	user := Settings{Load: "512", View: renderer.Varying, Shader: cli.VertexShader{Captured: true, Shown: "tint"}}
	require.Equal(t, Settings{Load: "512", View: renderer.Shaded}, user.Ours())
	user.View = renderer.Batches
	require.Equal(t, Settings{Load: "512", View: renderer.Batches}, user.Ours())
	user.View = renderer.Varying
	LoadKnob.Set(&user, 0)
	require.Equal(t, Settings{Load: renderer.SimpleLoad, View: renderer.Shaded}, user)
}

// TestOtherSideHasItsOwnSizes: batch limits of the left side are not taken over.
func TestOtherSideHasItsOwnSizes(t *testing.T) {
	left := Settings{Strategy: "hash", Lanes: 8, Batch: 192, Unique: 64, View: renderer.Batches, Load: "512"}
	o, err := ParseOther("claim//16", left, "forsyth")
	require.NoError(t, err)
	require.Equal(t, OtherSide{"claim", 16, "forsyth"}, o)
	require.Equal(t, Settings{Strategy: "claim", Lanes: 16, View: renderer.Batches, Load: "512"}, o.Settings(left))
}
