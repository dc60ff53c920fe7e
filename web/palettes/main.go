// Command palettes prints the palettes of internal/renderer/picture as JSON, for the page's build: the package
// also has fonts, which would make up a tenth of the page.
package main

import (
	"encoding/json"
	"os"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
)

// palette has a colour and a label per step.
type palette struct {
	Colors [][3]uint8 `json:"colors"`
	Labels []string   `json:"labels"`
}

func main() {
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
	must.OK(json.NewEncoder(os.Stdout).Encode(all))
}
