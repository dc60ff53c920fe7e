package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	mesh := func(name, path string, frame bool, own, forsyth, hash int) (s Scene, list []Reuse) {
		for order, n := range map[string]int{"original": own, "forsyth": forsyth} {
			list = append(list, Reuse{Scene: name, Order: order, Counter: "model", Name: "model", Kind: Model, Stats: stats(200, 100, n)})
		}
		for counter, flags := range map[string]string{"hash": "", "dynamic": " --unique 256", "naive": "", "multi": ""} {
			n := map[string]int{"hash": hash, "dynamic": 101, "naive": 102, "multi": 100}[counter]
			list = append(list, Reuse{Scene: name, Order: "original", Counter: counter, Name: counter, Flags: flags, Kind: Strategy, Stats: stats(200, 100, n)})
		}
		list = append(list, Reuse{Scene: name, Order: "forsyth", Counter: "hash", Name: "hash", Kind: Strategy, Stats: stats(200, 100, 100)})
		return Scene{Name: name, Path: path, Frame: frame, Given: true}, list
	}
	r := &Report{Run: Run{Device: "a card", Flags: " --device 1"}, Hardware: Hardware{Counter: "model"}}
	for _, m := range []struct {
		name, path         string
		frame              bool
		own, forsyth, hash int
		text, command      string
	}{
		{"spot.obj", "a/spot.obj", false, 210, 120, 104, "spot.obj: every vertex is shaded 2.10 times on average by a GPU like the model model, in forsyth order 1.20 times. " +
			"Strategy hash, which finds repeats while it draws, shades it 1.04 times as it is. Run this command:", "shadeonce convert a/spot.obj --order forsyth -o spot-forsyth.obj"},
		{"it's.OFF (2)", "-it's.OFF.gz", false, 210, 205, 104, "", `shadeonce convert './-it'\''s.OFF.gz' --order forsyth -o 'it'\''s (2)-forsyth.glb'`},
		{"x.stl", "x.stl", false, 210, 205, 104, "", "shadeonce convert x.stl --order forsyth -o x-forsyth.glb"},
		{"sphere6", "asset:sphere6", false, 210, 205, 104, "", "shadeonce convert asset:sphere6 --order forsyth -o sphere6-forsyth.glb"},
		{"good", "good.gltf", false, 120, 119, 110, "good: every vertex is shaded 1.20 times on average by a GPU like the model model. " +
			"Strategy hash, which finds repeats while it draws, shades it 1.10 times as it is. No order that was counted saves 2 %: leave the file as it is.", ""},
		{"f", "f.zip.xml", true, 210, 120, 104, "", "shadeonce analyze f.zip.xml --per-draw --sort lost --strategy none --model model --device 1"},
	} {
		s, list := mesh(m.name, m.path, m.frame, m.own, m.forsyth, m.hash)
		r.Scenes, r.Reuse = append(r.Scenes, s), append(r.Reuse, list...)
		v := r.Verdicts()
		require.Len(t, v, len(r.Scenes))
		last := v[len(v)-1]
		require.Equal(t, m.command, last.Command)
		if m.text != "" {
			require.Equal(t, m.text, last.Text)
		}
	}
	s, list := mesh("worse", "worse.obj", false, 103, 103, 108)
	r.Scenes, r.Reuse = append(r.Scenes, s), append(r.Reuse, list...)
	require.NotContains(t, r.Verdicts()[len(r.Scenes)-1].Text, "Strategy", "none that shades more")
	r.Hardware.Measured = true
	require.Contains(t, r.Verdicts()[0].Text, "2.10 times on average by the graphics pipeline of a card, in forsyth")
	r.Hardware = Hardware{Counter: "hardware of a processor", Measured: true, StandIn: "model"}
	require.Contains(t, r.Verdicts()[0].Text, "2.10 times on average by a GPU like the model model")
	r.Scenes[0].Given = false
	require.Len(t, r.Verdicts(), len(r.Scenes)-1, "built-in scenes have none")
}
