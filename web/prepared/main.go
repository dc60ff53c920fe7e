// Command prepared prints, as JSON, data that the page's build takes from Go. It has the choices that the page offers, and
// the palettes of internal/renderer/picture, whose fonts would make up a tenth of the page if the page used that package. It
// also has the worker's answers about the scene that the page shows first, so that this picture need not wait for the worker.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/web/session"
)

// palette has a colour and a label per step.
type palette struct {
	Colors [][3]uint8 `json:"colors"`
	Labels []string   `json:"labels"`
}

func palettes() map[string]palette {
	all := map[string]palette{}
	for i, name := range picture.PaletteNames {
		p := picture.Palette(i)
		colors, labels := p.Colors(), p.Labels()
		made := palette{Labels: labels[:p.Steps()]}
		for _, c := range colors[:p.Steps()] {
			made.Colors = append(made.Colors, [3]uint8{c.R, c.G, c.B})
		}
		all[name] = made
	}
	return all
}

// What the page shows first: the same as `first` in web/src/main.js.
const (
	scene = session.AssetPrefix + "terrain64"
	order = "original"
	lanes = 32
)

var sides = []string{"claim", "naive-index"}

// answer is an answer of the worker in a form that compresses well: lists of numbers are stored as
// differences of consecutive numbers, and positions as transposed returns them.
type answer struct {
	Value     any
	Positions []byte
	Counts    map[string][]int64
}

// answers returns the worker's answers, keyed by the text under which web/src/engine.js looks up a request.
func answers(about session.About) map[string]answer {
	var s session.Session
	all := map[string]answer{}
	ask := func(r session.Request) {
		a := must.Get(s.Do(context.Background(), must.Get(json.Marshal(r))))
		stored := answer{a.Value, transposed(a.Floats["positions"]), map[string][]int64{}}
		for name, list := range a.Counts {
			differences, before := make([]int64, len(list)), int64(0)
			for i, n := range list {
				differences[i], before = int64(n)-before, int64(n)
			}
			stored.Counts[name] = differences
		}
		all[fmt.Sprintf("%s %s %s %s %d", r.Do, r.Path, r.Strategy, r.Order, r.Lanes)] = stored
	}
	ask(session.Request{Do: "open", Path: scene})
	for _, strategy := range sides {
		ask(session.Request{Do: "count", Strategy: strategy, Order: order, Lanes: lanes})
	}
	for _, strategy := range about.Strategies {
		ask(session.Request{Do: "sum", Strategy: strategy.Name, Order: order, Lanes: lanes})
	}
	return all
}

// transposed returns the bytes of positions, 12 per vertex as little-endian floats: first the first byte
// of every vertex, then the second of every vertex, and so on.
func transposed(positions []float32) []byte {
	const size = 12
	bytes := must.Get(binary.Append(nil, binary.LittleEndian, positions))
	out := make([]byte, 0, len(bytes))
	for place := range size {
		for i := place; i < len(bytes); i += size {
			out = append(out, bytes[i])
		}
	}
	return out
}

func main() {
	about := session.NewAbout()
	must.OK(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"palettes": palettes(), "about": about, "path": scene, "answers": answers(about),
	}))
}
