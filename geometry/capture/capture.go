// Package capture opens captured frames of games, and all mesh formats of package format.
//
//	scene, err := capture.Open(ctx, "frame.zip.xml.zst")
//	if scene.Capture != nil { ... } // a captured frame
//
// A frame is RenderDoc's XML or its own file (renderdoc.go), a GLB that tools/renderdoc/export.py
// wrote from a replay (replayed.go), or a bare table of draws. csv.go reads these tables, and single
// meshes that RenderDoc's mesh viewer exported.
package capture

import (
	"context"
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Readers lists every format that can be opened: those of package format, and those of captured
// frames.
func Readers() format.Formats { return readers(replayed) }

// ReadersCopying returns Readers in which c copies the glTF documents that it can copy. Replayed
// frames go to their own reader, which places their draws.
func ReadersCopying(c *format.GLTFCopy) format.Formats { return readers(copying(c)) }

// ReadersAlone returns the ReadersCopying of formats whose files need neither another program nor
// a zip file: those of meshes, and tables. A program that uses no others is smaller. c may be nil.
func ReadersAlone(c *format.GLTFCopy) format.Formats {
	return append(format.Readers(copying(c)), drawsReader, csvReader)
}

func copying(c *format.GLTFCopy) format.GLTFExtension {
	if c == nil {
		return replayed
	}
	return func(doc *format.GLTF) (func(context.Context, *geometry.Scene) error, error) {
		if finish, err := replayed(doc); err != nil || finish != nil {
			return finish, err
		}
		return c.Extension(doc)
	}
}

func readers(extend format.GLTFExtension) format.Formats {
	return append(format.Readers(extend), renderdocReader, drawsReader, rdcReader, csvReader)
}

// Open opens a mesh file or a captured frame: see format.Formats.Open.
func Open(ctx context.Context, path string) (*geometry.Scene, error) {
	return Readers().Open(ctx, path)
}

// grow makes room in a list for n more elements of the given size, and charges what it allocates.
func grow[T any](in *format.Input, list []T, n, bytes int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	capacity := max(len(list)+n, len(list)+len(list)/2, 1<<10)
	must.OK(in.Charge(int64(capacity * bytes)))
	return append(make([]T, 0, capacity), list...)
}

// Any pass of a frame can be the main one: the scene then has that pass's camera, and shows its
// draws only.

// passName returns the part of a draw's name that is its pass's: "pass 2 shadows".
func passName(draw string) string {
	name, _, _ := strings.Cut(draw, " / ")
	return name
}

// passes lists the frame's passes.
func (p *placer) passes() []geometry.Pass {
	list := make([]geometry.Pass, len(p.aspects))
	for i := range p.scene.Draws {
		pass := &list[p.states[i].Pass]
		pass.Name = passName(p.scene.Draws[i].Name)
		pass.Draws++
		pass.Triangles += int(p.scene.Draws[i].IndexCount / 3)
	}
	return list
}

// choose finds the pass that is wanted, by its name, the rest of the name after its number, or the
// number; -1 if none is.
func (p *placer) choose(list []geometry.Pass) int {
	if p.pass == "" {
		return -1
	}
	var names []string
	for i := range list {
		number, label, _ := strings.Cut(strings.TrimPrefix(list[i].Name, "pass "), " ")
		for _, name := range []string{list[i].Name, number, label} {
			if name != "" && strings.EqualFold(name, p.pass) {
				return i
			}
		}
		names = append(names, list[i].Name)
	}
	must.Fail("no pass %q: the frame has %s", p.pass, strings.Join(names[:min(len(names), 20)], ", "))
	return -1
}

// setPasses completes the list for a placed frame.
func (p *placer) setPasses(list []geometry.Pass, frame *replay.Frame) {
	c := p.scene.Capture
	for i := range c.Placings {
		if c.Placings[i].How != geometry.Hidden {
			list[p.states[i].Pass].Shown++
		}
	}
	list[frame.Main()].Camera = true
	c.Passes = list
}

// noCamera is the error for a pass that does not tell where its camera is.
func noCamera(pass geometry.Pass) error {
	return fmt.Errorf("%s: none of its %d draws tells where its camera is: no vertex shader that can be run is linear there", pass.Name, pass.Draws)
}
